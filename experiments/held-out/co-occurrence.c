/* The texture of tiles of an image: how often grey levels stand beside each other, and what follows from it (Haralick). */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image side k contrast energy even");
    Array images = array_load("image", "<i4", 2);
    int64_t side = argument_integer("side"), width = images.extent[1], rows = images.extent[0] / side, columns = width / side;
    Array contrasts = matrix_new("<f8", rows, columns), energies = matrix_new("<f8", rows, columns), evens = matrix_new("<f8", rows, columns);
    const int *restrict image = images.data;
    double *contrast = contrasts.data, *energy = energies.data, *even = evens.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            int count[8][8] = {{0}};
            for (int64_t y = i * side; y < (i + 1) * side; y++)
                for (int64_t x = j * side; x < (j + 1) * side - 1; x++) {
                    int a = image[y * width + x] / 32, b = image[y * width + x + 1] / 32;
                    count[a][b]++;
                    count[b][a]++;
                }
            double all = 2.0 * side * (side - 1), sum = 0, squares = 0, near = 0;
            for (int a = 0; a < 8; a++)
                for (int b = 0; b < 8; b++) {
                    double p = count[a][b] / all;
                    sum += (a - b) * (a - b) * p;
                    squares += p * p;
                    near += p / (1 + abs(a - b));
                }
            contrast[i * columns + j] = sum;
            energy[i * columns + j] = squares;
            even[i * columns + j] = near;
        }
    timing_print("Texture", begin);
    array_store("contrast", contrasts);
    array_store("energy", energies);
    array_store("even", evens);
    return 0;
}
