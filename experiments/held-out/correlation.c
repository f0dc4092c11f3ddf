/* The matrix of correlations of the columns of a table. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "data k matrix");
    Array dd = array_load("data", "<f8", 2);
    int64_t n = dd.extent[0], m = dd.extent[1];
    Array cc = matrix_new("<f8", m, m);
    const double *restrict data = dd.data;
    double *restrict scaled = matrix_new("<f8", n, m).data, *restrict mean = vector_new("<f8", m).data, *restrict deviation = vector_new("<f8", m).data;
    double *restrict c = cc.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t J = 0; J < m; J += 64) {
            int64_t e = J + 64 < m ? J + 64 : m;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = J; j < e; j++) mean[j] += data[i * m + j];
            for (int64_t j = J; j < e; j++) mean[j] /= n;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = J; j < e; j++) deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
            for (int64_t j = J; j < e; j++) {
                deviation[j] = sqrt(deviation[j] / n);
                if (deviation[j] <= 0.1) deviation[j] = 1;
            }
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = J; j < e; j++) scaled[i * m + j] = (data[i * m + j] - mean[j]) / (sqrt(n) * deviation[j]);
        }
#pragma omp for schedule(dynamic, 8)
        for (int64_t i = 0; i < m; i++) {
            for (int64_t r = 0; r < n; r++) {
                double own = scaled[r * m + i];
                for (int64_t j = i + 1; j < m; j++) c[i * m + j] += own * scaled[r * m + j];
            }
            c[i * m + i] = 1;
        }
#pragma omp for
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < j; i++) c[j * m + i] = c[i * m + j];
    }
    timing_print("Correlation", begin);
    array_store("matrix", cc);
    return 0;
}
