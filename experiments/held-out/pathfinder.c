/* The cheapest way down a grid of costs: from each cell straight down or one column aside. */
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

static int least(int a, int b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "wall k cost");
    Array grid = array_load("wall", "<i4", 2);
    int64_t rows = grid.extent[0], columns = grid.extent[1];
    const int *wall = grid.data;
    Array result = vector_new("<i4", columns);
    int *const pair[2] = {result.data, malloc((size_t)columns * sizeof(int))};

    double begin = clock_now();
    memcpy(pair[(rows - 1) % 2], wall, (size_t)columns * sizeof(int));
#pragma omp parallel num_threads(argument_threads())
    for (int64_t t = 1; t < rows; t++) {
        const int *restrict old = pair[(rows - t) % 2];
        int *restrict cost = pair[(rows - t - 1) % 2];
#pragma omp for
        for (int64_t j = 0; j < columns; j++) {
            int best = old[j];
            if (j > 0) best = least(best, old[j - 1]);
            if (j < columns - 1) best = least(best, old[j + 1]);
            cost[j] = wall[t * columns + j] + best;
        }
    }
    timing_print("Pathfinder", begin);
    array_store("cost", result);
    return 0;
}
