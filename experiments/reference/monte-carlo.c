/* Area of a lemniscate by the Monte Carlo method, with Random123: so many points in each cell of a grid. Each thread has
 * a band of rows of cells. */
#include <stdio.h>
#include <stdlib.h>
#include <Random123/philox.h>
#include "common.h"
#include "threads.h"

typedef struct Hits {
    _Alignas(64) int64_t count; /* of one thread, on a cache line of its own */
} Hits;

typedef struct Area {
    int64_t *hits, grid, points, seed;
    int threads;
    Hits *total;
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

static void sample(int rank, void *data) {
    Area *area = data;
    int64_t total = 0;
    for (int64_t i = share(0, area->grid, rank, area->threads); i < share(0, area->grid, rank + 1, area->threads); i++)
        for (int64_t j = 0; j < area->grid; j++) {
            int64_t count = 0;
            for (int64_t trial = 0; trial < area->points; trial++) count += hits_shape(i, j, area->grid, trial, area->seed);
            area->hits[i * area->grid + j] = count;
            total += count;
        }
    area->total[rank].count = total;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "grid points seed k hits");
    int64_t grid = argument_integer("grid"), points = argument_integer("points");
    Array hits = matrix_new("<i8", grid, grid);
    int threads = argument_threads();
    Area area = {.hits = hits.data, .grid = grid, .points = points, .seed = argument_any_integer("seed"),
                 .threads = threads, .total = memory_new((size_t)threads * sizeof(Hits))};

    double begin = clock_now();
    threads_run(threads, sample, &area);
    int64_t total = 0;
    for (int rank = 0; rank < threads; rank++) total += area.total[rank].count;
    timing_print("Area", begin);

    array_store("hits", hits);
    printf("%.17g\n", 4.0 * (double)total / (double)(grid * grid * points));
    free(area.total);
    array_free(&hits);
    return 0;
}
