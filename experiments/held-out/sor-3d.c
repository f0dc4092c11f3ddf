/* Successive over-relaxation in three dimensions: red points, then black ones, in place; the surface keeps its values. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start f rounds omega p result");
    Array us = array_load("start", "<f8", 3), fs = array_load("f", "<f8", 3);
    int64_t n = us.extent[0], rows = us.extent[1], columns = us.extent[2], plane = rows * columns, rounds = argument_integer("rounds");
    double *u = us.data, omega = argument_real("omega");
    const double *restrict f = fs.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t colour = 0; colour < 2; colour++)
#pragma omp parallel for num_threads(argument_threads())
            for (int64_t i = 1; i < n - 1; i++)
                for (int64_t j = 1; j < rows - 1; j++)
#pragma omp simd
                    for (int64_t k = 1 + (i + j + 1 + colour) % 2; k < columns - 1; k += 2) {
                        int64_t at = i * plane + j * columns + k;
                        double sides = u[at - plane] + u[at + plane] + u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1];
                        u[at] = (1 - omega) * u[at] + omega * (sides - f[at]) / 6;
                    }
    timing_print("SOR", begin);
    array_store("result", us);
    return 0;
}
