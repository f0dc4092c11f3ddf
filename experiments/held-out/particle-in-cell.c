/* Electrons in one dimension, periodic: their charge on a grid, the field that it makes, and the particles' way in it. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x v cells rounds step k x_end v_end field");
    Array xx = array_load("x", "<f8", 1), vv = array_load("v", "<f8", 1);
    int64_t n = xx.count, cells = argument_integer("cells"), rounds = argument_integer("rounds");
    Array ff = vector_new("<f8", cells + 1);
    double *restrict x = xx.data, *restrict v = vv.data, *restrict field = ff.data, *charge = vector_new("<f8", cells + 1).data;
    double step = argument_real("step"), mean = (double)n / (double)cells, size = (double)cells, begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        memset(charge, 0, (cells + 1) * sizeof *charge);
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : charge[:cells + 1])
        for (int64_t i = 0; i < n; i++) {
            int cell = (int)x[i];
            double part = x[i] - cell;
            charge[cell] += 1 - part;
            charge[cell + 1] += part;
        }
        charge[cells] = charge[0] += charge[cells];
        double total = 0;
        field[0] = 0;
        for (int64_t c = 1; c <= cells; c++) {
            field[c] = field[c - 1] + 1 - 0.5 * (charge[c - 1] + charge[c]) / mean;
            total += field[c];
        }
        for (int64_t c = 0; c <= cells; c++) field[c] -= total / size;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < n; i++) {
            int cell = (int)x[i];
            double part = x[i] - cell;
            double speed = v[i] - step * ((1 - part) * field[cell] + part * field[cell + 1]), to = x[i] + step * speed;
            v[i] = speed;
            to = to < 0 ? to + size : to;
            x[i] = to >= size ? to - size : to;
        }
    }
    timing_print("Particle in Cell", begin);
    array_store("x_end", xx);
    array_store("v_end", vv);
    array_store("field", ff);
    return 0;
}
