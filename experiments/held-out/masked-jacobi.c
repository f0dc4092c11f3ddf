/* Jacobi's method on the free cells of a grid; the others keep their values. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start free rounds k result");
    Array start = array_load("start", "<f8", 2), mask = array_load("free", "<i4", 2);
    int64_t rows = start.extent[0], columns = start.extent[1], rounds = argument_integer("rounds");
    Array other = matrix_new("<f8", rows, columns);
    memcpy(other.data, start.data, (size_t)start.count * sizeof(double));
    double *now = start.data, *next = other.data;
    const int *free_cells = mask.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict old = now;
        double *restrict u = next;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++)
            for (int64_t j = 1; j < columns - 1; j++) {
                const double *at = old + i * columns + j;
                u[i * columns + j] = free_cells[i * columns + j] != 0 ? 0.25 * (at[-columns] + at[columns] + at[-1] + at[1]) : *at;
            }
        now = u;
        next = (double *)old;
    }
    timing_print("Masked Jacobi", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
