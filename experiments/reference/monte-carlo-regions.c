/* Area of a lemniscate by the Monte Carlo method, with Random123: each region of k x k cells takes rounds of points until
 * its estimate no longer changes by more than the precision. Regions differ in work: threads take the next one when they
 * have done one. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <Random123/philox.h>
#include "common.h"
#include "threads.h"

typedef struct Region {
    double area;
    int64_t used;
} Region;

typedef struct Area {
    int64_t *rounds, grid, edge, regions, points, max_rounds, seed; /* regions: in a row; edge: cells in a region's row */
    double precision;
    Region *results; /* of each region, so that the sum does not depend on who took it */
    atomic_llong next_region;
} Area;

/* Is the random point number `trial` of cell i, j of a grid over [-1, 1] x [-1, 1] inside the lemniscate? */
static bool hits_shape(int64_t i, int64_t j, int64_t grid, int64_t trial, int64_t seed) {
    philox2x32_ctr_t counter = {{(uint32_t)trial, (uint32_t)(i * grid + j)}};
    philox2x32_key_t key = {{(uint32_t)seed}};
    philox2x32_ctr_t bits = philox2x32(counter, key);
    double right = ((double)j + (bits.v[0] + 0.5) / 4294967296.0) * 2 / (double)grid - 1;
    double up = ((double)i + (bits.v[1] + 0.5) / 4294967296.0) * 2 / (double)grid - 1;
    double square = right * right + up * up;
    return square * square <= right * right - up * up;
}

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

static Region sample_region(const Area *area, int64_t m, int64_t n) {
    int64_t rows = min(area->grid, (m + 1) * area->edge), columns = min(area->grid, (n + 1) * area->edge);
    int64_t cells = (rows - m * area->edge) * (columns - n * area->edge), hits = 0, round = 0;
    double estimate = 0, change = area->precision + 1;
    while (change > area->precision && round < area->max_rounds) {
        for (int64_t i = m * area->edge; i < rows; i++)
            for (int64_t j = n * area->edge; j < columns; j++)
                for (int64_t trial = round * area->points; trial < (round + 1) * area->points; trial++)
                    hits += hits_shape(i, j, area->grid, trial, area->seed);
        round++;
        double old = estimate;
        estimate = (double)hits / (double)(round * area->points);
        change = fabs(estimate - old) / (double)cells;
    }
    area->rounds[m * area->regions + n] = round;
    return (Region){estimate, round * area->points * cells};
}

static void sample(int rank, void *data) {
    (void)rank;
    Area *area = data;
    for (;;) {
        int64_t region = atomic_fetch_add(&area->next_region, 1);
        if (region >= area->regions * area->regions) return;
        area->results[region] = sample_region(area, region / area->regions, region % area->regions);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "grid points precision max_rounds seed k l rounds");
    int64_t grid = argument_integer("grid"), edge = argument_integer("k"), regions = (grid - 1) / edge + 1;
    Array rounds = matrix_new("<i8", regions, regions);
    int threads = argument_threads();
    Area area = {.rounds = rounds.data, .grid = grid, .edge = edge, .regions = regions, .points = argument_integer("points"),
                 .max_rounds = argument_integer("max_rounds"), .seed = argument_any_integer("seed"),
                 .precision = argument_real("precision"), .results = memory_new((size_t)rounds.count * sizeof(Region))};

    double begin = clock_now();
    threads_run(threads, sample, &area);
    Region all = {0};
    for (int64_t region = 0; region < rounds.count; region++) {
        all.area += area.results[region].area;
        all.used += area.results[region].used;
    }
    timing_print("Area by Regions", begin);

    array_store("rounds", rounds);
    printf("%.17g %lld\n", all.area * 4 / (double)(grid * grid), (long long)all.used);
    free(area.results);
    array_free(&rounds);
    return 0;
}
