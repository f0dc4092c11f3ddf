/* A weighted mean of 3 x 3 x 3 points, several rounds; the surface keeps its values. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start weight rounds p result");
    Array start = array_load("start", "<f8", 3), weights = array_load("weight", "<f8", 3), other = array_new("<f8", 3, start.extent);
    memcpy(other.data, start.data, (size_t)start.count * start.size);
    int64_t planes = start.extent[0], rows = start.extent[1], columns = start.extent[2], rounds = argument_integer("rounds");
    const double(*weight)[3][3] = weights.data;
    double *now = start.data, *next = other.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict from = now;
        double *restrict to = next;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < planes - 1; i++)
            for (int64_t j = 1; j < rows - 1; j++)
                for (int64_t k = 1; k < columns - 1; k++) {
                    double sum = 0;
                    for (int di = -1; di <= 1; di++)
                        for (int dj = -1; dj <= 1; dj++)
                            for (int dk = -1; dk <= 1; dk++) sum += weight[di + 1][dj + 1][dk + 1] * from[((i + di) * rows + j + dj) * columns + k + dk];
                    to[(i * rows + j) * columns + k] = sum;
                }
        double *keep = now;
        now = next;
        next = keep;
    }
    timing_print("Stencil 27", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
