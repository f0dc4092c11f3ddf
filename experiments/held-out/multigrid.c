/* V-cycles of multigrid for Poisson's equation on a square, on three grids. */
#include <string.h>
#include "../reference/common.h"

typedef struct Grid {
    int64_t n;
    double square, *u, *other, *f, *r;
} Grid;

static void smooth(Grid *g) {
    int64_t n = g->n;
    const double *restrict u = g->u, *restrict f = g->f;
    double *restrict next = g->other, square = g->square;
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++) {
            int64_t at = i * n + j;
            next[at] = 0.2 * u[at] + 0.2 * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + square * f[at]);
        }
    g->other = g->u;
    g->u = next;
}

static void left_over(Grid *g) {
    int64_t n = g->n;
    const double *restrict u = g->u, *restrict f = g->f;
    double *restrict r = g->r, square = g->square;
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++) {
            int64_t at = i * n + j;
            r[at] = f[at] - (4 * u[at] - u[at - n] - u[at + n] - u[at - 1] - u[at + 1]) / square;
        }
}

static void down(Grid *to, const Grid *from) {
    int64_t n = to->n, m = from->n;
    memset(to->u, 0, n * n * sizeof *to->u);
    double *restrict f = to->f;
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < n - 1; j++) {
            const double *restrict r = from->r + 2 * i * m + 2 * j;
            f[i * n + j] = 0.25 * r[0] + 0.125 * (r[-m] + r[m] + r[-1] + r[1]) + 0.0625 * (r[-m - 1] + r[-m + 1] + r[m - 1] + r[m + 1]);
        }
}

static void up(Grid *to, const Grid *from) {
    int64_t n = to->n, m = from->n;
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 1; i < n - 1; i++) {
        const double *restrict above = from->u + i / 2 * m, *restrict below = from->u + (i + 1) / 2 * m;
        double *restrict u = to->u + i * n;
        for (int64_t j = 1; j < m - 1; j++) u[2 * j] += 0.5 * (above[j] + below[j]);
        for (int64_t j = 0; j < m - 1; j++) u[2 * j + 1] += 0.25 * (above[j] + below[j] + above[j + 1] + below[j + 1]);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "f cycles k l q u");
    Array ff = array_load("f", "<f8", 2);
    int64_t cycles = argument_integer("cycles");
    Grid grids[3];
    for (int64_t level = 0, n = ff.extent[0]; level < 3; level++, n = n / 2 + 1) {
        grids[level] = (Grid){.n = n, .square = (double)(1 << 2 * level), .u = matrix_new("<f8", n, n).data, .other = matrix_new("<f8", n, n).data, .r = matrix_new("<f8", n, n).data};
        grids[level].f = level == 0 ? ff.data : matrix_new("<f8", n, n).data;
    }
    double begin = clock_now();
    for (int64_t cycle = 0; cycle < cycles; cycle++) {
        for (int level = 0; level < 2; level++) {
            for (int turn = 0; turn < 2; turn++) smooth(&grids[level]);
            left_over(&grids[level]);
            down(&grids[level + 1], &grids[level]);
        }
        for (int turn = 0; turn < 20; turn++) smooth(&grids[2]);
        for (int level = 1; level >= 0; level--) {
            up(&grids[level], &grids[level + 1]);
            for (int turn = 0; turn < 2; turn++) smooth(&grids[level]);
        }
    }
    timing_print("Multigrid", begin);
    Array result = ff;
    result.data = grids[0].u;
    array_store("u", result);
    return 0;
}
