/* A bilateral filter of 5 times 5 points. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image result k");
    Array images = array_load("image", "<f4", 2);
    const int64_t rows = images.extent[0], columns = images.extent[1];
    Array results = matrix_new("<f4", rows, columns);
    const float(*image)[columns] = images.data;
    float(*result)[columns] = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 2; i < rows - 2; i++) {
        for (int64_t j = 2; j < columns - 2; j++) {
            float total = 0, weight = 0;
            for (int p = -2; p <= 2; p++) {
                for (int q = -2; q <= 2; q++) {
                    float e = image[i + p][j + q] - image[i][j];
                    float w = expf(-0.1f * (float)(p * p + q * q) - 4 * e * e);
                    total += w * image[i + p][j + q];
                    weight += w;
                }
            }
            result[i][j] = total / weight;
        }
    }
    timing_print("Bilateral", begin);
    array_store("result", results);
    return 0;
}
