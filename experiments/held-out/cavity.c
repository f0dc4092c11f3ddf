/* Flow in a square cavity whose lid moves, by stream function and vorticity. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "n rounds step viscosity k psi omega");
    int64_t n = argument_integer("n"), rounds = argument_integer("rounds");
    double step = argument_real("step"), viscosity = argument_real("viscosity"), h = 1.0 / (n - 1);
    Array psis[2] = {matrix_new("<f8", n, n), matrix_new("<f8", n, n)}, omegas[2] = {matrix_new("<f8", n, n), matrix_new("<f8", n, n)};

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict psi = psis[round % 2].data, *restrict omega = omegas[round % 2].data;
        double *restrict psi2 = psis[(round + 1) % 2].data, *restrict omega2 = omegas[(round + 1) % 2].data;
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            double *row = omega2 + i * n;
            if (i == 0 || i == n - 1) {
                const double *inner = psi + (i == 0 ? n : (n - 2) * n);
#pragma omp simd
                for (int64_t j = 0; j < n; j++) row[j] = -2 * inner[j] / (h * h) - (i == 0 ? 0 : 2 / h);
                continue;
            }
#pragma omp simd
            for (int64_t j = 1; j < n - 1; j++) {
                int64_t at = i * n + j;
                double u = (psi[at + n] - psi[at - n]) / (2 * h), v = (psi[at - 1] - psi[at + 1]) / (2 * h);
                double spread = viscosity * (omega[at - n] + omega[at + n] + omega[at - 1] + omega[at + 1] - 4 * omega[at]) / (h * h);
                row[j] = omega[at] + step * (spread - u * (omega[at + 1] - omega[at - 1]) / (2 * h) - v * (omega[at + n] - omega[at - n]) / (2 * h));
            }
            row[0] = -2 * psi[i * n + 1] / (h * h);
            row[n - 1] = -2 * psi[i * n + n - 2] / (h * h);
        }
#pragma omp for
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
            for (int64_t j = 1; j < n - 1; j++) {
                int64_t at = i * n + j;
                psi2[at] = 0.25 * (psi[at - n] + psi[at + n] + psi[at - 1] + psi[at + 1] + h * h * omega2[at]);
            }
    }
    timing_print("Cavity", begin);
    array_store("psi", psis[rounds % 2]);
    array_store("omega", omegas[rounds % 2]);
    return 0;
}
