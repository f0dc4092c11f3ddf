/* Clusters by density (DBSCAN). */
#include <stdbool.h>
#include "../reference/common.h"

typedef struct { double x, y; } Point;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "point radius least k label neighbours");
    Array points = array_load_records("point", sizeof(Point), "[('x', '<f8'), ('y', '<f8')]");
    int n = points.count, least = argument_integer("least"), rounds = 0, clusters = 0, noise = 0;
    double radius = argument_real("radius"), limit = radius * radius;
    const Point *point = points.data;
    Array labels = vector_new("<i8", n), nears = vector_new("<i8", n);
    int64_t *out = labels.data, *neighbours = nears.data;
    double *restrict x = memory_new(8 * n), *restrict y = memory_new(8 * n);
    int *restrict label = memory_new(4 * n), *restrict lowest = memory_new(4 * n), *restrict key = memory_new(4 * n);
    bool changed = true;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
    for (int i = 0; i < n; i++) x[i] = point[i].x, y[i] = point[i].y;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
        int near = 0;
#pragma omp simd reduction(+ : near)
        for (int j = 0; j < n; j++) {
            double dx = x[i] - x[j], dy = y[i] - y[j];
            near += dx * dx + dy * dy <= limit;
        }
        neighbours[i] = near - 1;
        label[i] = near > least ? i : -1;
        key[i] = near > least ? i : n;
    }
    }
    while (changed) {
        changed = false;
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(|| : changed)
        for (int i = 0; i < n; i++) {
            lowest[i] = label[i];
            if (label[i] >= 0) {
                int low = n;
#pragma omp simd reduction(min : low)
                for (int j = 0; j < n; j++) {
                    double dx = x[i] - x[j], dy = y[i] - y[j];
                    int candidate = dx * dx + dy * dy <= limit ? key[j] : n;
                    low = candidate < low ? candidate : low;
                }
                lowest[i] = low;
            }
            changed = changed || lowest[i] != label[i];
        }
        for (int i = 0; i < n; i++) {
            label[i] = lowest[i];
            if (label[i] >= 0) key[i] = label[i];
        }
        rounds++;
    }
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : clusters, noise)
    for (int i = 0; i < n; i++) {
        out[i] = label[i];
        if (label[i] < 0) {
            double best = limit;
            for (int j = 0; j < n; j++) {
                if (label[j] < 0) continue;
                double dx = x[i] - x[j], dy = y[i] - y[j], far = dx * dx + dy * dy;
                if (far <= best) best = far, out[i] = label[j];
            }
        }
        clusters += label[i] == i;
        noise += out[i] < 0;
    }
    timing_print("Clusters", begin);
    printf("clusters %d noise %d rounds %d\n", clusters, noise, rounds);
    array_store("label", labels);
    array_store("neighbours", nears);
    return 0;
}
