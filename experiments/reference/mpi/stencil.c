/* The 5-point stencil with MPI: a band of rows for each process, two buffers. The rows at the band's ends are refined first and
 * travel while the others are refined.
 *
 *     stencil plate=FILE result=FILE iterations=N [--timing]
 */
#include <stdlib.h>
#include <string.h>
#include "processes.h"

/* Row 0 and row `rows + 1` are the neighbours'. */
typedef struct Band {
    double *now, *next;
    int64_t rows, columns, first, last; /* rows first … last - 1 are refined: not the plate's own border */
    int above, below;
} Band;

static void refine(const Band *band, int64_t first, int64_t last) {
    const int64_t columns = band->columns;
    for (int64_t i = first; i < last; i++) {
        double *restrict out = band->next + i * columns;
        const double *restrict up = band->now + (i - 1) * columns, *restrict down = band->now + (i + 1) * columns;
        const double *restrict here = band->now + i * columns;
        for (int64_t j = 1; j < columns - 1; j++) out[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
    }
}

/* One buffer's messages: its ends go out, the neighbours' come in. */
static void prepare(const Band *band, double *buffer, MPI_Request *requests) {
    int count = (int)band->columns;
    MPI_Recv_init(buffer, count, MPI_DOUBLE, band->above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(buffer + (band->rows + 1) * band->columns, count, MPI_DOUBLE, band->below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(buffer + band->columns, count, MPI_DOUBLE, band->above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(buffer + band->rows * band->columns, count, MPI_DOUBLE, band->below, 1, MPI_COMM_WORLD, &requests[3]);
}

static void step(Band *band, MPI_Request *requests) {
    refine(band, band->first, band->first + 1);
    if (band->last - 1 > band->first) refine(band, band->last - 1, band->last);
    MPI_Startall(4, requests);
    refine(band, band->first + 1, band->last - 1);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    double *keep = band->now;
    band->now = band->next;
    band->next = keep;
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "plate result iterations k l m n p1 p2");
    Rows plate = rows_open("plate", "<f8", 2);
    int64_t begin = share(plate.extent[0], processes.rank, processes.count), end = share(plate.extent[0], processes.rank + 1, processes.count);
    int64_t rows = end - begin, columns = plate.extent[1];
    if (rows < 1) fail(2, "more processes than rows");
    size_t bytes = (size_t)((rows + 2) * columns) * sizeof(double);
    Band band = {.now = memory_new(bytes), .next = memory_new(bytes), .rows = rows, .columns = columns, .first = begin == 0 ? 2 : 1,
                 .last = rows + (end == plate.extent[0] ? 0 : 1),
                 .above = processes.rank > 0 ? processes.rank - 1 : MPI_PROC_NULL,
                 .below = processes.rank + 1 < processes.count ? processes.rank + 1 : MPI_PROC_NULL};
    bool has_above = begin > 0, has_below = end < plate.extent[0];
    rows_read(&plate, begin - has_above, 1, rows + has_above + has_below, band.now + (has_above ? 0 : columns));
    memcpy(band.next, band.now, bytes);
    MPI_Request requests[2][4];
    prepare(&band, band.next, requests[0]);
    prepare(&band, band.now, requests[1]);
    int64_t iterations = argument_integer("iterations");

    double start = clock_together();
    for (int64_t round = 0; round < iterations; round++) step(&band, requests[round % 2]);
    timing_print_together(processes, "Heat Stencil", start);

    for (int i = 0; i < 8; i++) MPI_Request_free(&requests[i / 4][i % 4]);
    Rows result = rows_create(processes, "result", "<f8", 2, plate.extent);
    rows_write(&result, begin, 1, rows, band.now + columns);
    rows_close(&result);
    rows_close(&plate);
    free(band.now);
    free(band.next);
    MPI_Finalize();
    return 0;
}
