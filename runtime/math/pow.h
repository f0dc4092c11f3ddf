/* pow. How to read it: x^y = e^(y log |x|), with a logarithm of about 68 bits (log.h's way, its leading terms of double
 * length), and the sign and the special cases of C's Annex F chosen at the end. */
#ifndef HP5_RUNTIME_MATH_POW_H
#define HP5_RUNTIME_MATH_POW_H
#include "runtime/math/exp.h"
#include "runtime/math/log.h"

/* log x of a positive x. */
HP5_MATH Hp5Two hp5_log_long(double x) {
    Hp5Two s;
    const double k = hp5_log_parts(x, &s);
    const double z = HP5_TIMES(s.high, s.high), z_low = HP5_FMA(s.high, s.high, -z) + HP5_TIMES(2.0 * s.high, s.low);
    double p = HP5_FMA(z, HP5_POW_7, HP5_POW_6);
    p = HP5_FMA(z, p, HP5_POW_5);
    p = HP5_FMA(z, p, HP5_POW_4);
    p = HP5_FMA(z, p, HP5_POW_3);
    p = HP5_FMA(z, p, HP5_POW_2);
    p = HP5_FMA(z, p, HP5_POW_1);
    Hp5Two factor = hp5_sum_fast(HP5_POW_0_H, HP5_TIMES(z, p));
    factor.low += HP5_POW_0_L;
    const Hp5Two rest = hp5_two_times(s, hp5_two_times((Hp5Two){z, z_low}, factor)); /* 2 atanh s - 2 s */
    const Hp5Two a = hp5_sum_fast(HP5_TIMES(k, HP5_LN2_EXACT), 2.0 * s.high), b = hp5_sum_fast(a.high, rest.high);
    return hp5_sum_fast(b.high, a.low + b.low + HP5_FMA(2.0, s.low, HP5_FMA(k, HP5_LN2_REST, rest.low)));
}

/* e^(p.high + p.low) */
HP5_MATH double hp5_exp_long(Hp5Two p) {
    double x = p.high > 710.0 ? 710.0 : p.high;
    x = x < -746.0 ? -746.0 : x;
    const double low = x == p.high ? p.low : 0.0;
    Hp5Two r;
    const double n = hp5_exp_reduce(x, &r);
    return hp5_exp_scaled(n, hp5_sum_fast(r.high, r.low + low));
}

/* x^y, given |x|^y; and 1 where C's Annex F says so. Conditions one after the other: of combined ones gcc makes no vectors. */
HP5_MATH double hp5_power_of_any(double x, double y, double result) {
    const double size = hp5_size(x);
    /* of a negative x: odd and even powers, and those that are no number */
    const double half = 0.5 * y, turned = trunc(half) == half ? result : -result;
    const double endless = trunc(y) == y ? turned : result, finite = trunc(y) == y ? turned : HP5_MATH_NAN;
    double below = size < HP5_MATH_INFINITY ? finite : endless;
    below = size == 0.0 ? endless : below;
    double power = hp5_with_sign(1.0, x) < 0.0 ? below : result;
    power = x == x ? power : x;
    const double one = hp5_size(y) == HP5_MATH_INFINITY ? 1.0 : power;
    power = x == -1.0 ? one : power;
    power = x == 1.0 ? 1.0 : power;
    return y == 0.0 ? 1.0 : power;
}

HP5_MATH double hp5_pow(double x, double y) {
    const double size = hp5_size(x);
    const Hp5Two log = hp5_log_long(size);
    double log_high = size == 0.0 ? -HP5_MATH_INFINITY : log.high;
    log_high = size < HP5_MATH_INFINITY ? log_high : size; /* NaN as well */
    const double most = y > 0x1p100 ? 0x1p100 : y, times = most < -0x1p100 ? -0x1p100 : most; /* 2^47 at least, then */
    const double high = HP5_TIMES(times, log_high);
    double low = HP5_FMA(times, log_high, -high) + HP5_TIMES(times, log.low);
    low = size == 0.0 ? 0.0 : low;
    low = size < HP5_MATH_INFINITY ? low : 0.0;
    return hp5_power_of_any(x, y, hp5_exp_long((Hp5Two){high, low}));
}
#endif
