/* The potential of charges in a periodic cube by Ewald's method: near charges directly, all others by waves. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z charge kx ky kz side alpha longest k l potential");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1), charges = array_load("charge", "<f8", 1);
    Array kxs = array_load("kx", "<i4", 1), kys = array_load("ky", "<i4", 1), kzs = array_load("kz", "<i4", 1);
    const double *x = xs.data, *y = ys.data, *z = zs.data, *charge = charges.data;
    const int *kx = kxs.data, *ky = kys.data, *kz = kzs.data;
    int64_t count = xs.count, waves = kxs.count, longest = argument_integer("longest");
    Array potentials = vector_new("<f8", count), res = vector_new("<f8", waves), ims = vector_new("<f8", waves);
    double *potential = potentials.data, *re = res.data, *im = ims.data;
    double side = argument_real("side"), alpha = argument_real("alpha"), half = 0.5 * side, limit = half * half, wave = 2 * M_PI / side;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t m = 0; m < waves; m++) {
            double c = 0, s = 0;
            for (int64_t j = 0; j < count; j++) {
                double phase = wave * (kx[m] * x[j] + ky[m] * y[j] + kz[m] * z[j]);
                c += charge[j] * cos(phase);
                s += charge[j] * sin(phase);
            }
            re[m] = c;
            im[m] = s;
        }
#pragma omp for
        for (int64_t i = 0; i < count; i++) {
            double far = 0, near = 0;
            for (int64_t m = 0; m < waves; m++) {
                int64_t square = kx[m] * kx[m] + ky[m] * ky[m] + kz[m] * kz[m];
                if (square <= longest * longest) {
                    double k2 = wave * wave * square, phase = wave * (kx[m] * x[i] + ky[m] * y[i] + kz[m] * z[i]);
                    far += exp(-k2 / (4 * alpha * alpha)) / k2 * (re[m] * cos(phase) + im[m] * sin(phase));
                }
            }
            for (int64_t j = 0; j < count; j++) {
                double dx = fabs(x[i] - x[j]), dy = fabs(y[i] - y[j]), dz = fabs(z[i] - z[j]);
                if (dx > half) dx = side - dx;
                if (dy > half) dy = side - dy;
                if (dz > half) dz = side - dz;
                double r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < limit && j != i) {
                    double r = sqrt(r2);
                    near += charge[j] * erfc(alpha * r) / r;
                }
            }
            potential[i] = near + 4 * M_PI / (side * side * side) * far - 2 * alpha / sqrt(M_PI) * charge[i];
        }
    }
    timing_print("Ewald", begin);
    array_store("potential", potentials);
    return 0;
}
