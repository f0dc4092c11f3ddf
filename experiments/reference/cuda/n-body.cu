/* Gravity between all pairs: a thread has a body, blocks read the others' places through shared memory; leapfrog steps of three kernels. */
#include "card.h"

typedef struct Vector { double x, y, z; } Vector;
typedef struct Body { Vector place, velocity; double mass; } Body;
typedef struct Other { double x, y, z, mass; } Other;
enum { THREADS = 128 };

static __global__ void attract(const Body *bodies, Vector *pulls, int64_t count, double soft) {
    __shared__ Other others[THREADS];
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const Vector place = bodies[i < count ? i : count - 1].place;
    Vector pull = {0, 0, 0};
    for (int64_t first = 0; first < count; first += THREADS) {
        const Body *mine = &bodies[first + threadIdx.x < count ? first + threadIdx.x : count - 1];
        const int here = (int)(count - first < THREADS ? count - first : THREADS);
        others[threadIdx.x] = {mine->place.x, mine->place.y, mine->place.z, mine->mass};
        __syncthreads();
        for (int j = 0; j < here; j++) {
            const double dx = others[j].x - place.x, dy = others[j].y - place.y, dz = others[j].z - place.z;
            const double inverse = rsqrt(dx * dx + dy * dy + dz * dz + soft), weight = others[j].mass * inverse * inverse * inverse;
            pull.x += weight * dx;
            pull.y += weight * dy;
            pull.z += weight * dz;
        }
        __syncthreads();
    }
    if (i < count) pulls[i] = pull;
}

static __device__ Vector along(Vector from, double scale, Vector way) { return {from.x + scale * way.x, from.y + scale * way.y, from.z + scale * way.z}; }

/* Half a kick, and the drift with the new velocity; without `drifts` the other half. */
static __global__ void move(Body *bodies, const Vector *pulls, int64_t count, double time_step, bool drifts) {
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    bodies[i].velocity = along(bodies[i].velocity, 0.5 * time_step, pulls[i]);
    if (drifts) bodies[i].place = along(bodies[i].place, time_step, bodies[i].velocity);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bodies steps time_step softening k result");
    const char *vector = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]";
    Array array = array_load_records("bodies", sizeof(Body), "[('place', %s), ('velocity', %s), ('mass', '<f8')]", vector, vector);
    const int64_t steps = argument_integer("steps");
    const double time_step = argument_real("time_step"), softening = argument_real("softening"), soft = softening * softening;
    Body *bodies = card_give<Body>(&array);
    Vector *pulls = card_new<Vector>(array.count);
    const unsigned blocks = card_blocks(array.count, THREADS);
    attract<<<blocks, THREADS>>>(bodies, pulls, array.count, soft);
    const double begin = card_clock();
    attract<<<blocks, THREADS>>>(bodies, pulls, array.count, soft);
    for (int64_t step = 0; step < steps; step++) {
        move<<<blocks, THREADS>>>(bodies, pulls, array.count, time_step, true);
        attract<<<blocks, THREADS>>>(bodies, pulls, array.count, soft);
        move<<<blocks, THREADS>>>(bodies, pulls, array.count, time_step, false);
    }
    card_clock();
    timing_print("n-body", begin);
    card_take(&array, bodies);
    array_store("result", array);
    return 0;
}
