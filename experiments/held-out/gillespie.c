/* Births and deaths of two species, hunters and hunted, one event after the other (Gillespie's method), many runs. */
#include <math.h>
#include "../reference/common.h"

static inline double random_next(uint32_t *state) {
    *state = 1664525 * *state + 1013904223;
    return (*state + 0.5) / 4294967296.0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "seed end k hunted hunters");
    Array seeds = array_load("seed", "<i8", 1), xs = vector_new("<i4", seeds.count), ys = vector_new("<i4", seeds.count);
    double end = argument_real("end");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t r = 0; r < seeds.count; r++) {
        uint32_t state = ((int64_t *)seeds.data)[r];
        int x = 100, y = 50;
        double t = 0;
        while (t < end) {
            double born = x, caught = 0.01 * x * y, died = 0.8 * y, all = born + caught + died;
            if (all <= 0) break;
            t -= log(random_next(&state)) / all;
            double which = all * random_next(&state);
            if (which < born)
                x++;
            else if (which < born + caught)
                x--, y++;
            else
                y--;
        }
        ((int *)xs.data)[r] = x;
        ((int *)ys.data)[r] = y;
    }
    timing_print("Gillespie", begin);
    array_store("hunted", xs);
    array_store("hunters", ys);
    return 0;
}
