/* Rank correlations (Spearman) of all pairs of rows of a table. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x k p matrix partner");
    Array xs = array_load("x", "<f8", 2);
    int64_t n = xs.extent[0], m = xs.extent[1];
    Array ranks = matrix_new("<f8", n, m), sizes = vector_new("<f8", n), matrices = matrix_new("<f8", n, n), partners = vector_new("<i8", n);
    const double *restrict x = xs.data;
    double *restrict rank = ranks.data, *restrict size = sizes.data, *restrict matrix = matrices.data, middle = 0.5 * (m - 1);
    int64_t *restrict partner = partners.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t r = 0; r < n; r++) {
            const double *restrict row = x + r * m;
            double squares = 0;
            for (int64_t i = 0; i < m; i++) {
                double mine = row[i];
                int64_t below = 0, equal = 0;
#pragma omp simd reduction(+ : below, equal)
                for (int64_t j = 0; j < m; j++) {
                    below += row[j] < mine;
                    equal += row[j] == mine;
                }
                double v = below + 0.5 * (equal - 1) - middle;
                rank[r * m + i] = v;
                squares += v * v;
            }
            size[r] = sqrt(squares);
        }
#pragma omp for schedule(dynamic, 2)
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = a; b < n; b++) {
                const double *restrict u = rank + a * m, *restrict v = rank + b * m;
                double product = 0;
#pragma omp simd reduction(+ : product)
                for (int64_t i = 0; i < m; i++) product += u[i] * v[i];
                matrix[a * n + b] = matrix[b * n + a] = product / (size[a] * size[b]);
            }
#pragma omp for
        for (int64_t a = 0; a < n; a++) {
            int64_t best = -1;
            for (int64_t b = 0; b < n; b++)
                if (b != a && (best < 0 || matrix[a * n + b] > matrix[a * n + best])) best = b;
            partner[a] = best;
        }
    }
    timing_print("Spearman", begin);
    array_store("matrix", matrices);
    array_store("partner", partners);
    return 0;
}
