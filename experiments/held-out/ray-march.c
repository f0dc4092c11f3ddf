/* Sphere tracing of a scene of signed distances. */
#include <math.h>
#include "../reference/common.h"

typedef struct Vector {
    double x, y, z;
} Vector;
typedef struct Ball {
    Vector centre;
    double radius;
} Ball;

static inline Vector add(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vector scale(double s, Vector a) { return (Vector){s * a.x, s * a.y, s * a.z}; }
static inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vector unit(Vector a) { return scale(1 / sqrt(dot(a, a)), a); }
static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }
static inline double smooth_min(double a, double b, double width) {
    double h = most(width - fabs(a - b), 0) / width;
    return least(a, b) - 0.25 * h * h * width;
}

static inline double distance(Vector p, const Ball *ball) {
    double ring = sqrt(p.x * p.x + p.z * p.z) - 2.5, d = least(p.y, sqrt(ring * ring + (p.y - 0.5) * (p.y - 0.5)) - 0.25), balls = 1e9;
    for (int b = 0; b < 6; b++) {
        Vector off = add(p, scale(-1, ball[b].centre));
        balls = smooth_min(balls, sqrt(dot(off, off)) - ball[b].radius, 0.4);
    }
    return least(d, balls);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "ball rows columns k light depth");
    Array balls = array_load_records("ball", sizeof(Ball), "[('centre', [('x', '<f8'), ('y', '<f8'), ('z', '<f8')]), ('radius', '<f8')]");
    int rows = argument_integer("rows"), columns = argument_integer("columns");
    Array lights = matrix_new("<f8", rows, columns), depths = matrix_new("<f8", rows, columns);
    const Ball *ball = balls.data;
    double *light = lights.data, *depth = depths.data;
    int64_t missed = 0;

    double begin = clock_now();
    Vector eye = {0, 1.5, -5}, sun = unit((Vector){0.6, 0.8, -0.5});
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic) reduction(+ : missed)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            Vector way = unit((Vector){(j - 0.5 * columns) / rows, (0.5 * rows - i) / rows, 1});
            double t = 0, d;
            int steps = 0;
            do {
                d = distance(add(eye, scale(t, way)), ball);
                t += d;
                steps++;
            } while (d > 1e-4 && t < 40 && steps < 128);
            depth[(int64_t)i * columns + j] = t;
            if (t >= 40) {
                missed++;
                continue;
            }
            Vector p = add(eye, scale(t, way));
            double h = 1e-3;
            Vector normal = unit((Vector){distance((Vector){p.x + h, p.y, p.z}, ball) - distance((Vector){p.x - h, p.y, p.z}, ball),
                distance((Vector){p.x, p.y + h, p.z}, ball) - distance((Vector){p.x, p.y - h, p.z}, ball),
                distance((Vector){p.x, p.y, p.z + h}, ball) - distance((Vector){p.x, p.y, p.z - h}, ball)});
            double shadow = 1, s = 0.05;
            int round = 0;
            do {
                d = distance(add(p, scale(s, sun)), ball);
                shadow = least(shadow, 8 * d / s);
                s += most(d, 0.02);
                round++;
            } while (shadow > 0.001 && s < 10 && round < 64);
            light[(int64_t)i * columns + j] = 0.1 + 0.9 * most(dot(normal, sun), 0) * most(shadow, 0);
        }
    timing_print("March", begin);
    printf("missed %lld\n", (long long)missed);
    array_store("light", lights);
    array_store("depth", depths);
    return 0;
}
