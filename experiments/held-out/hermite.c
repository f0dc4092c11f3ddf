/* Gravity by Hermite's scheme of fourth order: accelerations and their derivatives. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double mass, at[3], speed[3]; } Body;
typedef struct { double a[3], j[3]; } Pull;
#define BODY "[('mass', '<f8'), ('at', '<f8', (3,)), ('speed', '<f8', (3,))]"

static void pull(Pull *now, const Body *guess, int64_t n, double eps) {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0, jx = 0, jy = 0, jz = 0;
        for (int64_t j = 0; j < n; j++) {
            double dx = guess[j].at[0] - guess[i].at[0], dy = guess[j].at[1] - guess[i].at[1], dz = guess[j].at[2] - guess[i].at[2];
            double vx = guess[j].speed[0] - guess[i].speed[0], vy = guess[j].speed[1] - guess[i].speed[1], vz = guess[j].speed[2] - guess[i].speed[2];
            double square = dx * dx + dy * dy + dz * dz + eps * eps, along = 3 * (dx * vx + dy * vy + dz * vz) / square, m = guess[j].mass / (square * sqrt(square));
            ax += m * dx, ay += m * dy, az += m * dz;
            jx += m * (vx - along * dx), jy += m * (vy - along * dy), jz += m * (vz - along * dz);
        }
        now[i] = (Pull){{ax, ay, az}, {jx, jy, jz}};
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bodies dt eps steps k result");
    Array bodiess = array_load_records("bodies", sizeof(Body), BODY);
    int64_t n = bodiess.count, steps = argument_integer("steps");
    double dt = argument_real("dt"), eps = argument_real("eps");
    Body *bodies = bodiess.data, *guess = memory_new(sizeof(Body) * n);
    Pull *old = memory_new(sizeof(Pull) * n), *now = memory_new(sizeof(Pull) * n);
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) guess[i] = bodies[i];
    pull(now, guess, n, eps);
    for (int64_t step = 0; step < steps; step++) {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            old[i] = now[i];
            for (int c = 0; c < 3; c++) {
                guess[i].at[c] = bodies[i].at[c] + dt * (bodies[i].speed[c] + dt / 2 * (old[i].a[c] + dt / 3 * old[i].j[c]));
                guess[i].speed[c] = bodies[i].speed[c] + dt * (old[i].a[c] + dt / 2 * old[i].j[c]);
            }
        }
        pull(now, guess, n, eps);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) {
                double speed = bodies[i].speed[c];
                bodies[i].speed[c] = speed + dt / 2 * (old[i].a[c] + now[i].a[c]) + dt * dt / 12 * (old[i].j[c] - now[i].j[c]);
                bodies[i].at[c] += dt / 2 * (speed + bodies[i].speed[c]) + dt * dt / 12 * (old[i].a[c] - now[i].a[c]);
            }
    }
    }
    timing_print("Hermite", begin);
    array_store("result", bodiess);
    return 0;
}
