/* The product of a turned matrix, of the matrix and of a vector: y = aT (a x). */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a x k y");
    Array aa = array_load("a", "<f8", 2), xx = array_load("x", "<f8", 1);
    int64_t n = aa.extent[0], m = aa.extent[1];
    Array yy = vector_new("<f8", m);
    const double *a = aa.data, *x = xx.data;
    double *restrict y = yy.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : y[:m])
    for (int64_t i = 0; i < n; i++) {
        const double *row = a + i * m;
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t j = 0; j < m; j++) s += row[j] * x[j];
#pragma omp simd
        for (int64_t j = 0; j < m; j++) y[j] += row[j] * s;
    }
    timing_print("Atax", begin);
    array_store("y", yy);
    return 0;
}
