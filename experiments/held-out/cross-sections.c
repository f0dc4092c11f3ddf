/* Cross sections of materials at random energies: each lookup searches the grids of a material's nuclides and adds them up. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double energy, section[5]; } Point;
#define POINT "[('energy', '<f8'), ('total', '<f8'), ('elastic', '<f8'), ('absorbed', '<f8'), ('fission', '<f8'), ('released', '<f8')]"

static inline double next_random(uint32_t *seed) {
    *seed = 1664525u * *seed + 1013904223u;
    return *seed / 4294967296.0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "grid starts nuclides densities lookups k sections");
    Array grids = array_load_record_matrix("grid", sizeof(Point), POINT), startss = array_load("starts", "<i8", 1);
    Array nuclidess = array_load("nuclides", "<i8", 1), densitiess = array_load("densities", "<f8", 1);
    int64_t points = grids.extent[1], materials = startss.count - 1, lookups = argument_integer("lookups");
    const Point *grid = grids.data;
    const int64_t *starts = startss.data, *nuclides = nuclidess.data;
    const double *densities = densitiess.data;
    Array sectionss = matrix_new("<f8", lookups, 5);
    double *sections = sectionss.data, largest = -INFINITY;
    long long hash = 0, highest = 0;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        double best = -INFINITY;
        int64_t where = 0;
#pragma omp for schedule(static) reduction(+ : hash)
        for (int64_t i = 0; i < lookups; i++) {
            uint32_t seed = (uint32_t)(i * 2654435761u + 12345);
            double energy = next_random(&seed), x[5] = {0};
            int64_t material = (int64_t)(next_random(&seed) * materials);
            for (int64_t q = starts[material]; q < starts[material + 1]; q++) {
                const Point *nuclide = grid + nuclides[q] * points;
                int64_t low = 0, length = points - 1;
                do {
                    int64_t half = length / 2;
                    if (nuclide[low + half].energy <= energy) low += half;
                    length -= half;
                } while (length > 1);
                const Point *a = nuclide + low, *b = a + 1;
                double f = (b->energy - energy) / (b->energy - a->energy);
                for (int c = 0; c < 5; c++) x[c] += densities[q] * (b->section[c] - f * (b->section[c] - a->section[c]));
            }
            for (int c = 0; c < 5; c++) sections[5 * i + c] = x[c];
            int most = x[1] > x[0] ? 1 : 0;
            if (x[2] > fmax(x[0], x[1])) most = 2;
            hash += most + 1;
            if (x[0] > best) best = x[0], where = i;
        }
#pragma omp critical
        if (best > largest || (best == largest && where < highest)) largest = best, highest = where;
    }
    timing_print("Lookup", begin);
    printf("hash %lld highest %lld\n", hash, highest);
    array_store("sections", sectionss);
    return 0;
}
