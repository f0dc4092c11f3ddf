/* The Ising model: black and white cells in turn, each with a random number that is made of its place and of the round. */
#include <math.h>
#include "../reference/common.h"

static inline uint32_t random_of(uint32_t place, uint32_t round) {
    uint32_t x = place + 668265263u * round;
    x = (x ^ x >> 16) * 2146121005u;
    x = (x ^ x >> 15) * 2221713035u;
    return x ^ x >> 16;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds heat k result");
    Array ss = array_load("start", "<i4", 2);
    int64_t n = ss.extent[0], m = ss.extent[1], rounds = argument_integer("rounds");
    int *restrict spin = ss.data;
    double heat = argument_real("heat"), begin = clock_now();
    uint32_t table[9], *limit = table + 4;
    for (int s = -4; s <= 4; s++) limit[s] = (uint32_t)(fmin(1, exp(-2 * s / heat)) * 4294967295);
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 1; round <= rounds; round++)
        for (int colour = 0; colour < 2; colour++) {
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++)
                for (int64_t j = 1 + (i + 1 + colour) % 2; j < m - 1; j += 2) {
                    int *at = spin + i * m + j, sum = at[-m] + at[m] + at[-1] + at[1];
                    if (random_of((uint32_t)(i * m + j), (uint32_t)(2 * round + colour)) < limit[*at * sum]) *at = -*at;
                }
        }
    timing_print("Ising", begin);
    array_store("result", ss);
    return 0;
}
