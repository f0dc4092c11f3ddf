/* Cholesky factorisation in place: column after column, each of which changes those to its right. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a l");
    Array aa = array_load("a", "<f8", 2);
    int64_t n = aa.extent[0];
    double *restrict a = aa.data, *restrict column = vector_new("<f8", n).data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t k = 0; k < n; k++) {
#pragma omp single
        {
            double root = a[k * n + k] = sqrt(a[k * n + k]);
            for (int64_t i = k + 1; i < n; i++) column[i] = a[i * n + k] /= root;
            for (int64_t j = k + 1; j < n; j++) a[k * n + j] = 0;
        }
#pragma omp for schedule(static, 8)
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j <= i; j++) a[i * n + j] -= column[i] * column[j];
    }
    timing_print("Cholesky", begin);
    array_store("l", aa);
    return 0;
}
