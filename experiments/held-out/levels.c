/* An image in 256 levels: the level of each point, and how far it lies from it. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image level error rounds k");
    Array images = array_load("image", "<f8", 2);
    const int64_t rows = images.extent[0], columns = images.extent[1], rounds = argument_integer("rounds");
    Array levels = matrix_new("<i4", rows, columns), errors = matrix_new("<f8", rows, columns);
    const double(*restrict image)[columns] = images.data;
    int32_t(*restrict level)[columns] = levels.data;
    double(*restrict error)[columns] = errors.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < columns; j++) {
                int n = (int)(image[i][j] * 255 + 0.5);
                n = n < 0 ? 0 : n > 255 ? 255 : n;
                level[i][j] = n;
                error[i][j] = image[i][j] - n / 255.0;
            }
        }
    }
    timing_print("Levels", begin);
    array_store("level", levels);
    array_store("error", errors);
    return 0;
}
