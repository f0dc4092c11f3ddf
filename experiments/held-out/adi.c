/* Heat in a plate by alternating directions: half a step is implicit along rows, the other half along columns. */
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

enum { WIDE = 64 }; /* columns at a time */

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds a k l result");
    Array uu = array_load("start", "<f8", 2), vv = array_new("<f8", 2, uu.extent);
    int64_t n = uu.extent[0], m = uu.extent[1], rounds = argument_integer("rounds"), longest = n > m ? n : m;
    double *restrict u = uu.data, *restrict v = vv.data, a = argument_real("a");
    double begin = clock_now();
    memcpy(v, u, n * m * sizeof *u);
#pragma omp parallel num_threads(argument_threads())
    {
        double *restrict c = malloc(longest * WIDE * sizeof *c), *restrict d = malloc(longest * WIDE * sizeof *d);
        for (int64_t round = 0; round < rounds; round++) {
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++) {
                const double *restrict at = u + i * m;
                double *restrict to = v + i * m;
                c[0] = 0;
                d[0] = at[0];
                for (int64_t j = 1; j < m - 1; j++) {
                    double w = 1 / (1 + 2 * a + a * c[j - 1]);
                    c[j] = -a * w;
                    d[j] = (a * at[j - m] + (1 - 2 * a) * at[j] + a * at[j + m] + a * d[j - 1]) * w;
                }
                to[m - 1] = at[m - 1];
                for (int64_t j = m - 2; j >= 0; j--) to[j] = d[j] - c[j] * to[j + 1];
            }
#pragma omp for
            for (int64_t f = 1; f < m - 1; f += WIDE) {
                int64_t width = f + WIDE < m - 1 ? WIDE : m - 1 - f;
                const double *restrict at = v + f;
                double *restrict to = u + f;
                for (int64_t j = 0; j < width; j++) {
                    c[j] = 0;
                    d[j] = at[j];
                }
                for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
                    for (int64_t j = 0; j < width; j++) {
                        double w = 1 / (1 + 2 * a + a * c[(i - 1) * WIDE + j]);
                        c[i * WIDE + j] = -a * w;
                        d[i * WIDE + j] = (a * at[i * m + j - 1] + (1 - 2 * a) * at[i * m + j] + a * at[i * m + j + 1] + a * d[(i - 1) * WIDE + j]) * w;
                    }
                for (int64_t j = 0; j < width; j++) to[(n - 1) * m + j] = at[(n - 1) * m + j];
                for (int64_t i = n - 2; i >= 0; i--)
#pragma omp simd
                    for (int64_t j = 0; j < width; j++) to[i * m + j] = d[i * WIDE + j] - c[i * WIDE + j] * to[(i + 1) * m + j];
            }
        }
    }
    timing_print("Alternating Directions", begin);
    array_store("result", uu);
    return 0;
}
