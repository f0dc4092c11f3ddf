/* Blocks of 2 x 2 cells become what a table says; each round the blocks move by one. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rule rounds k end");
    Array cells = array_load("start", "<i4", 2), rules = array_load("rule", "<i4", 1);
    int n = cells.extent[0], m = cells.extent[1], rounds = argument_integer("rounds");
    int (*restrict cell)[m] = cells.data;
    const int *restrict rule = rules.data;
    long long alive = 0;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
    for (int t = 0; t < rounds; t++) {
#pragma omp for schedule(static)
        for (int i = t % 2; i < n - 1; i += 2)
#pragma omp simd
            for (int j = t % 2; j < m - 1; j += 2) {
                int code = rule[cell[i][j] + 2 * cell[i][j + 1] + 4 * cell[i + 1][j] + 8 * cell[i + 1][j + 1]];
                cell[i][j] = code & 1;
                cell[i][j + 1] = code >> 1 & 1;
                cell[i + 1][j] = code >> 2 & 1;
                cell[i + 1][j + 1] = code >> 3;
            }
    }
#pragma omp for reduction(+ : alive)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) alive += cell[i][j];
    }
    timing_print("Critters", begin);
    printf("alive %lld\n", alive);
    array_store("end", cells);
    return 0;
}
