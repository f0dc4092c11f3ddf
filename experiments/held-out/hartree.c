/* 3D Poisson equation in a periodic box by weighted Jacobi, and the Hartree energy. */
#include <math.h>
#include "../reference/common.h"

static double relax(int n1, int n2, int n3, double (*restrict v)[n2][n3], double (*restrict u)[n2][n3], double (*restrict rho)[n2][n3], double mean, double h, double weight) {
    double worst = 0, factor = 4 * acos(-1.0) * h * h;
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(max : worst)
    for (int i = 0; i < n1; i++) {
        int up = i ? i - 1 : n1 - 1, down = i < n1 - 1 ? i + 1 : 0;
        for (int j = 0; j < n2; j++) {
            int left = j ? j - 1 : n2 - 1, right = j < n2 - 1 ? j + 1 : 0;
#define CELL(l, before, behind) do { \
            double sides = u[up][j][l] + u[down][j][l] + u[i][left][l] + u[i][right][l] + u[i][j][before] + u[i][j][behind]; \
            double off = (sides + factor * (rho[i][j][l] - mean)) / 6 - u[i][j][l]; \
            v[i][j][l] = u[i][j][l] + weight * off; \
            worst = fabs(off) > worst ? fabs(off) : worst; } while (0)
            CELL(0, n3 - 1, 1);
#pragma omp simd reduction(max : worst)
            for (int l = 1; l < n3 - 1; l++) CELL(l, l - 1, l + 1);
            CELL(n3 - 1, n3 - 2, 0);
        }
    }
    return worst;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rho rounds h weight k potential history");
    Array rhos = array_load("rho", "<f8", 3);
    int n1 = rhos.extent[0], n2 = rhos.extent[1], n3 = rhos.extent[2], rounds = argument_integer("rounds");
    double h = argument_real("h"), weight = argument_real("weight"), charge = 0;
    Array us = array_new("<f8", 3, rhos.extent), vs = array_new("<f8", 3, rhos.extent), histories = matrix_new("<f8", rounds, 2);
    double *history = histories.data, *u = us.data, *rho = rhos.data;
    double begin = clock_now();
#pragma omp parallel for simd num_threads(argument_threads()) reduction(+ : charge)
    for (int64_t at = 0; at < rhos.count; at++) charge += rho[at];
    double mean = charge / rhos.count;
    for (int t = 0; t < rounds; t++) {
        relax(n1, n2, n3, vs.data, us.data, rhos.data, mean, h, weight);
        history[2 * t] = relax(n1, n2, n3, us.data, vs.data, rhos.data, mean, h, weight);
        double energy = 0;
#pragma omp parallel for simd num_threads(argument_threads()) reduction(+ : energy)
        for (int64_t at = 0; at < rhos.count; at++) energy += 0.5 * u[at] * (rho[at] - mean);
        history[2 * t + 1] = energy;
    }
    timing_print("Hartree", begin);
    array_store("potential", us);
    array_store("history", histories);
    return 0;
}
