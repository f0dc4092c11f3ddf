/* How galaxies cluster: pairs of them by their distance, plain and weighted. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

typedef struct Galaxy {
    double x, y, z, weight;
} Galaxy;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "galaxy bins farthest k count weight near");
    Array galaxies = array_load_records("galaxy", sizeof(Galaxy), "[('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('weight', '<f8')]");
    int64_t n = galaxies.count, bins = argument_integer("bins");
    Array counts = vector_new("<i8", bins), weights = vector_new("<f8", bins), nears = vector_new("<i4", n);
    const Galaxy *restrict galaxy = galaxies.data;
    int64_t *count = counts.data;
    double *weight = weights.data, farthest = argument_real("farthest"), scale = bins / farthest;
    int *near = nears.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        int64_t *restrict mine = calloc(bins, sizeof *mine);
        double *restrict my_weight = calloc(bins, sizeof *my_weight);
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++) {
            Galaxy here = galaxy[i];
            int found = 0;
            for (int64_t j = i + 1; j < n; j++) {
                double dx = galaxy[j].x - here.x, dy = galaxy[j].y - here.y, dz = galaxy[j].z - here.z, square = dx * dx + dy * dy + dz * dz;
                if (square < farthest * farthest) {
                    int bin = sqrt(square) * scale;
                    mine[bin]++;
                    my_weight[bin] += here.weight * galaxy[j].weight;
                    found++;
                }
            }
            near[i] = found;
        }
#pragma omp critical
        for (int64_t b = 0; b < bins; b++) {
            count[b] += mine[b];
            weight[b] += my_weight[b];
        }
        free(mine);
        free(my_weight);
    }
    timing_print("Pair Counts", begin);
    array_store("count", counts);
    array_store("weight", weights);
    array_store("near", nears);
    return 0;
}
