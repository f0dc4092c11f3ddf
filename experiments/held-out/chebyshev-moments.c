/* Moments of the spectrum of electrons on a disordered lattice: Chebyshev's recurrence for a vector, two moments in each round. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start level half scale k moment density");
    Array starts = array_load("start", "<f8", 2), levels = array_load("level", "<f8", 2);
    int64_t n = starts.extent[0], m = starts.extent[1], half = argument_integer("half");
    Array others = matrix_new("<f8", n, m), moments = vector_new("<f8", 2 * half + 1), densities = vector_new("<f8", 4 * half + 1);
    const double *restrict level = levels.data;
    double *moment = moments.data, *restrict density = densities.data, scale = argument_real("scale"), *now = starts.data, *old = others.data;
    int threads = argument_threads();

    double begin = clock_now();
    /* The surface keeps its values in all states. */
#pragma omp parallel for num_threads(threads)
    for (int64_t at = 0; at < n * m; at++) old[at] = now[at];
    for (int64_t r = 0; r <= half; r++) {
        const double *restrict here = now;
        double *restrict next = old, even = 0, odd = 0, twice = r == 0 ? 1 : 2, before = r == 0 ? 0 : 1;
#pragma omp parallel for num_threads(threads) reduction(+ : even, odd)
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd reduction(+ : even, odd)
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                next[at] = twice * (level[at] * here[at] - (here[at - m] + here[at + m] + here[at - 1] + here[at + 1])) / scale - before * next[at];
                even += here[at] * here[at];
                odd += next[at] * here[at];
            }
        moment[2 * r] = r == 0 ? even : 2 * even - moment[0];
        if (2 * r + 1 <= 2 * half) moment[2 * r + 1] = r == 0 ? odd : 2 * odd - moment[1];
        double *other = now;
        now = old, old = other;
    }
    int64_t count = moments.count;
    double turn = 3.141592653589793 / (count + 1);
#pragma omp parallel for num_threads(threads)
    for (int64_t p = 0; p < densities.count; p++) {
        double angle = 3.141592653589793 * (p + 0.5) / densities.count, sum = moment[0];
        for (int64_t k = 1; k < count; k++) {
            double damping = ((count - k + 1) * cos(turn * k) + sin(turn * k) / tan(turn)) / (count + 1);
            sum += 2 * damping * moment[k] * cos(k * angle);
        }
        density[p] = sum / sin(angle);
    }
    timing_print("Moments", begin);
    array_store("moment", moments);
    array_store("density", densities);
    return 0;
}
