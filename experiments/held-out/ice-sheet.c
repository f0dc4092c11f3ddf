/* A sheet of ice that flows over a rough bed (shallow ice). */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start bed snow rounds softness step p q end flow");
    Array starts = array_load("start", "<f8", 2), beds = array_load("bed", "<f8", 2), snows = array_load("snow", "<f8", 2);
    int64_t n = starts.extent[0], m = starts.extent[1], rounds = argument_integer("rounds"), covered = 0;
    Array others = matrix_new("<f8", n, m), flows = matrix_new("<f8", n, m), *now = &starts, *next = &others;
    const double *restrict bed = beds.data, *restrict snow = snows.data;
    double *restrict flow = flows.data, softness = argument_real("softness"), step = argument_real("step");
    int threads = argument_threads();

    double begin = clock_now();
#pragma omp parallel for num_threads(threads)
    for (int64_t at = 0; at < n * m; at++) ((double *)others.data)[at] = ((double *)starts.data)[at];
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict ice = now->data;
        double *restrict fresh = next->data;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for
            for (int64_t i = 0; i < n - 1; i++)
#pragma omp simd
                for (int64_t j = 0; j < m - 1; j++) {
                    int64_t at = i * m + j;
                    double thick = 0.25 * (ice[at] + ice[at + 1] + ice[at + m] + ice[at + m + 1]);
                    double a = ice[at] + bed[at], b = ice[at + 1] + bed[at + 1], c = ice[at + m] + bed[at + m], d = ice[at + m + 1] + bed[at + m + 1];
                    double across = 0.5 * (b - a + d - c), down = 0.5 * (c - a + d - b), square = thick * thick;
                    flow[at] = softness * (square * square * thick) * (across * across + down * down);
                }
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
                for (int64_t j = 1; j < m - 1; j++) {
                    int64_t at = i * m + j;
                    double here = ice[at] + bed[at], north = ice[at - m] + bed[at - m] - here, south = ice[at + m] + bed[at + m] - here;
                    double west = ice[at - 1] + bed[at - 1] - here, east = ice[at + 1] + bed[at + 1] - here;
                    double gain = 0.5 * ((flow[at - m - 1] + flow[at - m]) * north + (flow[at - 1] + flow[at]) * south
                                         + (flow[at - m - 1] + flow[at - 1]) * west + (flow[at - m] + flow[at]) * east);
                    double thickness = ice[at] + step * (gain + snow[at]);
                    fresh[at] = thickness > 0 ? thickness : 0;
                }
        }
        Array *other = now;
        now = next, next = other;
    }
    const double *restrict ice = now->data;
#pragma omp parallel for simd num_threads(threads) reduction(+ : covered)
    for (int64_t at = 0; at < n * m; at++) covered += ice[at] > 0.01;
    timing_print("Ice Sheet", begin);
    printf("cells with ice: %lld\n", (long long)covered);
    array_store("end", *now);
    array_store("flow", flows);
    return 0;
}
