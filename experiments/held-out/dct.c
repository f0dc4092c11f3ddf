/* The discrete cosine transform of the blocks of 8 x 8 points of an image, divided by a table, as JPEG has it. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image table k result");
    Array in = array_load("image", "<f8", 2), by = array_load("table", "<f8", 2), out = array_new("<f8", 2, in.extent);
    int64_t rows = in.extent[0], columns = in.extent[1];
    const double *restrict image = in.data, *restrict table = by.data;
    double *restrict result = out.data, wave[8][8], turned[8][8];
    double begin = clock_now();
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++) wave[u][x] = turned[x][u] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * 3.141592653589793 / 16);
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i += 8)
        for (int64_t j = 0; j < columns; j += 8) {
            double half[8][8], block[8][8];
            for (int y = 0; y < 8; y++)
                for (int u = 0; u < 8; u++) {
                    double sum = 0;
                    for (int x = 0; x < 8; x++) sum += turned[x][u] * (image[(i + y) * columns + j + x] - 128);
                    half[y][u] = sum;
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    double sum = 0;
                    for (int y = 0; y < 8; y++) sum += wave[v][y] * half[y][u];
                    block[v][u] = sum;
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) result[(i + v) * columns + j + u] = block[v][u] / table[v * 8 + u];
        }
    timing_print("Cosine Transform", begin);
    array_store("result", out);
    return 0;
}
