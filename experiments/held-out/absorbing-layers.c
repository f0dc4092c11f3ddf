/* The magnetic field of a finite-difference time-domain method with absorbing layers: planes side by side, each row by row. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "ex ey hz bza ax ry czm czp cxmh cxph cymh cyph mui ch k hz_end bza_end");
    Array exs = array_load("ex", "<f8", 3), eys = array_load("ey", "<f8", 3), hzs = array_load("hz", "<f8", 3), bzas = array_load("bza", "<f8", 3), axs = array_load("ax", "<f8", 2), rys = array_load("ry", "<f8", 2);
    Array czms = array_load("czm", "<f8", 1), czps = array_load("czp", "<f8", 1), cxmhs = array_load("cxmh", "<f8", 1), cxphs = array_load("cxph", "<f8", 1), cymhs = array_load("cymh", "<f8", 1), cyphs = array_load("cyph", "<f8", 1);
    const double *restrict czm = czms.data, *restrict czp = czps.data, *restrict cxmh = cxmhs.data, *restrict cxph = cxphs.data, *restrict cymh = cymhs.data, *restrict cyph = cyphs.data;
    const double mui = argument_real("mui"), ch = argument_real("ch");
    const int64_t planes = hzs.extent[0], n = hzs.extent[1], m = hzs.extent[2], cym = n - 1, cxm = m - 1;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t z = 0; z < planes; z++) {
        const double *restrict ax = (double *)axs.data + z * m, *restrict ry = (double *)rys.data + z * n, *restrict last_x = (double *)exs.data + (z * n + cym) * m, *restrict last_y = (double *)eys.data + (z * n + cym) * m;
        double *restrict last_h = (double *)hzs.data + (z * n + cym) * m, *restrict last_b = (double *)bzas.data + (z * n + cym) * m;
        for (int64_t y = 0; y < cym; y++) {
            const double *restrict ex = (double *)exs.data + (z * n + y) * m, *restrict below = ex + m, *restrict ey = (double *)eys.data + (z * n + y) * m;
            double *restrict hz = (double *)hzs.data + (z * n + y) * m, *restrict bza = (double *)bzas.data + (z * n + y) * m;
#pragma omp simd
            for (int64_t x = 0; x < m; x++) {
                const double clf = ex[x] - below[x] + (x < cxm ? ey[x + 1] : ry[y]) - ey[x];
                const double tmp = cymh[y] / cyph[y] * bza[x] - ch / cyph[y] * clf;
                hz[x] = cxmh[x] / cxph[x] * hz[x] + mui * czp[z] / cxph[x] * tmp - mui * czm[z] / cxph[x] * bza[x];
                bza[x] = tmp;
            }
#pragma omp simd
            for (int64_t x = 0; x < cxm; x++) {
                const double clf = last_x[x] - ax[x] + last_y[x + 1] - last_y[x];
                const double tmp = cymh[cym] / cyph[y] * bza[x] - ch / cyph[y] * clf;
                last_h[x] = cxmh[x] / cxph[x] * last_h[x] + mui * czp[z] / cxph[x] * tmp - mui * czm[z] / cxph[x] * last_b[x];
                last_b[x] = tmp;
            }
            const double clf = last_x[cxm] - ax[cxm] + ry[cym] - last_y[cxm];
            const double tmp = cymh[cym] / cyph[cym] * last_b[cxm] - ch / cyph[cym] * clf;
            last_h[cxm] = cxmh[cxm] / cxph[cxm] * last_h[cxm] + mui * czp[z] / cxph[cxm] * tmp - mui * czm[z] / cxph[cxm] * last_b[cxm];
            last_b[cxm] = tmp;
        }
    }
    timing_print("Absorbing Layers", begin);
    array_store("hz_end", hzs);
    array_store("bza_end", bzas);
    return 0;
}
