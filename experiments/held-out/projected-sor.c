/* American puts on grids of prices: Crank-Nicolson steps by projected relaxation, one option in each row. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double strike, rate, volatility, years; } Option;
#define OPTION "[('strike', '<f8'), ('rate', '<f8'), ('volatility', '<f8'), ('years', '<f8')]"

static inline double payoff(double strike, double price) {
    return strike > price ? strike - price : 0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "options nodes steps omega tolerance k value sweeps");
    Array optionss = array_load_records("options", sizeof(Option), OPTION);
    int64_t count = optionss.count, n = argument_integer("nodes"), steps = argument_integer("steps");
    double omega = argument_real("omega"), tolerance = argument_real("tolerance");
    const Option *options = optionss.data;
    Array values = matrix_new("<f8", count, n + 1), sweepss = vector_new("<i8", count);
    int64_t *sweeps = sweepss.data;
    long long total = 0;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic) reduction(+ : total)
    for (int64_t o = 0; o < count; o++) {
        double strike = options[o].strike, ds = 3 * strike / n, dt = options[o].years / steps, v2 = options[o].volatility * options[o].volatility, r = options[o].rate;
        double *restrict value = (double *)values.data + o * (n + 1);
        double right[n + 1], a[n + 1], b[n + 1], c[n + 1], least[n + 1];
        for (int64_t j = 0; j <= n; j++) {
            least[j] = value[j] = payoff(strike, j * ds);
            a[j] = 0.25 * dt * (v2 * j * j - r * j);
            b[j] = -0.5 * dt * (v2 * j * j + r);
            c[j] = 0.25 * dt * (v2 * j * j + r * j);
        }
        int64_t all = 0;
        for (int64_t t = 0; t < steps; t++) {
            for (int64_t j = 1; j < n; j++) right[j] = a[j] * value[j - 1] + (1 + b[j]) * value[j] + c[j] * value[j + 1];
            double change;
            do {
                change = 0;
                for (int64_t j = 1; j < n; j++) {
                    double y = (right[j] + a[j] * value[j - 1] + c[j] * value[j + 1]) / (1 - b[j]);
                    y = value[j] + omega * (y - value[j]);
                    y = y > least[j] ? y : least[j];
                    double way = fabs(y - value[j]);
                    if (way > change) change = way;
                    value[j] = y;
                }
                all++;
            } while (change > tolerance);
        }
        sweeps[o] = all;
        total += all;
    }
    timing_print("American", begin);
    printf("sweeps %lld\n", total);
    array_store("value", values);
    array_store("sweeps", sweepss);
    return 0;
}
