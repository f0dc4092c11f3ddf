/* Durbin's recursion for Toeplitz systems. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "r y");
    Array rs = array_load("r", "<f8", 1);
    const int64_t n = rs.extent[0];
    Array ys = vector_new("<f8", n), zs = vector_new("<f8", n);
    const double *restrict r = rs.data;
    double *restrict y = ys.data, *restrict z = zs.data;
    double begin = clock_now();
    y[0] = -r[0];
    double beta = 1, alpha = -r[0];
    for (int64_t k = 1; k < n; k++) {
        beta = (1 - alpha * alpha) * beta;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < k; i++) sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int64_t i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
        for (int64_t i = 0; i < k; i++) y[i] = z[i];
        y[k] = alpha;
    }
    timing_print("Durbin", begin);
    array_store("y", ys);
    return 0;
}
