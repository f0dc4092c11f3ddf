/* A filter: y[i] = the sum over t of h[t] x[i - t]. */
#include <string.h>
#include "../reference/common.h"

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

enum { TAPS = 32 };
int main(int argc, char **argv) {
    arguments_read(argc, argv, "x h k y");
    Array xx = array_load("x", "<f8", 1), hh = array_load("h", "<f8", 1);
    int64_t n = xx.count;
    Array yy = vector_new("<f8", n);
    const double *restrict x = xx.data;
    double *restrict y = yy.data;
    if (hh.count != TAPS) fail(1, "taps");
    double begin = clock_now();
    double h[TAPS];
    memcpy(h, hh.data, sizeof h);
    for (int64_t i = 0; i < min(n, TAPS - 1); i++)
        for (int64_t t = 0; t <= i; t++) y[i] += h[t] * x[i - t];
#pragma omp parallel for simd num_threads(argument_threads())
    for (int64_t i = TAPS - 1; i < n; i++) {
        double s = 0;
#pragma GCC unroll 32
        for (int t = 0; t < TAPS; t++) s += h[t] * x[i - t];
        y[i] = s;
    }
    timing_print("FIR", begin);
    array_store("y", yy);
    return 0;
}
