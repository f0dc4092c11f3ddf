/* QR factorisation by Householder reflections. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a r");
    Array aa = array_load("a", "<f8", 2);
    int64_t m = aa.extent[0], n = aa.extent[1];
    double *restrict a = aa.data, *restrict v = malloc(8 * m), *restrict s = malloc(8 * n);
    double begin = clock_now();
    for (int64_t k = 0; k < n; k++) {
        double square = 0;
        for (int64_t i = k + 1; i < m; i++) square += a[i * n + k] * a[i * n + k];
        double head = a[k * n + k], alpha = -copysign(sqrt(head * head + square), head);
        for (int64_t i = k + 1; i < m; i++) {
            v[i] = a[i * n + k];
            a[i * n + k] = 0;
        }
        v[k] = head - alpha;
        a[k * n + k] = alpha;
        double length = square + v[k] * v[k], beta = length > 0 ? 2 / length : 0;
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for
            for (int64_t b = k + 1; b < n; b += 256) {
                int64_t e = b + 256 < n ? b + 256 : n;
                for (int64_t j = b; j < e; j++) s[j] = 0;
                for (int64_t i = k; i < m; i++)
                    for (int64_t j = b; j < e; j++) s[j] += v[i] * a[i * n + j];
            }
#pragma omp for
            for (int64_t i = k; i < m; i++) {
                double w = beta * v[i];
                for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= w * s[j];
            }
        }
    }
    timing_print("Householder", begin);
    array_store("r", aa);
    return 0;
}
