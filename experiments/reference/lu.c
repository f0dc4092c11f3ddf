/* LU factorization with partial pivoting and Pthreads, one column after the other: rows p of a, in that order, are l u.
 * Rows are dealt out one by one, so that all threads have work to the end. Each looks for the largest element of
 * the next column while it eliminates the one before.
 *
 *     lu a=FILE lu=FILE p=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Candidate {
    _Alignas(64) double size;
    int64_t row;
} Candidate;

typedef struct Work {
    const double *a;
    double *lu;
    int64_t *p;
    int64_t n;
    Candidate *candidates; /* of each thread, for the next pivot */
    Barrier barrier;
} Work;

/* The first of this thread's rows from `from` on. */
static int64_t first_row(int64_t from, int rank, int threads) {
    int64_t row = from - from % threads + rank;
    return row < from ? row + threads : row;
}

static void consider(Candidate *best, double value, int64_t row) {
    double size = fabs(value);
    if (size > best->size) *best = (Candidate){size, row};
}

static void start(Work *work, int rank) {
    Candidate best = {-1, 0};
    for (int64_t i = rank; i < work->n; i += work->barrier.threads) {
        memcpy(work->lu + i * work->n, work->a + i * work->n, (size_t)work->n * sizeof(double));
        work->p[i] = i;
        consider(&best, work->lu[i * work->n], i);
    }
    work->candidates[rank] = best;
}

static void exchange(Work *work, int64_t k) {
    Candidate best = work->candidates[0];
    for (int t = 1; t < work->barrier.threads; t++) {
        const Candidate *other = &work->candidates[t];
        if (other->size > best.size || (other->size == best.size && other->row < best.row)) best = *other;
    }
    if (best.row == k) return;
    double *restrict one = work->lu + k * work->n, *restrict two = work->lu + best.row * work->n;
    for (int64_t j = 0; j < work->n; j++) {
        double keep = one[j];
        one[j] = two[j];
        two[j] = keep;
    }
    int64_t keep = work->p[k];
    work->p[k] = work->p[best.row];
    work->p[best.row] = keep;
}

static void eliminate(Work *work, int rank, int64_t k) {
    const int64_t n = work->n;
    const double *restrict pivot_row = work->lu + k * n;
    Candidate best = {-1, n};
    for (int64_t i = first_row(k + 1, rank, work->barrier.threads); i < n; i += work->barrier.threads) {
        double *restrict row = work->lu + i * n;
        const double factor = row[k] /= pivot_row[k];
        for (int64_t j = k + 1; j < n; j++) row[j] -= factor * pivot_row[j];
        consider(&best, row[k + 1], i);
    }
    work->candidates[rank] = best;
}

static void factor(int rank, void *data) {
    Work *work = data;
    start(work, rank);
    barrier_wait(&work->barrier);
    for (int64_t k = 0; k + 1 < work->n; k++) {
        if (rank == 0) exchange(work, k);
        barrier_wait(&work->barrier);
        eliminate(work, rank, k);
        barrier_wait(&work->barrier);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a lu p parts");
    Array a = array_load("a", "<f8", 2);
    if (a.extent[0] != a.extent[1]) fail(1, "a is not square");
    Array lu = matrix_new("<f8", a.extent[0], a.extent[1]), p = vector_new("<i8", a.extent[0]);
    int threads = argument_threads();
    Candidate *candidates = memory_new((size_t)threads * sizeof *candidates);
    Work work = {a.data, lu.data, p.data, a.extent[0], candidates, {.threads = threads}};
    double begin = clock_now();
    threads_run(threads, factor, &work);
    timing_print("lu", begin);
    array_store("lu", lu);
    array_store("p", p);
    free(candidates);
    array_free(&a);
    array_free(&lu);
    array_free(&p);
    return 0;
}
