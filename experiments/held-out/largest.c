/* The largest coordinate of each point and of all of them, whatever their signs, and how many points lie in each ring around the
 * origin: what NAS EP does with its pairs. */
#include <math.h>
#include <stdio.h>
#include "../reference/common.h"

static inline double most(double a, double b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y ring rounds k");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1);
    const int64_t n = xs.extent[0], rounds = argument_integer("rounds");
    Array rings = vector_new("<i4", n);
    const double *restrict x = xs.data, *restrict y = ys.data;
    int32_t *restrict ring = rings.data;

    double begin = clock_now(), largest = 0;
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < n; i++) ring[i] = (int)most(fabs(x[i]), fabs(y[i]));
        largest = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(max : largest)
        for (int64_t i = 0; i < n; i++) largest = most(largest, most(fabs(x[i]), fabs(y[i])));
    }
    timing_print("Largest", begin);
    printf("largest %lld\n", (long long)(largest * 1e6));
    array_store("ring", rings);
    return 0;
}
