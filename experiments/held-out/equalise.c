/* Contrast of an image made even, each tile by its own histogram, whose peaks are cut (CLAHE). */
#include <math.h>
#include "../reference/common.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image side limit k l result");
    Array images = array_load("image", "<i4", 2);
    int64_t n = images.extent[0], m = images.extent[1], side = argument_integer("side"), limit = argument_integer("limit");
    int64_t rows = (n - 1) / side + 1, columns = (m - 1) / side + 1;
    Array results = array_new("<f4", 2, images.extent), curves = array_new("<f4", 3, (int64_t[]){rows, columns, 256});
    const int *restrict image = images.data;
    float *restrict result = results.data, *restrict curve = curves.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for collapse(2)
        for (int64_t a = 0; a < rows; a++)
            for (int64_t b = 0; b < columns; b++) {
                int count[256] = {0};
                int64_t bottom = least((a + 1) * side, n), right = least((b + 1) * side, m), excess = 0, sum = 0;
                for (int64_t y = a * side; y < bottom; y++)
                    for (int64_t x = b * side; x < right; x++) count[image[y * m + x]]++;
                for (int g = 0; g < 256; g++) excess += count[g] > limit ? count[g] - limit : 0;
                int64_t pixels = (bottom - a * side) * (right - b * side);
                for (int g = 0; g < 256; g++) {
                    sum += least(count[g], limit);
                    curve[(a * columns + b) * 256 + g] = (float)((sum + excess * (g + 1) / 256.0) * 255.0 / pixels);
                }
            }
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            double y = (i + 0.5) / side - 0.5;
            int64_t a = (int64_t)floor(y);
            float down = (float)(y - a);
            const float *above = curve + (a > 0 ? a : 0) * columns * 256, *below = curve + least(a + 1, rows - 1) * columns * 256;
            for (int64_t j = 0; j < m; j++) {
                double x = (j + 0.5) / side - 0.5;
                int64_t b = (int64_t)floor(x);
                float across = (float)(x - b);
                int64_t left = (b > 0 ? b : 0) * 256 + image[i * m + j], right = least(b + 1, columns - 1) * 256 + image[i * m + j];
                float upper = (1 - across) * above[left] + across * above[right], lower = (1 - across) * below[left] + across * below[right];
                result[i * m + j] = (1 - down) * upper + down * lower;
            }
        }
    }
    timing_print("Equalise", begin);
    array_store("result", results);
    return 0;
}
