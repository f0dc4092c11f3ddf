/* Tridiagonal systems along columns: forth, and back. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "d k x");
    Array dd = array_load("d", "<f8", 2);
    int64_t n = dd.extent[0], r = dd.extent[1], k = argument_integer("k");
    Array xx = matrix_new("<f8", n, r), cc = matrix_new("<f8", n, r);
    const double *restrict d = dd.data;
    double *restrict x = xx.data, *restrict c = cc.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t f = 0; f < r; f += k) {
        int64_t e = f + k < r ? f + k : r;
        for (int64_t i = f; i < e; i++) {
            c[i] = -0.25;
            x[i] = d[i] / 4;
        }
        for (int64_t j = 1; j < n; j++)
#pragma omp simd
            for (int64_t i = f; i < e; i++) {
                double w = 1 / (4 + c[(j - 1) * r + i]);
                c[j * r + i] = -w;
                x[j * r + i] = (d[j * r + i] + x[(j - 1) * r + i]) * w;
            }
        for (int64_t j = n - 2; j >= 0; j--)
#pragma omp simd
            for (int64_t i = f; i < e; i++) x[j * r + i] -= c[j * r + i] * x[(j + 1) * r + i];
    }
    timing_print("Tridiagonal", begin);
    array_store("x", xx);
    return 0;
}
