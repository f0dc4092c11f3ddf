/* Densities and pressures of smoothed particles. */
#include <math.h>
#include "../reference/common.h"

static inline double weight(double q) {
    if (q < 1) return 1 - 1.5 * q * q + 0.75 * q * q * q;
    if (q < 2) return 0.25 * (2 - q) * (2 - q) * (2 - q);
    return 0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y mass starts neighbours h k density pressure");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), masses = array_load("mass", "<f8", 1);
    Array starts = array_load("starts", "<i4", 1), lists = array_load("neighbours", "<i4", 1);
    Array densities = vector_new("<f8", xs.count), pressures = vector_new("<f8", xs.count);
    const double *x = xs.data, *y = ys.data, *mass = masses.data;
    const int *start = starts.data, *neighbours = lists.data;
    double *density = densities.data, *pressure = pressures.data, h = argument_real("h"), scale = 10 / (7 * M_PI * h * h);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < xs.count; i++) {
        double sum = mass[i] * weight(0);
        for (int n = start[i]; n < start[i + 1]; n++) {
            int j = neighbours[n];
            double dx = x[i] - x[j], dy = y[i] - y[j];
            sum += mass[j] * weight(sqrt(dx * dx + dy * dy) / h);
        }
        density[i] = scale * sum;
        pressure[i] = pow(density[i], 1.4);
    }
    timing_print("Particles", begin);
    array_store("density", densities);
    array_store("pressure", pressures);
    return 0;
}
