/* Cholesky's factor in place: each step changes the lower triangle that is behind it. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a root");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    double *a = as.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t k = 0; k < n; k++) {
#pragma omp single
        a[k * n + k] = sqrt(a[k * n + k]);
#pragma omp for schedule(static)
        for (int64_t i = k + 1; i < n; i++) a[i * n + k] /= a[k * n + k];
#pragma omp for schedule(static, 8)
        for (int64_t i = k + 1; i < n; i++) {
            double *row = a + i * n;
            const double factor = row[k];
            for (int64_t j = k + 1; j <= i; j++) row[j] -= factor * a[j * n + k];
        }
    }
    timing_print("Root", begin);
    array_store("root", as);
    return 0;
}
