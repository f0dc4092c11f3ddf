/* tgamma and lgamma. How to read it: between 1 and 2 gamma and its logarithm are polynomials in t = x - 3/2; other
 * arguments up to 10 in size go there by gamma(x + 1) = x gamma(x), the product of double length. From 10 on it is
 * Stirling's series; below -10 the reflection. Next to a zero of lgamma between -19 and -2, where terms of that
 * recurrence would cancel, the zero's own series takes over. Long functions with branches: loops call them. */
#ifndef HP5_RUNTIME_MATH_GAMMA_H
#define HP5_RUNTIME_MATH_GAMMA_H
#include "runtime/math/pow.h"
#include "runtime/math/trig.h"

HP5_MATH_TABLE double hp5_gamma_coefficients[22] = {
    HP5_GAMMA_3, HP5_GAMMA_4, HP5_GAMMA_5, HP5_GAMMA_6, HP5_GAMMA_7, HP5_GAMMA_8, HP5_GAMMA_9, HP5_GAMMA_10,
    HP5_GAMMA_11, HP5_GAMMA_12, HP5_GAMMA_13, HP5_GAMMA_14, HP5_GAMMA_15, HP5_GAMMA_16, HP5_GAMMA_17,
    HP5_GAMMA_18, HP5_GAMMA_19, HP5_GAMMA_20, HP5_GAMMA_21, HP5_GAMMA_22, HP5_GAMMA_23, HP5_GAMMA_24};
HP5_MATH_TABLE double hp5_lgamma_coefficients[22] = {
    HP5_LGAMMA_3, HP5_LGAMMA_4, HP5_LGAMMA_5, HP5_LGAMMA_6, HP5_LGAMMA_7, HP5_LGAMMA_8, HP5_LGAMMA_9,
    HP5_LGAMMA_10, HP5_LGAMMA_11, HP5_LGAMMA_12, HP5_LGAMMA_13, HP5_LGAMMA_14, HP5_LGAMMA_15, HP5_LGAMMA_16,
    HP5_LGAMMA_17, HP5_LGAMMA_18, HP5_LGAMMA_19, HP5_LGAMMA_20, HP5_LGAMMA_21, HP5_LGAMMA_22, HP5_LGAMMA_23, HP5_LGAMMA_24};
HP5_MATH_TABLE double hp5_lgamma_zeros[34][18] = HP5_LGAMMA_ZEROS;

/* c0 + t (c1 + t (c2 + t (rest[0] + …))), two chains of every second coefficient: they need not wait for each other. */
HP5_MATH Hp5Two hp5_gamma_polynomial(Hp5Two t, const double *rest, Hp5Two c0, Hp5Two c1, Hp5Two c2) {
    const double x = t.high, z = x * x;
    double even = rest[20], odd = rest[21];
    for (int k = 18; k >= 0; k -= 2) {
        even = HP5_FMA(z, even, rest[k]);
        odd = HP5_FMA(z, odd, rest[k + 1]);
    }
    Hp5Two p = hp5_two_plus(hp5_product(x, HP5_FMA(x, odd, even)), c2);
    p = hp5_two_plus(hp5_two_times(t, p), c1);
    return hp5_two_plus(hp5_two_times(t, p), c0);
}

/* gamma(3/2 + t) and log gamma(3/2 + t), |t| <= 1/2. */
HP5_MATH Hp5Two hp5_gamma_near(Hp5Two t) {
    return hp5_gamma_polynomial(t, hp5_gamma_coefficients, HP5_TWO(HP5_GAMMA_0), HP5_TWO(HP5_GAMMA_1), HP5_TWO(HP5_GAMMA_2));
}
HP5_MATH Hp5Two hp5_lgamma_near(Hp5Two t) {
    const Hp5Two p = hp5_gamma_polynomial(t, hp5_lgamma_coefficients, HP5_TWO(HP5_LGAMMA_0), HP5_TWO(HP5_LGAMMA_1), HP5_TWO(HP5_LGAMMA_2));
    const Hp5Two half = {0.5, 0.0};
    return hp5_two_times(p, hp5_two_times(hp5_two_plus(t, half), hp5_two_plus(t, hp5_two_negative(half))));
}

/* x = f + steps with 1 <= f <= 2: f - 3/2, and the product of the numbers that lie between: gamma x = gamma f *product for
 * positive steps, gamma f / *product for others. */
HP5_MATH Hp5Two hp5_gamma_steps(double x, Hp5Two *product, bool *above) {
    const double steps = floor(x) - 1.0;
    *above = steps > 0.0;
    *product = (Hp5Two){1.0, 0.0};
    for (double k = 1.0; k <= steps; k += 1.0) *product = hp5_two_times(*product, (Hp5Two){x - k, 0.0});
    for (double k = steps; k < 0.0; k += 1.0) *product = hp5_two_times(*product, hp5_sum(x, k - steps));
    const Hp5Two f = hp5_sum(-steps, x);
    return hp5_two_plus(f, (Hp5Two){-1.5, 0.0});
}

/* log gamma x, 10 <= x <= 1e300: (x - 1/2) log x - x + log(2 pi) / 2 + 1 / (12 x) - …. */
HP5_MATH Hp5Two hp5_lgamma_far(double x) {
    const double inverse = 1.0 / x, z = inverse * inverse;
    double p = HP5_FMA(z, HP5_STIRLING_10, HP5_STIRLING_9);
    p = HP5_FMA(z, p, HP5_STIRLING_8);
    p = HP5_FMA(z, p, HP5_STIRLING_7);
    p = HP5_FMA(z, p, HP5_STIRLING_6);
    p = HP5_FMA(z, p, HP5_STIRLING_5);
    p = HP5_FMA(z, p, HP5_STIRLING_4);
    p = HP5_FMA(z, p, HP5_STIRLING_3);
    p = HP5_FMA(z, p, HP5_STIRLING_2);
    p = HP5_FMA(z, p, HP5_STIRLING_1);
    const Hp5Two product = hp5_two_times(hp5_sum(x, -0.5), hp5_log_long(hp5_bits(x)));
    const Hp5Two rest = hp5_two_plus(HP5_TWO(HP5_HALF_LOG_2PI), (Hp5Two){HP5_TIMES(inverse, p), 0.0});
    return hp5_two_plus(hp5_two_plus(product, (Hp5Two){-x, 0.0}), rest);
}

/* x sin(pi x) of a positive x up to 2^52. */
HP5_MATH Hp5Two hp5_gamma_sine(double x) {
    const double f = fabs(x - (x + HP5_SHIFTER - HP5_SHIFTER));
    const bool near = f <= 0.25;
    const Hp5Two r = hp5_two_times(HP5_TWO(HP5_PI), (Hp5Two){near ? f : 0.5 - f, 0.0});
    const Hp5Two sine = near ? hp5_sine_of(r) : hp5_cosine_of(r);
    return hp5_two_times(hp5_sum_fast(sine.high, sine.low), (Hp5Two){x, 0.0});
}

/* gamma x, x < -10: -pi / (x sin(pi x) gamma(-x)). */
HP5_MATH_LONG double hp5_tgamma_reflected(double x) {
    if (x < -190.0) return fmod(floor(x), 2.0) == 0.0 ? 0.0 : -0.0;
    const Hp5Two log = hp5_two_negative(hp5_lgamma_far(-x));
    Hp5Two r;
    const double n = hp5_exp_reduce(log.high, &r);
    r = hp5_sum_fast(r.high, r.low + log.low);
    double half;
    const double rest = hp5_exp_rest(r, &half);
    const Hp5Two one = hp5_sum_fast(1.0, r.high), sum = hp5_sum_fast(one.high, half);
    const Hp5Two power = hp5_sum_fast(sum.high, one.low + sum.low + rest);
    const Hp5Two size = hp5_quotient(hp5_two_times(power, HP5_TWO(HP5_PI)), hp5_gamma_sine(-x));
    return hp5_scaled(fmod(floor(x), 2.0) == 0.0 ? size.high : -size.high, n);
}

HP5_MATH_LONG double hp5_tgamma(double x) {
    if (!(fabs(x) < HP5_MATH_INFINITY)) return x < 0.0 ? HP5_MATH_NAN : x;
    if (fabs(x) < 0x1p-60) return 1.0 / x;
    if (x < 0.0 && floor(x) == x) return HP5_MATH_NAN;
    if (x < -10.0) return hp5_tgamma_reflected(x);
    if (x > 172.0) return HP5_MATH_INFINITY;
    if (x > 10.0) return hp5_exp_long(hp5_lgamma_far(x), 0);
    Hp5Two product;
    bool above;
    const Hp5Two t = hp5_gamma_steps(x, &product, &above), near = hp5_gamma_near(t);
    return (above ? hp5_two_times(near, product) : hp5_quotient(near, product)).high;
}

/* ---- lgamma ------------------------------------------------------------------------------------- */
/* log |a| of two parts. */
HP5_MATH Hp5Two hp5_log_two(Hp5Two a) {
    const Hp5Two log = hp5_log_long(hp5_bits(fabs(a.high)));
    return hp5_sum_fast(log.high, log.low + a.low / a.high);
}

/* Next to one of the zeros, -19 < x < -2: its series. */
HP5_MATH bool hp5_lgamma_at_zero(double x, double *result) {
    const int row = 2 * ((int)-floor(x) - 3);
    for (int side = 0; side < 2; side++) {
        const double *zero = hp5_lgamma_zeros[row + side];
        Hp5Two d = hp5_sum(x - zero[0], -zero[1]);
        if (!(fabs(d.high) < 0.0625 * fabs(rint(zero[0]) - zero[0]))) continue; /* from the pole */
        d.low -= zero[2];
        double p = zero[17];
        for (int k = 16; k >= 5; k--) p = HP5_FMA(d.high, p, zero[k]);
        const Hp5Two lead = hp5_two_times(d, (Hp5Two){zero[3], zero[4]});
        *result = lead.high + HP5_FMA(HP5_TIMES(d.high, d.high), p, lead.low);
        return true;
    }
    return false;
}

HP5_MATH_LONG double hp5_lgamma_negative(double x) {
    if (floor(x) == x) return HP5_MATH_INFINITY;
    double result;
    if (x > -19.0 && x < -2.0 && hp5_lgamma_at_zero(x, &result)) return result;
    if (x < -19.0) { /* log pi - log|x sin(pi x)| - log gamma |x| */
        const Hp5Two sine = hp5_log_two(hp5_gamma_sine(-x)), sum = hp5_two_plus(hp5_lgamma_far(-x), sine);
        return hp5_two_plus(HP5_TWO(HP5_LOG_PI), hp5_two_negative(sum)).high;
    }
    Hp5Two product;
    bool above;
    const Hp5Two t = hp5_gamma_steps(x, &product, &above);
    return hp5_two_plus(hp5_lgamma_near(t), hp5_two_negative(hp5_log_two(product))).high;
}

HP5_MATH_LONG double hp5_lgamma(double x) {
    if (!(fabs(x) < HP5_MATH_INFINITY)) return x * x; /* infinity, NaN */
    if (fabs(x) < 0x1p-60) return -hp5_log(fabs(x));
    if (x < 0.0) return hp5_lgamma_negative(x);
    if (x > 0x1.754d9278b51a7p1014) return HP5_MATH_INFINITY;
    if (x > 1e300) return hp5_two_times(hp5_two_plus(hp5_log_long(hp5_bits(x)), (Hp5Two){-1.0, 0.0}), (Hp5Two){x * 0x1p-20, 0.0}).high * 0x1p20;
    if (x >= 10.0) return hp5_lgamma_far(x).high;
    Hp5Two product;
    bool above;
    const Hp5Two t = hp5_gamma_steps(x, &product, &above), near = hp5_lgamma_near(t);
    if (x >= 1.0 && x <= 2.0) return near.high;
    const Hp5Two log = hp5_log_two(product);
    return hp5_two_plus(near, above ? log : hp5_two_negative(log)).high;
}
#endif
