/* A fluid by the lattice Boltzmann method with nine directions. Solid cells send back what reaches them. */
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start solid rounds omega k result");
    Array start = array_load("start", "<f8", 3), ss = array_load("solid", "<i4", 2);
    int64_t n = ss.extent[0], m = ss.extent[1], plane = n * m, rounds = argument_integer("rounds");
    Array other = array_new("<f8", 3, start.extent);
    memcpy(other.data, start.data, (size_t)start.count * sizeof(double));
    const int *restrict solid = ss.data;
    double omega = argument_real("omega"), keep = 1 - omega, *now = start.data, *next = other.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict from = now;
        double *restrict to = next;
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++) {
                const double *at = from + i * m + j;
                double *f = to + i * m + j;
                double f0 = at[0], f1 = at[plane - 1], f2 = at[2 * plane + m], f3 = at[3 * plane + 1], f4 = at[4 * plane - m];
                double f5 = at[5 * plane + m - 1], f6 = at[6 * plane + m + 1], f7 = at[7 * plane - m + 1], f8 = at[8 * plane - m - 1];
                if (solid[i * m + j]) {
                    f[0] = f0;
                    f[plane] = f3;
                    f[2 * plane] = f4;
                    f[3 * plane] = f1;
                    f[4 * plane] = f2;
                    f[5 * plane] = f7;
                    f[6 * plane] = f8;
                    f[7 * plane] = f5;
                    f[8 * plane] = f6;
                } else {
                    double mass = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
                    double u = (f1 + f5 + f8 - f3 - f6 - f7) / mass, v = (f2 + f5 + f6 - f4 - f7 - f8) / mass;
                    double rest = 1 - 1.5 * (u * u + v * v), w1 = omega * mass / 9, w2 = omega * mass / 36;
                    f[0] = keep * f0 + 4 * w1 * rest;
                    f[plane] = keep * f1 + w1 * (rest + 3 * u + 4.5 * u * u);
                    f[2 * plane] = keep * f2 + w1 * (rest + 3 * v + 4.5 * v * v);
                    f[3 * plane] = keep * f3 + w1 * (rest - 3 * u + 4.5 * u * u);
                    f[4 * plane] = keep * f4 + w1 * (rest - 3 * v + 4.5 * v * v);
                    f[5 * plane] = keep * f5 + w2 * (rest + 3 * (u + v) + 4.5 * (u + v) * (u + v));
                    f[6 * plane] = keep * f6 + w2 * (rest + 3 * (v - u) + 4.5 * (v - u) * (v - u));
                    f[7 * plane] = keep * f7 + w2 * (rest - 3 * (u + v) + 4.5 * (u + v) * (u + v));
                    f[8 * plane] = keep * f8 + w2 * (rest - 3 * (v - u) + 4.5 * (v - u) * (v - u));
                }
            }
        now = to;
        next = (double *)from;
    }
    timing_print("Lattice Boltzmann", begin);
    array_store("result", now == start.data ? start : other);
    return 0;
}
