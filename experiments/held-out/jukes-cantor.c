/* How far sequences of bases are from each other (Jukes and Cantor), and the nearest of each. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "base p k distance nearest");
    Array bases = array_load("base", "|S1", 2);
    int64_t n = bases.extent[0], length = bases.extent[1], far = 0;
    Array distances = matrix_new("<f8", n, n), nearests = vector_new("<i4", n);
    const char *restrict base = bases.data;
    double *restrict distance = distances.data;
    int *restrict nearest = nearests.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(dynamic) reduction(+ : far)
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = a + 1; b < n; b++) {
                const char *restrict x = base + a * length, *restrict y = base + b * length;
                int both = 0, other = 0;
#pragma omp simd reduction(+ : both, other)
                for (int64_t i = 0; i < length; i++) {
                    int there = (x[i] != '-') & (y[i] != '-');
                    both += there;
                    other += there & (x[i] != y[i]);
                }
                double way = both > 0 && 4 * other < 3 * both ? -0.75 * log(1 - 4.0 * other / (3.0 * both)) : 5;
                far += way > 1;
                distance[a * n + b] = distance[b * n + a] = way;
            }
#pragma omp for
        for (int64_t a = 0; a < n; a++) {
            int64_t best = -1;
            for (int64_t b = 0; b < n; b++)
                if (b != a && (best < 0 || distance[a * n + b] < distance[a * n + best])) best = b;
            nearest[a] = (int)best;
        }
    }
    timing_print("Jukes Cantor", begin);
    printf("far pairs %lld\n", (long long)far);
    array_store("distance", distances);
    array_store("nearest", nearests);
    return 0;
}
