/* A layer of a neural network: 3 x 3 convolution of images with several channels into others, a bias, and what is negative becomes zero. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "input weight bias k output");
    Array inputs = array_load("input", "<f4", 4), weights = array_load("weight", "<f4", 4), biases = array_load("bias", "<f4", 1);
    int64_t images = inputs.extent[0], channels = inputs.extent[1], rows = inputs.extent[2], columns = inputs.extent[3], filters = weights.extent[0];
    Array outputs = array_new("<f4", 4, (int64_t[]){images, filters, rows - 2, columns - 2});
    const float *bias = biases.data;

    double begin = clock_now();
#pragma omp parallel for collapse(2) num_threads(argument_threads())
    for (int64_t n = 0; n < images; n++)
        for (int64_t f = 0; f < filters; f++)
            for (int64_t y = 0; y < rows - 2; y++) {
                float *restrict out = (float *)outputs.data + ((n * filters + f) * (rows - 2) + y) * (columns - 2);
                for (int64_t x = 0; x < columns - 2; x++) out[x] = bias[f];
                for (int64_t c = 0; c < channels; c++) {
                    const float *restrict in = (float *)inputs.data + ((n * channels + c) * rows + y) * columns;
                    const float *restrict w = (float *)weights.data + (f * channels + c) * 9;
                    for (int64_t x = 0; x < columns - 2; x++)
                        out[x] += w[0] * in[x] + w[1] * in[x + 1] + w[2] * in[x + 2] + w[3] * in[columns + x] + w[4] * in[columns + x + 1] +
                            w[5] * in[columns + x + 2] + w[6] * in[2 * columns + x] + w[7] * in[2 * columns + x + 1] + w[8] * in[2 * columns + x + 2];
                }
                for (int64_t x = 0; x < columns - 2; x++) out[x] = out[x] > 0 ? out[x] : 0;
            }
    timing_print("Layer", begin);
    array_store("output", outputs);
    return 0;
}
