/* Heat in a chip: each cell takes from its neighbours, from its power and from the air. At the sides a cell is its own neighbour. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "heat power rounds k result");
    Array start = array_load("heat", "<f4", 2), source = array_load("power", "<f4", 2);
    int64_t rows = start.extent[0], columns = start.extent[1], rounds = argument_integer("rounds");
    Array other = matrix_new("<f4", rows, columns);
    float *now = start.data, *next = other.data;
    const float *power = source.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const float *restrict old = now;
        float *restrict heat = next;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                float here = old[i * columns + j];
                float north = i > 0 ? old[(i - 1) * columns + j] : here, south = i + 1 < rows ? old[(i + 1) * columns + j] : here;
                float west = j > 0 ? old[i * columns + j - 1] : here, east = j + 1 < columns ? old[i * columns + j + 1] : here;
                float change = power[i * columns + j] + (south + north - 2 * here) * 0.1f + (east + west - 2 * here) * 0.2f + (80 - here) * 0.05f;
                heat[i * columns + j] = here + change * 0.5f;
            }
        now = heat;
        next = (float *)old;
    }
    timing_print("Hotspot", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
