/* Forces of Lennard and Jones between atoms in a periodic cube, each from the atoms in its list, within a cutoff. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z starts neighbours side cutoff k fx fy fz");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1);
    Array starts = array_load("starts", "<i4", 1), lists = array_load("neighbours", "<i4", 1);
    Array fxs = vector_new("<f8", xs.count), fys = vector_new("<f8", xs.count), fzs = vector_new("<f8", xs.count);
    const double *x = xs.data, *y = ys.data, *z = zs.data;
    const int *start = starts.data, *neighbours = lists.data;
    double *fx = fxs.data, *fy = fys.data, *fz = fzs.data, side = argument_real("side"), cutoff = argument_real("cutoff"), limit = cutoff * cutoff;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < xs.count; i++) {
        double sum_x = 0, sum_y = 0, sum_z = 0;
        for (int n = start[i]; n < start[i + 1]; n++) {
            int j = neighbours[n];
            double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
            dx -= side * rint(dx / side);
            dy -= side * rint(dy / side);
            dz -= side * rint(dz / side);
            double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < limit) {
                double s2 = 1 / r2, s6 = s2 * s2 * s2, force = 24 * s2 * s6 * (2 * s6 - 1);
                sum_x += force * dx;
                sum_y += force * dy;
                sum_z += force * dz;
            }
        }
        fx[i] = sum_x;
        fy[i] = sum_y;
        fz[i] = sum_z;
    }
    timing_print("Neighbour List", begin);
    array_store("fx", fxs);
    array_store("fy", fys);
    array_store("fz", fzs);
    return 0;
}
