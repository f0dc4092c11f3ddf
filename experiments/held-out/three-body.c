/* Many planar problems of three bodies, by a Runge-Kutta method of fourth order, and how near two bodies come in each. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double at[3][2], speed[3][2]; } State;
#define STATE "[('at', '<f8', (3, 2)), ('speed', '<f8', (3, 2))]"

static inline State change(State s, const double *mass) {
    State r = {0};
    for (int a = 0; a < 3; a++) {
        for (int c = 0; c < 2; c++) r.at[a][c] = s.speed[a][c];
        for (int b = 0; b < 3; b++)
            if (b != a) {
                double dx = s.at[b][0] - s.at[a][0], dy = s.at[b][1] - s.at[a][1], square = dx * dx + dy * dy + 1e-3, f = mass[b] / (square * sqrt(square));
                r.speed[a][0] += f * dx;
                r.speed[a][1] += f * dy;
            }
    }
    return r;
}

static inline State moved(State s, State d, double h) {
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 2; c++) {
            s.at[a][c] += h * d.at[a][c];
            s.speed[a][c] += h * d.speed[a][c];
        }
    return s;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "states masses dt steps k result nearest");
    Array statess = array_load_records("states", sizeof(State), STATE), massess = array_load_records("masses", 3 * sizeof(double), "[('at', '<f8', (3,))]");
    int64_t n = statess.count, steps = argument_integer("steps");
    double dt = argument_real("dt");
    Array nearests = vector_new("<f8", n);
    State *states = statess.data;
    const double *masses = massess.data;
    double *nearest = nearests.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        State s = states[i];
        const double *mass = masses + 3 * i;
        double least = 1e30;
        for (int64_t t = 0; t < steps; t++) {
            State k1 = change(s, mass), k2 = change(moved(s, k1, 0.5 * dt), mass), k3 = change(moved(s, k2, 0.5 * dt), mass), k4 = change(moved(s, k3, dt), mass);
            s = moved(moved(moved(moved(s, k1, dt / 6), k2, dt / 3), k3, dt / 3), k4, dt / 6);
            for (int a = 0; a < 3; a++) {
                int other = (a + 1) % 3;
                double way = hypot(s.at[a][0] - s.at[other][0], s.at[a][1] - s.at[other][1]);
                if (way < least) least = way;
            }
        }
        states[i] = s;
        nearest[i] = least;
    }
    timing_print("ThreeBodies", begin);
    array_store("result", statess);
    array_store("nearest", nearests);
    return 0;
}
