/* Banded matrices are factored in place (Cholesky), one in each plane, and their systems solved. */
#include <math.h>
#include "../reference/common.h"

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "band x p factor solution definite");
    Array bands = array_load("band", "<f8", 3), xs = array_load("x", "<f8", 2);
    int64_t count = bands.extent[0], n = bands.extent[1], width = bands.extent[2], w = width - 1;
    Array definites = vector_new("|b1", count);
    bool *definite = definites.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t m = 0; m < count; m++) {
        double *band = (double *)bands.data + m * n * width, *restrict x = (double *)xs.data + m * n;
        bool good = true;
        for (int64_t i = 0; i < n; i++)
            for (int64_t d = smaller(w, i); d >= 0; d--) {
                int64_t j = i - d;
                double sum = band[i * width + d];
                for (int64_t e = d + 1; e <= smaller(w, i); e++) sum -= band[i * width + e] * band[j * width + e - d];
                if (d == 0) {
                    if (sum <= 0) good = false, sum = 1;
                    band[i * width] = sqrt(sum);
                } else band[i * width + d] = sum / band[j * width];
            }
        definite[m] = good;
        for (int64_t i = 0; i < n; i++) {
            double sum = x[i];
            for (int64_t d = 1; d <= smaller(w, i); d++) sum -= band[i * width + d] * x[i - d];
            x[i] = sum / band[i * width];
        }
        for (int64_t i = n - 1; i >= 0; i--) {
            double sum = x[i];
            for (int64_t d = 1; d <= smaller(w, n - 1 - i); d++) sum -= band[(i + d) * width + d] * x[i + d];
            x[i] = sum / band[i * width];
        }
    }
    timing_print("Band", begin);
    array_store("factor", bands);
    array_store("solution", xs);
    array_store("definite", definites);
    return 0;
}
