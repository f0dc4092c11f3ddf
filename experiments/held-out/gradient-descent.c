/* Logistic regression by gradient descent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x label rounds rate decay k w losses right_ones");
    Array xs = array_load("x", "<f8", 2), labels = array_load("label", "|b1", 1);
    int64_t n = xs.extent[0], m = xs.extent[1], rounds = argument_integer("rounds");
    double rate = argument_real("rate"), decay = argument_real("decay");
    Array ws = vector_new("<f8", m), lossess = vector_new("<f8", rounds), rights = vector_new("<i8", rounds);
    const double *restrict x = xs.data;
    const bool *restrict label = labels.data;
    double *restrict w = ws.data, *losses = lossess.data, *slope = malloc((size_t)m * 8);
    int64_t *right_ones = rights.data;

    double begin = clock_now();
    for (int64_t r = 0; r < rounds; r++) {
        double loss = 0;
        int64_t right = 0;
        memset(slope, 0, (size_t)m * 8);
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : loss, right, slope[:m])
        for (int64_t i = 0; i < n; i++) {
            const double *restrict row = x + i * m;
            double z = 0;
#pragma omp simd reduction(+ : z)
            for (int64_t d = 0; d < m; d++) z += row[d] * w[d];
            double truth = label[i], small = exp(-fabs(z));
            double error = (z > 0 ? 1 / (1 + small) : small / (1 + small)) - truth;
            loss += (z > 0 ? z : 0) + log1p(small) - truth * z;
            right += label[i] == (z > 0);
#pragma omp simd
            for (int64_t d = 0; d < m; d++) slope[d] += error * row[d];
        }
        for (int64_t d = 0; d < m; d++) w[d] -= rate * (slope[d] / n + decay * w[d]);
        losses[r] = loss / n;
        right_ones[r] = right;
    }
    timing_print("Logistic", begin);
    array_store("w", ws);
    array_store("losses", lossess);
    array_store("right_ones", rights);
    return 0;
}
