/* Convolution of all channels with all filters of 3 x 3 by Winograd's transform of tiles, in single precision. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x w k y");
    Array xs = array_load("x", "<f4", 3), ws = array_load("w", "<f4", 4);
    int64_t channels = xs.extent[0], height = xs.extent[1], width = xs.extent[2], filters = ws.extent[0];
    int64_t rows = height - 2, columns = width - 2, along = columns / 2, tiles = rows / 2 * along;
    Array ys = array_new("<f4", 3, (int64_t[]){filters, rows, columns});
    const float *restrict x = xs.data, *restrict w = ws.data;
    float *restrict u = memory_new(sizeof(float) * 16 * filters * channels), *restrict v = memory_new(sizeof(float) * 16 * channels * tiles);
    float *restrict m = memory_new(sizeof(float) * 16 * filters * tiles), *restrict y = ys.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(static)
    for (int64_t f = 0; f < filters; f++)
        for (int64_t c = 0; c < channels; c++) {
            const float *z = w + (f * channels + c) * 9;
            float g[4][3];
            for (int b = 0; b < 3; b++) {
                g[0][b] = z[b];
                g[1][b] = 0.5f * (z[b] + z[3 + b] + z[6 + b]);
                g[2][b] = 0.5f * (z[b] - z[3 + b] + z[6 + b]);
                g[3][b] = z[6 + b];
            }
            for (int a = 0; a < 4; a++) {
                float *to = u + (4 * a * filters + f) * channels + c;
                int64_t step = filters * channels;
                to[0] = g[a][0];
                to[step] = 0.5f * (g[a][0] + g[a][1] + g[a][2]);
                to[2 * step] = 0.5f * (g[a][0] - g[a][1] + g[a][2]);
                to[3 * step] = g[a][2];
            }
        }
#pragma omp for schedule(static)
    for (int64_t c = 0; c < channels; c++)
        for (int64_t t = 0; t < tiles; t++) {
            int64_t i = 2 * (t / along), j = 2 * (t % along);
            const float *z = x + (c * height + i) * width + j;
            float d[4][4];
            for (int b = 0; b < 4; b++) {
                d[0][b] = z[b] - z[2 * width + b];
                d[1][b] = z[width + b] + z[2 * width + b];
                d[2][b] = z[2 * width + b] - z[width + b];
                d[3][b] = z[width + b] - z[3 * width + b];
            }
            for (int a = 0; a < 4; a++) {
                float *to = v + (4 * a * channels + c) * tiles + t;
                int64_t step = channels * tiles;
                to[0] = d[a][0] - d[a][2];
                to[step] = d[a][1] + d[a][2];
                to[2 * step] = d[a][2] - d[a][1];
                to[3 * step] = d[a][1] - d[a][3];
            }
        }
#pragma omp for collapse(2) schedule(static)
    for (int64_t q = 0; q < 16; q++)
        for (int64_t f = 0; f < filters; f++) {
            float *restrict sum = m + (q * filters + f) * tiles;
            for (int64_t c = 0; c < channels; c++) {
                const float factor = u[(q * filters + f) * channels + c], *restrict z = v + (q * channels + c) * tiles;
                for (int64_t t = 0; t < tiles; t++) sum[t] += factor * z[t];
            }
        }
#pragma omp for schedule(static)
    for (int64_t f = 0; f < filters; f++)
        for (int64_t t = 0; t < tiles; t++) {
            int64_t i = 2 * (t / along), j = 2 * (t % along), step = filters * tiles;
            const float *z = m + f * tiles + t;
            float s[2][4];
            for (int b = 0; b < 4; b++) {
                s[0][b] = z[b * step] + z[(4 + b) * step] + z[(8 + b) * step];
                s[1][b] = z[(4 + b) * step] - z[(8 + b) * step] - z[(12 + b) * step];
            }
            for (int a = 0; a < 2; a++) {
                float *to = y + (f * rows + i + a) * columns + j;
                to[0] = s[a][0] + s[a][1] + s[a][2];
                to[1] = s[a][1] - s[a][2] - s[a][3];
            }
        }
    }
    timing_print("Winograd", begin);
    array_store("y", ys);
    return 0;
}
