/* An image with another number of rows and columns, by bilinear interpolation. */
#include <stdlib.h>
#include "../reference/common.h"

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image rows columns k result");
    Array ii = array_load("image", "<f4", 2);
    int64_t h = ii.extent[0], w = ii.extent[1], rows = argument_integer("rows"), columns = argument_integer("columns");
    Array rr = matrix_new("<f4", rows, columns);
    const float *restrict image = ii.data;
    float *restrict result = rr.data;
    double begin = clock_now();
    float down = (float)(h - 1) / (rows - 1), right = (float)(w - 1) / (columns - 1);
    int *restrict at = malloc(columns * sizeof *at);
    float *restrict part = malloc(columns * sizeof *part);
    for (int j = 0; j < columns; j++) {
        float x = j * right;
        int column = min((int)x, w - 2);
        at[j] = column;
        part[j] = x - column;
    }
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++) {
        float y = i * down;
        int row = min((int)y, h - 2);
        float dy = y - row;
        const float *restrict p = image + row * w, *restrict q = p + w;
#pragma omp simd
        for (int j = 0; j < columns; j++) {
            float dx = part[j];
            int c = at[j];
            float above = p[c] * (1 - dx) + p[c + 1] * dx, below = q[c] * (1 - dx) + q[c + 1] * dx;
            result[i * columns + j] = above * (1 - dy) + below * dy;
        }
    }
    timing_print("Resize", begin);
    array_store("result", rr);
    return 0;
}
