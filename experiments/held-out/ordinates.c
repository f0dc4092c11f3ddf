/* Neutrons in a slab by discrete ordinates: for each energy group sweeps from left to right and back along 12 angles each. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "total scatter given mu weight rounds width k flux");
    Array totals = array_load("total", "<f8", 2), scatters = array_load("scatter", "<f8", 2), givens = array_load("given", "<f8", 2);
    Array mus = array_load("mu", "<f8", 1), weights = array_load("weight", "<f8", 1), fluxes = array_new("<f8", 2, totals.extent);
    int64_t groups = totals.extent[0], cells = totals.extent[1], angles = mus.count, rounds = argument_integer("rounds");
    const double *mu = mus.data, *weight = weights.data;
    double width = argument_real("width");
    Array sources = array_new("<f8", 2, totals.extent);

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++)
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t g = 0; g < groups; g++) {
            const double *total = (double *)totals.data + g * cells, *scatter = (double *)scatters.data + g * cells, *given = (double *)givens.data + g * cells;
            double *flux = (double *)fluxes.data + g * cells, *source = (double *)sources.data + g * cells, psi[angles], slope[angles];
            for (int64_t c = 0; c < cells; c++) source[c] = 0.5 * (scatter[c] * flux[c] + given[c]);
            for (int64_t a = 0; a < angles; a++) psi[a] = 0, slope[a] = 2 * mu[a] / width;
            for (int64_t c = 0; c < cells; c++) {
                double sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int64_t a = 0; a < angles; a++) {
                    double middle = (source[c] + slope[a] * psi[a]) / (total[c] + slope[a]);
                    psi[a] = 2 * middle - psi[a];
                    sum += weight[a] * middle;
                }
                flux[c] = sum;
            }
            for (int64_t a = 0; a < angles; a++) psi[a] = 0;
            for (int64_t c = cells - 1; c >= 0; c--) {
                double sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int64_t a = 0; a < angles; a++) {
                    double middle = (source[c] + slope[a] * psi[a]) / (total[c] + slope[a]);
                    psi[a] = 2 * middle - psi[a];
                    sum += weight[a] * middle;
                }
                flux[c] += sum;
            }
        }
    timing_print("Ordinates", begin);
    array_store("flux", fluxes);
    return 0;
}
