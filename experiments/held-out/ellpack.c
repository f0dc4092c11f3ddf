/* Y = a x, a sparse in ELLPACK format: each row has the same number of values; missing ones are 0 in column 0. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns x rounds k y");
    Array vv = array_load("values", "<f8", 2), cc = array_load("columns", "<i4", 2), xx = array_load("x", "<f8", 1);
    int64_t n = vv.extent[0], m = vv.extent[1], rounds = argument_integer("rounds");
    Array yy = vector_new("<f8", n);
    const double *restrict v = vv.data, *restrict x = xx.data;
    const int *restrict c = cc.data;
    double *restrict y = yy.data;
    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++)
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < n; i++) {
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (int64_t j = 0; j < m; j++) s += v[i * m + j] * x[c[i * m + j]];
            y[i] += s;
        }
    timing_print("Ellpack", begin);
    array_store("y", yy);
    return 0;
}
