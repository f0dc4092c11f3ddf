/* The largest of 3 x 3 points around every second point of many images, as between the layers of a neural network. */
#include "../reference/common.h"

static inline float most(float a, float b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "images k pooled");
    Array images = array_load("images", "<f4", 3);
    int64_t count = images.extent[0], rows = images.extent[1], columns = images.extent[2], small_rows = (rows - 3) / 2 + 1, small_columns = (columns - 3) / 2 + 1;
    Array results = array_new("<f4", 3, (int64_t[]){count, small_rows, small_columns, 1});
    const float *restrict image = images.data;
    float *restrict pooled = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < small_rows; i++)
            for (int64_t j = 0; j < small_columns; j++) {
                const float *corner = image + (n * rows + 2 * i) * columns + 2 * j;
                float largest = corner[0];
                for (int y = 0; y < 3; y++)
                    for (int x = 0; x < 3; x++) largest = most(largest, corner[y * columns + x]);
                pooled[(n * small_rows + i) * small_columns + j] = largest;
            }
    timing_print("Pooling", begin);
    array_store("pooled", results);
    return 0;
}
