/* Noise taken out of an image, edges kept: least total variation by Chambolle's method. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image rounds strength step k l result");
    Array images = array_load("image", "<f8", 2);
    int64_t n = images.extent[0], m = images.extent[1], rounds = argument_integer("rounds");
    double strength = argument_real("strength"), step = argument_real("step"), inverse = 1 / strength;
    Array vs = array_new("<f8", 2, images.extent), ps = array_new("<f8", 2, images.extent), qs = array_new("<f8", 2, images.extent), results = array_new("<f8", 2, images.extent);
    const double *restrict image = images.data;
    double *restrict v = vs.data, *restrict p = ps.data, *restrict q = qs.data, *restrict result = results.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        for (int64_t r = 0; r < rounds; r++) {
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
                for (int64_t j = 1; j < m - 1; j++) {
                    int64_t at = i * m + j;
                    v[at] = p[at] - p[at - m] + q[at] - q[at - 1] - image[at] * inverse;
                }
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++) {
                int64_t below = i < n - 2 ? m : 0;
#pragma omp simd
                for (int64_t j = 1; j < m - 1; j++) {
                    int64_t at = i * m + j;
                    double down = v[at + below] - v[at], across = j < m - 2 ? v[at + 1] - v[at] : 0;
                    double shrink = 1 / (1 + step * sqrt(down * down + across * across));
                    p[at] = (p[at] + step * down) * shrink;
                    q[at] = (q[at] + step * across) * shrink;
                }
            }
        }
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                int64_t at = i * m + j;
                result[at] = image[at];
                if (i > 0 && i < n - 1 && j > 0 && j < m - 1) result[at] -= strength * (p[at] - p[at - m] + q[at] - q[at - 1]);
            }
    }
    timing_print("Total Variation", begin);
    printf("done\n");
    array_store("result", results);
    return 0;
}
