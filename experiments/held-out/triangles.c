/* Rays against triangles (Möller and Trumbore): which triangle does each meet first, and how far away? */
#include <math.h>
#include "../reference/common.h"

typedef struct Vector {
    double x, y, z;
} Vector;
typedef struct Triangle {
    Vector corner[3];
} Triangle;

static inline Vector minus(Vector a, Vector b) { return (Vector){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vector cross(Vector a, Vector b) { return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "triangle rows columns k which way");
    Array triangles = array_load_records("triangle", sizeof(Triangle), "[('corner', [('x', '<f8'), ('y', '<f8'), ('z', '<f8')], (3,))]");
    int64_t rows = argument_integer("rows"), columns = argument_integer("columns");
    Array whiches = matrix_new("<i4", rows, columns), ways = matrix_new("<f8", rows, columns);
    const Triangle *triangle = triangles.data;
    int *which = whiches.data;
    double *way = ways.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            Vector eye = {0, 0, -3}, ray = {(double)j / columns - 0.5, (double)i / rows - 0.5, 1};
            int found = -1;
            double nearest = 1e300;
            for (int64_t t = 0; t < triangles.count; t++) {
                const Vector *corner = triangle[t].corner;
                Vector side = minus(corner[1], corner[0]), other = minus(corner[2], corner[0]), normal = cross(ray, other);
                double volume = dot(side, normal);
                if (fabs(volume) > 1e-12) {
                    Vector from = minus(eye, corner[0]), across = cross(from, side);
                    double u = dot(from, normal) / volume, v = dot(ray, across) / volume, far = dot(other, across) / volume;
                    if (u >= 0 && v >= 0 && u + v <= 1 && far > 0 && far < nearest) {
                        nearest = far;
                        found = t;
                    }
                }
            }
            which[i * columns + j] = found;
            way[i * columns + j] = nearest;
        }
    timing_print("Triangles", begin);
    array_store("which", whiches);
    array_store("way", ways);
    return 0;
}
