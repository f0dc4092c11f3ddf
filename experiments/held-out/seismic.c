/* Waves in the ground, eighth order in space: differences over four points on each side, whose weights are in an array. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start speed c rounds k result");
    Array now = array_load("start", "<f4", 2), speeds = array_load("speed", "<f4", 2), weights = array_load("c", "<f4", 1);
    int64_t rows = now.extent[0], columns = now.extent[1], rounds = argument_integer("rounds");
    Array before = matrix_new("<f4", rows, columns);
    memcpy(before.data, now.data, (size_t)now.count * now.size);
    const float *restrict speed = speeds.data, *restrict c = weights.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const float *restrict p = now.data;
        float *restrict next = before.data;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 4; i < rows - 4; i++)
#pragma omp simd
            for (int64_t j = 4; j < columns - 4; j++) {
                int64_t at = i * columns + j;
                float sum = 2 * c[0] * p[at];
                for (int r = 1; r <= 4; r++) sum += c[r] * (p[at - r * columns] + p[at + r * columns] + p[at - r] + p[at + r]);
                next[at] = 2 * p[at] - next[at] + speed[at] * sum;
            }
        Array keep = now;
        now = before;
        before = keep;
    }
    timing_print("Seismic", begin);
    array_store("result", now);
    return 0;
}
