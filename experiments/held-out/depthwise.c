/* A separable layer of a network: 3 x 3 filters for each channel with stride 2, then channels mixed point by point. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image filter bias mix k result");
    Array images = array_load("image", "<f4", 4), filters = array_load("filter", "<f4", 3), biases = array_load("bias", "<f4", 1), mixes = array_load("mix", "<f4", 2);
    int64_t N = images.extent[0], H = images.extent[1], W = images.extent[2], C = images.extent[3], D = mixes.extent[1];
    int64_t h = (H - 1) / 2 + 1, w = (W - 1) / 2 + 1;
    Array results = array_new("<f4", 4, (int64_t[]){N, h, w, D});
    const float *restrict image = images.data, *restrict filter = filters.data, *restrict bias = biases.data, *restrict mix = mixes.data;
    float *restrict result = results.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        float *restrict middle = malloc((size_t)(w * C) * 4);
#pragma omp for collapse(2)
        for (int64_t n = 0; n < N; n++)
            for (int64_t i = 0; i < h; i++) {
                for (int64_t j = 0; j < w; j++) {
                    float *restrict m = middle + j * C;
                    for (int64_t c = 0; c < C; c++) m[c] = bias[c];
                    for (int64_t p = 0; p < 3; p++) {
                        int64_t y = 2 * i + p - 1;
                        if (y < 0 || y >= H) continue;
                        for (int64_t q = 0; q < 3; q++) {
                            int64_t x = 2 * j + q - 1;
                            if (x < 0 || x >= W) continue;
                            const float *restrict in = image + ((n * H + y) * W + x) * C, *restrict f = filter + (p * 3 + q) * C;
#pragma omp simd
                            for (int64_t c = 0; c < C; c++) m[c] += f[c] * in[c];
                        }
                    }
                    for (int64_t c = 0; c < C; c++) {
                        float v = m[c] > 0 ? m[c] : 0;
                        m[c] = v < 6 ? v : 6;
                    }
                }
                for (int64_t j = 0; j < w; j++) {
                    float *restrict out = result + ((n * h + i) * w + j) * D;
                    const float *restrict m = middle + j * C;
                    for (int64_t c = 0; c < C; c++) {
                        const float *restrict row = mix + c * D;
#pragma omp simd
                        for (int64_t d = 0; d < D; d++) out[d] += m[c] * row[d];
                    }
                    for (int64_t d = 0; d < D; d++) out[d] = out[d] > 0 ? out[d] : 0;
                }
            }
        free(middle);
    }
    timing_print("Depthwise", begin);
    array_store("result", results);
    return 0;
}
