/* Electric and magnetic fields on a staggered grid, with a source along the first row. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "ex ey hz source k ex_end ey_end hz_end");
    Array xx = array_load("ex", "<f8", 2), yy = array_load("ey", "<f8", 2), zz = array_load("hz", "<f8", 2), ss = array_load("source", "<f8", 1);
    int64_t n = xx.extent[0], m = xx.extent[1];
    double *restrict ex = xx.data, *restrict ey = yy.data, *restrict hz = zz.data;
    const double *restrict source = ss.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t t = 0; t < ss.count; t++) {
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            if (i == 0)
                for (int64_t j = 0; j < m; j++) ey[j] = source[t];
            else
                for (int64_t j = 0; j < m; j++) ey[i * m + j] -= 0.5 * (hz[i * m + j] - hz[(i - 1) * m + j]);
            for (int64_t j = 1; j < m; j++) ex[i * m + j] -= 0.5 * (hz[i * m + j] - hz[i * m + j - 1]);
        }
#pragma omp for
        for (int64_t i = 0; i < n - 1; i++)
            for (int64_t j = 0; j < m - 1; j++) hz[i * m + j] -= 0.7 * (ex[i * m + j + 1] - ex[i * m + j] + ey[(i + 1) * m + j] - ey[i * m + j]);
    }
    timing_print("FDTD", begin);
    array_store("ex_end", xx);
    array_store("ey_end", yy);
    array_store("hz_end", zz);
    return 0;
}
