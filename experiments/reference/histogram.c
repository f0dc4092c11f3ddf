/* Histogram of values between low and high in equal bins: each thread counts its values in tallies of its own. */
#include <math.h>
#include <stdlib.h>
#include "common.h"
#include "threads.h"

typedef struct Histogram {
    const double *values;
    int64_t count, bins, *counts, *tallies; /* tallies: a row for each thread, rows apart by `apart` */
    int64_t apart;
    double low, high;
    int threads;
    Barrier barrier;
} Histogram;

static void histogram(int rank, void *data) {
    Histogram *h = data;
    int64_t begin = share(0, h->count, rank, h->threads), end = share(0, h->count, rank + 1, h->threads);
    int64_t *mine = h->tallies + rank * h->apart;
    for (int64_t i = begin; i < end; i++) {
        double place = floor((h->values[i] - h->low) / (h->high - h->low) * (double)h->bins);
        if (place >= 0 && place < (double)h->bins) mine[(int64_t)place]++;
    }
    barrier_wait(&h->barrier);
    for (int64_t bin = share(0, h->bins, rank, h->threads); bin < share(0, h->bins, rank + 1, h->threads); bin++) {
        int64_t sum = 0;
        for (int thread = 0; thread < h->threads; thread++) sum += h->tallies[thread * h->apart + bin];
        h->counts[bin] = sum;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values bins low high k b counts");
    Array values = array_load("values", "<f8", 1);
    Array counts = vector_new("<i8", argument_integer("bins"));
    int threads = argument_threads();
    Histogram h = {.values = values.data, .count = values.count, .bins = counts.count, .counts = counts.data,
                   .apart = (counts.count + 7) / 8 * 8, .low = argument_real("low"), .high = argument_real("high"),
                   .threads = threads, .barrier.threads = threads};

    double begin = clock_now();
    h.tallies = memory_new((size_t)(threads * h.apart) * sizeof(int64_t));
    threads_run(threads, histogram, &h);
    timing_print("Histogram", begin);

    array_store("counts", counts);
    free(h.tallies);
    array_free(&values);
    array_free(&counts);
    return 0;
}
