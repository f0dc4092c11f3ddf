/* Prefix sum: each thread adds up its part, then sums it up from the total of the parts before it. */
#include <stdlib.h>
#include "common.h"
#include "threads.h"

enum { LANES = 16 };

typedef struct Total {
    _Alignas(64) double value; /* of one thread, on a cache line of its own */
} Total;

typedef struct Scan {
    const double *values;
    double *sums;
    int64_t count;
    int threads;
    Barrier barrier;
    Total *totals;
} Scan;

/* In several lanes, so that the additions do not wait for each other. */
static double add_up(const double *values, int64_t count) {
    double lanes[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += values[i + l];
    for (; i < count; i++) total += values[i];
    for (int l = 0; l < LANES; l++) total += lanes[l];
    return total;
}

static void scan(int rank, void *data) {
    Scan *s = data;
    int64_t begin = share(0, s->count, rank, s->threads), end = share(0, s->count, rank + 1, s->threads);
    s->totals[rank].value = add_up(s->values + begin, end - begin);
    barrier_wait(&s->barrier);
    double total = 0;
    for (int other = 0; other < rank; other++) total += s->totals[other].value;
    for (int64_t i = begin; i < end; i++) {
        total += s->values[i];
        s->sums[i] = total;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values k sums");
    Array values = array_load("values", "<f8", 1);
    Array sums = vector_new("<f8", values.count);
    int threads = argument_threads();
    Scan s = {.values = values.data, .sums = sums.data, .count = values.count, .threads = threads,
              .barrier.threads = threads, .totals = memory_new((size_t)threads * sizeof(Total))};

    double begin = clock_now();
    threads_run(threads, scan, &s);
    timing_print("Prefix Sum", begin);

    array_store("sums", sums);
    free(s.totals);
    array_free(&values);
    array_free(&sums);
    return 0;
}
