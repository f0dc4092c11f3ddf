/* Where water runs from each cell of a map of heights, and how steep. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "height k direction slope");
    Array heights = array_load("height", "<f4", 2);
    int64_t rows = heights.extent[0], columns = heights.extent[1];
    Array directions = matrix_new("<i4", rows, columns), slopes = matrix_new("<f4", rows, columns);
    const float *restrict height = heights.data;
    int *restrict direction = directions.data;
    float *restrict slope = slopes.data;
    static const int down[8] = {-1, -1, -1, 0, 1, 1, 1, 0}, right[8] = {-1, 0, 1, 1, 1, 0, -1, -1};

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            float best = 0;
            int which = -1;
            for (int d = 0; d < 8; d++) {
                float fall = height[i * columns + j] - height[(i + down[d]) * columns + j + right[d]];
                if (d % 2 == 0) fall *= 0.70710678f;
                if (fall > best) best = fall, which = d;
            }
            direction[i * columns + j] = which;
            slope[i * columns + j] = best;
        }
    timing_print("Flow Direction", begin);
    array_store("direction", directions);
    array_store("slope", slopes);
    return 0;
}
