/* Linear tetrahedra: matrices of the elements, and products with them that never assemble the whole. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double x, y, z; } Node;

static inline void gradient(Node a, Node b, Node c, double *g) {
    g[0] = (b.y - a.y) * (c.z - a.z) - (b.z - a.z) * (c.y - a.y);
    g[1] = (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z);
    g[2] = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "nodes corners starts uses u conductivity rounds k l y diagonal");
    Array nodess = array_load_records("nodes", sizeof(Node), "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]"), cornerss = array_load("corners", "<i4", 2);
    Array startss = array_load("starts", "<i8", 1), usess = array_load("uses", "<i8", 1), us = array_load("u", "<f8", 1);
    int64_t n = nodess.count, elements = cornerss.extent[0], rounds = argument_integer("rounds");
    double conductivity = argument_real("conductivity");
    const Node *nodes = nodess.data;
    const int(*corners)[4] = cornerss.data;
    const int64_t *starts = startss.data, *uses = usess.data;
    Array ys = vector_new("<f8", n), diagonals = vector_new("<f8", n);
    double *restrict u = us.data, *restrict y = ys.data, *restrict diagonal = diagonals.data;
    double(*restrict stiffness)[4][4] = memory_new(sizeof *stiffness * elements), (*restrict parts)[4] = memory_new(sizeof *parts * elements);
    double least = INFINITY;
    int64_t worst = 0;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
    double own = INFINITY;
    int64_t where = 0;
#pragma omp for schedule(static)
    for (int64_t e = 0; e < elements; e++) {
        Node p = nodes[corners[e][0]], q = nodes[corners[e][1]], r = nodes[corners[e][2]], s = nodes[corners[e][3]];
        double g[4][3];
        gradient(q, s, r, g[0]);
        gradient(p, r, s, g[1]);
        gradient(p, s, q, g[2]);
        gradient(p, q, r, g[3]);
        double six = fabs(g[3][0] * (s.x - p.x) + g[3][1] * (s.y - p.y) + g[3][2] * (s.z - p.z)), factor = conductivity / (6 * six);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) stiffness[e][a][b] = factor * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
        if (six < own) own = six, where = e;
    }
#pragma omp critical
    if (own < least || (own == least && where < worst)) least = own, worst = where;
    for (int64_t t = 0; t < rounds; t++) {
#pragma omp for schedule(static)
        for (int64_t e = 0; e < elements; e++)
            for (int a = 0; a < 4; a++) {
                double sum = 0;
                for (int b = 0; b < 4; b++) sum += stiffness[e][a][b] * u[corners[e][b]];
                parts[e][a] = sum;
            }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t q = starts[i]; q < starts[i + 1]; q++) sum += parts[uses[q] / 4][uses[q] % 4];
            y[i] = sum;
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) u[i] -= 0.01 * y[i];
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t q = starts[i]; q < starts[i + 1]; q++) sum += stiffness[uses[q] / 4][uses[q] % 4][uses[q] % 4];
        diagonal[i] = sum;
    }
    }
    timing_print("Assemble", begin);
    printf("worst %lld\n", (long long)worst);
    array_store("y", ys);
    array_store("diagonal", diagonals);
    return 0;
}
