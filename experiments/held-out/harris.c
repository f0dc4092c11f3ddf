/* Harris' corners: gradients, smoothed products, response, local maxima above a share of the largest. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image kappa share k corner");
    Array images = array_load("image", "<i4", 2);
    int64_t rows = images.extent[0], columns = images.extent[1];
    float kappa = argument_real("kappa"), share = argument_real("share"), largest = -INFINITY;
    const int *restrict image = images.data;
    size_t bytes = sizeof(float) * images.count;
    float *restrict xx = memory_new(bytes), *restrict xy = memory_new(bytes), *restrict yy = memory_new(bytes), *restrict response = memory_new(bytes);
    Array corners = matrix_new("|b1", rows, columns);
    bool *restrict corner = corners.data;
    long long count = 0;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(static)
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            const int *up = image + (i - 1) * columns + j, *here = up + columns, *down = here + columns;
            float dx = 0.125f * (up[1] + 2 * here[1] + down[1] - up[-1] - 2 * here[-1] - down[-1]);
            float dy = 0.125f * (down[-1] + 2 * down[0] + down[1] - up[-1] - 2 * up[0] - up[1]);
            xx[i * columns + j] = dx * dx;
            xy[i * columns + j] = dx * dy;
            yy[i * columns + j] = dy * dy;
        }
#pragma omp for schedule(static) reduction(max : largest)
    for (int64_t i = 2; i < rows - 2; i++)
        for (int64_t j = 2; j < columns - 2; j++) {
            float a = 0, b = 0, c = 0;
            for (int p = -2; p <= 2; p++)
                for (int q = -2; q <= 2; q++) {
                    int64_t at = (i + p) * columns + j + q;
                    a += xx[at], b += xy[at], c += yy[at];
                }
            float value = a * c - b * b - kappa * (a + c) * (a + c);
            response[i * columns + j] = value;
            if (value > largest) largest = value;
        }
#pragma omp for schedule(static) reduction(+ : count)
    for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++) {
            float value = response[i * columns + j];
            bool highest = value > share * largest;
            for (int p = -1; p <= 1; p++)
                for (int q = -1; q <= 1; q++)
                    if (response[(i + p) * columns + j + q] > value) highest = false;
            corner[i * columns + j] = highest;
            count += highest;
        }
    }
    timing_print("Harris", begin);
    printf("corners %lld\n", count);
    array_store("corner", corners);
    return 0;
}
