/* The shallow water equations by the Lax-Friedrichs method: height and momenta of water in a basin with walls. */
#include <string.h>
#include "../reference/common.h"

static inline double pressed(double momentum, double height) { return momentum * momentum / height + 4.905 * height * height; }
static inline double carried(double one, double other, double height) { return one * other / height; }

static Array twin(Array array) {
    Array other = array_new("<f8", 2, array.extent);
    memcpy(other.data, array.data, (size_t)array.count * array.size);
    return other;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "height across down rounds step k height_end across_end down_end");
    Array hs[2], us[2], vs[2];
    hs[0] = array_load("height", "<f8", 2), us[0] = array_load("across", "<f8", 2), vs[0] = array_load("down", "<f8", 2);
    hs[1] = twin(hs[0]), us[1] = twin(us[0]), vs[1] = twin(vs[0]);
    int64_t n = hs[0].extent[0], m = hs[0].extent[1], rounds = argument_integer("rounds");
    double step = argument_real("step"), begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t round = 0; round < rounds; round++) {
        const double *restrict h = hs[round % 2].data, *restrict u = us[round % 2].data, *restrict v = vs[round % 2].data;
        double *restrict h2 = hs[(round + 1) % 2].data, *restrict u2 = us[(round + 1) % 2].data, *restrict v2 = vs[(round + 1) % 2].data;
#pragma omp for
        for (int64_t i = 1; i < n - 1; i++) {
#pragma omp simd
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j, a = at - m, b = at + m, l = at - 1, r = at + 1;
                h2[at] = 0.25 * (h[a] + h[b] + h[l] + h[r]) - step * (u[r] - u[l] + v[b] - v[a]);
                u2[at] = 0.25 * (u[a] + u[b] + u[l] + u[r]) -
                    step * (pressed(u[r], h[r]) - pressed(u[l], h[l]) + carried(u[b], v[b], h[b]) - carried(u[a], v[a], h[a]));
                v2[at] = 0.25 * (v[a] + v[b] + v[l] + v[r]) -
                    step * (carried(u[r], v[r], h[r]) - carried(u[l], v[l], h[l]) + pressed(v[b], h[b]) - pressed(v[a], h[a]));
            }
            int64_t l = i * m, r = l + m - 1;
            h2[l] = h2[l + 1], u2[l] = -u2[l + 1], v2[l] = v2[l + 1];
            h2[r] = h2[r - 1], u2[r] = -u2[r - 1], v2[r] = v2[r - 1];
        }
#pragma omp for
        for (int64_t j = 0; j < m; j++) {
            int64_t b = (n - 1) * m + j;
            h2[j] = h2[j + m], u2[j] = u2[j + m], v2[j] = -v2[j + m];
            h2[b] = h2[b - m], u2[b] = u2[b - m], v2[b] = -v2[b - m];
        }
    }
    timing_print("Shallow Water", begin);
    array_store("height_end", hs[rounds % 2]);
    array_store("across_end", us[rounds % 2]);
    array_store("down_end", vs[rounds % 2]);
    return 0;
}
