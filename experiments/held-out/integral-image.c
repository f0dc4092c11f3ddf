/* The integral image: element (i, j) is the sum of all points above and to the left, itself included. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k l sums");
    Array ii = array_load("image", "<i4", 2), ss = array_new("<i8", 2, ii.extent);
    int64_t n = ii.extent[0], m = ii.extent[1];
    const int *restrict image = ii.data;
    int64_t *restrict sums = ss.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            int64_t sum = 0;
            for (int64_t j = 0; j < m; j++) sums[i * m + j] = sum += image[i * m + j];
        }
        for (int64_t i = 1; i < n; i++)
#pragma omp for schedule(static) nowait
            for (int64_t j = 0; j < m; j++) sums[i * m + j] += sums[(i - 1) * m + j];
    }
    timing_print("Integral Image", begin);
    array_store("sums", ss);
    return 0;
}
