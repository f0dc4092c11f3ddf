/* Advection by WENO5 and Runge-Kutta steps of third order. */
#include <string.h>
#include "../reference/common.h"

static inline double face(double a, double b, double c, double d, double e) {
#define SQUARE(x) ((x) * (x))
    double rough1 = 13.0 / 12 * SQUARE(a - 2 * b + c) + 0.25 * SQUARE(a - 4 * b + 3 * c);
    double rough2 = 13.0 / 12 * SQUARE(b - 2 * c + d) + 0.25 * SQUARE(b - d);
    double rough3 = 13.0 / 12 * SQUARE(c - 2 * d + e) + 0.25 * SQUARE(3 * c - 4 * d + e);
    double w1 = 0.1 / SQUARE(rough1 + 1e-6), w2 = 0.6 / SQUARE(rough2 + 1e-6), w3 = 0.3 / SQUARE(rough3 + 1e-6);
    double q1 = (2 * a - 7 * b + 11 * c) / 6, q2 = (5 * c - b + 2 * d) / 6, q3 = (2 * c + 5 * d - e) / 6;
    return (w1 * q1 + w2 * q2 + w3 * q3) / (w1 + w2 + w3);
}

static inline double slope(double speed, double a, double b, double c, double d, double e, double f, double g) {
    bool on = speed > 0;
    double p = on ? a : g, q = on ? b : f, r = on ? c : e, t = on ? e : c, s = on ? f : b;
    double change = face(q, r, d, t, s) - face(p, q, r, d, t);
    return on ? change : -change;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start steps h dt k l end");
    Array us = array_load("start", "<f8", 2);
    int64_t rows = us.extent[0], columns = us.extent[1];
    int steps = argument_integer("steps");
    double h = argument_real("h"), dt = argument_real("dt");
    Array ones = matrix_new("<f8", rows, columns), twos = matrix_new("<f8", rows, columns);

    double begin = clock_now();
    memcpy(ones.data, us.data, us.count * sizeof(double));
    memcpy(twos.data, us.data, us.count * sizeof(double));
    double *field[4] = {us.data, ones.data, twos.data, us.data};
    const double weight[3] = {1, 0.25, 2.0 / 3};
#pragma omp parallel num_threads(argument_threads())
    for (int step = 0; step < steps; step++)
        for (int part = 0; part < 3; part++) {
            const double *old = field[part], *start = us.data;
            double *new = field[part + 1];
#pragma omp for schedule(static)
            for (int64_t i = 3; i < rows - 3; i++) {
                double across = (i - 0.5 * (rows - 1)) * h;
#pragma omp simd
                for (int64_t j = 3; j < columns - 3; j++) {
                    const double *o = old + i * columns + j;
                    double down = -(j - 0.5 * (columns - 1)) * h;
                    double change = across * slope(across, o[-3], o[-2], o[-1], o[0], o[1], o[2], o[3]) +
                                    down * slope(down, o[-3 * columns], o[-2 * columns], o[-columns], o[0], o[columns], o[2 * columns], o[3 * columns]);
                    new[i * columns + j] = (1 - weight[part]) * start[i * columns + j] + weight[part] * (o[0] - dt / h * change);
                }
            }
        }
    timing_print("Turn", begin);
    array_store("end", us);
    return 0;
}
