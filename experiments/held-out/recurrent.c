/* A layer of a recurrent network (gated recurrent units) over time: what it remembers of sequences in a batch. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

static inline float sigmoid(float x) { return 1 / (1 + expf(-x)); }

/* to += row * matrix */
static inline void add_product(float *restrict to, const float *restrict row, const float *restrict matrix, int64_t rows, int64_t columns) {
    for (int64_t p = 0; p < rows; p++)
        for (int64_t c = 0; c < columns; c++) to[c] += row[p] * matrix[p * columns + c];
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x w u k h");
    Array xs = array_load("x", "<f4", 3), ws = array_load("w", "<f4", 3), us = array_load("u", "<f4", 3);
    int64_t count = xs.extent[0], steps = xs.extent[1], in = xs.extent[2], cells = us.extent[2];
    Array hs = matrix_new("<f4", count, cells);
    const float *w = ws.data, *u = us.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        float *h = (float *)hs.data + s * cells, update[cells], reset[cells], held[cells];
        for (int64_t t = 0; t < steps; t++) {
            const float *x = (float *)xs.data + (s * steps + t) * in;
            memset(update, 0, sizeof update);
            memset(reset, 0, sizeof reset);
            add_product(update, x, w, in, cells);
            add_product(update, h, u, cells, cells);
            add_product(reset, x, w + in * cells, in, cells);
            add_product(reset, h, u + cells * cells, cells, cells);
            for (int64_t c = 0; c < cells; c++) {
                update[c] = sigmoid(update[c]);
                held[c] = sigmoid(reset[c]) * h[c];
            }
            memset(reset, 0, sizeof reset);
            add_product(reset, x, w + 2 * in * cells, in, cells);
            add_product(reset, held, u + 2 * cells * cells, cells, cells);
            for (int64_t c = 0; c < cells; c++) h[c] = (1 - update[c]) * h[c] + update[c] * tanhf(reset[c]);
        }
    }
    timing_print("Recurrent", begin);
    array_store("h", hs);
    return 0;
}
