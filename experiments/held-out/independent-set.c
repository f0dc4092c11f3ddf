/* A maximal independent set of a graph (Luby's method). */
#include <stdlib.h>
#include "../reference/common.h"

static inline int lot(uint32_t v, uint32_t round) {
    uint32_t h = v * 2654435u + round * 40503161u;
    h = (h ^ h >> 16) * 0x45D9F3Bu;
    h = (h ^ h >> 16) * 0x45D9F3Bu;
    return (int)((h ^ h >> 16) & 0x7FFFFFFF);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts neighbours k state");
    Array ss = array_load("starts", "<i4", 1), nn = array_load("neighbours", "<i4", 1);
    int64_t n = ss.count - 1, rounds = 0, open = 1, inside = 0;
    Array states = vector_new("<i4", n), knowns = vector_new("<i4", n), draws = vector_new("<i4", n);
    const int *restrict starts = ss.data, *restrict neighbours = nn.data;
    int *restrict state = states.data, *restrict known = knowns.data, *restrict draw = draws.data;

    double begin = clock_now();
    while (open > 0) {
        rounds++;
        open = inside = 0;
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for simd
            for (int64_t v = 0; v < n; v++) draw[v] = state[v] == 0 ? 1 + lot((uint32_t)v, (uint32_t)rounds) / 2 : 0;
#pragma omp for schedule(static)
            for (int64_t v = 0; v < n; v++) {
                if (state[v] == 0) {
                    int mine = draw[v], e = starts[v], last = starts[v + 1];
                    while (e < last && !(draw[neighbours[e]] > mine || (draw[neighbours[e]] == mine && neighbours[e] > v))) e++;
                    if (e == last) state[v] = 1;
                }
                known[v] = state[v];
            }
#pragma omp for schedule(static) reduction(+ : open, inside)
            for (int64_t v = 0; v < n; v++) {
                if (state[v] == 0) {
                    int e = starts[v], last = starts[v + 1];
                    while (e < last && known[neighbours[e]] != 1) e++;
                    if (e < last) state[v] = 2;
                }
                open += state[v] == 0;
                inside += state[v] == 1;
            }
        }
    }
    timing_print("Independent Set", begin);
    printf("rounds %lld in the set %lld\n", (long long)rounds, (long long)inside);
    array_store("state", states);
    return 0;
}
