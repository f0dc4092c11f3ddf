/* LU factors in place, without pivots: each row gets what it needs of those before it, one row of these after the other, so that neighbours lie in vectors. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a lu");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    double *a = as.data;
    double begin = clock_now();
    for (int64_t i = 0; i < n; i++) { /* rows wait for each other */
        double *restrict row = a + i * n;
        for (int64_t k = 0; k < i; k++) {
            const double *restrict pivot = a + k * n;
            const double factor = row[k] / pivot[k];
            row[k] = factor;
            for (int64_t j = k + 1; j < n; j++) row[j] -= factor * pivot[j];
        }
    }
    timing_print("Factors", begin);
    array_store("lu", as);
    return 0;
}
