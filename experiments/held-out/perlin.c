/* Perlin's noise in several octaves. */
#include "../reference/common.h"

static inline double smooth(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static inline double between(double t, double a, double b) { return a + t * (b - a); }
static inline double slope(int hash, double x, double y) {
    double u = hash & 4 ? y : x, v = hash & 4 ? x : y;
    return (hash & 1 ? -u : u) + 0.5 * (hash & 2 ? -v : v);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "table rows columns octaves k noise");
    Array tables = array_load("table", "<i4", 1);
    int64_t rows = argument_integer("rows"), columns = argument_integer("columns"), octaves = argument_integer("octaves");
    Array noises = matrix_new("<f8", rows, columns);
    const int *restrict table = tables.data;
    double *restrict noise = noises.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = 0, strength = 1, scale = 0.013;
            for (int64_t o = 0; o < octaves; o++) {
                double y = scale * i, x = scale * j;
                int row = y, column = x;
                y -= row;
                x -= column;
                row &= 255;
                column &= 255;
                int left = table[row] + column, right = table[row + 1] + column;
                double above = between(smooth(x), slope(table[left], x, y), slope(table[left + 1], x - 1, y));
                double below = between(smooth(x), slope(table[right], x, y - 1), slope(table[right + 1], x - 1, y - 1));
                sum += strength * between(smooth(y), above, below);
                strength *= 0.5;
                scale *= 2;
            }
            noise[i * columns + j] = sum;
        }
    timing_print("Perlin", begin);
    array_store("noise", noises);
    return 0;
}
