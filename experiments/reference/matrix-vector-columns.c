/* Dense matrix-vector product y = a x with Pthreads, by columns: each thread takes a band of columns, adds up its share
 * of y, and then the shares of a band of rows.
 *
 *     matrix-vector-columns a=FILE x=FILE y=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"

typedef struct Work {
    const double *a, *x;
    double *y, *shares; /* shares: one vector of `rows` for each thread */
    int64_t rows, columns;
    Barrier barrier;
} Work;

typedef double Vector __attribute__((vector_size(32), aligned(8)));

static double dot(const double *restrict a, const double *restrict x, int64_t count) {
    Vector sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
    int64_t j = 0;
    for (; j + 16 <= count; j += 16) {
        sum0 += *(const Vector *)(a + j) * *(const Vector *)(x + j);
        sum1 += *(const Vector *)(a + j + 4) * *(const Vector *)(x + j + 4);
        sum2 += *(const Vector *)(a + j + 8) * *(const Vector *)(x + j + 8);
        sum3 += *(const Vector *)(a + j + 12) * *(const Vector *)(x + j + 12);
    }
    Vector all = (sum0 + sum1) + (sum2 + sum3);
    double sum = (all[0] + all[1]) + (all[2] + all[3]);
    for (; j < count; j++) sum += a[j] * x[j];
    return sum;
}

static void multiply(int rank, void *data) {
    Work *work = data;
    const int threads = work->barrier.threads;
    int64_t begin = share(0, work->columns, rank, threads), end = share(0, work->columns, rank + 1, threads);
    for (int64_t i = 0; i < work->rows; i++)
        work->shares[rank * work->rows + i] = dot(work->a + i * work->columns + begin, work->x + begin, end - begin);
    barrier_wait(&work->barrier);
    int64_t last = share(0, work->rows, rank + 1, threads);
    for (int64_t i = share(0, work->rows, rank, threads); i < last; i++)
        for (int t = 0; t < threads; t++) work->y[i] += work->shares[t * work->rows + i];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a x y k");
    Array a = array_load("a", "<f8", 2), x = array_load("x", "<f8", 1);
    if (x.count != a.extent[1]) fail(1, "x has %lld elements, expected a's %lld columns", (long long)x.count, (long long)a.extent[1]);
    Array y = vector_new("<f8", a.extent[0]), shares = matrix_new("<f8", argument_threads(), a.extent[0]);
    Work work = {a.data, x.data, y.data, shares.data, a.extent[0], a.extent[1], {.threads = argument_threads()}};
    double begin = clock_now();
    threads_run(argument_threads(), multiply, &work);
    timing_print("matrix-vector-columns", begin);
    array_store("y", y);
    array_free(&a);
    array_free(&x);
    array_free(&y);
    array_free(&shares);
    return 0;
}
