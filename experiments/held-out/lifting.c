/* The wavelet transform of JPEG 2000 without loss (5/3 lifting) along the rows of an image. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k wave");
    Array images = array_load("image", "<i4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1], half = columns / 2;
    Array waves = matrix_new("<i4", rows, columns);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++) {
        const int *restrict image = (int *)images.data + i * columns;
        int *restrict low = (int *)waves.data + i * columns, *restrict high = low + half;
        for (int64_t j = 0; j < half - 1; j++) high[j] = image[2 * j + 1] - ((image[2 * j] + image[2 * j + 2]) >> 1);
        high[half - 1] = image[2 * half - 1] - image[2 * half - 2];
        low[0] = image[0] + ((2 * high[0] + 2) >> 2);
        for (int64_t j = 1; j < half; j++) low[j] = image[2 * j] + ((high[j - 1] + high[j] + 2) >> 2);
    }
    timing_print("Lifting", begin);
    array_store("wave", waves);
    return 0;
}
