/* Springs between pairs of points: each gets its force, then each point moves by what its springs pull, several steps. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z ends length starts springs sign rounds step stiffness k l x_end y_end z_end");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1);
    Array ends_of = array_load("ends", "<i4", 2), lengths = array_load("length", "<f8", 1);
    Array starts_of = array_load("starts", "<i4", 1), springs_of = array_load("springs", "<i4", 1), signs = array_load("sign", "<f8", 1);
    int64_t points = xs.count, count = lengths.count, rounds = argument_integer("rounds");
    double *restrict x = xs.data, *restrict y = ys.data, *restrict z = zs.data;
    double *restrict vx = vector_new("<f8", points).data, *restrict vy = vector_new("<f8", points).data, *restrict vz = vector_new("<f8", points).data;
    double *restrict px = vector_new("<f8", count).data, *restrict py = vector_new("<f8", count).data, *restrict pz = vector_new("<f8", count).data;
    const int(*restrict ends)[2] = ends_of.data, *restrict starts = starts_of.data, *restrict springs = springs_of.data;
    const double *restrict length = lengths.data, *restrict sign = signs.data;
    double step = argument_real("step"), stiffness = argument_real("stiffness");

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp for
        for (int64_t s = 0; s < count; s++) {
            int a = ends[s][0], b = ends[s][1];
            double dx = x[b] - x[a], dy = y[b] - y[a], dz = z[b] - z[a], now = sqrt(dx * dx + dy * dy + dz * dz);
            double force = stiffness * (now - length[s]) / now;
            px[s] = force * dx;
            py[s] = force * dy;
            pz[s] = force * dz;
        }
#pragma omp for
        for (int64_t i = 0; i < points; i++) {
            double fx = 0, fy = 0, fz = 0;
            for (int n = starts[i]; n < starts[i + 1]; n++) {
                int s = springs[n];
                fx += sign[n] * px[s];
                fy += sign[n] * py[s];
                fz += sign[n] * pz[s];
            }
            x[i] += step * (vx[i] += step * fx);
            y[i] += step * (vy[i] += step * fy);
            z[i] += step * (vz[i] += step * fz);
        }
    }
    timing_print("Springs", begin);
    array_store("x_end", xs);
    array_store("y_end", ys);
    array_store("z_end", zs);
    return 0;
}
