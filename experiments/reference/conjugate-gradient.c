/* Conjugate gradients with Pthreads for a sparse symmetric positive definite matrix in compressed rows: row i has the values
 * ends[i-1] … ends[i]-1 and their columns. Each thread takes a band of rows. The loops over vectors are
 * fused: the product with its dot product, the two updates with the square of the residual.
 *
 *     conjugate-gradient values=FILE columns=FILE ends=FILE b=FILE x=FILE precision=E max_rounds=N [--threads=N] [--task-times]
 *
 * Prints the rounds and the size of the residual.
 */
#include "common.h"
#include "threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Sum {
    _Alignas(64) double curvature;
    double square;
} Sum;

typedef struct Work {
    const double *values, *b;
    const int32_t *columns, *ends;
    double *x, *residual, *direction, *product;
    int64_t count, max_rounds, rounds;
    double precision, square;
    Sum *sums; /* of each thread */
    Barrier barrier;
} Work;

static double multiply(const Work *work, int64_t begin, int64_t end) {
    const double *restrict values = work->values, *restrict direction = work->direction;
    const int32_t *restrict columns = work->columns, *restrict ends = work->ends;
    double *restrict product = work->product;
    double curvature = 0;
    int32_t j = begin > 0 ? ends[begin - 1] : 0;
    for (int64_t i = begin; i < end; i++) {
        double total = 0;
        for (; j < ends[i]; j++) total += values[j] * direction[columns[j]];
        product[i] = total;
        curvature += total * direction[i];
    }
    return curvature;
}

static double advance(const Work *work, double step, int64_t begin, int64_t end) {
    double *restrict x = work->x, *restrict residual = work->residual;
    const double *restrict direction = work->direction, *restrict product = work->product;
    double lanes[8] = {0};
    int64_t i = begin;
    for (; i + 8 <= end; i += 8)
        for (int l = 0; l < 8; l++) {
            x[i + l] += step * direction[i + l];
            residual[i + l] -= step * product[i + l];
            lanes[l] += residual[i + l] * residual[i + l];
        }
    for (; i < end; i++) {
        x[i] += step * direction[i];
        residual[i] -= step * product[i];
        lanes[0] += residual[i] * residual[i];
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static void turn(const Work *work, double part, int64_t begin, int64_t end) {
    double *restrict direction = work->direction;
    const double *restrict residual = work->residual;
    for (int64_t i = begin; i < end; i++) direction[i] = residual[i] + part * direction[i];
}

static double start(const Work *work, int64_t begin, int64_t end) {
    double square = 0;
    for (int64_t i = begin; i < end; i++) {
        work->residual[i] = work->direction[i] = work->b[i];
        square += work->b[i] * work->b[i];
    }
    return square;
}

static double all_squares(Work *work) {
    double square = 0;
    for (int t = 0; t < work->barrier.threads; t++) square += work->sums[t].square;
    return square;
}

static double all_curvatures(Work *work) {
    double curvature = 0;
    for (int t = 0; t < work->barrier.threads; t++) curvature += work->sums[t].curvature;
    return curvature;
}

static void solve(int rank, void *data) {
    Work *work = data;
    int64_t begin = share(0, work->count, rank, work->barrier.threads);
    int64_t end = share(0, work->count, rank + 1, work->barrier.threads);
    work->sums[rank].square = start(work, begin, end);
    barrier_wait(&work->barrier);
    double square = all_squares(work);
    int64_t rounds = 0;
    while (square > work->precision * work->precision && rounds < work->max_rounds) {
        work->sums[rank].curvature = multiply(work, begin, end);
        barrier_wait(&work->barrier);
        work->sums[rank].square = advance(work, square / all_curvatures(work), begin, end);
        barrier_wait(&work->barrier);
        double last = square;
        square = all_squares(work);
        turn(work, square / last, begin, end);
        rounds++;
        barrier_wait(&work->barrier);
    }
    if (rank == 0) {
        work->rounds = rounds;
        work->square = square;
    }
}

static void check(const Work *work, int64_t entries) {
    for (int64_t i = 0; i < work->count; i++)
        if (work->ends[i] < (i > 0 ? work->ends[i - 1] : 0) || work->ends[i] > entries) fail(1, "ends is not ascending");
    for (int64_t j = 0; j < entries; j++)
        if (work->columns[j] < 0 || work->columns[j] >= work->count) fail(1, "column %d of entry %lld", work->columns[j], (long long)j);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns ends b x precision max_rounds k");
    Array values = array_load("values", "<f8", 1), columns = array_load("columns", "<i4", 1);
    Array ends = array_load("ends", "<i4", 1), b = array_load("b", "<f8", 1);
    if (values.count != columns.count || ends.count != b.count) fail(1, "the arrays do not fit each other");
    Array x = vector_new("<f8", b.count), residual = vector_new("<f8", b.count);
    Array direction = vector_new("<f8", b.count), product = vector_new("<f8", b.count);
    int threads = argument_threads();
    Sum *sums = memory_new((size_t)threads * sizeof *sums);
    Work work = {.values = values.data, .b = b.data, .columns = columns.data, .ends = ends.data, .x = x.data,
                 .residual = residual.data, .direction = direction.data, .product = product.data, .count = b.count,
                 .max_rounds = argument_integer("max_rounds"), .precision = argument_real("precision"), .sums = sums,
                 .barrier = {.threads = threads}};
    check(&work, columns.count);
    double begin = clock_now();
    threads_run(threads, solve, &work);
    timing_print("conjugate-gradient", begin);
    printf("%lld %.17g\n", (long long)work.rounds, sqrt(work.square));
    array_store("x", x);
    free(sums);
    array_free(&values);
    array_free(&columns);
    array_free(&ends);
    array_free(&b);
    array_free(&x);
    array_free(&residual);
    array_free(&direction);
    array_free(&product);
    return 0;
}
