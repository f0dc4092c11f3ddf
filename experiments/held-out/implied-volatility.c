/* Volatilities that the prices of options imply: Newton's method, with bisection where it would leave the bracket. */
#include <math.h>
#include "../reference/common.h"

typedef struct __attribute__((packed)) Quote {
    double spot, strike, years, price;
    bool call;
} Quote;

static inline double normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "quote rate k sigma found");
    Array quotes = array_load_records("quote", sizeof(Quote), "[('spot', '<f8'), ('strike', '<f8'), ('years', '<f8'), ('price', '<f8'), ('call', '|b1')]");
    Array sigmas = vector_new("<f8", quotes.count), founds = vector_new("|b1", quotes.count);
    const Quote *restrict quote = quotes.data;
    double *restrict sigma = sigmas.data, rate = argument_real("rate");
    bool *restrict found = founds.data;
    int64_t failures = 0;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : failures)
    for (int64_t i = 0; i < quotes.count; i++) {
        Quote q = quote[i];
        double low = 0.001, high = 4, now = 0.5, off, root = sqrt(q.years), ratio = log(q.spot / q.strike), later = q.strike * exp(-rate * q.years);
        int turns = 0;
        do {
            double d1 = (ratio + (rate + 0.5 * now * now) * q.years) / (now * root), d2 = d1 - now * root;
            double vega = q.spot * root * exp(-0.5 * d1 * d1) / sqrt(2 * 3.141592653589793);
            double worth = q.call ? q.spot * normal(d1) - later * normal(d2) : later * normal(-d2) - q.spot * normal(-d1);
            off = worth - q.price;
            if (off > 0)
                high = now;
            else
                low = now;
            double next = now - off / vega;
            now = next >= low && next <= high ? next : 0.5 * (low + high);
            turns++;
        } while (fabs(off) > 1e-9 && turns < 40);
        sigma[i] = now;
        found[i] = turns < 40;
        failures += turns >= 40;
    }
    timing_print("Implied Volatility", begin);
    printf("not found: %lld\n", (long long)failures);
    array_store("sigma", sigmas);
    array_store("found", founds);
    return 0;
}
