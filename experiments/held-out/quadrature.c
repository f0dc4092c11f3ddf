/* Integrals of a function with parameters by Simpson's rule, one for each pair of parameters. */
#include <math.h>
#include "../reference/common.h"

static inline double value(double x, double a, double b) { return exp(-a * x * x) * cos(b * x) / (1 + x); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b points k integral");
    Array as = array_load("a", "<f8", 1), bs = array_load("b", "<f8", 1), results = matrix_new("<f8", as.count, bs.count);
    const double *a = as.data, *b = bs.data;
    int64_t points = argument_integer("points");
    double h = 4.0 / points, *integral = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < as.count; i++)
        for (int64_t j = 0; j < bs.count; j++) {
            double sum = value(0, a[i], b[j]) + value(4, a[i], b[j]);
            for (int64_t p = 1; p < points; p++) sum += 2 * (1 + p % 2) * value(p * h, a[i], b[j]);
            integral[i * bs.count + j] = h / 3 * sum;
        }
    timing_print("Quadrature", begin);
    array_store("integral", results);
    return 0;
}
