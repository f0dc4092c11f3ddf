/* Which sphere each ray meets first, and how bright it is there. Sums are not fused, as in HP5: which sphere comes first may depend on the last bit. */
#pragma GCC optimize("fp-contract=off")
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z radius rows columns k which light");
    Array xx = array_load("x", "<f4", 1), yy = array_load("y", "<f4", 1), zz = array_load("z", "<f4", 1), rr = array_load("radius", "<f4", 1);
    int64_t m = xx.extent[0], rows = argument_integer("rows"), columns = argument_integer("columns");
    const float *restrict x = xx.data, *restrict y = yy.data, *restrict z = zz.data, *restrict radius = rr.data;
    Array ww = matrix_new("<i4", rows, columns), ll = matrix_new("<f4", rows, columns);
    int *restrict which = ww.data;
    float *restrict light = ll.data;
    double begin = clock_now();
#pragma omp parallel for schedule(dynamic, 8) num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float dx = (float)j / columns - 0.5f, dy = (float)i / rows - 0.5f, scale = 1 / sqrtf(dx * dx + dy * dy + 1);
            dx *= scale;
            dy *= scale;
            float nearest = 1e30f;
            int found = -1;
            for (int s = 0; s < m; s++) {
                float along = x[s] * dx + y[s] * dy + z[s] * scale, square = x[s] * x[s] + y[s] * y[s] + z[s] * z[s];
                float inside = along * along - square + radius[s] * radius[s];
                if (inside > 0) {
                    float way = along - sqrtf(inside);
                    if (way > 0 && way < nearest) {
                        nearest = way;
                        found = s;
                    }
                }
            }
            which[i * columns + j] = found;
            float bright = 0;
            if (found >= 0) {
                float nx = (dx * nearest - x[found]) / radius[found], ny = (dy * nearest - y[found]) / radius[found],
                      nz = (scale * nearest - z[found]) / radius[found];
                bright = fmaxf(-0.6f * nx - 0.64f * ny - 0.48f * nz, 0);
            }
            light[i * columns + j] = bright;
        }
    timing_print("Spheres", begin);
    array_store("which", ww);
    array_store("light", ll);
    return 0;
}
