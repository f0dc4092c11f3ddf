/* Natural cubic splines through many series of evenly spaced points, and their values at places in between. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "y x k value");
    Array ys = array_load("y", "<f8", 2), xs = array_load("x", "<f8", 2);
    int64_t count = ys.extent[0], n = ys.extent[1], places = xs.extent[1];
    Array values = array_new("<f8", 2, xs.extent);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        const double *restrict y = (double *)ys.data + s * n, *restrict x = (double *)xs.data + s * places;
        double *restrict value = (double *)values.data + s * places, bend[n], factor[n];
        bend[0] = factor[0] = bend[n - 1] = 0;
        for (int64_t i = 1; i < n - 1; i++) {
            factor[i] = 1 / (4 - factor[i - 1]);
            bend[i] = (6 * (y[i - 1] - 2 * y[i] + y[i + 1]) - bend[i - 1]) * factor[i];
        }
        for (int64_t i = n - 2; i > 0; i--) bend[i] -= factor[i] * bend[i + 1];
        for (int64_t p = 0; p < places; p++) {
            int64_t i = x[p];
            i = i < 0 ? 0 : i > n - 2 ? n - 2 : i;
            double b = x[p] - i, a = 1 - b;
            value[p] = a * y[i] + b * y[i + 1] + ((a * a * a - a) * bend[i] + (b * b * b - b) * bend[i + 1]) / 6;
        }
    }
    timing_print("Spline", begin);
    array_store("value", values);
    return 0;
}
