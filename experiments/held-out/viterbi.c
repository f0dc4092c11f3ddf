/* The likeliest states of a hidden Markov model for many sequences. */
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "seen step emit k path chance");
    Array oo = array_load("seen", "<i4", 2), ss = array_load("step", "<f4", 2), ee = array_load("emit", "<f4", 2);
    int64_t n = oo.extent[0], T = oo.extent[1], S = ss.extent[0], E = ee.extent[1];
    const int *restrict seen = oo.data;
    const float *restrict step = ss.data, *restrict emit = ee.data;
    Array pp = array_new("<i4", 2, oo.extent), cc = vector_new("<f4", n);
    int *restrict path = pp.data;
    float *restrict chance = cc.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        float *restrict score = malloc(4 * S), *restrict next = malloc(4 * S);
        int *restrict from = malloc(4 * S * T);
#pragma omp for
        for (int64_t q = 0; q < n; q++) {
            for (int64_t b = 0; b < S; b++) score[b] = emit[b * E + seen[q * T]];
            for (int64_t t = 1; t < T; t++) {
                int *restrict f = from + t * S;
                for (int64_t b = 0; b < S; b++) {
                    next[b] = score[0] + step[b];
                    f[b] = 0;
                }
                for (int64_t a = 1; a < S; a++)
                    for (int64_t b = 0; b < S; b++) {
                        float way = score[a] + step[a * S + b];
                        f[b] = way > next[b] ? (int)a : f[b];
                        next[b] = way > next[b] ? way : next[b];
                    }
                for (int64_t b = 0; b < S; b++) score[b] = next[b] + emit[b * E + seen[q * T + t]];
            }
            int state = 0;
            for (int b = 1; b < S; b++)
                if (score[b] > score[state]) state = b;
            chance[q] = score[state];
            path[q * T + T - 1] = state;
            for (int64_t t = T - 2; t >= 0; t--) path[q * T + t] = from[(t + 1) * S + path[q * T + t + 1]];
        }
    }
    timing_print("Viterbi", begin);
    array_store("path", pp);
    array_store("chance", cc);
    return 0;
}
