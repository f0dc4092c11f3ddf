/* Heat in a material whose conductivity differs from cell to cell and falls with the temperature. */
#include <string.h>
#include "../reference/common.h"

static inline double through(double a, double b) { return 2 * a * b / (a + b); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start ability rounds step k result");
    Array heats[2];
    heats[0] = array_load("start", "<f8", 2), heats[1] = array_new("<f8", 2, heats[0].extent);
    memcpy(heats[1].data, heats[0].data, (size_t)heats[0].count * heats[0].size);
    Array abilities = array_load("ability", "<f8", 2);
    int64_t n = heats[0].extent[0], m = heats[0].extent[1], rounds = argument_integer("rounds");
    const double *restrict ability = abilities.data;
    double *restrict c = matrix_new("<f8", n, m).data, step = argument_real("step");

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict heat = heats[round % 2].data;
        double *restrict next = heats[(round + 1) % 2].data;
#pragma omp for
        for (int64_t i = 0; i < n; i++)
#pragma omp simd
            for (int64_t j = 0; j < m; j++) c[i * m + j] = ability[i * m + j] / (1 + 0.5 * heat[i * m + j]);
#pragma omp for
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                double here = heat[at];
                double flow = through(c[at], c[at - m]) * (heat[at - m] - here) + through(c[at], c[at + m]) * (heat[at + m] - here) +
                    through(c[at], c[at - 1]) * (heat[at - 1] - here) + through(c[at], c[at + 1]) * (heat[at + 1] - here);
                next[at] = here + step * flow;
            }
    }
    timing_print("Conduction", begin);
    array_store("result", heats[rounds % 2]);
    return 0;
}
