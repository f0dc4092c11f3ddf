/* What a flow carries in three dimensions, by differences against the flow (first order); the surface keeps its values. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start u v w rounds step p result");
    Array start = array_load("start", "<f8", 3), us = array_load("u", "<f8", 3), vs = array_load("v", "<f8", 3), ws = array_load("w", "<f8", 3);
    Array other = array_new("<f8", 3, start.extent);
    memcpy(other.data, start.data, (size_t)start.count * start.size);
    int64_t n = start.extent[0], rows = start.extent[1], columns = start.extent[2], plane = rows * columns, rounds = argument_integer("rounds");
    const double *restrict u = us.data, *restrict v = vs.data, *restrict w = ws.data;
    double *now = start.data, *next = other.data, step = argument_real("step");

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict q = now;
        double *restrict to = next;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < rows - 1; j++)
#pragma omp simd
                for (int64_t k = 1; k < columns - 1; k++) {
                    int64_t at = i * plane + j * columns + k;
                    double a = u[at] > 0 ? q[at] - q[at - plane] : q[at + plane] - q[at];
                    double b = v[at] > 0 ? q[at] - q[at - columns] : q[at + columns] - q[at];
                    double c = w[at] > 0 ? q[at] - q[at - 1] : q[at + 1] - q[at];
                    to[at] = q[at] - step * (u[at] * a + v[at] * b + w[at] * c);
                }
        double *keep = now;
        now = next;
        next = keep;
    }
    timing_print("Upwind", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
