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
#include "runtime/math/tables.h"

#ifdef __CUDACC__
#define HP5_MATH static __device__ __forceinline__
#define HP5_MATH_LONG static __device__ __noinline__
#define HP5_MATH_TABLE static __device__ const
#else
/* Inlined always: a loop with a call is no vector loop. */
#define HP5_MATH __attribute__((always_inline)) static inline
/* Long functions with branches: called. */
#define HP5_MATH_LONG __attribute__((noinline, unused)) static
#define HP5_MATH_TABLE __attribute__((unused)) static const
#endif

/* A product that something is added to or subtracted from has to be rounded first; gcc from version 12 on
 * (compiler/lower/rounding.h) may forget that where one lane adds and the next subtracts. */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__ && __GNUC__ >= 12
#define HP5_TIMES(a, b) __builtin_assoc_barrier((a) * (b))
#else
#define HP5_TIMES(a, b) ((a) * (b))
#endif
/* What seldom holds: scalar code jumps over what follows, vector loops compute it and choose. */
#define HP5_RARELY(condition) __builtin_expect(condition, 0)
#define HP5_MATH_NAN ((double)NAN)
#define HP5_MATH_INFINITY ((double)INFINITY)

HP5_MATH uint64_t hp5_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HP5_MATH uint32_t hp5_bits_single(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
HP5_MATH double hp5_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
/* ---- fma -------------------------------------------------------------------------------------- */
/* Without an instruction for it, in additions and multiplications that become vector instructions: the C library's is exact
 * but would take most of a function's time. a b and its error (Veltkamp, Dekker), then the sum of three with its last
 * addition rounded to odd (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008). Exact unless a b or a
 * sum leaves the range of 2^-900 to 2^970; where the functions meet that, they do not look at the result. */
HP5_MATH double hp5_fma_exact(double a, double b, double c) {
    const double p = HP5_TIMES(a, b), wide_a = HP5_TIMES(a, 0x1p27 + 1.0), wide_b = HP5_TIMES(b, 0x1p27 + 1.0);
    const double a_high = wide_a - (wide_a - a), b_high = wide_b - (wide_b - b), a_low = a - a_high, b_low = b - b_high;
    const double partial = (HP5_TIMES(a_high, b_high) - p) + HP5_TIMES(a_high, b_low) + HP5_TIMES(a_low, b_high);
    const double error = partial + HP5_TIMES(a_low, b_low);
    const double t = c + error, t_part = t - c, t_low = (c - (t - t_part)) + (error - t_part);
    const double v = p + t, v_part = v - p, v_low = (p - (v - v_part)) + (t - v_part);
    const double z = t_low + v_low, z_part = z - t_low, z_low = (t_low - (z - z_part)) + (v_low - z_part);
    /* Not exact and even: one towards what was lost. */
    const uint64_t bits = hp5_bits(z), step = (bits ^ hp5_bits(z_low)) >> 63 ? (uint64_t)0 - 1 : 1;
    const double odd = hp5_from_bits(bits + (z_low != 0.0 && !(bits & 1) ? step : 0));
    return v + odd;
}
#if defined __FP_FAST_FMA || defined __FMA__ || defined __ARM_FEATURE_FMA || defined __CUDACC__
#define HP5_FMA(a, b, c) fma(a, b, c)
#else
#define HP5_FMA(a, b, c) hp5_fma_exact(a, b, c)
#endif

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
