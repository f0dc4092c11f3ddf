/* A product with a symmetric matrix of which the lower triangle is there: columns in bands, each row by row. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b c alpha beta k end");
    Array as = array_load("a", "<f8", 2), bs = array_load("b", "<f8", 2), cs = array_load("c", "<f8", 2);
    const double *a = as.data, *b = bs.data, alpha = argument_real("alpha"), beta = argument_real("beta");
    double *c = cs.data;
    const int64_t n = cs.extent[0], m = cs.extent[1], band = argument_integer("k");
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t first = 0; first < m; first += band) {
        const int64_t end = first + band < m ? first + band : m;
        double sum[end - first];
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = first; j < end; j++) sum[j - first] = 0;
            const double *restrict mine = b + i * m;
            for (int64_t k = 0; k < i; k++) {
                const double *restrict other = b + k * m, factor = a[i * n + k];
                double *restrict above = c + k * m;
#pragma omp simd
                for (int64_t j = first; j < end; j++) {
                    above[j] += alpha * mine[j] * factor;
                    sum[j - first] += other[j] * factor;
                }
            }
            double *restrict row = c + i * m;
#pragma omp simd
            for (int64_t j = first; j < end; j++) row[j] = beta * row[j] + alpha * mine[j] * a[i * n + i] + alpha * sum[j - first];
        }
    }
    timing_print("Symmetric Product", begin);
    array_store("end", cs);
    return 0;
}
