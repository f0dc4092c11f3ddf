/* A matrix of correlations between points: its pivoted Cholesky factor of low rank. */
#include <math.h>
#include "../reference/common.h"

typedef struct Point {
    double x, y, z;
} Point;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "point rank width k l which traces");
    Array points = array_load_records("point", sizeof(Point), "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]");
    int64_t n = points.count, rank = argument_integer("rank");
    Array ls = matrix_new("<f8", rank, n), whiches = vector_new("<i8", rank), traces_of = vector_new("<f8", rank), lefts = vector_new("<f8", n);
    const Point *restrict point = points.data;
    double *restrict l = ls.data, *restrict left = lefts.data, *restrict traces = traces_of.data, width = argument_real("width");
    int64_t *which = whiches.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) left[i] = 1;
    int64_t pivot = 0;
    for (int64_t m = 0; m < rank; m++) {
        double *restrict now = l + m * n, root = sqrt(left[pivot]), trace = 0, largest = -INFINITY;
        Point from = point[pivot];
        int64_t chosen = which[m] = pivot;
#pragma omp parallel num_threads(argument_threads()) reduction(+ : trace)
        {
            double most = -INFINITY;
            int64_t entry = -1;
#pragma omp for
            for (int64_t begin_at = 0; begin_at < n; begin_at += 1024) {
                int64_t end_at = begin_at + 1024 < n ? begin_at + 1024 : n;
                for (int64_t i = begin_at; i < end_at; i++) {
                    double x = point[i].x - from.x, y = point[i].y - from.y, z = point[i].z - from.z;
                    now[i] = exp(-(x * x + y * y + z * z) / width);
                }
                for (int64_t s = 0; s < m; s++) {
                    double factor = l[s * n + chosen];
#pragma omp simd
                    for (int64_t i = begin_at; i < end_at; i++) now[i] -= factor * l[s * n + i];
                }
                for (int64_t i = begin_at; i < end_at; i++) {
                    now[i] /= root;
                    left[i] -= now[i] * now[i];
                    trace += left[i];
                    if (left[i] > most) most = left[i], entry = i;
                }
            }
#pragma omp critical
            if (most > largest || (most == largest && entry < pivot)) largest = most, pivot = entry;
        }
        traces[m] = trace;
    }
    timing_print("Low Rank", begin);
    array_store("l", ls);
    array_store("which", whiches);
    array_store("traces", traces_of);
    return 0;
}
