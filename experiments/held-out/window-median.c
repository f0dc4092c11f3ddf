/* The median of each point's 5 x 5 neighbours, sorted by insertion in a small array. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k result");
    Array images = array_load("image", "<f4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1];
    Array results = matrix_new("<f4", rows, columns);
    const float *restrict image = images.data;
    float *restrict result = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 2; i < rows - 2; i++)
        for (int64_t j = 2; j < columns - 2; j++) {
            float w[25];
            int count = 0;
            for (int p = -2; p <= 2; p++)
                for (int q = -2; q <= 2; q++) {
                    float value = image[(i + p) * columns + j + q];
                    int at = count++;
                    for (; at > 0 && w[at - 1] > value; at--) w[at] = w[at - 1];
                    w[at] = value;
                }
            result[i * columns + j] = w[12];
        }
    timing_print("Window Median", begin);
    array_store("result", results);
    return 0;
}
