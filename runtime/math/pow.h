/* pow. How to read it: x^y = e^(y log |x|), with a logarithm of about 68 bits from log.h's table, the product in two
 * parts, and the sign and the special cases of C's Annex F chosen at the end. */
#ifndef HP5_RUNTIME_MATH_POW_H
#define HP5_RUNTIME_MATH_POW_H
#include "runtime/math/exp.h"
#include "runtime/math/log.h"

/* e^(p.high + p.low), |p.low| up to 2^-6: as hp5_exp_joined does it, but 2^n is two factors, so that neither is out of range. */
HP5_MATH double hp5_exp_long(Hp5Two p) {
    const double start = HP5_SHIFTER + HP5_EXP_BIAS + 511.0 * 128.0, shifted = HP5_FMA(p.high + p.low, HP5_EXP_STEPS, start), k = shifted - start;
    const double r = HP5_FMA(-k, HP5_EXP_STEP_L, HP5_FMA(-k, HP5_EXP_STEP_H, p.high)) + p.low, z = HP5_TIMES(r, r);
    const uint64_t steps = hp5_bits(shifted), row = hp5_exp_powers[steps & 127], half = steps << 44 & 0xFFF0000000000000;
    const double scale = hp5_from_bits(hp5_exp_power(row, steps) - half), other = hp5_from_bits(half + ((uint64_t)512 << 52));
    const double t = hp5_from_bits(row >> 12 | 0x3CB0000000000000);
    const double q = HP5_FMA(z, HP5_FMA(r, HP5_EXP_NEAR_3, HP5_EXP_NEAR_2), HP5_FMA(r, HP5_EXP_NEAR_1, HP5_EXP_NEAR_0));
    double result = HP5_FMA(scale, HP5_FMA(z, q, r - t), scale) * other;
    if (HP5_RARELY(hp5_size(p.high) > 930.0)) result = hp5_from_bits(0x7FF0000000000000 & ~(uint64_t)((int64_t)hp5_bits(p.high) >> 63)); /* infinite or 0 */
    return result;
}

/* Whether a size is 0, infinite or no number, and what its logarithm is then: 0 where y is 0. */
HP5_MATH bool hp5_power_is_edge(double size) { return hp5_bits(size) - 1 >= 0x7FEFFFFFFFFFFFFF; }
HP5_MATH double hp5_power_edge(double size, double y) {
    const uint64_t bits = hp5_bits(size), nothing = (uint64_t)((int64_t)(bits - 1) >> 63), any = (uint64_t)((int64_t)(0 - hp5_bits(hp5_size(y))) >> 63);
    return hp5_from_bits((bits | (nothing & 0xFFF0000000000000)) & any);
}

/* C's Annex F by conditions that do not depend on each other: of others compilers make many selects. Infinite y are even numbers. */
HP5_MATH double hp5_pow(double x, double y) {
    const double size = hp5_size(x), half = 0.5 * y;
    const bool negative = (int64_t)hp5_bits(x) < 0;
    uint64_t bits = hp5_bits(size);
    if (HP5_RARELY(hp5_log_is_special(size))) bits = hp5_bits(size * 0x1p54) - ((uint64_t)54 << 52); /* of subnormal numbers; what others get does not matter */
    Hp5Two log = hp5_log_wide(bits);
    if (HP5_RARELY(negative)) log.high = trunc(y) == y ? log.high : HP5_MATH_NAN;
    if (HP5_RARELY(hp5_power_is_edge(size))) log.high = hp5_power_edge(size, y);
    const double high = HP5_TIMES(y, log.high);
    double result = hp5_exp_long((Hp5Two){high, HP5_FMA(y, log.low, HP5_FMA(y, log.high, -high))});
    if (HP5_RARELY(hp5_bits(log.high) == 0)) result = 1.0; /* of infinite y as well; the logarithm of 1 has a lower part */
    if (HP5_RARELY(negative)) result = hp5_size(half - trunc(half)) == 0.5 ? hp5_with_sign(result, x) : result;
    return result;
}
#endif
