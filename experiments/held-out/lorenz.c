/* Lorenz's system for many starts and parameters by Runge and Kutta's method of fourth order. */
#include "../reference/common.h"

static inline void slope(double x, double y, double z, double rho, double *dx, double *dy, double *dz) {
    *dx = 10 * (y - x);
    *dy = x * (rho - z) - y;
    *dz = x * y - 8.0 / 3 * z;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z rho steps h k x_end y_end z_end");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1), rhos = array_load("rho", "<f8", 1);
    double *restrict x = xs.data, *restrict y = ys.data, *restrict z = zs.data;
    const double *restrict rho = rhos.data;
    int64_t steps = argument_integer("steps");
    double h = argument_real("h");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < xs.count; i++) {
        double a = x[i], b = y[i], c = z[i];
        for (int64_t s = 0; s < steps; s++) {
            double da1, db1, dc1, da2, db2, dc2, da3, db3, dc3, da4, db4, dc4;
            slope(a, b, c, rho[i], &da1, &db1, &dc1);
            slope(a + 0.5 * h * da1, b + 0.5 * h * db1, c + 0.5 * h * dc1, rho[i], &da2, &db2, &dc2);
            slope(a + 0.5 * h * da2, b + 0.5 * h * db2, c + 0.5 * h * dc2, rho[i], &da3, &db3, &dc3);
            slope(a + h * da3, b + h * db3, c + h * dc3, rho[i], &da4, &db4, &dc4);
            a += h / 6 * (da1 + 2 * da2 + 2 * da3 + da4);
            b += h / 6 * (db1 + 2 * db2 + 2 * db3 + db4);
            c += h / 6 * (dc1 + 2 * dc2 + 2 * dc3 + dc4);
        }
        x[i] = a, y[i] = b, z[i] = c;
    }
    timing_print("Lorenz", begin);
    array_store("x_end", xs);
    array_store("y_end", ys);
    array_store("z_end", zs);
    return 0;
}
