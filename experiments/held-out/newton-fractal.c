/* Newton's method for z^3 = 1 in the complex plane: which root does each point come to, and in how many steps? */
#include <complex.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rows columns limit k root steps");
    int64_t rows = argument_integer("rows"), columns = argument_integer("columns"), limit = argument_integer("limit");
    Array roots = matrix_new("<i4", rows, columns), counts = matrix_new("<i4", rows, columns);
    int *root = roots.data, *steps = counts.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double x = 4.0 * j / columns - 1.99, y = 4.0 * i / rows - 1.98, dx, dy;
            int n = 0;
            do {
                double sx = x * x - y * y, sy = 2 * x * y, vx = sx * x - sy * y - 1, vy = sx * y + sy * x, size = 9 * (sx * sx + sy * sy);
                dx = 3 * (vx * sx + vy * sy) / size;
                dy = 3 * (vy * sx - vx * sy) / size;
                x -= dx;
                y -= dy;
                n++;
            } while (n < limit && dx * dx + dy * dy > 1e-20);
            root[i * columns + j] = x > 0 ? 0 : y > 0 ? 1 : 2;
            steps[i * columns + j] = n;
        }
    timing_print("Newton", begin);
    array_store("root", roots);
    array_store("steps", counts);
    return 0;
}
