/* Rounds towards a self-consistent field: the Fock matrix from integrals in four indices. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "integral core density rounds mix k fock density_end energies errors");
    Array integrals = array_load("integral", "<f8", 4), cores = array_load("core", "<f8", 2), densities = array_load("density", "<f8", 2);
    int64_t n = cores.extent[0], rounds = argument_integer("rounds");
    Array focks = matrix_new("<f8", n, n), products = matrix_new("<f8", n, n), energies_of = vector_new("<f8", rounds), errors_of = vector_new("<f8", rounds);
    const double *restrict integral = integrals.data, *restrict core = cores.data, mix = argument_real("mix");
    double *restrict density = densities.data, *restrict fock = focks.data, *restrict product = products.data, *energies = energies_of.data, *errors = errors_of.data;

    double begin = clock_now();
    for (int64_t r = 0; r < rounds; r++) {
        double energy = 0, squares = 0, error = 0;
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for reduction(+ : energy, squares)
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (int64_t k = 0; k < n; k++) {
                        const double *restrict d = density + k * n, *restrict direct = integral + ((i * n + j) * n + k) * n;
                        const double *restrict exchange = integral + ((i * n + k) * n + j) * n;
#pragma omp simd reduction(+ : sum)
                        for (int64_t l = 0; l < n; l++) sum += d[l] * (2 * direct[l] - exchange[l]);
                    }
                    sum += core[i * n + j];
                    fock[i * n + j] = sum;
                    energy += density[i * n + j] * (core[i * n + j] + sum);
                    squares += sum * sum;
                }
                for (int64_t j = 0; j < n; j++) product[i * n + j] = 0;
                for (int64_t m = 0; m < n; m++)
#pragma omp simd
                    for (int64_t j = 0; j < n; j++) product[i * n + j] += fock[i * n + m] * density[m * n + j];
            }
#pragma omp for reduction(max : error)
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < i; j++) error = fmax(error, fabs(product[i * n + j] - product[j * n + i]));
#pragma omp for
            for (int64_t at = 0; at < n * n; at++) density[at] = (1 - mix) * density[at] - mix / sqrt(squares) * fock[at];
        }
        energies[r] = 0.5 * energy;
        errors[r] = error;
    }
    timing_print("Fock", begin);
    array_store("fock", focks);
    array_store("density_end", densities);
    array_store("energies", energies_of);
    array_store("errors", errors_of);
    return 0;
}
