/* Gravity between all pairs of bodies, leapfrog integrator: each thread has a share of the bodies. Some of them are pulled
 * at the same time, with their coordinates in arrays of their own, so that the C compiler makes vector instructions. */
#include <math.h>
#include <stdlib.h>
#include "common.h"
#include "threads.h"

typedef struct Vector {
    double x, y, z;
} Vector;

typedef struct Body {
    Vector place, velocity;
    double mass;
} Body;

enum { TOGETHER = 256 };

typedef struct Gravity {
    Body *bodies;
    Vector *pulls;
    int64_t count, steps;
    double time_step, softening;
    int threads;
    Barrier barrier;
} Gravity;

/* What pulls `many` (at most TOGETHER) bodies from `first` on. */
static void attract(const Gravity *g, int64_t first, int64_t many) {
    const Body *bodies = g->bodies;
    double hx[TOGETHER], hy[TOGETHER], hz[TOGETHER], x[TOGETHER] = {0}, y[TOGETHER] = {0}, z[TOGETHER] = {0};
    for (int64_t l = 0; l < many; l++) {
        hx[l] = bodies[first + l].place.x;
        hy[l] = bodies[first + l].place.y;
        hz[l] = bodies[first + l].place.z;
    }
    double softening = g->softening * g->softening;
    for (int64_t j = 0; j < g->count; j++) {
        const Body other = bodies[j];
        for (int64_t l = 0; l < many; l++) {
            double dx = other.place.x - hx[l], dy = other.place.y - hy[l], dz = other.place.z - hz[l];
            double square = dx * dx + dy * dy + dz * dz + softening;
            double weight = other.mass / (square * sqrt(square));
            x[l] += weight * dx;
            y[l] += weight * dy;
            z[l] += weight * dz;
        }
    }
    for (int64_t l = 0; l < many; l++) g->pulls[first + l] = (Vector){x[l], y[l], z[l]};
}

static void attract_share(const Gravity *g, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += TOGETHER) attract(g, i, end - i < TOGETHER ? end - i : TOGETHER);
}

static Vector along(Vector place, double scale, Vector way) {
    return (Vector){place.x + scale * way.x, place.y + scale * way.y, place.z + scale * way.z};
}

static void gravity(int rank, void *data) {
    Gravity *g = data;
    int64_t begin = share(0, g->count, rank, g->threads), end = share(0, g->count, rank + 1, g->threads);
    attract_share(g, begin, end);
    barrier_wait(&g->barrier);
    for (int64_t step = 0; step < g->steps; step++) {
        for (int64_t i = begin; i < end; i++) {
            g->bodies[i].velocity = along(g->bodies[i].velocity, 0.5 * g->time_step, g->pulls[i]);
            g->bodies[i].place = along(g->bodies[i].place, g->time_step, g->bodies[i].velocity);
        }
        barrier_wait(&g->barrier);
        attract_share(g, begin, end);
        barrier_wait(&g->barrier);
        for (int64_t i = begin; i < end; i++)
            g->bodies[i].velocity = along(g->bodies[i].velocity, 0.5 * g->time_step, g->pulls[i]);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bodies steps time_step softening k result");
    const char *vector = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]";
    Array bodies = array_load_records("bodies", sizeof(Body), "[('place', %s), ('velocity', %s), ('mass', '<f8')]", vector, vector);
    int threads = argument_threads();
    Gravity g = {.bodies = bodies.data, .pulls = memory_new((size_t)bodies.count * sizeof(Vector)), .count = bodies.count,
                 .steps = argument_any_integer("steps"), .time_step = argument_real("time_step"),
                 .softening = argument_real("softening"), .threads = threads, .barrier.threads = threads};

    double begin = clock_now();
    threads_run(threads, gravity, &g);
    timing_print("N-Body", begin);

    array_store("result", bodies);
    free(g.pulls);
    array_free(&bodies);
    return 0;
}
