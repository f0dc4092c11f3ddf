/* Batches of images with several channels, made even: each channel gets mean 0 and spread 1 over all images and points. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x gain offset k y");
    Array xs = array_load("x", "<f4", 4), gains = array_load("gain", "<f4", 1), offsets = array_load("offset", "<f4", 1);
    Array ys = array_new("<f4", 4, xs.extent);
    int64_t images = xs.extent[0], channels = xs.extent[1], points = xs.extent[2] * xs.extent[3];
    const float *x = xs.data, *gain = gains.data, *offset = offsets.data;
    float *restrict y = ys.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t c = 0; c < channels; c++) {
        float sum = 0, squares = 0;
        for (int64_t n = 0; n < images; n++) {
            const float *from = x + (n * channels + c) * points;
#pragma omp simd reduction(+ : sum)
            for (int64_t p = 0; p < points; p++) sum += from[p];
        }
        float mean = sum / (images * points);
        for (int64_t n = 0; n < images; n++) {
            const float *from = x + (n * channels + c) * points;
#pragma omp simd reduction(+ : squares)
            for (int64_t p = 0; p < points; p++) squares += (from[p] - mean) * (from[p] - mean);
        }
        float scale = gain[c] / sqrtf(squares / (images * points) + 0.00001f), shift = offset[c] - mean * scale;
        for (int64_t n = 0; n < images; n++) {
            const float *from = x + (n * channels + c) * points;
            float *restrict to = y + (n * channels + c) * points;
            for (int64_t p = 0; p < points; p++) to[p] = scale * from[p] + shift;
        }
    }
    timing_print("Batch Norm", begin);
    array_store("y", ys);
    return 0;
}
