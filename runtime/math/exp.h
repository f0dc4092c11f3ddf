/* exp, exp2, expm1, sinh, cosh, tanh. How to read it: an argument is n ln 2 + r with |r| <= ln 2 / 2, and
 * e^r = even(r) + odd(r) by one polynomial, even = cosh r = 1 + ..., odd = sinh r = r + .... So
 *
 *   exp x = 2^n (even + odd)        sinh x, cosh x = 2^(n-1) (even + odd) -+ 2^(-n-1) (even - odd)
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

/* 2^n e^r */
HP5_MATH double hp5_exp_scaled(double n, Hp5Two r) {
    double half;
    const double rest = hp5_exp_rest(r, &half);
    const Hp5Two one = hp5_sum_fast(1.0, r.high), sum = hp5_sum_fast(one.high, half);
    return hp5_scaled(sum.high + (one.low + sum.low + rest), n);
}

HP5_MATH double hp5_exp(double x) {
    x = x > 710.0 ? 710.0 : x;
    x = x < -746.0 ? -746.0 : x;
    Hp5Two r;
    const double n = hp5_exp_reduce(x, &r);
    return hp5_exp_scaled(n, r);
}

HP5_MATH double hp5_exp2(double x) {
    x = x > 1025.0 ? 1025.0 : x;
    x = x < -1080.0 ? -1080.0 : x;
    const double n = x + HP5_SHIFTER - HP5_SHIFTER, f = x - n;
    Hp5Two r = hp5_product(f, HP5_LN2_H);
    r.low = HP5_FMA(f, HP5_LN2_L, r.low);
    return hp5_exp_scaled(n, r);
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
