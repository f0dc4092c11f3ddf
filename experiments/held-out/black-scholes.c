/* Black-Scholes: prices of European calls and puts. */
#include <math.h>
#include "../reference/common.h"

static double below(double d) { return 0.5 * erfc(-d * 0.7071067811865476); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "spot strike years rate volatility k call put");
    Array spots = array_load("spot", "<f8", 1), strikes = array_load("strike", "<f8", 1), years = array_load("years", "<f8", 1);
    Array calls = vector_new("<f8", spots.count), puts = vector_new("<f8", spots.count);
    const double *spot = spots.data, *strike = strikes.data, *time = years.data;
    double *call = calls.data, *put = puts.data, rate = argument_real("rate"), volatility = argument_real("volatility");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < spots.count; i++) {
        double spread = volatility * sqrt(time[i]);
        double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * time[i]) / spread, d2 = d1 - spread;
        double later = strike[i] * exp(-rate * time[i]);
        call[i] = spot[i] * below(d1) - later * below(d2);
        put[i] = later * below(-d2) - spot[i] * below(-d1);
    }
    timing_print("Black Scholes", begin);
    array_store("call", calls);
    array_store("put", puts);
    return 0;
}
