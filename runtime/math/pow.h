/* pow. How to read it: x^y = e^(y log |x|), with a logarithm of about 68 bits from log.h's table, the product in two
 * parts, and the special cases of C's Annex F chosen before: they have logarithms of their own. */
#ifndef HP5_RUNTIME_MATH_POW_H
#define HP5_RUNTIME_MATH_POW_H
#include "runtime/math/exp.h"
#include "runtime/math/log.h"

/* e^(p.high + p.low), |p.low| up to 2^-6, and `sign` (0 or its bit): as hp5_exp_joined does it, but 2^n is two factors, so that neither is
 * out of range. The sign of p is taken from a single-precision number for the sake of vector loops: C compilers choose as many elements as there
 * are of the narrowest type, and so go through two vectors of doubles by turns. One vector's operations mostly wait for each other. */
HP5_MATH double hp5_exp_long(Hp5Two p, uint64_t sign) {
    const double start = HP5_SHIFTER + HP5_EXP_BIAS - 512.0 * 128.0, shifted = HP5_FMA(p.high + p.low, HP5_EXP_STEPS, start), k = shifted - start;
    const double r = HP5_FMA(-k, HP5_EXP_STEP_H, p.high) + HP5_FMA(-k, HP5_EXP_STEP_L, p.low), z = HP5_TIMES(r, r);
    const uint64_t steps = hp5_bits(shifted), row = hp5_exp_powers[steps & 127];
    const uint64_t below = (uint64_t)(int64_t)((int32_t)hp5_bits_single((float)p.high) >> 31), step = below & 0x4000000000000000;
    /* p >= 0: 2^(n - 512) and 2^512; below: 2^(n + 512) and 2^-512 */
    const double scale = hp5_from_bits(hp5_exp_power(row, steps) + step), other = hp5_from_bits((step ^ 0x5FF0000000000000) ^ sign);
    const double t = hp5_from_bits(row >> 12 | 0x3CB0000000000000);
    const double q = HP5_FMA(z, HP5_FMA(r, HP5_EXP_NEAR_3, HP5_EXP_NEAR_2), HP5_FMA(r, HP5_EXP_NEAR_1, HP5_EXP_NEAR_0));
    double result = HP5_FMA(scale, HP5_FMA(z, q, r - t), scale) * other;
    if (HP5_RARELY(hp5_size(p.high) > 930.0)) result = hp5_from_bits((~below & 0x7FF0000000000000) ^ sign);
    return result;
}

/* C's Annex F by conditions that do not depend on each other, on what is known early: of others compilers make many selects, and what follows
 * waits for them. A size that is 0, infinite or no number has the logarithm that makes the power so; but where y is 0 the logarithm is some
 * number, and that of 1 is multiplied by 0 whatever y is. Infinite y are even numbers. */
HP5_MATH double hp5_pow(double x, double y) {
    const double size = hp5_size(x), half = 0.5 * y;
    const bool negative = (int64_t)hp5_bits(x) < 0;
    uint64_t bits = hp5_bits(size), sign = 0;
    if (HP5_RARELY((int64_t)bits < 0x0010000000000000)) bits = hp5_bits(size * 0x1p54) - ((uint64_t)54 << 52); /* of subnormal numbers; what 0 gets does not matter */
    Hp5Two base;
    const double r = hp5_log_split(bits, &base);
    if (HP5_RARELY(negative)) {
        const bool broken = trunc(y) != y, odd = (trunc(half) != half) & !broken;
        base.high = broken ? HP5_MATH_NAN : base.high;
        sign = odd ? 0x8000000000000000 : 0;
    }
    if (HP5_RARELY(hp5_bits(size) == 0)) base.high = -HP5_MATH_INFINITY;
    if (HP5_RARELY(!(size < HP5_MATH_INFINITY))) base.high = size;
    if (HP5_RARELY(hp5_bits(y) << 1 == 0)) base.high = 0.0;
    double times = y;
    if (HP5_RARELY(size == 1.0)) times = 0.0;
    const Hp5Two log = hp5_log_joined(base, r);
    const double high = HP5_TIMES(times, log.high);
    return hp5_exp_long((Hp5Two){high, HP5_FMA(times, log.low, HP5_FMA(times, log.high, -high))}, sign);
}
#endif
