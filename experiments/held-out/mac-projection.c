/* The pressure that makes a flow on a staggered grid free of divergence. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "u v solid tolerance most omega k l u_end v_end p");
    Array us = array_load("u", "<f8", 2), vs = array_load("v", "<f8", 2), solids = array_load("solid", "|b1", 2);
    int64_t rows = us.extent[0], columns = us.extent[1];
    double tolerance = argument_real("tolerance"), omega = argument_real("omega");
    int most = argument_integer("most"), rounds = 0;
    Array ps = matrix_new("<f8", rows, columns), ds = matrix_new("<f8", rows, columns);
    double *restrict u = us.data, *restrict v = vs.data, *restrict p = ps.data, *restrict divergence = ds.data;
    const bool *restrict solid = solids.data;

    double begin = clock_now();
    double residual = tolerance + 1;
    int threads = argument_threads();
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows - 1; i++)
        for (int64_t j = 0; j < columns - 1; j++) {
            int64_t c = i * columns + j;
            if (!solid[c]) divergence[c] = u[c + 1] - u[c] + v[c + columns] - v[c];
        }
    while (residual > tolerance && rounds < most) {
        for (int colour = 0; colour < 2; colour++) {
            residual = -INFINITY;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(max : residual)
            for (int64_t i = 1; i < rows - 1; i++)
                for (int64_t j = 1 + (i + 1 + colour) % 2; j < columns - 1; j += 2) {
                    int64_t c = i * columns + j;
                    if (solid[c]) continue;
                    bool up = !solid[c - columns], down = !solid[c + columns], left = !solid[c - 1], right = !solid[c + 1];
                    double sum = (up ? p[c - columns] : 0) + (down ? p[c + columns] : 0) + (left ? p[c - 1] : 0) + (right ? p[c + 1] : 0);
                    int open = up + down + left + right;
                    if (open == 0) continue;
                    double change = (sum - divergence[c]) / open - p[c];
                    p[c] += omega * change;
                    residual = fabs(change) > residual ? fabs(change) : residual;
                }
        }
        rounds++;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 1; i < rows; i++)
        for (int64_t j = 1; j < columns; j++) {
            int64_t c = i * columns + j;
            if (solid[c]) continue;
            if (!solid[c - 1]) u[c] -= p[c] - p[c - 1];
            if (!solid[c - columns]) v[c] -= p[c] - p[c - columns];
        }
    timing_print("Project", begin);
    printf("rounds %d\n", rounds);
    array_store("u_end", us);
    array_store("v_end", vs);
    array_store("p", ps);
    return 0;
}
