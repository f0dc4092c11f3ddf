/* Sound from a point source with split-field PML at all edges; a row of receivers. */
#include "../reference/common.h"

static void damp(float *keep, float *gain, int n, int width) {
    for (int i = 0; i < n; i++) {
        int inside = width - i > i - (n - 1 - width) ? width - i : i - (n - 1 - width);
        double part = (double)(inside > 0 ? inside : 0) / width, sigma = 0.3 * part * part;
        keep[i] = (1 - 0.5 * sigma) / (1 + 0.5 * sigma);
        gain[i] = 1 / (1 + 0.5 * sigma);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "speed wavelet width ratio depth si sj k trace pressure");
    Array speeds = array_load("speed", "<f4", 2), wavelets = array_load("wavelet", "<f4", 1);
    int n = speeds.extent[0], m = speeds.extent[1], rounds = wavelets.count, width = argument_integer("width"), depth = argument_integer("depth");
    int si = argument_integer("si"), sj = argument_integer("sj");
    float ratio = argument_real("ratio");
    const float *wavelet = wavelets.data, (*restrict speed)[m] = speeds.data;
    Array traces = matrix_new("<f4", rounds, m), pressures = matrix_new("<f4", n, m);
    float (*trace)[m] = traces.data, (*restrict pressure)[m] = pressures.data;
    size_t size = sizeof(float) * n * m;
    float (*restrict px)[m] = memory_new(size), (*restrict py)[m] = memory_new(size), (*restrict vx)[m] = memory_new(size), (*restrict vy)[m] = memory_new(size);
    float *kx = memory_new(4 * n), *gx = memory_new(4 * n), *restrict ky = memory_new(4 * m), *restrict gy = memory_new(4 * m);
    double begin = clock_now();
    damp(kx, gx, n, width);
    damp(ky, gy, m, width);
#pragma omp parallel num_threads(argument_threads())
    {
    for (int t = 0; t < rounds; t++) {
#pragma omp for schedule(static)
        for (int i = 0; i < n - 1; i++)
#pragma omp simd
            for (int j = 0; j < m - 1; j++) {
                float here = px[i][j] + py[i][j];
                vx[i][j] = kx[i] * vx[i][j] - ratio * gx[i] * (px[i + 1][j] + py[i + 1][j] - here);
                vy[i][j] = ky[j] * vy[i][j] - ratio * gy[j] * (px[i][j + 1] + py[i][j + 1] - here);
            }
#pragma omp for schedule(static)
        for (int i = 1; i < n; i++) {
#pragma omp simd
            for (int j = 1; j < m; j++) {
                float stiff = ratio * speed[i][j] * speed[i][j];
                px[i][j] = kx[i] * px[i][j] - stiff * gx[i] * (vx[i][j] - vx[i - 1][j]);
                py[i][j] = ky[j] * py[i][j] - stiff * gy[j] * (vy[i][j] - vy[i][j - 1]);
            }
            if (i == si) {
                px[i][sj] += wavelet[t];
                py[i][sj] += wavelet[t];
            }
        }
#pragma omp for schedule(static)
        for (int j = 0; j < m; j++) trace[t][j] = px[depth][j] + py[depth][j];
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) pressure[i][j] = px[i][j] + py[i][j];
    }
    timing_print("Shot", begin);
    array_store("trace", traces);
    array_store("pressure", pressures);
    return 0;
}
