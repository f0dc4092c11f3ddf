/* What the mathematical functions are made of: IEEE operations, fma and the bits of a double, nothing else, so that
 * every processor, compiler and constant folder gives the same bits. (Compilers must not contract a * b + c, nor reorder:
 * -ffp-contract=off.) Branch-free where it matters: cases are chosen by `condition ? a : b` between values that are both
 * computed, which C compilers turn into vector selects.
 *
 *   Hp5Two   a number of about 106 bits, high + low, |low| at most half an ulp of high (double-double) */
#ifndef HP5_RUNTIME_MATH_BASE_H
#define HP5_RUNTIME_MATH_BASE_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "runtime/math/coefficients.h"

#ifdef __CUDACC__
#define HP5_MATH static __host__ __device__ __forceinline__
#define HP5_MATH_LONG static __host__ __device__ __noinline__
#define HP5_MATH_TABLE static __device__ const
#else
/* Inlined always: a loop with a call is no vector loop. */
#define HP5_MATH __attribute__((always_inline)) static inline
/* Long functions with branches: called. */
#define HP5_MATH_LONG __attribute__((noinline, unused)) static
#define HP5_MATH_TABLE __attribute__((unused)) static const
#endif

/* A product that something is added to or subtracted from has to be rounded first; gcc from version 12 on
 * (compiler/emit/rounded.c) may forget that where one lane adds and the next subtracts. */
#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 12
#define HP5_TIMES(a, b) __builtin_assoc_barrier((a) * (b))
#else
#define HP5_TIMES(a, b) ((a) * (b))
#endif
#define HP5_FMA(a, b, c) fma(a, b, c)

#define HP5_MATH_NAN ((double)NAN)
#define HP5_MATH_INFINITY ((double)INFINITY)

HP5_MATH uint64_t hp5_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HP5_MATH double hp5_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
HP5_MATH double hp5_size(double x) { return fabs(x); }
HP5_MATH double hp5_with_sign(double size, double sign) { return copysign(size, sign); }

/* Rounding to an integer: added to 2^52 + 2^51 (|x| up to 2^51), whose last bits are then the integer. */
#define HP5_SHIFTER 0x1.8p52
/* 2^n of the integer n in the last bits of n + HP5_SHIFTER, -1022 <= n <= 1023. */
HP5_MATH double hp5_scale(double shifted) { return hp5_from_bits((hp5_bits(shifted) << 52) + 0x3FF0000000000000); }
/* x 2^n for every n of up to 2000: in two steps, because 2^n need not be a double. */
HP5_MATH double hp5_scaled(double x, double n) {
    const double shifted = n * 0.5 + HP5_SHIFTER, half = shifted - HP5_SHIFTER, rest = n - half;
    return x * hp5_scale(shifted) * hp5_scale(rest + HP5_SHIFTER);
}

typedef struct Hp5Two { double high, low; } Hp5Two;

/* a + b exactly; sum_fast where |a| >= |b| or a is 0. */
HP5_MATH Hp5Two hp5_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (Hp5Two){s, (a - (s - t)) + (b - t)};
}
HP5_MATH Hp5Two hp5_sum_fast(double a, double b) {
    const double s = a + b;
    return (Hp5Two){s, b - (s - a)};
}
/* a b exactly. */
HP5_MATH Hp5Two hp5_product(double a, double b) {
    const double p = HP5_TIMES(a, b);
    return (Hp5Two){p, HP5_FMA(a, b, -p)};
}
/* a / b, by one division. */
HP5_MATH Hp5Two hp5_quotient(Hp5Two a, Hp5Two b) {
    const double inverse = 1.0 / b.high, q = HP5_TIMES(a.high, inverse);
    const double rest = HP5_FMA(-q, b.high, a.high) + HP5_FMA(-q, b.low, a.low);
    return hp5_sum_fast(q, HP5_TIMES(rest, inverse));
}
HP5_MATH Hp5Two hp5_two_times(Hp5Two a, Hp5Two b) {
    const double p = HP5_TIMES(a.high, b.high);
    return hp5_sum_fast(p, HP5_FMA(a.high, b.high, -p) + HP5_FMA(a.high, b.low, HP5_TIMES(a.low, b.high)));
}
HP5_MATH Hp5Two hp5_two_plus(Hp5Two a, Hp5Two b) {
    const Hp5Two s = hp5_sum(a.high, b.high);
    return hp5_sum_fast(s.high, s.low + (a.low + b.low));
}
HP5_MATH Hp5Two hp5_two_negative(Hp5Two a) { return (Hp5Two){-a.high, -a.low}; }
#define HP5_TWO(name) ((Hp5Two){name##_H, name##_L})
#endif
