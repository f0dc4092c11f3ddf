/* Jacobi's method for Poisson's equation in three dimensions, 7 points. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start f rounds k result");
    Array start = array_load("start", "<f8", 3), right = array_load("f", "<f8", 3), other = array_new("<f8", 3, start.extent);
    memcpy(other.data, start.data, (size_t)start.count * start.size);
    int64_t planes = start.extent[0], rows = start.extent[1], columns = start.extent[2], plane = rows * columns;
    int64_t rounds = argument_integer("rounds");
    double *now = start.data, *next = other.data;
    const double *f = right.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < planes - 1; i++)
            for (int64_t j = 1; j < rows - 1; j++)
                for (int64_t k = 1; k < columns - 1; k++) {
                    int64_t at = i * plane + j * columns + k;
                    next[at] = (now[at - plane] + now[at + plane] + now[at - columns] + now[at + columns] + now[at - 1] + now[at + 1] - f[at]) / 6;
                }
        double *keep = now;
        now = next;
        next = keep;
    }
    timing_print("Jacobi 3d", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
