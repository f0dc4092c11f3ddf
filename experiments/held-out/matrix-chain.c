/* The cheapest order to multiply a chain of matrices. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "sizes k cost");
    Array ss = array_load("sizes", "<f8", 1);
    int64_t n = ss.extent[0] - 1;
    Array cc = matrix_new("<f8", n, n), tt = matrix_new("<f8", n, n);
    const double *restrict s = ss.data;
    double *c = cc.data, *t = tt.data;
    double begin = clock_now();
    for (int64_t d = 1; d < n; d++)
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < n - d; i++) {
            int64_t j = i + d;
            double least = INFINITY;
#pragma omp simd reduction(min : least)
            for (int64_t m = i; m < j; m++) {
                double way = c[i * n + m] + t[j * n + m + 1] + s[i] * s[m + 1] * s[j + 1];
                least = way < least ? way : least;
            }
            c[i * n + j] = t[j * n + i] = least;
        }
    timing_print("Chain", begin);
    array_store("cost", cc);
    return 0;
}
