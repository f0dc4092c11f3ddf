/* Rigid bodies that spin freely: orientations (quaternions) turn by what their momenta say, several small steps. */
#include <math.h>
#include "../reference/common.h"

typedef struct Vector {
    double x, y, z;
} Vector;
typedef struct Quaternion {
    double w, x, y, z;
} Quaternion;
typedef struct Body {
    Quaternion turn;
    Vector momentum, inertia;
} Body;

static inline Quaternion times(Quaternion a, Quaternion b) {
    return (Quaternion){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start steps h k end");
    const char vector[] = "[('x', '<f8'), ('y', '<f8'), ('z', '<f8')]";
    Array bodies = array_load_records("start", sizeof(Body), "[('turn', [('w', '<f8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8')]), ('momentum', %s), ('inertia', %s)]", vector, vector);
    Body *body = bodies.data;
    int64_t steps = argument_integer("steps");
    double h = argument_real("h");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t b = 0; b < bodies.count; b++) {
        Quaternion q = body[b].turn;
        Vector inertia = body[b].inertia;
        for (int64_t s = 0; s < steps; s++) {
            Quaternion back = {q.w, -q.x, -q.y, -q.z}, m = {0, body[b].momentum.x, body[b].momentum.y, body[b].momentum.z};
            Quaternion local = times(times(back, m), q);
            local.x /= inertia.x, local.y /= inertia.y, local.z /= inertia.z;
            Quaternion change = times(q, local);
            q.w += 0.5 * h * change.w, q.x += 0.5 * h * change.x, q.y += 0.5 * h * change.y, q.z += 0.5 * h * change.z;
            double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
            q.w /= size, q.x /= size, q.y /= size, q.z /= size;
        }
        body[b].turn = q;
    }
    timing_print("Bodies", begin);
    array_store("end", bodies);
    return 0;
}
