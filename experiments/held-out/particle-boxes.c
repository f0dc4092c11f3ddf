/* Forces between the particles of a box and those of the boxes beside it. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double v, x, y, z, q; } Particle;
typedef struct { double v, x, y, z; } Force;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "particles neighbours alpha k forces");
    Array particless = array_load_record_matrix("particles", sizeof(Particle), "[('v', '<f8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('q', '<f8')]");
    Array neighbourss = array_load("neighbours", "<i4", 2);
    int64_t boxes = particless.extent[0], n = particless.extent[1], beside = neighbourss.extent[1];
    double alpha = argument_real("alpha"), a2 = 2 * alpha * alpha;
    const Particle *particles = particless.data;
    const int *neighbours = neighbourss.data;
    Array forcess = {.dimensions = 2, .extent = {boxes, n, 1, 1}, .count = boxes * n, .size = sizeof(Force),
        .type = "[('v', '<f8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8')]", .data = memory_new(sizeof(Force) * boxes * n)};
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t b = 0; b < boxes; b++) {
        const Particle *restrict own = particles + b * n;
        Force *restrict forces = (Force *)forcess.data + b * n;
        for (int64_t e = 0; e < beside; e++) {
            int64_t other = neighbours[b * beside + e];
            if (other < 0) continue;
            const Particle *restrict with = particles + other * n;
            for (int64_t i = 0; i < n; i++) {
                Particle here = own[i];
                Force sum = forces[i];
                for (int64_t j = 0; j < n; j++) {
                    double square = here.v + with[j].v - (here.x * with[j].x + here.y * with[j].y + here.z * with[j].z), part = exp(-(a2 * square)), f = 2 * part;
                    sum.v += with[j].q * part;
                    sum.x += with[j].q * (f * (here.x - with[j].x));
                    sum.y += with[j].q * (f * (here.y - with[j].y));
                    sum.z += with[j].q * (f * (here.z - with[j].z));
                }
                forces[i] = sum;
            }
        }
    }
    timing_print("Boxes", begin);
    array_store("forces", forcess);
    return 0;
}
