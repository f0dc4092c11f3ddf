/* Columns of a table made comparable: each without its mean, in units of its standard deviation. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a k b");
    Array table = array_load("a", "<f8", 2);
    int64_t rows = table.extent[0], columns = table.extent[1], k = argument_integer("k");
    Array result = matrix_new("<f8", rows, columns), means = vector_new("<f8", columns), spreads = vector_new("<f8", columns);
    const double *a = table.data;
    double *restrict b = result.data, *restrict mean = means.data, *restrict spread = spreads.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t first = 0; first < columns; first += k) {
        int64_t end = first + k < columns ? first + k : columns;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = first; j < end; j++) mean[j] += a[i * columns + j];
        for (int64_t j = first; j < end; j++) mean[j] /= (double)rows;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = first; j < end; j++) {
                double away = a[i * columns + j] - mean[j];
                spread[j] += away * away;
            }
        for (int64_t j = first; j < end; j++) spread[j] = sqrt(spread[j] / (double)rows);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = first; j < end; j++) b[i * columns + j] = (a[i * columns + j] - mean[j]) / spread[j];
    }
    timing_print("Normalised Columns", begin);
    array_store("b", result);
    return 0;
}
