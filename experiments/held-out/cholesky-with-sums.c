/* Cholesky's factor beside the matrix: a sum for each element, of which those of a column below the diagonal are computed side by side. */
#include "../reference/common.h"

#include <math.h>

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a root");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    Array roots = array_new("<f8", 2, (int64_t[]){n, n});
    const double *a = as.data;
    double *l = roots.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t j = 0; j < n; j++) {
        const double *restrict pivot = l + j * n;
#pragma omp single
        {
            double sum = a[j * n + j];
            for (int64_t k = 0; k < j; k++) sum -= pivot[k] * pivot[k];
            l[j * n + j] = sqrt(sum);
        }
#pragma omp for schedule(static)
        for (int64_t i = j + 1; i < n; i++) {
            double *row = l + i * n, sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t k = 0; k < j; k++) sum += row[k] * pivot[k];
            row[j] = (a[i * n + j] - sum) / pivot[j];
        }
    }
    timing_print("Root", begin);
    array_store("root", roots);
    return 0;
}
