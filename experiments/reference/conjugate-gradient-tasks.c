/* Conjugate gradients with Pthreads from three routines of general use, each of which all threads call together:
 * product of a sparse matrix in compressed rows and a vector, dot product, u = alpha u + beta v. conjugate-gradient.c is
 * faster, as it does in one loop what these do in several.
 *
 *     conjugate-gradient-tasks values=FILE columns=FILE ends=FILE b=FILE x=FILE precision=E max_rounds=N [--threads=N] [--task-times]
 *
 * Prints the rounds and the size of the residual.
 */
#include "common.h"
#include "threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The routines -------------------------------------------------------------------------------------------- */

typedef struct Part {
    _Alignas(64) double value;
} Part;

typedef struct Team {
    Barrier barrier;
    Part *parts; /* of a sum: two for each thread, used in turn */
} Team;

typedef struct Member {
    Team *team;
    int rank, turn;
} Member;

typedef struct Matrix {
    int64_t rows;
    const int32_t *ends, *columns;
    const double *values;
} Matrix;

static int64_t first_of(const Member *me, int64_t count) { return share(0, count, me->rank, me->team->barrier.threads); }
static int64_t end_of(const Member *me, int64_t count) { return share(0, count, me->rank + 1, me->team->barrier.threads); }

/* w = a v */
static void csr_multiply(const Member *me, double *restrict w, const Matrix *a, const double *restrict v) {
    const int64_t begin = first_of(me, a->rows), end = end_of(me, a->rows);
    const int32_t *restrict ends = a->ends, *restrict columns = a->columns;
    const double *restrict values = a->values;
    int32_t j = begin > 0 ? ends[begin - 1] : 0;
    for (int64_t i = begin; i < end; i++) {
        double total = 0;
        for (; j < ends[i]; j++) total += values[j] * v[columns[j]];
        w[i] = total;
    }
    barrier_wait(&me->team->barrier);
}

/* The sum of u[i] v[i], for every thread. */
static double dot(Member *me, const double *u, const double *v, int64_t count) {
    const int threads = me->team->barrier.threads;
    const int64_t end = end_of(me, count);
    double lanes[8] = {0}, sum = 0;
    int64_t i = first_of(me, count);
    for (; i + 8 <= end; i += 8)
        for (int l = 0; l < 8; l++) lanes[l] += u[i + l] * v[i + l];
    for (; i < end; i++) lanes[0] += u[i] * v[i];
    Part *parts = me->team->parts + (me->turn++ % 2) * threads;
    parts[me->rank].value = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    barrier_wait(&me->team->barrier);
    for (int t = 0; t < threads; t++) sum += parts[t].value;
    return sum;
}

/* u = alpha u + beta v */
static void add(const Member *me, double *restrict u, const double *restrict v, double alpha, double beta, int64_t count) {
    const int64_t end = end_of(me, count);
    for (int64_t i = first_of(me, count); i < end; i++) u[i] = alpha * u[i] + beta * v[i];
    barrier_wait(&me->team->barrier);
}

/* ---- The solver ---------------------------------------------------------------------------------------------- */

typedef struct Work {
    Team team;
    Matrix matrix;
    double *x, *residual, *direction, *product, precision, square;
    int64_t max_rounds, rounds;
} Work;

static void solve(int rank, void *data) {
    Work *work = data;
    Member me = {&work->team, rank, 0};
    const int64_t n = work->matrix.rows;
    double square = dot(&me, work->residual, work->residual, n);
    int64_t rounds = 0;
    while (sqrt(square) > work->precision && rounds < work->max_rounds) {
        csr_multiply(&me, work->product, &work->matrix, work->direction);
        const double step = square / dot(&me, work->direction, work->product, n);
        add(&me, work->x, work->direction, 1, step, n);
        add(&me, work->residual, work->product, 1, -step, n);
        const double last = square;
        square = dot(&me, work->residual, work->residual, n);
        add(&me, work->direction, work->residual, square / last, 1, n);
        rounds++;
    }
    if (rank != 0) return;
    work->rounds = rounds;
    work->square = square;
}

static void check(const Matrix *matrix, int64_t entries) {
    for (int64_t i = 0; i < matrix->rows; i++)
        if (matrix->ends[i] < (i > 0 ? matrix->ends[i - 1] : 0) || matrix->ends[i] > entries) fail(1, "ends is not ascending");
    for (int64_t j = 0; j < entries; j++)
        if (matrix->columns[j] < 0 || matrix->columns[j] >= matrix->rows) fail(1, "column %d of entry %lld", matrix->columns[j], (long long)j);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns ends b x precision max_rounds k");
    Array values = array_load("values", "<f8", 1), columns = array_load("columns", "<i4", 1);
    Array ends = array_load("ends", "<i4", 1), residual = array_load("b", "<f8", 1);
    if (values.count != columns.count || ends.count != residual.count) fail(1, "the arrays do not fit each other");
    Array x = vector_new("<f8", ends.count), direction = vector_new("<f8", ends.count), product = vector_new("<f8", ends.count);
    memcpy(direction.data, residual.data, (size_t)ends.count * direction.size);
    int threads = argument_threads();
    Work work = {.team = {{.threads = threads}, memory_new(2 * (size_t)threads * sizeof(Part))},
                 .matrix = {ends.count, ends.data, columns.data, values.data}, .x = x.data, .residual = residual.data,
                 .direction = direction.data, .product = product.data, .precision = argument_real("precision"),
                 .max_rounds = argument_integer("max_rounds")};
    check(&work.matrix, columns.count);
    double begin = clock_now();
    threads_run(threads, solve, &work);
    timing_print("conjugate-gradient-tasks", begin);
    printf("%lld %.17g\n", (long long)work.rounds, sqrt(work.square));
    array_store("x", x);
    free(work.team.parts);
    array_free(&values);
    array_free(&columns);
    array_free(&ends);
    array_free(&residual);
    array_free(&x);
    array_free(&direction);
    array_free(&product);
    return 0;
}
