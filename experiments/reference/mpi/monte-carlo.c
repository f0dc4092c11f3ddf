/* Area of a lemniscate by the Monte Carlo method with MPI and Random123: a band of rows of cells for each process.
 *
 *     monte-carlo grid=N points=N seed=N hits=FILE [--task-times]
 */
#include <Random123/philox.h>
#include <stdlib.h>
#include "processes.h"

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

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "grid points seed k hits");
    int64_t grid = argument_integer("grid"), points = argument_integer("points"), seed = argument_any_integer("seed");
    int64_t begin = share(grid, processes.rank, processes.count), end = share(grid, processes.rank + 1, processes.count);
    int64_t *hits = memory_new((size_t)((end - begin) * grid) * sizeof *hits), own = 0, total = 0;

    double start = clock_together();
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < grid; j++) {
            int64_t count = 0;
            for (int64_t trial = 0; trial < points; trial++) count += hits_shape(i, j, grid, trial, seed);
            hits[(i - begin) * grid + j] = count;
            own += count;
        }
    MPI_Reduce(&own, &total, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    timing_print_together(processes, "Area", start);

    Rows file = rows_create(processes, "hits", "<i8", 2, (int64_t[]){grid, grid});
    rows_write(&file, begin, 1, end - begin, hits);
    rows_close(&file);
    if (processes.rank == 0) printf("%.17g\n", 4.0 * (double)total / (double)(grid * grid * points));
    free(hits);
    MPI_Finalize();
    return 0;
}
