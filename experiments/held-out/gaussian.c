/* A Gaussian blur, along rows and then along columns. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image radius k blurred");
    Array ii = array_load("image", "<f4", 2), tt = array_new("<f4", 2, ii.extent), oo = array_new("<f4", 2, ii.extent);
    int64_t n = ii.extent[0], m = ii.extent[1], R = argument_integer("radius");
    const float *restrict image = ii.data;
    float *restrict t = tt.data, *restrict o = oo.data, *weights = malloc(4 * (2 * R + 1)), *w = weights + R;
    double begin = clock_now();
    double sigma = 0.5 * R, total = 0;
    for (int64_t q = -R; q <= R; q++) total += exp(-0.5 * q * q / (sigma * sigma));
    for (int64_t q = -R; q <= R; q++) w[q] = exp(-0.5 * q * q / (sigma * sigma)) / total;
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t q = -R; q <= R; q++) {
                int64_t f = q < 0 ? -q : 0, e = q > 0 ? m - q : m;
                for (int64_t j = f; j < e; j++) t[i * m + j] += w[q] * image[i * m + j + q];
            }
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t q = i < R ? -i : -R; q <= R && i + q < n; q++)
                for (int64_t j = 0; j < m; j++) o[i * m + j] += w[q] * t[(i + q) * m + j];
    }
    timing_print("Gaussian", begin);
    array_store("blurred", oo);
    return 0;
}
