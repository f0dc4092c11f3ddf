/* Singular values of a matrix by Jacobi's one-sided rotations: in each turn all rows stand in pairs. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a left right sweeps k l value");
    Array as = array_load("a", "<f8", 2), lefts = array_load("left", "<i4", 2), rights = array_load("right", "<i4", 2);
    int64_t n = as.extent[0], m = as.extent[1], turns = lefts.extent[0], pairs = lefts.extent[1], sweeps = argument_integer("sweeps");
    Array values = vector_new("<f8", n);
    double *a = as.data, *value = values.data;
    const int *left = lefts.data, *right = rights.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        for (int64_t turn = 0; turn < sweeps * turns; turn++)
#pragma omp for
            for (int64_t pair = 0; pair < pairs; pair++) {
                double *restrict p = a + left[turn % turns * pairs + pair] * m, *restrict q = a + right[turn % turns * pairs + pair] * m;
                double pp = 0, qq = 0, pq = 0;
#pragma omp simd reduction(+ : pp, qq, pq)
                for (int64_t j = 0; j < m; j++) {
                    pp += p[j] * p[j];
                    qq += q[j] * q[j];
                    pq += p[j] * q[j];
                }
                if (fabs(pq) > 1e-15 * sqrt(pp * qq)) {
                    double zeta = (qq - pp) / (2 * pq), t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                    double c = 1 / sqrt(1 + t * t), s = c * t;
#pragma omp simd
                    for (int64_t j = 0; j < m; j++) {
                        double x = p[j], y = q[j];
                        p[j] = c * x - s * y;
                        q[j] = s * x + c * y;
                    }
                }
            }
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            double squares = 0;
#pragma omp simd reduction(+ : squares)
            for (int64_t j = 0; j < m; j++) squares += a[i * m + j] * a[i * m + j];
            value[i] = sqrt(squares);
        }
    }
    timing_print("Singular Values", begin);
    array_store("value", values);
    return 0;
}
