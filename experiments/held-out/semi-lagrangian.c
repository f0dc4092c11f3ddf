/* What a flow carries: each point takes what was where it comes from, between four points (semi-Lagrangian advection). */
#include "../reference/common.h"

static inline double within(double a, double last) { return a < 0 ? 0 : a > last ? last : a; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start u v rounds step k result");
    Array now = array_load("start", "<f8", 2), us = array_load("u", "<f8", 2), vs = array_load("v", "<f8", 2);
    int64_t rows = now.extent[0], columns = now.extent[1], rounds = argument_integer("rounds");
    Array next = matrix_new("<f8", rows, columns);
    const double *restrict u = us.data, *restrict v = vs.data;
    double step = argument_real("step");

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict q = now.data;
        double *restrict to = next.data;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < rows; i++)
#pragma omp simd
            for (int64_t j = 0; j < columns; j++) {
                double y = within(i - step * v[i * columns + j], rows - 1 - 0.001), x = within(j - step * u[i * columns + j], columns - 1 - 0.001);
                int64_t r = y, c = x;
                double below = y - r, right = x - c;
                const double *a = q + r * columns + c;
                to[i * columns + j] = (1 - below) * ((1 - right) * a[0] + right * a[1]) + below * ((1 - right) * a[columns] + right * a[columns + 1]);
            }
        Array keep = now;
        now = next;
        next = keep;
    }
    timing_print("Advection", begin);
    array_store("result", now);
    return 0;
}
