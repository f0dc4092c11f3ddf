/* Gaussian deviates by the polar method, counted by square rings: blocks of pairs that have nothing to do with each other. */
#include <math.h>
#include "../reference/common.h"

static inline double next_random(uint32_t *seed) {
    *seed = 1664525u * *seed + 1013904223u;
    return 2 * (*seed / 4294967296.0) - 1;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "blocks pairs k counts sums");
    int64_t blocks = argument_integer("blocks"), pairs = argument_integer("pairs");
    Array countss = matrix_new("<i8", blocks, 10), sumss = matrix_new("<f8", blocks, 2);
    long long accepted = 0;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : accepted)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t *restrict counts = (int64_t *)countss.data + 10 * b, hits = 0;
        double *sums = (double *)sumss.data + 2 * b, x_sum = 0, y_sum = 0;
        uint32_t seed = (uint32_t)(b * 2654435761u + 271828183u);
        for (int64_t p = 0; p < pairs; p++) {
            double x = next_random(&seed), y = next_random(&seed), t = x * x + y * y;
            if (t <= 1 && t > 0) {
                double factor = sqrt(-2 * log(t) / t), gx = x * factor, gy = y * factor;
                counts[(int)fmax(fabs(gx), fabs(gy))]++;
                x_sum += gx, y_sum += gy;
                hits++;
            }
        }
        sums[0] = x_sum, sums[1] = y_sum;
        accepted += hits;
    }
    timing_print("Deviates", begin);
    printf("accepted %lld\n", accepted);
    array_store("counts", countss);
    array_store("sums", sumss);
    return 0;
}
