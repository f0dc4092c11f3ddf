/* A triangular matrix times another, in place: each row adds those behind it and is scaled. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b product");
    Array as = array_load("a", "<f8", 2), bs = array_load("b", "<f8", 2);
    int64_t n = as.extent[0], columns = bs.extent[1];
    const double *restrict a = as.data;
    double *b = bs.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        double *restrict row = b + i * columns;
        /* Columns have nothing to do with each other: a thread has the same ones in every row. */
        for (int64_t k = i + 1; k < n; k++) {
            const double factor = a[i * n + k], *restrict behind = b + k * columns;
#pragma omp for schedule(static) nowait
            for (int64_t j = 0; j < columns; j++) row[j] += factor * behind[j];
        }
#pragma omp for schedule(static) nowait
        for (int64_t j = 0; j < columns; j++) row[j] *= 1.5;
    }
    timing_print("TriangularProduct", begin);
    array_store("product", bs);
    return 0;
}
