/* Two outer products and two products with vectors: a = a + u1 v1T + u2 v2T, x = beta aT y + z, w = alpha a x. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a u1 v1 u2 v2 y z alpha beta k sum x w");
    Array aa = array_load("a", "<f8", 2);
    int64_t n = aa.extent[0], m = aa.extent[1];
    const double *restrict u1 = array_load("u1", "<f8", 1).data, *restrict v1 = array_load("v1", "<f8", 1).data;
    const double *restrict u2 = array_load("u2", "<f8", 1).data, *restrict v2 = array_load("v2", "<f8", 1).data;
    const double *restrict y = array_load("y", "<f8", 1).data, *restrict z = array_load("z", "<f8", 1).data;
    Array xx = vector_new("<f8", m), ww = vector_new("<f8", n);
    double alpha = argument_real("alpha"), beta = argument_real("beta");
    double *restrict a = aa.data, *restrict x = xx.data, *restrict w = ww.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : x[:m])
    for (int64_t i = 0; i < n; i++) {
        double *restrict row = a + i * m;
        double p = u1[i], q = u2[i], s = beta * y[i];
#pragma omp simd
        for (int64_t j = 0; j < m; j++) {
            double t = row[j] + p * v1[j] + q * v2[j];
            row[j] = t;
            x[j] += s * t;
        }
    }
    for (int64_t j = 0; j < m; j++) x[j] += z[j];
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        const double *row = a + i * m;
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t j = 0; j < m; j++) s += row[j] * x[j];
        w[i] = alpha * s;
    }
    timing_print("Gemver", begin);
    array_store("sum", aa);
    array_store("x", xx);
    array_store("w", ww);
    return 0;
}
