/* B = L A for a lower triangular matrix L. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "l a k b");
    Array ls = array_load("l", "<f8", 2), as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0], columns = as.extent[1];
    Array bs = matrix_new("<f8", n, columns);
    const double *l = ls.data, *a = as.data;

    double begin = clock_now();
#pragma omp parallel for schedule(dynamic, 8) num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        double *restrict b = (double *)bs.data + i * columns;
        for (int64_t m = 0; m <= i; m++)
            for (int64_t j = 0; j < columns; j++) b[j] += l[i * n + m] * a[m * columns + j];
    }
    timing_print("Triangular Product", begin);
    array_store("b", bs);
    return 0;
}
