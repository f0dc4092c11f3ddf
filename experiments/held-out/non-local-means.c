/* Noise taken out of an image by non-local means. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image strength k result");
    Array images = array_load("image", "<f4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1];
    Array results = matrix_new("<f4", rows, columns);
    const float *restrict image = images.data;
    float *restrict result = results.data, strength = argument_real("strength");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 4; i < rows - 4; i++)
        for (int64_t j = 4; j < columns - 4; j++) {
            const float *here = image + i * columns + j;
            float sum = 0, total = 0;
            for (int64_t di = -3; di <= 3; di++)
                for (int64_t dj = -3; dj <= 3; dj++) {
                    const float *there = here + di * columns + dj;
                    float square = 0;
                    for (int64_t p = -1; p <= 1; p++)
                        for (int64_t q = -1; q <= 1; q++) {
                            float e = here[p * columns + q] - there[p * columns + q];
                            square += e * e;
                        }
                    float w = expf(-square / strength);
                    sum += w * there[0];
                    total += w;
                }
            result[i * columns + j] = sum / total;
        }
    timing_print("Non-local Means", begin);
    array_store("result", results);
    return 0;
}
