#include "../reference/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b x alpha beta k y");
    Array aa = array_load("a", "<f8", 2), bb = array_load("b", "<f8", 2), xx = array_load("x", "<f8", 1);
    int64_t n = aa.extent[0];
    Array yy = vector_new("<f8", n);
    const double *a = aa.data, *b = bb.data, *x = xx.data;
    double *restrict y = yy.data, alpha = argument_real("alpha"), beta = argument_real("beta");
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        const double *ra = a + i * n, *rb = b + i * n;
        double t = 0, u = 0;
#pragma omp simd reduction(+ : t, u)
        for (int64_t j = 0; j < n; j++) t += ra[j] * x[j], u += rb[j] * x[j];
        y[i] = alpha * t + beta * u;
    }
    timing_print("Gesummv", begin);
    array_store("y", yy);
    return 0;
}
