/* Poisson's equation on a square by red-black SOR with MPI: a band of rows for each process. The rows at the band's ends come first
 * in each colour and travel while the others are relaxed.
 *
 *     red-black-sor u=FILE f=FILE result=FILE omega=R tolerance=R max_rounds=N [--task-times]
 *
 * Prints the rounds and the largest residual.
 */
#include <math.h>
#include <stdlib.h>
#include "band.h"

typedef struct Square {
    double *u;
    const double *f; /* has rows as u has */
    int64_t begin, columns;
    int colour;
    double factor;
} Square;

static double residual(const double *u, const double *f, int64_t at, int64_t row) {
    return u[at - row] + u[at + row] + u[at - 1] + u[at + 1] - 4 * u[at] - f[at];
}

static void relax_row(double *restrict u, const double *restrict f, int64_t row, int64_t first, double factor) {
    for (int64_t j = first; j < row - 1; j += 2) u[j] += factor * residual(u, f, j, row);
}

static void relax(const void *state, int64_t first, int64_t last) {
    const Square *square = state;
    const int64_t row = square->columns;
    for (int64_t i = first; i < last; i++) /* row i is the array's row begin + i - 1 */
        relax_row(square->u + i * row, square->f + i * row, row, 1 + (square->begin + i + square->colour) % 2, square->factor);
}

static double measure_row(const double *restrict u, const double *restrict f, int64_t row) {
    double largest = 0;
    for (int64_t j = 1; j < row - 1; j++) {
        double size = fabs(residual(u, f, j, row));
        largest = size > largest ? size : largest;
    }
    return largest;
}

static double measure(const Square *square, const Band *band) {
    double own = 0, all;
    for (int64_t i = band->first; i < band->last; i++) own = fmax(own, measure_row(square->u + i * square->columns, square->f + i * square->columns, square->columns));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "u f omega tolerance max_rounds k l result");
    Rows rows = rows_open("u", "<f8", 2), right = rows_open("f", "<f8", 2);
    if (rows.extent[0] != right.extent[0] || rows.extent[1] != right.extent[1]) fail(1, "u and f differ in shape");
    Band band = band_of(processes, &rows);
    double *f = band_load(&band, &right), tolerance = argument_real("tolerance"), change = tolerance + 1;
    Square square = {.u = band_load(&band, &rows), .f = f, .begin = band.begin, .columns = rows.extent[1], .factor = argument_real("omega") * 0.25};
    MPI_Request requests[BAND_REQUESTS];
    band_prepare(&band, square.u, requests);
    int64_t max_rounds = argument_integer("max_rounds"), rounds = 0;

    double start = clock_together();
    while (change > tolerance && rounds < max_rounds) {
        for (square.colour = 0; square.colour < 2; square.colour++) band_step(&band, requests, relax, &square);
        change = measure(&square, &band);
        rounds++;
    }
    timing_print_together(processes, "Red-Black SOR", start);

    band_free(requests);
    Rows result = rows_create(processes, "result", "<f8", 2, rows.extent);
    rows_write(&result, band.begin, 1, band.rows, square.u + square.columns);
    if (processes.rank == 0) printf("%lld %.17g\n", (long long)rounds, change);
    rows_close(&result);
    rows_close(&rows);
    rows_close(&right);
    free(square.u);
    free(f);
    MPI_Finalize();
    return 0;
}
