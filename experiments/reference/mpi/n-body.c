/* Gravity between all pairs of bodies with MPI, leapfrog integrator: each process moves a share of the bodies, and all tell each other
 * where theirs are. Some bodies are pulled at the same time, with their coordinates in arrays of their own, so that the C
 * compiler makes vector instructions.
 *
 *     n-body bodies=FILE result=FILE steps=N time_step=R softening=R [--task-times]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "processes.h"

typedef struct Vector {
    double x, y, z;
} Vector;

typedef struct Body {
    Vector place, velocity;
    double mass;
} Body;

enum { TOGETHER = 256 };

typedef struct Gravity {
    Processes processes;
    Body *bodies;           /* everybody's, of which the own ones are up to date */
    Vector *places, *pulls; /* everybody's places */
    int64_t count, begin, end;
    int *counts, *starts;   /* in Reals, for MPI */
    double time_step, softening;
} Gravity;

/* What pulls `many` (at most TOGETHER) bodies from `first` on. */
static void attract(const Gravity *g, int64_t first, int64_t many) {
    double hx[TOGETHER], hy[TOGETHER], hz[TOGETHER], x[TOGETHER] = {0}, y[TOGETHER] = {0}, z[TOGETHER] = {0};
    for (int64_t l = 0; l < many; l++) {
        hx[l] = g->places[first + l].x;
        hy[l] = g->places[first + l].y;
        hz[l] = g->places[first + l].z;
    }
    double softening = g->softening * g->softening;
    for (int64_t j = 0; j < g->count; j++) {
        const Vector other = g->places[j];
        const double mass = g->bodies[j].mass;
        for (int64_t l = 0; l < many; l++) {
            double dx = other.x - hx[l], dy = other.y - hy[l], dz = other.z - hz[l];
            double square = dx * dx + dy * dy + dz * dz + softening;
            double weight = mass / (square * sqrt(square));
            x[l] += weight * dx;
            y[l] += weight * dy;
            z[l] += weight * dz;
        }
    }
    for (int64_t l = 0; l < many; l++) g->pulls[first + l] = (Vector){x[l], y[l], z[l]};
}

static void attract_own(const Gravity *g) {
    for (int64_t i = g->begin; i < g->end; i += TOGETHER) attract(g, i, g->end - i < TOGETHER ? g->end - i : TOGETHER);
}

static Vector along(Vector place, double scale, Vector way) {
    return (Vector){place.x + scale * way.x, place.y + scale * way.y, place.z + scale * way.z};
}

static void step(const Gravity *g) {
    for (int64_t i = g->begin; i < g->end; i++) {
        g->bodies[i].velocity = along(g->bodies[i].velocity, 0.5 * g->time_step, g->pulls[i]);
        g->places[i] = along(g->places[i], g->time_step, g->bodies[i].velocity);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, g->places, g->counts, g->starts, MPI_DOUBLE, MPI_COMM_WORLD);
    attract_own(g);
    for (int64_t i = g->begin; i < g->end; i++) g->bodies[i].velocity = along(g->bodies[i].velocity, 0.5 * g->time_step, g->pulls[i]);
}

/* The first process gets all of them. */
static void gather(Gravity *g) {
    enum { REALS = sizeof(Body) / sizeof(double) };
    for (int64_t i = g->begin; i < g->end; i++) g->bodies[i].place = g->places[i];
    for (int p = 0; p < g->processes.count; p++) g->counts[p] = g->counts[p] / 3 * REALS, g->starts[p] = g->starts[p] / 3 * REALS;
    bool root = g->processes.rank == 0;
    MPI_Gatherv(root ? MPI_IN_PLACE : (void *)(g->bodies + g->begin), g->counts[g->processes.rank], MPI_DOUBLE, g->bodies, g->counts, g->starts, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    Processes processes = processes_begin(argc, argv, "bodies steps time_step softening k result");
    const char *vector = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]";
    Array bodies = array_load_records("bodies", sizeof(Body), "[('place', %s), ('velocity', %s), ('mass', '<f8')]", vector, vector);
    Gravity g = {.processes = processes, .bodies = bodies.data, .count = bodies.count, .begin = share(bodies.count, processes.rank, processes.count),
                 .end = share(bodies.count, processes.rank + 1, processes.count), .places = memory_new((size_t)bodies.count * sizeof(Vector)),
                 .pulls = memory_new((size_t)bodies.count * sizeof(Vector)), .counts = calloc((size_t)processes.count * 2, sizeof *g.counts),
                 .time_step = argument_real("time_step"), .softening = argument_real("softening")};
    g.starts = g.counts + processes.count;
    for (int p = 0; p < processes.count; p++) {
        g.starts[p] = (int)(3 * share(bodies.count, p, processes.count));
        g.counts[p] = (int)(3 * share(bodies.count, p + 1, processes.count)) - g.starts[p];
    }
    for (int64_t i = 0; i < g.count; i++) g.places[i] = g.bodies[i].place;
    int64_t steps = argument_any_integer("steps");

    double begin = clock_together();
    attract_own(&g);
    for (int64_t i = 0; i < steps; i++) step(&g);
    timing_print_together(processes, "N-Body", begin);

    gather(&g);
    if (processes.rank == 0) array_store("result", bodies);
    array_free(&bodies);
    free(g.places);
    free(g.pulls);
    free(g.counts);
    MPI_Finalize();
    return 0;
}
