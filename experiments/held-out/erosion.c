/* A mask of points opened by a disc: erosion, then dilation, with a disc of radius 3. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "mask disc k opened");
    Array masks = array_load("mask", "|b1", 2), discs = array_load("disc", "|b1", 2);
    int64_t rows = masks.extent[0], columns = masks.extent[1];
    Array insides = matrix_new("|b1", rows, columns), results = matrix_new("|b1", rows, columns);
    const bool *restrict mask = masks.data, (*disc)[7] = discs.data;
    bool *restrict inside = insides.data, *restrict opened = results.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 3; i < rows - 3; i++)
            for (int64_t j = 3; j < columns - 3; j++) {
                bool all = true;
                for (int p = -3; p <= 3; p++)
                    for (int q = -3; q <= 3; q++) all &= !disc[p + 3][q + 3] | mask[(i + p) * columns + j + q];
                inside[i * columns + j] = all;
            }
#pragma omp for
        for (int64_t i = 3; i < rows - 3; i++)
            for (int64_t j = 3; j < columns - 3; j++) {
                bool any = false;
                for (int p = -3; p <= 3; p++)
                    for (int q = -3; q <= 3; q++) any |= disc[p + 3][q + 3] & inside[(i + p) * columns + j + q];
                opened[i * columns + j] = any;
            }
    }
    timing_print("Opening", begin);
    array_store("opened", results);
    return 0;
}
