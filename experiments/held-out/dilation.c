/* Each point becomes the largest of itself and its four neighbours, in single precision. */
#include "../reference/common.h"

static inline float most(float a, float b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image result rounds k");
    Array images = array_load("image", "<f4", 2);
    const int64_t rows = images.extent[0], columns = images.extent[1], rounds = argument_integer("rounds");
    Array results = matrix_new("<f4", rows, columns);
    const float(*restrict image)[columns] = images.data;
    float(*restrict result)[columns] = results.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++) {
            for (int64_t j = 1; j < columns - 1; j++) {
                const float across = most(most(image[i][j - 1], image[i][j]), image[i][j + 1]);
                result[i][j] = most(most(image[i - 1][j], image[i + 1][j]), across);
            }
        }
    }
    timing_print("Dilation", begin);
    array_store("result", results);
    return 0;
}
