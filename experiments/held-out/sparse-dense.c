/* A sparse matrix in compressed rows times a matrix of few columns. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns starts b k c");
    Array vv = array_load("values", "<f4", 1), kk = array_load("columns", "<i4", 1), ss = array_load("starts", "<i4", 1), bb = array_load("b", "<f4", 2);
    int64_t n = ss.count - 1, m = bb.extent[1];
    Array cc = matrix_new("<f4", n, m);
    const float *restrict values = vv.data, *restrict b = bb.data;
    const int *restrict columns = kk.data, *restrict starts = ss.data;
    float *restrict c = cc.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++)
        for (int e = starts[i]; e < starts[i + 1]; e++)
            for (int64_t j = 0; j < m; j++) c[i * m + j] += values[e] * b[columns[e] * m + j];
    timing_print("Sparse Dense", begin);
    array_store("c", cc);
    return 0;
}
