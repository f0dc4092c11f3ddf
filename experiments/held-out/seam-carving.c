/* Seams are carved out of an image: energies, least sums down the rows, the seam back up, the image without it. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image seams result places");
    Array images = array_load("image", "<f4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1], width = columns, seams = argument_integer("seams");
    Array placess = matrix_new("<i4", seams, rows);
    float *restrict image = images.data, *restrict energy = memory_new(sizeof(float) * images.count), *restrict cost = memory_new(sizeof(float) * images.count);
    int *restrict places = placess.data;
    double begin = clock_now();
    for (int64_t s = 0; s < seams; s++) {
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
        for (int64_t i = 0; i < rows; i++) {
            const float *here = image + i * columns, *above = image + larger(i - 1, 0) * columns, *below = image + smaller(i + 1, rows - 1) * columns;
            for (int64_t j = 0; j < width; j++)
                energy[i * columns + j] = fabsf(here[smaller(j + 1, width - 1)] - here[larger(j - 1, 0)]) + fabsf(below[j] - above[j]);
        }
        memcpy(cost, energy, sizeof(float) * width);
        for (int64_t i = 1; i < rows; i++) {
            const float *above = cost + (i - 1) * columns;
            for (int64_t j = 0; j < width; j++) {
                float best = above[j];
                if (j > 0 && above[j - 1] < best) best = above[j - 1];
                if (j < width - 1 && above[j + 1] < best) best = above[j + 1];
                cost[i * columns + j] = energy[i * columns + j] + best;
            }
        }
        int64_t j = 0;
        for (int64_t q = 1; q < width; q++)
            if (cost[(rows - 1) * columns + q] < cost[(rows - 1) * columns + j]) j = q;
        for (int64_t i = rows - 1; i >= 0; i--) {
            const float *sums = cost + i * columns;
            if (i < rows - 1) {
                int64_t best = j;
                if (j > 0 && sums[j - 1] < sums[best]) best = j - 1;
                if (j < width - 1 && sums[j + 1] < sums[best]) best = j + 1;
                j = best;
            }
            places[s * rows + i] = (int)j;
            memmove(image + i * columns + j, image + i * columns + j + 1, sizeof(float) * (width - 1 - j));
        }
        width--;
    }
    timing_print("Seam", begin);
    array_store("result", images);
    array_store("places", placess);
    return 0;
}
