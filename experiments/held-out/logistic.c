/* Logistic regression by Newton's method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x yes ridge limit k w chance");
    Array xs = array_load("x", "<f8", 2), answers = array_load("yes", "|b1", 1);
    int64_t n = xs.extent[0], d = xs.extent[1], rounds = 0;
    Array ws = vector_new("<f8", d), chances = vector_new("<f8", n);
    const double *restrict x = xs.data;
    const bool *restrict yes = answers.data;
    double *restrict w = ws.data, *restrict chance = chances.data, ridge = argument_real("ridge"), limit = argument_real("limit"), change = 2 * limit;
    double *hessian = calloc(d * d, 8), *step = calloc(d, 8);

    double begin = clock_now();
    while (change > limit) {
        memset(hessian, 0, d * d * 8);
        for (int64_t a = 0; a < d; a++) step[a] = ridge * w[a];
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : hessian[:d * d], step[:d])
        for (int64_t i = 0; i < n; i++) {
            const double *restrict row = x + i * d;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t a = 0; a < d; a++) sum += row[a] * w[a];
            double p = 1 / (1 + exp(-sum)), off = p - yes[i], weight = p * (1 - p);
            chance[i] = p;
            for (int64_t a = 0; a < d; a++) {
                step[a] += off * row[a];
                double factor = weight * row[a];
#pragma omp simd
                for (int64_t b = 0; b <= a; b++) hessian[a * d + b] += factor * row[b];
            }
        }
        for (int64_t c = 0; c < d; c++) {
            double root = hessian[c * d + c] = sqrt(hessian[c * d + c] + ridge);
            for (int64_t a = c + 1; a < d; a++) hessian[a * d + c] /= root;
            for (int64_t a = c + 1; a < d; a++)
                for (int64_t b = c + 1; b <= a; b++) hessian[a * d + b] -= hessian[a * d + c] * hessian[b * d + c];
        }
        for (int64_t a = 0; a < d; a++) {
            step[a] /= hessian[a * d + a];
            for (int64_t b = a + 1; b < d; b++) step[b] -= hessian[b * d + a] * step[a];
        }
        change = 0;
        for (int64_t a = d - 1; a >= 0; a--) {
            step[a] /= hessian[a * d + a];
            for (int64_t b = 0; b < a; b++) step[b] -= hessian[a * d + b] * step[a];
            w[a] -= step[a];
            change = fmax(change, fabs(step[a]));
        }
        rounds++;
    }
    timing_print("Logistic", begin);
    printf("rounds %lld\n", (long long)rounds);
    array_store("w", ws);
    array_store("chance", chances);
    return 0;
}
