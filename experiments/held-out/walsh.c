/* Walsh-Hadamard transform of each row. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "u k result");
    Array uu = array_load("u", "<f8", 2);
    int64_t rows = uu.extent[0], n = uu.extent[1];
    double *all = uu.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++) {
        double *u = all + i * n;
        for (int64_t h = 1; h < n; h *= 2)
            for (int64_t b = 0; b < n; b += 2 * h)
                for (int64_t j = b; j < b + h; j++) {
                    double x = u[j], y = u[j + h];
                    u[j] = x + y;
                    u[j + h] = x - y;
                }
    }
    timing_print("Walsh", begin);
    array_store("result", uu);
    return 0;
}
