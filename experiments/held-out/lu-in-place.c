/* LU factors in place, without pivots: each step changes all that is behind it. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a lu");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    double *a = as.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t k = 0; k < n; k++) {
        const double *restrict pivot = a + k * n;
#pragma omp for schedule(static)
        for (int64_t i = k + 1; i < n; i++) {
            double *restrict row = a + i * n;
            const double factor = row[k] / pivot[k];
            row[k] = factor;
            for (int64_t j = k + 1; j < n; j++) row[j] -= factor * pivot[j];
        }
    }
    timing_print("Factors", begin);
    array_store("lu", as);
    return 0;
}
