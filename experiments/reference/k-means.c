/* k-means clustering: each point joins the nearest centre, each centre moves to the mean of its points. Each thread has
 * a share of the points, and sums and sizes of its own for the clusters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "threads.h"

typedef struct Share {
    _Alignas(64) double *sums; /* clusters x dimensions */
    int64_t *sizes, changes;
} Share;

typedef struct Cluster {
    const double *points;
    double *centres;
    int64_t *cluster, count, dimensions, clusters, max_rounds, rounds, changes;
    int threads;
    Barrier barrier;
    Share *shares;
} Cluster;

static int64_t nearest_centre(const double *restrict point, const double *restrict centres, int64_t clusters, int64_t dimensions) {
    int64_t nearest = 0;
    double shortest = 0;
    for (int64_t c = 0; c < clusters; c++) {
        double square = 0;
        for (int64_t d = 0; d < dimensions; d++) {
            double way = point[d] - centres[c * dimensions + d];
            square += way * way;
        }
        if (c == 0 || square < shortest) {
            shortest = square;
            nearest = c;
        }
    }
    return nearest;
}

static void join(const Cluster *state, Share *mine, int64_t begin, int64_t end) {
    int64_t dimensions = state->dimensions, clusters = state->clusters;
    memset(mine->sums, 0, (size_t)(clusters * dimensions) * sizeof(double));
    memset(mine->sizes, 0, (size_t)clusters * sizeof(int64_t));
    mine->changes = 0;
    for (int64_t i = begin; i < end; i++) {
        const double *point = state->points + i * dimensions;
        int64_t home = nearest_centre(point, state->centres, clusters, dimensions);
        mine->changes += home != state->cluster[i];
        state->cluster[i] = home;
        mine->sizes[home]++;
        for (int64_t d = 0; d < dimensions; d++) mine->sums[home * dimensions + d] += point[d];
    }
}

static void move_centre(const Cluster *state, int64_t c) {
    int64_t size = 0;
    for (int thread = 0; thread < state->threads; thread++) size += state->shares[thread].sizes[c];
    if (size == 0) return;
    for (int64_t d = 0; d < state->dimensions; d++) {
        double sum = 0;
        for (int thread = 0; thread < state->threads; thread++) sum += state->shares[thread].sums[c * state->dimensions + d];
        state->centres[c * state->dimensions + d] = sum / (double)size;
    }
}

static void cluster(int rank, void *data) {
    Cluster *state = data;
    int64_t begin = share(0, state->count, rank, state->threads), end = share(0, state->count, rank + 1, state->threads);
    for (int64_t i = begin; i < end; i++) state->cluster[i] = -1;
    int64_t changes = 1, rounds = 0;
    while (changes > 0 && rounds < state->max_rounds) {
        join(state, &state->shares[rank], begin, end);
        barrier_wait(&state->barrier);
        changes = 0;
        for (int thread = 0; thread < state->threads; thread++) changes += state->shares[thread].changes;
        for (int64_t c = rank; c < state->clusters; c += state->threads) move_centre(state, c);
        rounds++;
        barrier_wait(&state->barrier);
    }
    if (rank == 0) {
        state->changes = changes;
        state->rounds = rounds;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "points centres max_rounds k result cluster");
    Array points = array_load("points", "<f8", 2), centres = array_load("centres", "<f8", 2);
    if (points.extent[1] != centres.extent[1]) fail(1, "points and centres differ in their number of dimensions");
    Array home = vector_new("<i8", points.extent[0]);
    int threads = argument_threads();
    Cluster state = {.points = points.data, .centres = centres.data, .cluster = home.data, .count = points.extent[0],
                     .dimensions = points.extent[1], .clusters = centres.extent[0],
                     .max_rounds = argument_integer("max_rounds"), .threads = threads, .barrier.threads = threads,
                     .shares = memory_new((size_t)threads * sizeof(Share))};
    for (int thread = 0; thread < threads; thread++) {
        state.shares[thread].sums = memory_new((size_t)centres.count * sizeof(double));
        state.shares[thread].sizes = memory_new((size_t)state.clusters * sizeof(int64_t));
    }

    double begin = clock_now();
    threads_run(threads, cluster, &state);
    timing_print("k-Means", begin);

    array_store("result", centres);
    array_store("cluster", home);
    printf("%lld %lld\n", (long long)state.rounds, (long long)state.changes);
    for (int thread = 0; thread < threads; thread++) {
        free(state.shares[thread].sums);
        free(state.shares[thread].sizes);
    }
    free(state.shares);
    array_free(&points);
    array_free(&centres);
    array_free(&home);
    return 0;
}
