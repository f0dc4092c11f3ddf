/* Squares of distances between all points of two sets: d[i][j] = the sum over m of (x[i][m] - y[j][m])^2. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y k l d");
    Array xx = array_load("x", "<f4", 2), yy = array_load("y", "<f4", 2);
    int64_t n = xx.extent[0], m = yy.extent[0], w = xx.extent[1];
    Array dd = matrix_new("<f4", n, m), tt = matrix_new("<f4", w, m);
    const float *restrict x = xx.data, *restrict y = yy.data;
    float *restrict d = dd.data, *restrict t = tt.data;
    double begin = clock_now();
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < w; k++) t[k * m + j] = y[j * w + k];
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        enum { BLOCK = 64 };
        int64_t j0 = 0;
        for (; j0 + BLOCK <= m; j0 += BLOCK) {
            float sum[BLOCK] = {0};
            for (int64_t k = 0; k < w; k++) {
                float p = x[i * w + k];
#pragma GCC unroll 4
                for (int j = 0; j < BLOCK; j++) sum[j] += (p - t[k * m + j0 + j]) * (p - t[k * m + j0 + j]);
            }
            memcpy(d + i * m + j0, sum, sizeof sum);
        }
        for (; j0 < m; j0++) {
            float s = 0;
#pragma omp simd reduction(+ : s)
            for (int64_t k = 0; k < w; k++) s += (x[i * w + k] - y[j0 * w + k]) * (x[i * w + k] - y[j0 * w + k]);
            d[i * m + j0] = s;
        }
    }
    timing_print("Distances", begin);
    array_store("d", dd);
    return 0;
}
