/* Dense matrix-vector product y = a x with Pthreads, by rows: each thread takes a band of rows, four at a time, so
 * that x is read once for four rows and the sums do not wait for each other.
 *
 *     matrix-vector-rows a=FILE x=FILE y=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"

typedef struct Work {
    const double *a, *x;
    double *y;
    int64_t rows, columns;
    int threads;
} Work;

typedef double Vector __attribute__((vector_size(32), aligned(8)));

static double sum_of(Vector v) { return (v[0] + v[1]) + (v[2] + v[3]); }

static void four_rows(const Work *work, int64_t i) {
    const int64_t n = work->columns;
    const double *restrict a = work->a + i * n, *restrict x = work->x;
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
        work->y[i + r] = sums[r];
    }
}

static void one_row(const Work *work, int64_t i) {
    const double *a = work->a + i * work->columns;
    double sum = 0;
    for (int64_t j = 0; j < work->columns; j++) sum += a[j] * work->x[j];
    work->y[i] = sum;
}

static void multiply(int rank, void *data) {
    const Work *work = data;
    int64_t i = share(0, work->rows, rank, work->threads), end = share(0, work->rows, rank + 1, work->threads);
    for (; i + 4 <= end; i += 4) four_rows(work, i);
    for (; i < end; i++) one_row(work, i);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a x y k");
    Array a = array_load("a", "<f8", 2), x = array_load("x", "<f8", 1);
    if (x.count != a.extent[1]) fail(1, "x has %lld elements, expected a's %lld columns", (long long)x.count, (long long)a.extent[1]);
    Array y = vector_new("<f8", a.extent[0]);
    Work work = {a.data, x.data, y.data, a.extent[0], a.extent[1], argument_threads()};
    double begin = clock_now();
    threads_run(work.threads, multiply, &work);
    timing_print("matrix-vector-rows", begin);
    array_store("y", y);
    array_free(&a);
    array_free(&x);
    array_free(&y);
    return 0;
}
