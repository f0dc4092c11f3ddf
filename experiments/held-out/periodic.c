/* Phase separation (Cahn and Hilliard) on a torus. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds step k result");
    Array cs = array_load("start", "<f8", 2);
    int64_t rows = cs.extent[0], columns = cs.extent[1], rounds = argument_integer("rounds");
    Array mus = matrix_new("<f8", rows, columns);
    double *restrict c = cs.data, *restrict mu = mus.data, step = argument_real("step");

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            const double *here = c + i * columns, *above = c + (i + rows - 1) % rows * columns, *below = c + (i + 1) % rows * columns;
            for (int64_t j = 0; j < columns; j++) {
                int64_t left = j == 0 ? columns - 1 : j - 1, right = j == columns - 1 ? 0 : j + 1;
                double spread = above[j] + below[j] + here[left] + here[right] - 4 * here[j];
                mu[i * columns + j] = here[j] * here[j] * here[j] - here[j] - 0.5 * spread;
            }
        }
#pragma omp for
        for (int64_t i = 0; i < rows; i++) {
            const double *here = mu + i * columns, *above = mu + (i + rows - 1) % rows * columns, *below = mu + (i + 1) % rows * columns;
            for (int64_t j = 0; j < columns; j++) {
                int64_t left = j == 0 ? columns - 1 : j - 1, right = j == columns - 1 ? 0 : j + 1;
                c[i * columns + j] += step * (above[j] + below[j] + here[left] + here[right] - 4 * here[j]);
            }
        }
    }
    timing_print("Cahn-Hilliard", begin);
    array_store("result", cs);
    return 0;
}
