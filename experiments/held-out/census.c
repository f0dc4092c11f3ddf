/* The census of a stereo image, and for each point the shift with the fewest bits that differ. */
#include "../reference/common.h"

static void compare(int64_t rows, int64_t columns, const int *restrict image, int *restrict bits) {
#pragma omp for
    for (int64_t i = 2; i < rows - 2; i++)
        for (int64_t j = 2; j < columns - 2; j++) {
            int word = 0;
            for (int p = -2; p <= 2; p++)
                for (int q = -2; q <= 2; q++)
                    if (p != 0 || q != 0) word = word << 1 | (image[(i + p) * columns + j + q] < image[i * columns + j]);
            bits[i * columns + j] = word;
        }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "left right shifts k disparity");
    Array lefts = array_load("left", "<i4", 2), rights = array_load("right", "<i4", 2);
    int64_t rows = lefts.extent[0], columns = lefts.extent[1], shifts = argument_integer("shifts");
    Array left_bits = matrix_new("<i4", rows, columns), right_bits = matrix_new("<i4", rows, columns), results = matrix_new("<i4", rows, columns);

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        compare(rows, columns, lefts.data, left_bits.data);
        compare(rows, columns, rights.data, right_bits.data);
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            const int *restrict left = (int *)left_bits.data + i * columns, *restrict right = (int *)right_bits.data + i * columns;
            int *restrict disparity = (int *)results.data + i * columns;
            for (int64_t j = shifts; j < columns; j++) {
                int best = 25, place = 0;
                for (int d = 0; d < shifts; d++) {
                    int differ = __builtin_popcount(left[j] ^ right[j - d]);
                    if (differ < best) best = differ, place = d;
                }
                disparity[j] = place;
            }
        }
    }
    timing_print("Census", begin);
    array_store("disparity", results);
    return 0;
}
