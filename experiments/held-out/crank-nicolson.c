/* Crank-Nicolson steps, one direction after the other, each a tridiagonal system for every row or column (Thomas). */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start diffusivity rounds r k l end heat");
    Array us = array_load("start", "<f8", 2), ds = array_load("diffusivity", "<f8", 2);
    int n = us.extent[0], m = us.extent[1], rounds = argument_integer("rounds");
    double r = argument_real("r");
    Array heats = vector_new("<f8", 2 * rounds);
    double *restrict heat = heats.data;
    double (*restrict u)[m] = us.data, (*restrict d)[m] = ds.data;
    double (*restrict up)[m] = memory_new(sizeof(double) * n * m), (*restrict right)[m] = memory_new(sizeof(double) * n * m);
    double begin = clock_now();
    for (int t = 0; t < rounds; t++) {
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            double west = 0, pu = 0, pr = 0;
            for (int j = 0; j < m; j++) {
                double here = u[i][j], b = here + west * ((j ? u[i][j - 1] : here) - here), east = 0;
                if (j < m - 1) {
                    east = 0.25 * r * (d[i][j] + d[i][j + 1]);
                    b += east * (u[i][j + 1] - here);
                }
                double inverse = 1 / (1 + west + east + west * pu);
                up[i][j] = pu = -east * inverse;
                right[i][j] = pr = (b + west * pr) * inverse;
                west = east;
            }
            u[i][m - 1] = right[i][m - 1];
            for (int j = m - 2; j >= 0; j--) u[i][j] = right[i][j] - up[i][j] * u[i][j + 1];
        }
        int threads = argument_threads();
#pragma omp for schedule(static)
        for (int part = 0; part < threads; part++) {
            int from = (int64_t)m * part / threads, to = (int64_t)m * (part + 1) / threads;
            for (int i = 0; i < n; i++)
#pragma omp simd
                for (int j = from; j < to; j++) {
                    double here = u[i][j], b = here, north = 0, south = 0, pivot = 1;
                    if (i > 0) {
                        north = 0.25 * r * (d[i - 1][j] + d[i][j]);
                        b += north * (u[i - 1][j] - here) + north * right[i - 1][j];
                        pivot += north + north * up[i - 1][j];
                    }
                    if (i < n - 1) {
                        south = 0.25 * r * (d[i][j] + d[i + 1][j]);
                        b += south * (u[i + 1][j] - here);
                        pivot += south;
                    }
                    double inverse = 1 / pivot;
                    up[i][j] = -south * inverse;
                    right[i][j] = b * inverse;
                }
            for (int j = from; j < to; j++) u[n - 1][j] = right[n - 1][j];
            for (int i = n - 2; i >= 0; i--)
#pragma omp simd
                for (int j = from; j < to; j++) u[i][j] = right[i][j] - up[i][j] * u[i + 1][j];
        }
        }
        double total = 0, hottest = -INFINITY;
#pragma omp parallel for simd num_threads(argument_threads()) reduction(+ : total) reduction(max : hottest)
        for (int64_t at = 0; at < (int64_t)n * m; at++) {
            double value = ((double *)u)[at];
            total += value;
            hottest = value > hottest ? value : hottest;
        }
        heat[2 * t] = total;
        heat[2 * t + 1] = hottest;
    }
    timing_print("Diffusion", begin);
    array_store("end", us);
    array_store("heat", heats);
    return 0;
}
