/* Deriche's recursive smoothing along rows and columns. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image alpha k l result");
    Array ii = array_load("image", "<f4", 2), oo = array_new("<f4", 2, ii.extent);
    int64_t n = ii.extent[0], m = ii.extent[1];
    const float *restrict im = ii.data;
    float alpha = argument_real("alpha"), *restrict f = array_new("<f4", 2, ii.extent).data, *restrict b = array_new("<f4", 2, ii.extent).data,
          *restrict mid = array_new("<f4", 2, ii.extent).data, *restrict out = oo.data;
    double begin = clock_now();
    float decay = expf(-alpha), k = (1 - decay) * (1 - decay) / (1 + 2 * alpha * decay - expf(-2 * alpha));
    float a1 = k, a2 = k * decay * (alpha - 1), a3 = k * decay * (alpha + 1), a4 = -k * expf(-2 * alpha), b1 = 2 * decay, b2 = -expf(-2 * alpha);
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            float y1 = 0, y2 = 0, x1 = 0, x2 = 0;
            for (int64_t j = 0; j < m; j++) {
                float y = a1 * im[i * m + j] + a2 * x1 + b1 * y1 + b2 * y2;
                f[i * m + j] = y;
                x1 = im[i * m + j];
                y2 = y1;
                y1 = y;
            }
            y1 = y2 = x1 = 0;
            for (int64_t j = m - 1; j >= 0; j--) {
                float y = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
                b[i * m + j] = y;
                x2 = x1;
                x1 = im[i * m + j];
                y2 = y1;
                y1 = y;
            }
            for (int64_t j = 0; j < m; j++) mid[i * m + j] = f[i * m + j] + b[i * m + j];
        }
#pragma omp for
        for (int64_t J = 0; J < m; J += 64) {
            int64_t e = J + 64 < m ? 64 : m - J;
            float y1[64] = {0}, y2[64] = {0}, x1[64] = {0}, x2[64] = {0};
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < e; j++) {
                    float x = mid[i * m + J + j], y = a1 * x + a2 * x1[j] + b1 * y1[j] + b2 * y2[j];
                    f[i * m + J + j] = y;
                    x1[j] = x;
                    y2[j] = y1[j];
                    y1[j] = y;
                }
            for (int64_t j = 0; j < 64; j++) y1[j] = y2[j] = x1[j] = 0;
            for (int64_t i = n - 1; i >= 0; i--)
                for (int64_t j = 0; j < e; j++) {
                    float y = a3 * x1[j] + a4 * x2[j] + b1 * y1[j] + b2 * y2[j];
                    out[i * m + J + j] = f[i * m + J + j] + y;
                    x2[j] = x1[j];
                    x1[j] = mid[i * m + J + j];
                    y2[j] = y1[j];
                    y1[j] = y;
                }
        }
    }
    timing_print("Deriche", begin);
    array_store("result", oo);
    return 0;
}
