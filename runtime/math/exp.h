/* exp, exp2, expm1, sinh, cosh, tanh. exp and exp2 take the nearest power of 2^(1 / 128) from a table of 1 KB; a fifth-degree
 * polynomial gives the rest. The others: an argument is n ln 2 + r with |r| <= ln 2 / 2, and e^r = even(r) + odd(r) by one
 * polynomial, even = cosh r = 1 + ..., odd = sinh r = r + .... So
 *
 *   sinh x, cosh x = 2^(n-1) (even + odd) -+ 2^(-n-1) (even - odd)
 *
 * and where two terms nearly cancel (expm1, sinh and tanh near 0), n is 0 and the large terms are exactly absent. */
#ifndef HP5_RUNTIME_MATH_EXP_H
#define HP5_RUNTIME_MATH_EXP_H
#include "runtime/math/base.h"

/* x = n ln 2 + r, for |x| < 1100; n is returned. */
HP5_MATH double hp5_exp_reduce(double x, Hp5Two *r) {
    const double n = HP5_FMA(x, HP5_LOG2E, HP5_SHIFTER) - HP5_SHIFTER;
    *r = hp5_sum_fast(HP5_FMA(-n, HP5_LN2_EXACT, x), HP5_TIMES(-n, HP5_LN2_REST));
    return n;
}

/* e^r = 1 + r.high + half + rest, half = r.high^2 / 2 rounded. */
HP5_MATH double hp5_exp_rest(Hp5Two r, double *half) {
    const double x = r.high, z = HP5_TIMES(x, x);
    double e = HP5_FMA(z, HP5_EXP_8, HP5_EXP_6), o = HP5_FMA(z, HP5_EXP_7, HP5_EXP_5);
    e = HP5_FMA(z, e, HP5_EXP_4);
    o = HP5_FMA(z, o, HP5_EXP_3);
    e = HP5_FMA(z, e, HP5_EXP_2);
    o = HP5_FMA(z, o, HP5_EXP_1);
    e = HP5_FMA(z, e, HP5_EXP_0);
    *half = 0.5 * z;
    const double lost = HP5_FMA(0.5 * x, x, -*half), low = HP5_FMA(x, r.low, r.low);
    return HP5_FMA(HP5_TIMES(z, x), HP5_FMA(x, o, e), low + lost);
}

/* ---- exp, exp2 -------------------------------------------------------------------------- */
/* e^x = 2^(k / 128) e^r with |r| <= ln 2 / 256. Rows by the last 7 bits of k + HP5_EXP_BIAS, which the last bits of `steps` are:
 * the lower 52 bits and `steps` << 45 make the bits of a double p; 2^(k / 128) is p (1 - t) with a t from 2^-52 to 2^-51, whose
 * first bits after the leading one are the upper 12 (those that follow do not matter). */
HP5_MATH_TABLE uint64_t hp5_exp_powers[128] = HP5_EXP_POWERS;

/* x = k ln 2 / 128 + r: r. */
HP5_MATH double hp5_exp_split(double x, uint64_t *steps) {
    const double start = HP5_SHIFTER + HP5_EXP_BIAS, shifted = HP5_FMA(x, HP5_EXP_STEPS, start), k = shifted - start;
    *steps = hp5_bits(shifted);
    return HP5_FMA(-k, HP5_EXP_STEP_L, HP5_FMA(-k, HP5_EXP_STEP_H, x));
}

/* The bits of p; where its exponent is out of range, so are they. */
HP5_MATH uint64_t hp5_exp_power(uint64_t row, uint64_t steps) { return (row & 0x000FFFFFFFFFFFFF) + (steps << 45); }

/* 2^(k / 128) e^r. `size`: the whole exponent, to base e or 2, and the limit below which nothing is out of range. */
HP5_MATH double hp5_exp_joined(uint64_t steps, double r, double size, double limit) {
    const uint64_t row = hp5_exp_powers[steps & 127], power = hp5_exp_power(row, steps);
    const double scale = hp5_from_bits(power), t = hp5_from_bits(row >> 12 | 0x3CB0000000000000), z = HP5_TIMES(r, r);
    const double p = HP5_FMA(z, HP5_FMA(r, HP5_EXP_NEAR_3, HP5_EXP_NEAR_2), HP5_FMA(r, HP5_EXP_NEAR_1, HP5_EXP_NEAR_0));
    const double rest = HP5_FMA(z, p, r - t);
    double result = HP5_FMA(scale, rest, scale);
    if (HP5_RARELY(!(hp5_size(size) < limit))) { /* from a number within the range */
        const bool up = size > 0.0;
        const double near = hp5_from_bits(power + (up ? (uint64_t)0 - ((uint64_t)600 << 52) : (uint64_t)600 << 52));
        result = HP5_FMA(near, rest, near) * (up ? 0x1p600 : 0x1p-600);
        result = size > 1.5 * limit ? HP5_MATH_INFINITY : result;
        result = size < -1.5 * limit ? 0.0 : result;
    }
    return result;
}

HP5_MATH double hp5_exp(double x) {
    uint64_t steps;
    const double r = hp5_exp_split(x, &steps);
    return hp5_exp_joined(steps, r, x, 620.0);
}

HP5_MATH double hp5_exp2(double x) {
    const double start = (HP5_SHIFTER + HP5_EXP_BIAS) / 128.0, shifted = x + start, r = x - (shifted - start);
    return hp5_exp_joined(hp5_bits(shifted), HP5_TIMES(r, HP5_LN2_H), x, 895.0);
}

HP5_MATH double hp5_expm1(double x) {
    double y = x > 710.0 ? 710.0 : x;
    y = y < -40.0 ? -40.0 : y;
    Hp5Two r;
    const double n = hp5_exp_reduce(y, &r), least = n > 1000.0 ? 1000.0 : n;
    /* 2^n (e^r - 1 + (1 - 2^-n)) */
    double half;
    const double rest = hp5_exp_rest(r, &half);
    const Hp5Two start = hp5_sum(1.0, -hp5_scale(HP5_SHIFTER - least)), sum = hp5_sum(start.high, r.high);
    const Hp5Two more = hp5_sum(sum.high, half);
    const double result = hp5_scaled(more.high + (more.low + sum.low + (start.low + rest)), n);
    return hp5_size(x) < 0x1p-54 ? x : result;
}

/* ---- Hyperbolic functions ---------------------------------------------------------------- */
/* 2 sinh x and 2 cosh x, both divided by 2^n, which is returned; 0 <= x <= 711. */
HP5_MATH double hp5_hyperbolic(double x, Hp5Two *sine, Hp5Two *cosine) {
    Hp5Two r;
    const double n = hp5_exp_reduce(x, &r), most = n > 500.0 ? 500.0 : n;
    const double z = HP5_TIMES(r.high, r.high);
    double even = HP5_FMA(z, HP5_EXP_7, HP5_EXP_5), odd = HP5_FMA(z, HP5_EXP_8, HP5_EXP_6);
    even = HP5_FMA(z, even, HP5_EXP_3);
    odd = HP5_FMA(z, odd, HP5_EXP_4);
    even = HP5_FMA(z, even, HP5_EXP_1);
    odd = HP5_FMA(z, odd, HP5_EXP_2);
    odd = HP5_FMA(z, odd, HP5_EXP_0);
    even = HP5_FMA(HP5_TIMES(z, z), even, HP5_FMA(r.high, r.low, 0.5 * z)); /* cosh r - 1 */
    odd = HP5_FMA(HP5_TIMES(z, r.high), odd, r.low);                          /* sinh r - r.high */
    const double other = hp5_scale(HP5_SHIFTER - 2.0 * most); /* 2^-2n */
    const Hp5Two more = hp5_sum_fast(1.0, other), less = hp5_sum_fast(1.0, -other);
    /* sinh: less (1 + even) + more (r + odd); cosh: more (1 + even) + less (r + odd) */
    const Hp5Two up = hp5_product(more.high, r.high), down = hp5_product(less.high, r.high);
    const Hp5Two s = hp5_sum(less.high, up.high), c = hp5_sum_fast(more.high, down.high);
    const double s_low = HP5_FMA(less.high, even, HP5_FMA(more.high, odd, up.low + HP5_FMA(more.low, r.high, less.low)));
    const double c_low = HP5_FMA(more.high, even, HP5_FMA(less.high, odd, down.low + HP5_FMA(less.low, r.high, more.low)));
    *sine = hp5_sum_fast(s.high, s.low + s_low);
    *cosine = hp5_sum_fast(c.high, c.low + c_low);
    return n;
}

HP5_MATH double hp5_sinh(double x) {
    double size = hp5_size(x);
    size = size > 711.0 ? 711.0 : size;
    Hp5Two sine, cosine;
    const double n = hp5_hyperbolic(size, &sine, &cosine);
    const double result = hp5_with_sign(hp5_scaled(sine.high, n - 1.0), x);
    return hp5_size(x) < 0x1p-28 ? x : result;
}

HP5_MATH double hp5_cosh(double x) {
    double size = hp5_size(x);
    size = size > 711.0 ? 711.0 : size;
    Hp5Two sine, cosine;
    const double n = hp5_hyperbolic(size, &sine, &cosine);
    return hp5_scaled(cosine.high, n - 1.0);
}

HP5_MATH double hp5_tanh(double x) {
    double size = hp5_size(x);
    size = size > 20.0 ? 20.0 : size;
    Hp5Two sine, cosine;
    hp5_hyperbolic(size, &sine, &cosine);
    const double result = hp5_with_sign(hp5_quotient(sine, cosine).high, x);
    return hp5_size(x) < 0x1p-28 ? x : result;
}
#endif
