/* Peaks of an image: points that are above a limit and not below any of their eight neighbours; their number, and whether one is almost white. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image limit k peak");
    Array images = array_load("image", "<f8", 2);
    int64_t rows = images.extent[0], columns = images.extent[1], count = 0;
    Array peaks = matrix_new("|b1", rows, columns);
    const double *restrict image = images.data, limit = argument_real("limit");
    bool *restrict peak = peaks.data, any = false;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : count) reduction(|| : any)
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            const double *here = image + i * columns + j;
            bool high = *here > limit;
            for (int64_t p = -1; p <= 1; p++)
                for (int64_t q = -1; q <= 1; q++) high = high && here[p * columns + q] <= *here;
            peak[i * columns + j] = high;
            count += high;
            any = any || (high && *here > 0.999);
        }
    timing_print("Peaks", begin);
    printf("%lld peaks, any almost white: %s\n", (long long)count, any ? "true" : "false");
    array_store("peak", peaks);
    return 0;
}
