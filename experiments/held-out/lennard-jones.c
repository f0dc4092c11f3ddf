/* Forces between particles with a cutoff, along one axis. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z force k");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1);
    Array forces = vector_new("<f8", xs.count);
    const double *x = xs.data, *y = ys.data, *z = zs.data;
    double *force = forces.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < xs.count; i++) {
        double sum = 0;
        for (int64_t j = 0; j < xs.count; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], square = dx * dx + dy * dy + dz * dz;
            if (square < 0.25 && j != i) {
                double inverse = 1 / square, sixth = inverse * inverse * inverse;
                sum += dx * inverse * sixth * (sixth - 0.5);
            }
        }
        force[i] = sum;
    }
    timing_print("Lennard-Jones", begin);
    array_store("force", forces);
    return 0;
}
