/* Many small systems of linear equations, each solved by Gauss's elimination with row exchanges. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k x");
    Array as = array_load("a", "<f8", 3), bs = array_load("b", "<f8", 2);
    int64_t count = bs.extent[0], n = bs.extent[1];
    Array xs = matrix_new("<f8", count, n);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        double *restrict a = (double *)as.data + s * n * n, *restrict b = (double *)bs.data + s * n, *restrict x = (double *)xs.data + s * n;
        for (int64_t c = 0; c < n; c++) {
            int64_t pivot = c;
            for (int64_t r = c + 1; r < n; r++)
                if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
            if (pivot != c) {
                for (int64_t j = c; j < n; j++) {
                    double keep = a[c * n + j];
                    a[c * n + j] = a[pivot * n + j];
                    a[pivot * n + j] = keep;
                }
                double keep = b[c];
                b[c] = b[pivot];
                b[pivot] = keep;
            }
            for (int64_t r = c + 1; r < n; r++) {
                double factor = a[r * n + c] / a[c * n + c];
                for (int64_t j = c + 1; j < n; j++) a[r * n + j] -= factor * a[c * n + j];
                b[r] -= factor * b[c];
            }
        }
        for (int64_t r = n - 1; r >= 0; r--) {
            double sum = b[r];
            for (int64_t j = r + 1; j < n; j++) sum -= a[r * n + j] * x[j];
            x[r] = sum / a[r * n + r];
        }
    }
    timing_print("Small Systems", begin);
    array_store("x", xs);
    return 0;
}
