/* The largest eigenvalue of a sparse matrix in jagged diagonals (rows in the order of their lengths) by the power method. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns starts row rounds k x sizes");
    Array values_of = array_load("values", "<f8", 1), columns_of = array_load("columns", "<i4", 1), starts_of = array_load("starts", "<i4", 1);
    Array rows_of = array_load("row", "<i4", 1);
    int64_t n = rows_of.count, rounds = argument_integer("rounds");
    const double *restrict values = values_of.data;
    const int *restrict columns = columns_of.data, *restrict starts = starts_of.data, *restrict row = rows_of.data;
    Array xs = vector_new("<f8", n), sizes_of = vector_new("<f8", rounds);
    double *restrict x = xs.data, *restrict y = vector_new("<f8", n).data, *restrict sizes = sizes_of.data;

    double begin = clock_now();
    for (int64_t i = 0; i < n; i++) x[i] = 1 / sqrt(n);
    for (int64_t round = 0; round < rounds; round++) {
        double squares = 0;
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for
            for (int64_t r = 0; r < n; r++) y[r] = 0;
            for (int64_t d = 0; d + 1 < starts_of.count; d++) {
                const double *restrict value = values + starts[d];
                const int *restrict column = columns + starts[d];
#pragma omp for
                for (int64_t r = 0; r < starts[d + 1] - starts[d]; r++) y[r] += value[r] * x[column[r]];
            }
#pragma omp for simd reduction(+ : squares)
            for (int64_t r = 0; r < n; r++) squares += y[r] * y[r];
#pragma omp for
            for (int64_t r = 0; r < n; r++) x[row[r]] = y[r] / sqrt(squares);
        }
        sizes[round] = sqrt(squares);
    }
    timing_print("Power Method", begin);
    array_store("x", xs);
    array_store("sizes", sizes_of);
    return 0;
}
