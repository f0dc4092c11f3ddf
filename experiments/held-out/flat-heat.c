/* Heat on a plate whose rows lie one after the other in a vector; the border keeps its temperature. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start columns rounds k result");
    Array us = array_load("start", "<f8", 1), nexts = vector_new("<f8", us.count);
    int64_t columns = argument_integer("columns"), rows = us.count / columns, rounds = argument_integer("rounds");
    double *restrict u = us.data, *restrict next = nexts.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++)
            for (int64_t j = 1; j < columns - 1; j++) {
                int64_t at = i * columns + j;
                next[at] = u[at] + 0.2 * (u[at - columns] + u[at + columns] + u[at - 1] + u[at + 1] - 4 * u[at]);
            }
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++) memcpy(u + i * columns + 1, next + i * columns + 1, (size_t)(columns - 2) * sizeof(double));
    }
    timing_print("Flat Heat", begin);
    array_store("result", us);
    return 0;
}
