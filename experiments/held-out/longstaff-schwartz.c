/* An American put by the method of Longstaff and Schwartz. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "z spot strike rate volatility years k cash exercised");
    Array zs = array_load("z", "<f4", 2);
    int64_t steps = zs.extent[0], paths = zs.extent[1], last = steps - 1;
    Array prices = matrix_new("<f8", steps, paths), cashes = vector_new("<f8", paths), whens = vector_new("<i4", paths);
    const float *restrict z = zs.data;
    double *restrict price = prices.data, *restrict cash = cashes.data;
    int *restrict exercised = whens.data;
    double spot = argument_real("spot"), strike = argument_real("strike"), rate = argument_real("rate"), volatility = argument_real("volatility");
    double step = argument_real("years") / steps, discount = exp(-rate * step), drift = (rate - 0.5 * volatility * volatility) * step, spread = volatility * sqrt(step);
    int threads = argument_threads();

    double begin = clock_now();
    for (int64_t t = 0; t <= last; t++)
#pragma omp parallel for simd num_threads(threads)
        for (int64_t i = 0; i < paths; i++)
            price[t * paths + i] = (t == 0 ? spot / strike : price[(t - 1) * paths + i]) * exp(drift + spread * (double)z[t * paths + i]);
#pragma omp parallel for simd num_threads(threads)
    for (int64_t i = 0; i < paths; i++) {
        cash[i] = fmax(1 - price[last * paths + i], 0);
        exercised[i] = last;
    }
    for (int64_t t = last - 1; t >= 0; t--) {
        const double *restrict now = price + t * paths;
        double n = 0, x = 0, x2 = 0, x3 = 0, x4 = 0, y = 0, xy = 0, x2y = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : n, x, x2, x3, x4, y, xy, x2y)
        for (int64_t i = 0; i < paths; i++) {
            cash[i] *= discount;
            double in = now[i] < 1 ? 1 : 0, p = in * now[i], q = p * p, c = in * cash[i];
            n += in;
            x += p;
            x2 += q;
            x3 += q * p;
            x4 += q * q;
            y += c;
            xy += c * p;
            x2y += c * q;
        }
        double d = n * (x2 * x4 - x3 * x3) - x * (x * x4 - x2 * x3) + x2 * (x * x3 - x2 * x2);
        double a = (y * (x2 * x4 - x3 * x3) - x * (xy * x4 - x3 * x2y) + x2 * (xy * x3 - x2 * x2y)) / d;
        double b = (n * (xy * x4 - x3 * x2y) - y * (x * x4 - x2 * x3) + x2 * (x * x2y - xy * x2)) / d;
        double c = (n * (x2 * x2y - xy * x3) - x * (x * x2y - xy * x2) + y * (x * x3 - x2 * x2)) / d;
#pragma omp parallel for simd num_threads(threads)
        for (int64_t i = 0; i < paths; i++)
            if (now[i] < 1 && 1 - now[i] > a + now[i] * (b + now[i] * c)) {
                cash[i] = 1 - now[i];
                exercised[i] = t;
            }
    }
    timing_print("Put", begin);
    array_store("cash", cashes);
    array_store("exercised", whens);
    return 0;
}
