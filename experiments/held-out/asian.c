/* What Asian options pay by the Monte Carlo method, with random numbers of Philox2x32-10 and Box and Muller's method. */
#include <math.h>
#include "../reference/common.h"

static inline void shuffle(uint32_t *x, uint32_t *y, uint32_t key) {
    for (int turn = 0; turn < 10; turn++, key += 0x9E3779B9u) {
        uint64_t product = (uint64_t)0xD256D193u * *x;
        *x = (uint32_t)(product >> 32) ^ key ^ *y;
        *y = (uint32_t)product;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "strike paths steps volatility k price");
    Array ss = array_load("strike", "<f8", 1), pp = vector_new("<f8", ss.count);
    int64_t paths = argument_integer("paths"), steps = argument_integer("steps");
    const double *restrict strike = ss.data;
    double *restrict price = pp.data, begin = clock_now();
    double wide = argument_real("volatility") * sqrt(1.0 / (double)steps), drift = -0.5 * wide * wide;
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t o = 0; o < ss.count; o++) {
        double paid = 0;
        for (int64_t path = 1; path <= paths; path++) {
            double logarithm = 0, sum = 0;
            for (int64_t step = 1; step <= steps / 2; step++) {
                uint32_t x = (uint32_t)step, y = (uint32_t)path;
                shuffle(&x, &y, (uint32_t)o);
                double radius = sqrt(-2 * log((x + 0.5) / 4294967296.0)), angle = 6.283185307179586 * (y + 0.5) / 4294967296.0;
                logarithm += drift + wide * radius * cos(angle);
                sum += exp(logarithm);
                logarithm += drift + wide * radius * sin(angle);
                sum += exp(logarithm);
            }
            paid += fmax(100 * sum / (double)steps - strike[o], 0);
        }
        price[o] = paid / (double)paths;
    }
    timing_print("Asian Options", begin);
    array_store("price", pp);
    return 0;
}
