/* pow. How to read it: x^y = e^(y log |x|), with a logarithm of about 68 bits from log.h's table, the product in two
 * parts, and the sign and the special cases of C's Annex F chosen at the end. */
#ifndef HP5_RUNTIME_MATH_POW_H
#define HP5_RUNTIME_MATH_POW_H
#include "runtime/math/exp.h"
#include "runtime/math/log.h"

/* e^(p.high + p.low) */
HP5_MATH double hp5_exp_long(Hp5Two p) {
    uint64_t steps;
    const double r = hp5_exp_split(p.high, &steps);
    return hp5_exp_joined(steps, r + p.low, p.high, 620.0);
}

/* Whether x is no positive and normal number, or |y| is 2^64 or more, or one of them is no number. The two conditions in one
 * word: of combined ones gcc makes no vectors. */
HP5_MATH bool hp5_power_is_special(double x, double y) {
    const uint64_t a = hp5_bits(x) - 0x0010000000000000, b = a + 0x0020000000000000, c = (hp5_bits(y) << 1 >> 1) - 0x43F0000000000000;
    return (int64_t)(a | b | ~c) < 0;
}

/* x^y, given |x|^y: C's Annex F. Infinite y are even numbers. */
HP5_MATH double hp5_power_of_any(double x, double y, double result) {
    const double half = 0.5 * y, odd = trunc(half) == half ? result : hp5_with_sign(result, x);
    const double broken = x < 0.0 ? HP5_MATH_NAN : result, other = x == -HP5_MATH_INFINITY ? result : broken;
    result = trunc(y) == y ? odd : other;
    result = isunordered(x, y) ? HP5_MATH_NAN : result;
    result = x == 1.0 ? 1.0 : result;
    return y == 0.0 ? 1.0 : result;
}

HP5_MATH double hp5_pow(double x, double y) {
    uint64_t bits = hp5_bits(x);
    double times = y;
    if (HP5_RARELY(hp5_power_is_special(x, y))) {
        const double size = hp5_size(x), most = hp5_with_sign(0x1p64, y); /* out of range, of every other x than 1 */
        bits = size < 0x1p-1022 ? hp5_bits(size * 0x1p54) - ((uint64_t)54 << 52) : hp5_bits(size);
        times = hp5_size(y) > 0x1p64 ? most : y;
        times = size == 0.0 ? most : times;
        times = size == HP5_MATH_INFINITY ? most : times;
    }
    const Hp5Two log = hp5_log_long(bits);
    const double high = HP5_TIMES(times, log.high), low = HP5_FMA(times, log.high, -high) + HP5_TIMES(times, log.low);
    double result = hp5_exp_long((Hp5Two){high, low});
    if (HP5_RARELY(hp5_power_is_special(x, y))) result = hp5_power_of_any(x, y, result);
    return result;
}
#endif
