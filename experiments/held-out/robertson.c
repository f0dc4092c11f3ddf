/* Robertson's stiff reactions in many cells: Euler's implicit method with growing steps; each step is solved by Newton's method. */
#include <string.h>
#include "../reference/common.h"

typedef struct Cell {
    double y[3], heat;
} Cell;

static inline void solve(double m[3][3], double r[3]) {
    for (int p = 0; p < 2; p++)
        for (int i = p + 1; i < 3; i++) {
            double factor = m[i][p] / m[p][p];
            for (int j = p + 1; j < 3; j++) m[i][j] -= factor * m[p][j];
            r[i] -= factor * r[p];
        }
    r[2] /= m[2][2];
    r[1] = (r[1] - m[1][2] * r[2]) / m[1][1];
    r[0] = (r[0] - m[0][1] * r[1] - m[0][2] * r[2]) / m[0][0];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start steps first_step k end worst");
    Array cells = array_load_records("start", sizeof(Cell), "[('y', '<f8', (3,)), ('heat', '<f8')]"), worsts = vector_new("<f8", cells.count);
    Cell *restrict cell = cells.data;
    double *restrict worst = worsts.data, first_step = argument_real("first_step");
    int64_t steps = argument_integer("steps");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < cells.count; i++) {
        double heat = cell[i].heat, k1 = 0.04 * heat, k2 = 3e7 * heat, k3 = 1e4 * heat, h = first_step, highest = 0, old[3], y[3];
        memcpy(old, cell[i].y, sizeof old);
        for (int64_t step = 0; step < steps; step++) {
            memcpy(y, old, sizeof y);
            for (int turn = 0; turn < 4; turn++) {
                double slow = k1 * y[0], back = k3 * y[1] * y[2], fast = k2 * y[1] * y[1];
                double r[3] = {y[0] - old[0] - h * (back - slow), y[1] - old[1] - h * (slow - back - fast), y[2] - old[2] - h * fast};
                double m[3][3] = {{1 + h * k1, -h * k3 * y[2], -h * k3 * y[1]},
                                  {-h * k1, 1 + h * (k3 * y[2] + 2 * k2 * y[1]), h * k3 * y[1]},
                                  {0, -2 * h * k2 * y[1], 1}};
                solve(m, r);
                for (int d = 0; d < 3; d++) y[d] -= r[d];
            }
            memcpy(old, y, sizeof y);
            highest = y[1] > highest ? y[1] : highest;
            h *= 1.3;
        }
        memcpy(cell[i].y, old, sizeof old);
        worst[i] = highest;
    }
    timing_print("Reactions", begin);
    array_store("end", cells);
    array_store("worst", worsts);
    return 0;
}
