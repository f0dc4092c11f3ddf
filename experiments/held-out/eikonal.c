/* First arrivals of a wave in a rock with cavities: the eikonal equation on a cubic grid, all points at a time. */
#include <math.h>
#include "../reference/common.h"

static inline float least(float a, float b) { return a < b ? a : b; }
static inline float most(float a, float b) { return a > b ? a : b; }

static inline float arrival(float a, float b, float c, float f) {
    float first = least(a, least(b, c)), third = most(a, most(b, c)), second = most(least(a, b), least(most(a, b), c));
    float one = first + f;
    if (one <= second) return one;
    float two = 0.5f * (first + second + sqrtf(2 * f * f - (second - first) * (second - first)));
    if (two <= third) return two;
    float sum = first + second + third;
    return (sum + sqrtf(sum * sum - 3 * (first * first + second * second + third * third - f * f))) / 3;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "slowness cavity x y z k time");
    Array slow = array_load("slowness", "<f4", 3), cavities = array_load("cavity", "|b1", 3);
    int64_t n = slow.extent[0], m = slow.extent[1], l = slow.extent[2], plane = m * l, turn = 0;
    Array times[2] = {array_new("<f4", 3, slow.extent), array_new("<f4", 3, slow.extent)};
    const float *restrict slowness = slow.data;
    const bool *restrict cavity = cavities.data;
    int64_t source = argument_any_integer("x") * plane + argument_any_integer("y") * l + argument_any_integer("z");
    bool moved = true;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < slow.count; i++) ((float *)times[0].data)[i] = ((float *)times[1].data)[i] = i == source ? 0 : 1e4f;
    while (moved) {
        const float *restrict old = times[turn % 2].data;
        float *restrict time = times[(turn + 1) % 2].data;
        moved = false;
#pragma omp parallel for num_threads(argument_threads()) reduction(|| : moved)
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++) {
                bool any = false;
#pragma omp simd reduction(|| : any)
                for (int64_t k = 1; k < l - 1; k++) {
                    int64_t at = i * plane + j * l + k;
                    float a = least(old[at - plane], old[at + plane]), b = least(old[at - l], old[at + l]), c = least(old[at - 1], old[at + 1]);
                    float then = arrival(a, b, c, slowness[at]);
                    time[at] = !cavity[at] && then < old[at] ? then : old[at];
                    any = any || (!cavity[at] && then < old[at] - 0.0001f);
                }
                moved = moved || any;
            }
        turn++;
    }
    timing_print("Eikonal", begin);
    array_store("time", times[turn % 2]);
    return 0;
}
