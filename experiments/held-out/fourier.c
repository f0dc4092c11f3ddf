/* A discrete Fourier transform by its formula. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x re im k");
    Array xs = array_load("x", "<f8", 1), reals = vector_new("<f8", xs.count), imaginaries = vector_new("<f8", xs.count);
    const int64_t n = xs.count;
    const double *x = xs.data;
    double *re = reals.data, *im = imaginaries.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t f = 0; f < n; f++) {
        for (int64_t t = 0; t < n; t++) {
            double angle = -6.283185307179586 * (double)((f * t) % n) / (double)n;
            re[f] += x[t] * cos(angle);
            im[f] += x[t] * sin(angle);
        }
    }
    timing_print("Fourier", begin);
    array_store("re", reals);
    array_store("im", imaginaries);
    return 0;
}
