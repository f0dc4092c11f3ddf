/* Laplace's equation in a square without grid, by walks on spheres. */
#include <math.h>
#include "../reference/common.h"

static inline double random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 4294967296.0;
}

static inline double border(double x, double y) {
    double across = x < 1 - x ? x : 1 - x, down = y < 1 - y ? y : 1 - y;
    return across < down ? across : down;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "n walks close k u");
    int64_t n = argument_integer("n"), walks = argument_integer("walks");
    double close = argument_real("close");
    Array us = matrix_new("<f8", n, n);
    double *u = us.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t w = 0; w < walks; w++) {
                uint32_t state = (1 + (i * n + j) * walks + w) * 2654435761;
                if (state == 0) state = 1;
                double y = (i + 0.5) / n, x = (j + 0.5) / n;
                int turns = 0;
                do {
                    double radius = border(x, y), angle = 6.283185307179586 * random_next(&state);
                    x += radius * cos(angle);
                    y += radius * sin(angle);
                    turns++;
                } while (border(x, y) > close && turns < 1000);
                sum += x * x - y * y;
            }
            u[i * n + j] = sum / walks;
        }
    timing_print("Walks", begin);
    array_store("u", us);
    return 0;
}
