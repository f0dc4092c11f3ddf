/* The size of an image's gradient after Sobel, in levels from 0 to 255. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image edges rounds k");
    Array images = array_load("image", "<f4", 2);
    const int64_t rows = images.extent[0], columns = images.extent[1], rounds = argument_integer("rounds");
    Array results = matrix_new("<i4", rows, columns);
    const float(*restrict x)[columns] = images.data;
    int32_t(*restrict edges)[columns] = results.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++) {
            for (int64_t j = 1; j < columns - 1; j++) {
                const float right = x[i - 1][j + 1] + 2 * x[i][j + 1] + x[i + 1][j + 1], left = x[i - 1][j - 1] + 2 * x[i][j - 1] + x[i + 1][j - 1];
                const float below = x[i + 1][j - 1] + 2 * x[i + 1][j] + x[i + 1][j + 1], above = x[i - 1][j - 1] + 2 * x[i - 1][j] + x[i - 1][j + 1];
                const float across = right - left, down = below - above;
                const float size = 64 * sqrtf(across * across + down * down);
                edges[i][j] = (int)(size < 0 ? 0 : size > 255 ? 255 : size);
            }
        }
    }
    timing_print("Sobel", begin);
    array_store("edges", results);
    return 0;
}
