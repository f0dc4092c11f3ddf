/* Dense matrix-vector product y = a x with MPI, by rows: each process has a band of rows and all of x, and takes four rows at a time,
 * so that x is read once for four rows and the sums do not wait for each other.
 *
 *     matrix-vector-rows a=FILE x=FILE y=FILE [--task-times]
 */
#include <stdlib.h>
#include "processes.h"

typedef double Vector __attribute__((vector_size(32), aligned(8)));

static double sum_of(Vector v) { return (v[0] + v[1]) + (v[2] + v[3]); }

static void four_rows(const double *restrict a, const double *restrict x, double *restrict y, int64_t n) {
    Vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const Vector v = *(const Vector *)(x + j);
        sum0 += *(const Vector *)(a + j) * v;
        sum1 += *(const Vector *)(a + n + j) * v;
        sum2 += *(const Vector *)(a + 2 * n + j) * v;
        sum3 += *(const Vector *)(a + 3 * n + j) * v;
    }
    double sums[4] = {sum_of(sum0), sum_of(sum1), sum_of(sum2), sum_of(sum3)};
    for (int r = 0; r < 4; r++) {
        for (int64_t k = j; k < n; k++) sums[r] += a[r * n + k] * x[k];
        y[r] = sums[r];
    }
}

static double one_row(const double *a, const double *x, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += a[j] * x[j];
    return sum;
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "a x y k");
    Rows a = rows_open("a", "<f8", 2);
    Array x = array_load("x", "<f8", 1);
    int64_t n = a.extent[1], begin = share(a.extent[0], processes.rank, processes.count), rows = share(a.extent[0], processes.rank + 1, processes.count) - begin;
    if (x.count != n) fail(1, "x has %lld elements, expected a's %lld columns", (long long)x.count, (long long)n);
    double *own = memory_new((size_t)(rows + 1) * a.bytes), *y = memory_new((size_t)(rows + 1) * sizeof *y);
    rows_read(&a, begin, 1, rows, own);

    double start = clock_together();
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) four_rows(own + i * n, x.data, y + i, n);
    for (; i < rows; i++) y[i] = one_row(own + i * n, x.data, n);
    timing_print_together(processes, "matrix-vector-rows", start);

    Rows file = rows_create(processes, "y", "<f8", 1, a.extent);
    rows_write(&file, begin, 1, rows, y);
    rows_close(&file);
    rows_close(&a);
    array_free(&x);
    free(own);
    free(y);
    MPI_Finalize();
    return 0;
}
