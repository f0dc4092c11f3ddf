/* The electric potential of charged atoms on the points of a lattice, without what lies farther away than a cutoff. */
#include <math.h>
#include "../reference/common.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z charge first points spacing cutoff p potential");
    Array xs = array_load("x", "<f4", 1), ys = array_load("y", "<f4", 1), zs = array_load("z", "<f4", 1);
    Array charges = array_load("charge", "<f4", 1), firsts = array_load("first", "<i4", 1);
    const float *restrict x = xs.data, *restrict y = ys.data, *restrict z = zs.data, *restrict charge = charges.data;
    const int *first = firsts.data;
    int64_t points = argument_integer("points");
    float spacing = argument_real("spacing"), cutoff = argument_real("cutoff"), limit = cutoff * cutoff;
    int64_t boxes = (int64_t)((points - 1) * spacing / cutoff) + 1;
    Array potentials = array_new("<f4", 3, (int64_t[]){points, points, points, 1});
    float *restrict potential = potentials.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < points; i++)
        for (int64_t j = 0; j < points; j++)
            for (int64_t k = 0; k < points; k++) {
                float px = i * spacing, py = j * spacing, pz = k * spacing, sum = 0;
                int64_t bx = px / cutoff, by = py / cutoff, bz = pz / cutoff;
                for (int64_t cx = most(bx - 1, 0); cx <= least(bx + 1, boxes - 1); cx++)
                    for (int64_t cy = most(by - 1, 0); cy <= least(by + 1, boxes - 1); cy++) {
                        int64_t row = (cx * boxes + cy) * boxes;
                        int end = first[row + least(bz + 1, boxes - 1) + 1];
                        for (int a = first[row + most(bz - 1, 0)]; a < end; a++) {
                            float dx = x[a] - px, dy = y[a] - py, dz = z[a] - pz, r2 = dx * dx + dy * dy + dz * dz;
                            if (r2 < limit) {
                                float s = 1 - r2 / limit;
                                sum += charge[a] * s * s / sqrtf(r2);
                            }
                        }
                    }
                potential[(i * points + j) * points + k] = sum;
            }
    timing_print("Cutoff Potential", begin);
    array_store("potential", potentials);
    return 0;
}
