/* Eigenvalues of many small symmetric matrices by Jacobi's rotations. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a sweeps k values");
    Array aa = array_load("a", "<f8", 3), vv = matrix_new("<f8", aa.extent[0], aa.extent[1]);
    int64_t n = aa.extent[1], sweeps = argument_integer("sweeps");
    double *all = aa.data, *values = vv.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t m = 0; m < aa.extent[0]; m++) {
        double *a = all + m * n * n;
        for (int64_t sweep = 0; sweep < sweeps; sweep++)
            for (int64_t p = 0; p < n - 1; p++)
                for (int64_t q = p + 1; q < n; q++) {
                    if (a[p * n + q] == 0) continue;
                    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                    double t = copysign(1 / (fabs(theta) + sqrt(theta * theta + 1)), theta), c = 1 / sqrt(t * t + 1), s = t * c;
                    for (int64_t i = 0; i < n; i++) {
                        double x = a[i * n + p], y = a[i * n + q];
                        a[i * n + p] = c * x - s * y;
                        a[i * n + q] = s * x + c * y;
                    }
                    for (int64_t i = 0; i < n; i++) {
                        double x = a[p * n + i], y = a[q * n + i];
                        a[p * n + i] = c * x - s * y;
                        a[q * n + i] = s * x + c * y;
                    }
                }
        for (int64_t i = 0; i < n; i++) values[m * n + i] = a[i * n + i];
    }
    timing_print("Eigenvalues", begin);
    array_store("values", vv);
    return 0;
}
