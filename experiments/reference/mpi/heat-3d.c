/* Heat in a solid with MPI, 7-point stencil: a slab of planes for each process, two buffers. The planes at the slab's ends come first
 * and travel while the others are computed.
 *
 *     heat-3d solid=FILE result=FILE steps=N rate=R [--task-times]
 */
#include <stdlib.h>
#include <string.h>
#include "band.h"

typedef struct Solid {
    double *now, *next, rate;
    int64_t rows, columns;
} Solid;

static void advance_row(double *restrict next, const double *restrict now, int64_t row, int64_t plane, int64_t columns, double rate) {
    for (int64_t k = 1; k < columns - 1; k++)
        next[k] = now[k] + rate * (now[k - plane] + now[k + plane] + now[k - row] + now[k + row] + now[k - 1] + now[k + 1] - 6 * now[k]);
}

static void advance(const void *state, int64_t first, int64_t last) {
    const Solid *solid = state;
    int64_t plane = solid->rows * solid->columns;
    for (int64_t i = first; i < last; i++)
        for (int64_t j = 1; j < solid->rows - 1; j++) {
            int64_t at = i * plane + j * solid->columns;
            advance_row(solid->next + at, solid->now + at, solid->columns, plane, solid->columns, solid->rate);
        }
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "solid steps rate k l m p result");
    Rows planes = rows_open("solid", "<f8", 3);
    Band band = band_of(processes, &planes);
    Solid solid = {band_load(&band, &planes), band_load(&band, &planes), argument_real("rate"), planes.extent[1], planes.extent[2]};
    MPI_Request requests[2][BAND_REQUESTS];
    band_prepare(&band, solid.next, requests[0]);
    band_prepare(&band, solid.now, requests[1]);
    int64_t steps = argument_any_integer("steps");

    double start = clock_together();
    for (int64_t step = 0; step < steps; step++) {
        band_step(&band, requests[step % 2], advance, &solid);
        double *now = solid.now;
        solid.now = solid.next;
        solid.next = now;
    }
    timing_print_together(processes, "Heat 3d", start);

    band_free(requests[0]);
    band_free(requests[1]);
    Rows result = rows_create(processes, "result", "<f8", 3, planes.extent);
    rows_write(&result, band.begin, 1, band.rows, solid.now + solid.rows * solid.columns);
    rows_close(&result);
    rows_close(&planes);
    free(solid.now);
    free(solid.next);
    MPI_Finalize();
    return 0;
}
