/* Stars under each other's softened gravity, in single precision: leapfrog. */
#include <math.h>
#include "../reference/common.h"

typedef struct { float x, y, z; } Vector;
#define VECTOR "[('x', '<f4'), ('y', '<f4'), ('z', '<f4')]"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "position velocity mass rounds step softening k place speed energy");
    Array positions = array_load_records("position", sizeof(Vector), VECTOR), velocities = array_load_records("velocity", sizeof(Vector), VECTOR), masss = array_load("mass", "<f4", 1);
    int n = positions.count, rounds = argument_integer("rounds");
    float step = argument_real("step"), softening = argument_real("softening"), soft = softening * softening;
    Vector *position = positions.data, *velocity = velocities.data;
    const float *restrict mass = masss.data;
    Array energies = vector_new("<f4", n);
    float *energy = energies.data;
    float *restrict x = memory_new(4 * n), *restrict y = memory_new(4 * n), *restrict z = memory_new(4 * n);
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
    for (int t = 0; t <= rounds; t++) {
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            if (t > 0) position[i] = (Vector){position[i].x + step * velocity[i].x, position[i].y + step * velocity[i].y, position[i].z + step * velocity[i].z};
            x[i] = position[i].x, y[i] = position[i].y, z[i] = position[i].z;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; i++) {
            float sx = 0, sy = 0, sz = 0;
#pragma omp simd reduction(+ : sx, sy, sz)
            for (int j = 0; j < n; j++) {
                float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], square = dx * dx + dy * dy + dz * dz + soft;
                float f = mass[j] / (square * sqrtf(square));
                sx += f * dx, sy += f * dy, sz += f * dz;
            }
            float half = t == 0 || t == rounds ? 0.5f * step : step;
            velocity[i].x += half * sx, velocity[i].y += half * sy, velocity[i].z += half * sz;
        }
    }
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
        float potential = 0;
#pragma omp simd reduction(+ : potential)
        for (int j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], part = mass[j] / sqrtf(dx * dx + dy * dy + dz * dz + soft);
            potential += j == i ? 0 : part;
        }
        Vector v = velocity[i];
        energy[i] = mass[i] * (0.5f * (v.x * v.x + v.y * v.y + v.z * v.z) - 0.5f * potential);
    }
    }
    timing_print("Stars", begin);
    array_store("place", positions);
    array_store("speed", velocities);
    array_store("energy", energies);
    return 0;
}
