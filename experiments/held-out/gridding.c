/* Samples are spread on a grid, in slabs of planes. */
#include "../reference/common.h"

#include <math.h>

typedef struct { float re, im, x, y, z, sdc; } Sample;
typedef struct { float re, im; } Cell;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "samples table size cutoff k re im density");
    Array sampless = array_load_records("samples", sizeof(Sample), "[('re', '<f4'), ('im', '<f4'), ('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('sdc', '<f4')]"), tables = array_load("table", "<f4", 1);
    const Sample *samples = sampless.data;
    const float *table = tables.data, cutoff = (float)argument_real("cutoff"), cutoff2 = cutoff * cutoff, scale = (float)(tables.extent[0] - 1) / cutoff2;
    const int64_t size = argument_integer("size"), slab = argument_integer("k");
    Array res = array_new("<f4", 3, (int64_t[]){size, size, size}), ims = array_new("<f4", 3, (int64_t[]){size, size, size}), densities = array_new("<f4", 3, (int64_t[]){size, size, size});
    float *re = res.data, *im = ims.data, *density = densities.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t first = 0; first < size; first += slab) {
        const int64_t last = smaller(first + slab, size) - 1;
        for (int64_t n = 0; n < sampless.extent[0]; n++) {
            const Sample s = samples[n];
            const int64_t from_x = larger((int64_t)ceilf(s.x - cutoff), 0), to_x = smaller((int64_t)floorf(s.x + cutoff), size - 1);
            const int64_t from_y = larger((int64_t)ceilf(s.y - cutoff), 0), to_y = smaller((int64_t)floorf(s.y + cutoff), size - 1);
            const int64_t from_z = larger((int64_t)ceilf(s.z - cutoff), first), to_z = smaller((int64_t)floorf(s.z + cutoff), last);
            for (int64_t z = from_z; z <= to_z; z++) {
                const float dz2 = (s.z - (float)z) * (s.z - (float)z);
                for (int64_t y = from_y; y <= to_y; y++) {
                    const float dy2dz2 = dz2 + (s.y - (float)y) * (s.y - (float)y);
                    for (int64_t x = from_x; x <= to_x && dy2dz2 < cutoff2; x++) {
                        const float d2 = dy2dz2 + (s.x - (float)x) * (s.x - (float)x);
                        if (d2 >= cutoff2) continue;
                        const float w = table[(int64_t)(d2 * scale)] * s.sdc;
                        const int64_t at = (z * size + y) * size + x;
                        re[at] += w * s.re;
                        im[at] += w * s.im;
                        density[at] += 1;
                    }
                }
            }
        }
    }
    timing_print("Gridding", begin);
    array_store("re", res);
    array_store("im", ims);
    array_store("density", densities);
    return 0;
}
