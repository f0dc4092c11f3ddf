/* Triangular systems in place, row after row: each takes those before it away and is divided. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b x");
    Array as = array_load("a", "<f8", 2), bs = array_load("b", "<f8", 2);
    int64_t n = as.extent[0], columns = bs.extent[1];
    const double *restrict a = as.data;
    double *b = bs.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        double *restrict row = b + i * columns;
        /* Columns have nothing to do with each other: a thread has the same ones in every row. */
        for (int64_t k = 0; k < i; k++) {
            const double factor = a[i * n + k], *restrict before = b + k * columns;
#pragma omp for schedule(static) nowait
            for (int64_t j = 0; j < columns; j++) row[j] -= factor * before[j];
        }
#pragma omp for schedule(static) nowait
        for (int64_t j = 0; j < columns; j++) row[j] /= a[i * n + i];
    }
    timing_print("TriangularSolve", begin);
    array_store("x", bs);
    return 0;
}
