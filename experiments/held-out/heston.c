/* Heston's model by Monte Carlo. */
#include <math.h>
#include "../reference/common.h"

static inline double uniform(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (x + 0.5) / 4294967296.0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "paths steps seed spot strike barrier rate kappa theta xi rho start k price");
    int64_t paths = argument_integer("paths"), seed = argument_integer("seed"), lost = 0;
    int steps = argument_integer("steps");
    double spot = argument_real("spot"), strike = argument_real("strike"), barrier = log(argument_real("barrier")), rate = argument_real("rate"), kappa = argument_real("kappa"),
           theta = argument_real("theta"), xi = argument_real("xi"), rho = argument_real("rho"), start = argument_real("start");
    Array prices = vector_new("<f8", 3);
    double *price = prices.data;

    double begin = clock_now();
    double dt = 1.0 / steps, across = sqrt(1 - rho * rho), discount = exp(-rate), sum = 0, squares = 0, knocked = 0;
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : sum, squares, knocked, lost)
    for (int64_t i = 0; i < paths; i++) {
        uint32_t random = (uint32_t)((uint64_t)(i + 1) * 2654435761u + seed);
        if (random == 0) random = 1;
        for (int warm = 0; warm < 4; warm++) uniform(&random);
        double x = log(spot), v = start;
        bool alive = true;
        for (int step = 0; step < steps; step++) {
            double radius = sqrt(-2 * log(uniform(&random))), angle = 6.283185307179586 * uniform(&random);
            double first = radius * cos(angle), second = radius * sin(angle), positive = v > 0 ? v : 0, root = sqrt(positive * dt);
            x += (rate - 0.5 * positive) * dt + root * first;
            v += kappa * (theta - positive) * dt + xi * root * (rho * first + across * second);
            alive &= x >= barrier;
        }
        double gain = exp(x) - strike, plain = discount * (gain > 0 ? gain : 0);
        sum += plain;
        squares += plain * plain;
        knocked += alive ? plain : 0;
        lost += !alive;
    }
    price[0] = sum / paths;
    price[1] = sqrt((squares / paths - price[0] * price[0]) / paths);
    price[2] = knocked / paths;
    timing_print("Heston", begin);
    printf("lost %lld\n", (long long)lost);
    array_store("price", prices);
    return 0;
}
