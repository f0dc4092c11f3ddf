/* Heat that diffuses and is blown along rows: the steady state by BiCGSTAB, without a matrix. */
#include "../reference/common.h"

static int threads;

static double apply(int64_t n, int64_t m, double *restrict y, const double *restrict x, const double *other, const double *restrict wind) {
    double product = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : product)
    for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd reduction(+ : product)
        for (int64_t j = 1; j < m - 1; j++) {
            int64_t at = i * m + j;
            y[at] = (4 + wind[at]) * x[at] - (1 + wind[at]) * x[at - 1] - x[at + 1] - x[at - m] - x[at + m];
            product += y[at] * other[at];
        }
    return product;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "f wind limit k u");
    Array fs = array_load("f", "<f8", 2), winds = array_load("wind", "<f8", 2);
    int64_t n = fs.extent[0], m = fs.extent[1], count = n * m;
    Array us = matrix_new("<f8", n, m);
    const double *restrict f = fs.data, *restrict wind = winds.data;
    double *restrict u = us.data, *restrict r = memory_new(count * 8), *restrict hat = memory_new(count * 8), *restrict p = memory_new(count * 8);
    double *restrict v = memory_new(count * 8), *restrict s = memory_new(count * 8), *restrict t = memory_new(count * 8);
    double limit = argument_real("limit"), alpha = 1, beta = 0, omega = 1, rho = 1, error = 0, fresh;
    threads = argument_threads();

    double begin = clock_now();
#pragma omp parallel for num_threads(threads) reduction(+ : error)
    for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd reduction(+ : error)
        for (int64_t j = 1; j < m - 1; j++) {
            int64_t at = i * m + j;
            r[at] = hat[at] = f[at];
            error += f[at] * f[at];
        }
    fresh = error;
    for (int rounds = 0; error > limit * limit && rounds < 1000; rounds++) {
        if (rounds > 0) beta = fresh / rho * (alpha / omega);
        rho = fresh;
#pragma omp parallel for simd num_threads(threads)
        for (int64_t i = 0; i < count; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        alpha = rho / apply(n, m, v, p, hat, wind);
#pragma omp parallel for simd num_threads(threads)
        for (int64_t i = 0; i < count; i++) s[i] = r[i] - alpha * v[i];
        double along = apply(n, m, t, s, s, wind), size = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : size)
        for (int64_t i = 0; i < count; i++) size += t[i] * t[i];
        omega = along / size;
        fresh = error = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : fresh, error)
        for (int64_t i = 0; i < count; i++) {
            u[i] += alpha * p[i] + omega * s[i];
            r[i] = s[i] - omega * t[i];
            fresh += r[i] * hat[i];
            error += r[i] * r[i];
        }
    }
    timing_print("Solve", begin);
    array_store("u", us);
    return 0;
}
