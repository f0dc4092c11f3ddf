/* How many points of the unit square lie in each cell of a grid. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y cells k b counts");
    Array across = array_load("x", "<f8", 1), down = array_load("y", "<f8", 1);
    int64_t cells = argument_integer("cells");
    Array out = matrix_new("<i8", cells, cells);
    const double *x = across.data, *y = down.data;
    int64_t *counts = out.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : counts[:cells * cells])
    for (int64_t i = 0; i < across.count; i++) {
        int64_t row = (int64_t)(x[i] * (double)cells), column = (int64_t)(y[i] * (double)cells);
        if (row >= 0 && row < cells && column >= 0 && column < cells) counts[row * cells + column]++;
    }
    timing_print("Histogram 2d", begin);
    array_store("counts", out);
    return 0;
}
