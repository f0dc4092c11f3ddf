/* Symmetric matrix in factors L D L', in place, one column after the other: L below the diagonal, D on it. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a k f");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    double *restrict a = as.data, *restrict column = memory_new(sizeof(double) * n);
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t k = 0; k < n; k++) {
#pragma omp for schedule(static)
        for (int64_t i = k; i < n; i++) column[i] = a[i * n + k];
#pragma omp for schedule(static, 8)
        for (int64_t i = k + 1; i < n; i++) {
            double factor = column[i] / column[k];
            for (int64_t j = k + 1; j <= i; j++) a[i * n + j] -= factor * column[j];
            a[i * n + k] = factor;
        }
    }
    timing_print("LDLT", begin);
    array_store("f", as);
    return 0;
}
