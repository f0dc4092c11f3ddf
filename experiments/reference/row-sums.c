/* The largest row sum of |a|, and its row: each thread has a band of rows. Sums are kept in several lanes, so that they
 * are not held up by the time that one addition takes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "common.h"
#include "threads.h"

enum { LANES = 16 };

typedef struct Best {
    _Alignas(64) double sum; /* of one thread, on a cache line of its own */
    int64_t row;
} Best;

typedef struct Norm {
    const double *a;
    int64_t rows, columns;
    int threads;
    Best *best;
} Norm;

static double sum_row(const double *row, int64_t count) {
    double lanes[LANES] = {0}, total = 0;
    int64_t j = 0;
    for (; j + LANES <= count; j += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += fabs(row[j + l]);
    for (; j < count; j++) total += fabs(row[j]);
    for (int l = 0; l < LANES; l++) total += lanes[l];
    return total;
}

static void measure(int rank, void *data) {
    Norm *norm = data;
    int64_t begin = share(0, norm->rows, rank, norm->threads), end = share(0, norm->rows, rank + 1, norm->threads);
    Best best = {.sum = -INFINITY, .row = -1};
    for (int64_t i = begin; i < end; i++) {
        double sum = sum_row(norm->a + i * norm->columns, norm->columns);
        if (sum > best.sum) {
            best.sum = sum;
            best.row = i;
        }
    }
    norm->best[rank] = best;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a k");
    Array a = array_load("a", "<f8", 2);
    int threads = argument_threads();
    Norm norm = {.a = a.data, .rows = a.extent[0], .columns = a.extent[1], .threads = threads,
                 .best = memory_new((size_t)threads * sizeof(Best))};

    double begin = clock_now();
    threads_run(threads, measure, &norm);
    Best largest = norm.best[0];
    for (int rank = 1; rank < threads; rank++)
        if (norm.best[rank].sum > largest.sum) largest = norm.best[rank];
    timing_print("Infinity Norm", begin);

    printf("%.17g %lld\n", largest.sum, (long long)largest.row);
    array_free(&a);
    free(norm.best);
    return 0;
}
