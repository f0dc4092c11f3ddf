/* The 5-point stencil with MPI: a band of rows for each process, two buffers. The rows at the band's ends are refined first and
 * travel while the others are refined.
 *
 *     stencil plate=FILE result=FILE iterations=N [--task-times]
 */
#include <stdlib.h>
#include <string.h>
#include "band.h"

typedef struct Plate {
    double *now, *next;
    int64_t columns;
} Plate;

static void refine(const void *state, int64_t first, int64_t last) {
    const Plate *plate = state;
    const int64_t columns = plate->columns;
    for (int64_t i = first; i < last; i++) {
        double *restrict out = plate->next + i * columns;
        const double *restrict up = plate->now + (i - 1) * columns, *restrict down = plate->now + (i + 1) * columns;
        const double *restrict here = plate->now + i * columns;
        for (int64_t j = 1; j < columns - 1; j++) out[j] = 0.25 * (up[j] + down[j] + here[j - 1] + here[j + 1]);
    }
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "plate result iterations k l m n p1 p2");
    Rows rows = rows_open("plate", "<f8", 2);
    Band band = band_of(processes, &rows);
    Plate plate = {band_load(&band, &rows), band_load(&band, &rows), rows.extent[1]};
    MPI_Request requests[2][BAND_REQUESTS];
    band_prepare(&band, plate.next, requests[0]);
    band_prepare(&band, plate.now, requests[1]);
    int64_t iterations = argument_integer("iterations");

    double start = clock_together();
    for (int64_t round = 0; round < iterations; round++) {
        band_step(&band, requests[round % 2], refine, &plate);
        plate = (Plate){plate.next, plate.now, plate.columns};
    }
    timing_print_together(processes, "Heat Stencil", start);

    band_free(requests[0]);
    band_free(requests[1]);
    Rows result = rows_create(processes, "result", "<f8", 2, rows.extent);
    rows_write(&result, band.begin, 1, band.rows, plate.now + plate.columns);
    rows_close(&result);
    rows_close(&rows);
    free(plate.now);
    free(plate.next);
    MPI_Finalize();
    return 0;
}
