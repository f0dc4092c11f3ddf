/* Advection in three dimensions with a superbee limiter, one dimension after the other, in single precision. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

static inline float limited(float a, float b) {
    if (a * b <= 0) return 0 * a;
    float s = a < 0 ? -1 : 1, x = fabsf(a), y = fabsf(b), first = 2 * x < y ? 2 * x : y, second = x < 2 * y ? x : 2 * y;
    return s * (first > second ? first : second);
}

static inline float flux(float c, float w, float l, float r, float e) {
    if (c > 0) return c * (l + 0.5f * (1 - c) * limited(l - w, r - l));
    return c * (r - 0.5f * (1 + c) * limited(r - l, e - r));
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "q cx cy cz rounds k result");
    Array qs = array_load("q", "<f4", 3);
    int64_t nx = qs.extent[0], ny = qs.extent[1], nz = qs.extent[2], step[3] = {ny * nz, nz, 1};
    int rounds = argument_integer("rounds");
    float speed[3] = {argument_real("cx"), argument_real("cy"), argument_real("cz")};
    float *first = qs.data, *second = memory_new(sizeof(float) * qs.count);
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int t = 0; t < 3 * rounds; t++) {
        float *from = t % 2 == 0 ? first : second, *to = t % 2 == 0 ? second : first;
        int along = t % 3;
        int64_t s = step[along], low[3] = {0, 0, 0}, high[3] = {nx, ny, nz};
        low[along] += 2, high[along] -= 2;
        float c = speed[along];
#pragma omp for schedule(static)
        for (int64_t i = 0; i < nx; i++)
            for (int64_t j = 0; j < ny; j++) {
                const float *restrict q = from + (i * ny + j) * nz;
                float *restrict next = to + (i * ny + j) * nz;
                if (i < low[0] || i >= high[0] || j < low[1] || j >= high[1]) {
                    memcpy(next, q, sizeof(float) * nz);
                    continue;
                }
                for (int64_t k = 0; k < low[2]; k++) next[k] = q[k];
                for (int64_t k = high[2]; k < nz; k++) next[k] = q[k];
                for (int64_t k = low[2]; k < high[2]; k++)
                    next[k] = q[k] - flux(c, q[k - s], q[k], q[k + s], q[k + 2 * s]) + flux(c, q[k - 2 * s], q[k - s], q[k], q[k + s]);
            }
    }
    timing_print("Advect", begin);
    if (rounds % 2 == 1) qs.data = second;
    array_store("result", qs);
    return 0;
}
