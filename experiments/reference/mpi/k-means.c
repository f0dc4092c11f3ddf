/* k-means clustering with MPI: each process has a share of the points; one message sums up what all of them have found, sums and
 * sizes of the clusters and the number of changes, as Reals (whole numbers up to 2^53 are exact).
 *
 *     k-means points=FILE centres=FILE result=FILE cluster=FILE max_rounds=N [--task-times]
 *
 * Prints the rounds and the changes of the last.
 */
#include <stdlib.h>
#include <string.h>
#include "processes.h"

typedef struct Work {
    const double *points;
    double *centres, *found, *all; /* found: of each cluster its sums, then its size; then the changes */
    int64_t *home, count, dimensions, clusters;
} Work;

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

static void join(const Work *work) {
    int64_t dimensions = work->dimensions, clusters = work->clusters, width = dimensions + 1, changes = 0;
    memset(work->found, 0, (size_t)(clusters * width) * sizeof(double));
    for (int64_t i = 0; i < work->count; i++) {
        const double *point = work->points + i * dimensions;
        int64_t home = nearest_centre(point, work->centres, clusters, dimensions);
        changes += home != work->home[i];
        work->home[i] = home;
        double *sums = work->found + home * width;
        for (int64_t d = 0; d < dimensions; d++) sums[d] += point[d];
        sums[dimensions]++;
    }
    work->found[clusters * width] = (double)changes;
}

static int64_t round_of(const Work *work) {
    int64_t dimensions = work->dimensions, width = dimensions + 1, length = work->clusters * width + 1;
    join(work);
    MPI_Allreduce(work->found, work->all, (int)length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t c = 0; c < work->clusters; c++) {
        const double *sums = work->all + c * width;
        for (int64_t d = 0; d < dimensions && sums[dimensions] > 0; d++) work->centres[c * dimensions + d] = sums[d] / sums[dimensions];
    }
    return (int64_t)work->all[length - 1];
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "points centres max_rounds k result cluster");
    Rows points = rows_open("points", "<f8", 2);
    Array centres = array_load("centres", "<f8", 2);
    if (points.extent[1] != centres.extent[1]) fail(1, "points and centres differ in their number of dimensions");
    int64_t begin = share(points.extent[0], processes.rank, processes.count), end = share(points.extent[0], processes.rank + 1, processes.count);
    int64_t length = centres.extent[0] * (centres.extent[1] + 1) + 1, max_rounds = argument_integer("max_rounds"), rounds = 0, changes = 1;
    double *own = memory_new((size_t)(end - begin + 1) * points.bytes);
    rows_read(&points, begin, 1, end - begin, own);
    Work work = {own, centres.data, memory_new((size_t)length * sizeof(double)), memory_new((size_t)length * sizeof(double)),
                 memory_new((size_t)(end - begin + 1) * sizeof(int64_t)), end - begin, points.extent[1], centres.extent[0]};

    double start = clock_together();
    for (int64_t i = 0; i < work.count; i++) work.home[i] = -1;
    for (; changes > 0 && rounds < max_rounds; rounds++) changes = round_of(&work);
    timing_print_together(processes, "k-Means", start);

    Rows cluster = rows_create(processes, "cluster", "<i8", 1, points.extent);
    rows_write(&cluster, begin, 1, work.count, work.home);
    rows_close(&cluster);
    rows_close(&points);
    if (processes.rank == 0) {
        array_store("result", centres);
        printf("%lld %lld\n", (long long)rounds, (long long)changes);
    }
    array_free(&centres);
    free(own);
    free(work.found);
    free(work.all);
    free(work.home);
    MPI_Finalize();
    return 0;
}
