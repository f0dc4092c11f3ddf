/* Speckle is taken out of an image by diffusion that stops at edges. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image rounds lambda k result");
    Array images = array_load("image", "<f4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1], cells = images.count;
    int rounds = argument_integer("rounds");
    float lambda = argument_real("lambda");
    float *restrict image = images.data, *restrict c = memory_new(sizeof(float) * cells), *restrict north = memory_new(sizeof(float) * cells);
    float *restrict south = memory_new(sizeof(float) * cells), *restrict west = memory_new(sizeof(float) * cells), *restrict east = memory_new(sizeof(float) * cells);
    double total, squares;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int t = 0; t < rounds; t++) {
#pragma omp single
        total = squares = 0;
#pragma omp for schedule(static) reduction(+ : total, squares)
        for (int64_t at = 0; at < cells; at++) {
            total += image[at];
            squares += image[at] * image[at];
        }
        double mean = total / cells, variance = squares / cells - mean * mean;
        float q0 = variance / (mean * mean);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            const float *above = image + (i > 0 ? i - 1 : 0) * columns, *line = image + i * columns, *below = image + (i < rows - 1 ? i + 1 : i) * columns;
            for (int64_t j = 0; j < columns; j++) {
                float here = line[j], n = above[j] - here, s = below[j] - here, w = line[j > 0 ? j - 1 : 0] - here, e = line[j < columns - 1 ? j + 1 : j] - here;
                float square = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here, over = 0.5f * square - 0.0625f * (l * l), under = 1 + 0.25f * l;
                float q = over / (under * under), way = (q - q0) / (q0 * (1 + q0)), value = 1 / (1 + way);
                int64_t at = i * columns + j;
                c[at] = value < 0 ? 0 : value > 1 ? 1 : value;
                north[at] = n, south[at] = s, west[at] = w, east[at] = e;
            }
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            const float *below = c + (i < rows - 1 ? i + 1 : i) * columns, *line = c + i * columns;
            for (int64_t j = 0; j < columns; j++) {
                int64_t at = i * columns + j;
                image[at] += 0.25f * lambda * (line[j] * north[at] + below[j] * south[at] + line[j] * west[at] + line[j < columns - 1 ? j + 1 : j] * east[at]);
            }
        }
    }
    timing_print("Speckle", begin);
    array_store("result", images);
    return 0;
}
