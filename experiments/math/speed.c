/* Times of the mathematical functions: 1,000,000 elements by the C library's function, by that of runtime/math called for one
 * element at a time, and by a loop of it. speed.py compiles this, once for each compiler, and prints the medians. One line for
 * each function: its name and nanoseconds per element, LIBRARY CALLS LOOP, of each round. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runtime/math/math.h"

enum { COUNT = 1000000 };
static double x[COUNT], y[COUNT], result[COUNT];
static float x_single[COUNT], y_single[COUNT], result_single[COUNT];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* of a busy machine, too */
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What is in memory counts here: in a loop, elements are computed one by one. */
#define NEEDED(array) __asm__ volatile("" ::"r"(array) : "memory")

#define FUNCTION(name, ours, type, in, out, arguments) \
    static double library_##name(void) { \
        NEEDED(in); \
        const double start = now(); \
        for (int i = 0; i < COUNT; i++) out[i] = name arguments; \
        NEEDED(out); \
        return now() - start; \
    } \
    static double calls_##name(void) { \
        NEEDED(in); \
        const double start = now(); \
        for (int i = 0; i < COUNT; i++) { \
            out[i] = ours arguments; \
            NEEDED(out); \
        } \
        return now() - start; \
    } \
    static double loop_##name(void) { \
        NEEDED(in); \
        const double start = now(); \
        for (int i = 0; i < COUNT; i++) out[i] = ours arguments; \
        NEEDED(out); \
        return now() - start; \
    }
#define ONE(name) FUNCTION(name, hp5_##name, double, x, result, (x[i]))
#define TWO(name) FUNCTION(name, hp5_##name, double, x, result, (x[i], y[i]))
#define ONE_SINGLE(name) FUNCTION(name, hp5_##name, float, x_single, result_single, (x_single[i]))
#define TWO_SINGLE(name) FUNCTION(name, hp5_##name, float, x_single, result_single, (x_single[i], y_single[i]))
HP5_MATH_ONE(ONE)
HP5_MATH_TWO(TWO)
ONE_SINGLE(expf) ONE_SINGLE(logf) ONE_SINGLE(sinf) ONE_SINGLE(cosf) TWO_SINGLE(powf)

static const struct {
    const char *name;
    double low, high; /* of x */
    double (*library)(void), (*calls)(void), (*loop)(void);
} FUNCTIONS[] = {
#define ENTRY(name, low, high) {#name, low, high, library_##name, calls_##name, loop_##name}
    ENTRY(exp, -20, 20), ENTRY(log, 0.001, 100), ENTRY(sin, -10, 10), ENTRY(cos, -10, 10), ENTRY(pow, 0.1, 10),
    ENTRY(tan, -10, 10), ENTRY(asin, -1, 1), ENTRY(acos, -1, 1), ENTRY(atan, -10, 10), ENTRY(atan2, -10, 10), ENTRY(sinh, -10, 10),
    ENTRY(cosh, -10, 10), ENTRY(tanh, -5, 5), ENTRY(asinh, -10, 10), ENTRY(acosh, 1, 10), ENTRY(atanh, -1, 1), ENTRY(exp2, -20, 20),
    ENTRY(expm1, -5, 5), ENTRY(log2, 0.001, 100), ENTRY(log10, 0.001, 100), ENTRY(log1p, -0.9, 5), ENTRY(cbrt, -10, 10), ENTRY(hypot, -10, 10),
    ENTRY(erf, -4, 4), ENTRY(erfc, -4, 10), ENTRY(tgamma, 0.1, 20), ENTRY(lgamma, 0.1, 20),
    ENTRY(expf, -20, 20), ENTRY(logf, 0.001, 100), ENTRY(sinf, -10, 10), ENTRY(cosf, -10, 10), ENTRY(powf, 0.1, 10),
};

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 15;
    for (size_t f = 0; f < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; f++) {
        if (argc > 2 && strcmp(argv[2], FUNCTIONS[f].name) != 0) continue;
        srand48(1);
        for (int i = 0; i < COUNT; i++) {
            x[i] = FUNCTIONS[f].low + (FUNCTIONS[f].high - FUNCTIONS[f].low) * drand48();
            y[i] = 20 * drand48() - 10;
            x_single[i] = (float)x[i];
            y_single[i] = (float)y[i];
        }
        printf("%s", FUNCTIONS[f].name);
        for (int round = -1; round < rounds; round++) {
            const double library = FUNCTIONS[f].library(), calls = FUNCTIONS[f].calls(), loop = FUNCTIONS[f].loop();
            if (round >= 0) printf(" %.3f %.3f %.3f", library / COUNT, calls / COUNT, loop / COUNT);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
