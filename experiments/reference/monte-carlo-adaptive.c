/* Area of a lemniscate by the Monte Carlo method, with Random123: each cell of a grid takes batches of points until the
 * standard error of its share is small enough. Rows of cells differ in work: threads take the next row when they have
 * done one. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <Random123/philox.h>
#include "common.h"
#include "threads.h"

typedef struct Row {
    double area;
    int64_t used;
} Row;

typedef struct Area {
    int64_t *points, grid, batch, max_points, seed;
    double precision;
    Row *rows; /* results of each row, so that the sum does not depend on who took it */
    atomic_llong next_row;
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

static double sample_cell(const Area *area, int64_t i, int64_t j) {
    int64_t count = 0, taken = 0;
    double share;
    do {
        for (int64_t trial = taken; trial < taken + area->batch; trial++) count += hits_shape(i, j, area->grid, trial, area->seed);
        taken += area->batch;
        share = (double)count / (double)taken;
    } while (share * (1 - share) > area->precision * area->precision * (double)taken && taken < area->max_points);
    area->points[i * area->grid + j] = taken;
    return share;
}

static void sample(int rank, void *data) {
    (void)rank;
    Area *area = data;
    for (;;) {
        int64_t i = atomic_fetch_add(&area->next_row, 1);
        if (i >= area->grid) return;
        Row row = {0};
        for (int64_t j = 0; j < area->grid; j++) {
            row.area += sample_cell(area, i, j);
            row.used += area->points[i * area->grid + j];
        }
        area->rows[i] = row;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "grid batch precision max_points seed k points");
    int64_t grid = argument_integer("grid");
    Array points = matrix_new("<i8", grid, grid);
    int threads = argument_threads();
    Area area = {.points = points.data, .grid = grid, .batch = argument_integer("batch"),
                 .max_points = argument_integer("max_points"), .seed = argument_any_integer("seed"),
                 .precision = argument_real("precision"), .rows = memory_new((size_t)grid * sizeof(Row))};

    double begin = clock_now();
    threads_run(threads, sample, &area);
    Row all = {0};
    for (int64_t i = 0; i < grid; i++) {
        all.area += area.rows[i].area;
        all.used += area.rows[i].used;
    }
    timing_print("Adaptive Area", begin);

    array_store("points", points);
    printf("%.17g %lld\n", all.area / (double)(grid * grid) * 4, (long long)all.used);
    free(area.rows);
    array_free(&points);
    return 0;
}
