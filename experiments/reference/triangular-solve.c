/* Forward substitution with Pthreads: solves l x = b for a lower triangular l, a block of unknowns at a time. One thread
 * solves a block while the others wait; then all take the block's unknowns out of the equations below, each in the rows
 * that are its own in turn.
 *
 *     triangular-solve l=FILE b=FILE x=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"
#include <string.h>

enum { BLOCK = 64 };

typedef double Vector __attribute__((vector_size(32), aligned(8)));

typedef struct Work {
    const double *l;
    double *x; /* at first b; then what is left of b, or the solution */
    int64_t count;
    Barrier barrier;
} Work;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

static double dot(const double *restrict a, const double *restrict x, int64_t count) {
    Vector sum0 = {0}, sum1 = {0};
    int64_t j = 0;
    for (; j + 8 <= count; j += 8) {
        sum0 += *(const Vector *)(a + j) * *(const Vector *)(x + j);
        sum1 += *(const Vector *)(a + j + 4) * *(const Vector *)(x + j + 4);
    }
    sum0 += sum1;
    double sum = (sum0[0] + sum0[1]) + (sum0[2] + sum0[3]);
    for (; j < count; j++) sum += a[j] * x[j];
    return sum;
}

static void solve_block(const Work *work, int64_t first, int64_t end) {
    for (int64_t i = first; i < end; i++) {
        const double *row = work->l + i * work->count;
        work->x[i] = (work->x[i] - dot(row + first, work->x + first, i - first)) / row[i];
    }
}

static void solve(int rank, void *data) {
    Work *work = data;
    const int64_t n = work->count;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t end = lesser(first + BLOCK, n);
        if (rank == 0) solve_block(work, first, end);
        barrier_wait(&work->barrier);
        const int64_t last = share(end, n, rank + 1, work->barrier.threads);
        for (int64_t i = share(end, n, rank, work->barrier.threads); i < last; i++)
            work->x[i] -= dot(work->l + i * n + first, work->x + first, end - first);
        barrier_wait(&work->barrier);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "l b x s parts");
    Array l = array_load("l", "<f8", 2), b = array_load("b", "<f8", 1);
    if (l.extent[0] != l.extent[1]) fail(1, "l is not square");
    if (b.count != l.extent[0]) fail(1, "b has %lld elements, expected %lld", (long long)b.count, (long long)l.extent[0]);
    Array x = vector_new("<f8", b.count);
    Work work = {l.data, x.data, x.count, {.threads = argument_threads()}};
    double begin = clock_now();
    memcpy(x.data, b.data, (size_t)b.count * b.size);
    threads_run(argument_threads(), solve, &work);
    timing_print("triangular-solve", begin);
    array_store("x", x);
    array_free(&l);
    array_free(&b);
    array_free(&x);
    return 0;
}
