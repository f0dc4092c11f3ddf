/* Prices of American put options by binomial trees. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "spot strike years steps rate volatility k price");
    Array oo = array_load("spot", "<f8", 1), kk = array_load("strike", "<f8", 1), yy = array_load("years", "<f8", 1), pp = vector_new("<f8", oo.count);
    const double *spot = oo.data, *strike = kk.data, *years = yy.data;
    double rate = argument_real("rate"), volatility = argument_real("volatility"), *price = pp.data;
    int64_t steps = argument_integer("steps");
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        double *restrict value = malloc((steps + 1) * sizeof(double)), *restrict paid = malloc((2 * steps + 1) * sizeof(double));
#pragma omp for
        for (int64_t o = 0; o < oo.count; o++) {
            double dt = years[o] / steps, up = volatility * sqrt(dt), growth = exp(rate * dt);
            double p = (growth - exp(-up)) / (exp(up) - exp(-up)), rise = p / growth, fall = (1 - p) / growth;
            for (int64_t e = 0; e <= 2 * steps; e++) {
                double worth = strike[o] - spot[o] * exp(up * (e - steps));
                paid[e] = worth > 0 ? worth : 0;
            }
            for (int64_t s = 0; s <= steps; s++) value[s] = paid[2 * s];
            for (int64_t t = steps - 1; t >= 0; t--)
                for (int64_t s = 0; s <= t; s++) {
                    double held = rise * value[s + 1] + fall * value[s], sold = paid[2 * s + steps - t];
                    value[s] = held > sold ? held : sold;
                }
            price[o] = value[0];
        }
    }
    timing_print("Binomial", begin);
    array_store("price", pp);
    return 0;
}
