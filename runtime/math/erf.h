/* erf and erfc. How to read it: up to 1/2 erf is x times a polynomial in x^2, and erfc 1 less that. From 1/2 on
 * erfc x = e^(-x^2) p(t) / (1 + 2 x) with t = (x - 4) / (x + 4), and erf 1 less that. Both in two parts. */
#ifndef HP5_RUNTIME_MATH_ERF_H
#define HP5_RUNTIME_MATH_ERF_H
#include "runtime/math/exp.h"

/* erf x, 0 <= x <= 1/2. */
HP5_MATH Hp5Two hp5_erf_near(double x) {
    const double z = x * x;
    double p = HP5_FMA(z, HP5_ERF_8, HP5_ERF_7);
    p = HP5_FMA(z, p, HP5_ERF_6);
    p = HP5_FMA(z, p, HP5_ERF_5);
    p = HP5_FMA(z, p, HP5_ERF_4);
    p = HP5_FMA(z, p, HP5_ERF_3);
    p = HP5_FMA(z, p, HP5_ERF_2);
    p = HP5_FMA(z, p, HP5_ERF_1);
    p = HP5_FMA(z, p, HP5_ERF_0);
    const Hp5Two lead = hp5_product(x, HP5_ERF_H);
    return hp5_sum_fast(lead.high, HP5_FMA(HP5_TIMES(x, z), p, HP5_FMA(x, HP5_ERF_L, lead.low)));
}

/* (1 + 2 x) e^(x^2) erfc x */
HP5_MATH Hp5Two hp5_erfc_polynomial(Hp5Two t) {
    const double x = t.high;
    double p = HP5_FMA(x, HP5_ERFC_22, HP5_ERFC_21);
    p = HP5_FMA(x, p, HP5_ERFC_20);
    p = HP5_FMA(x, p, HP5_ERFC_19);
    p = HP5_FMA(x, p, HP5_ERFC_18);
    p = HP5_FMA(x, p, HP5_ERFC_17);
    p = HP5_FMA(x, p, HP5_ERFC_16);
    p = HP5_FMA(x, p, HP5_ERFC_15);
    p = HP5_FMA(x, p, HP5_ERFC_14);
    p = HP5_FMA(x, p, HP5_ERFC_13);
    p = HP5_FMA(x, p, HP5_ERFC_12);
    p = HP5_FMA(x, p, HP5_ERFC_11);
    p = HP5_FMA(x, p, HP5_ERFC_10);
    p = HP5_FMA(x, p, HP5_ERFC_9);
    p = HP5_FMA(x, p, HP5_ERFC_8);
    p = HP5_FMA(x, p, HP5_ERFC_7);
    p = HP5_FMA(x, p, HP5_ERFC_6);
    p = HP5_FMA(x, p, HP5_ERFC_5);
    p = HP5_FMA(x, p, HP5_ERFC_4);
    p = HP5_FMA(x, p, HP5_ERFC_3);
    Hp5Two q = hp5_two_plus(hp5_product(x, p), HP5_TWO(HP5_ERFC_2));
    q = hp5_two_plus(hp5_two_times(t, q), HP5_TWO(HP5_ERFC_1));
    return hp5_two_plus(hp5_two_times(t, q), HP5_TWO(HP5_ERFC_0));
}

/* erfc x times 2^-n, which is returned; 1/2 <= x <= 28. */
HP5_MATH double hp5_erfc_far(double x, Hp5Two *value) {
    const Hp5Two t = hp5_quotient(hp5_sum(x, -4.0), hp5_sum(x, 4.0)), square = hp5_product(x, x);
    Hp5Two r;
    const double n = hp5_exp_reduce(-square.high, &r);
    r = hp5_sum_fast(r.high, r.low - square.low);
    double half;
    const double rest = hp5_exp_rest(r, &half);
    const Hp5Two one = hp5_sum_fast(1.0, r.high), sum = hp5_sum_fast(one.high, half);
    const Hp5Two power = hp5_sum_fast(sum.high, one.low + sum.low + rest);
    *value = hp5_quotient(hp5_two_times(power, hp5_erfc_polynomial(t)), hp5_sum(1.0, 2.0 * x));
    return n;
}

HP5_MATH double hp5_erf(double x) {
    const double size = hp5_size(x);
    const bool near = size < 0.5;
    Hp5Two value;
    const double far = size > 6.0 ? 6.0 : near ? 0.5 : size, n = hp5_erfc_far(far, &value);
    const double scale = hp5_scale(n + HP5_SHIFTER), other = 1.0 - value.high * scale;
    const bool tiny = size < 0x1p-500; /* its product may be subnormal, and is rounded at the end */
    const Hp5Two small = hp5_erf_near(near ? (tiny ? size * 0x1p200 : size) : 0.0), sum = hp5_sum_fast(1.0, -value.high * scale);
    const double result = near ? small.high : other + (sum.low - value.low * scale);
    return hp5_with_sign(tiny ? result * 0x1p-200 : result, x);
}

HP5_MATH double hp5_erfc(double x) {
    const double size = hp5_size(x);
    const bool near = size < 0.5, negative = x < 0.0;
    Hp5Two value;
    const double far = size > 28.0 ? 28.0 : near ? 0.5 : size, n = hp5_erfc_far(far, &value);
    const double scale = hp5_scale((n < -100.0 ? -100.0 : n) + HP5_SHIFTER);
    const Hp5Two small = hp5_erf_near(near ? size : 0.0);
    /* 1 - erf x, 2 - erfc(-x) */
    const double from = near ? 1.0 : 2.0, less = near ? (negative ? -small.high : small.high) : value.high * scale;
    const double less_low = near ? (negative ? -small.low : small.low) : value.low * scale;
    const Hp5Two sum = hp5_sum_fast(from, -less);
    const double result = near || negative ? sum.high + (sum.low - less_low) : hp5_scaled(value.high, n);
    return x == x ? result : x;
}
#endif
