/* expf, exp2f, logf, powf, sinf and cosf in fewer operations than the functions of double precision need: they compute in doubles, to some
 * 2^-36, and round at the end. */
#ifndef HP5_RUNTIME_MATH_SINGLE_H
#define HP5_RUNTIME_MATH_SINGLE_H
#include "runtime/math/log.h"

/* 2^n e^r, the bits of n at the end of those of `shifted`. */
HP5_MATH double hp5_exp_brief(double shifted, double r) {
    double p = HP5_FMA(r, HP5_EXPF_7, HP5_EXPF_6);
    p = HP5_FMA(r, p, HP5_EXPF_5);
    p = HP5_FMA(r, p, HP5_EXPF_4);
    p = HP5_FMA(r, p, HP5_EXPF_3);
    p = HP5_FMA(r, p, HP5_EXPF_2);
    p = HP5_FMA(r, p, HP5_EXPF_1);
    p = HP5_FMA(r, p, HP5_EXPF_0);
    return p * hp5_scale(shifted);
}

/* Beyond a limit, above which the result is infinite and below which it is 0, the limit will do. */
HP5_MATH float hp5_kept_within(float x, float limit) {
    if (HP5_RARELY(fabsf(x) > limit)) x = copysignf(limit, x);
    return x;
}

HP5_MATH float hp5_expf(float x) {
    const double y = (double)hp5_kept_within(x, 150.0f), shifted = HP5_FMA(y, HP5_LOG2E, HP5_SHIFTER);
    return (float)hp5_exp_brief(shifted, HP5_FMA(HP5_SHIFTER - shifted, HP5_LN2_H, y));
}

HP5_MATH float hp5_exp2f(float x) {
    const double y = (double)hp5_kept_within(x, 200.0f), shifted = y + HP5_SHIFTER;
    return (float)hp5_exp_brief(shifted, (y - (shifted - HP5_SHIFTER)) * HP5_LN2_H);
}

/* x = 2^k (1 + s) / (1 - s), of a normal x: s. */
HP5_MATH double hp5_log_quotient(double x, double *k) {
    double m;
    *k = hp5_log_exponent(hp5_bits(x), &m);
    return (m - 1.0) / (m + 1.0);
}

HP5_MATH float hp5_logf(float x) {
    double k;
    const double s = hp5_log_quotient((double)x, &k), z = s * s;
    double p = HP5_FMA(z, HP5_LOGF_3, HP5_LOGF_2);
    p = HP5_FMA(z, p, HP5_LOGF_1);
    p = HP5_FMA(z, p, HP5_LOGF_0);
    double result = HP5_FMA(k, HP5_LN2_H, HP5_TIMES(s, HP5_FMA(z, p, 2.0)));
    if (HP5_RARELY(!(x > 0.0f && x < (float)INFINITY))) result = hp5_log_special((double)x, result);
    return (float)result;
}

/* Whether a size is 0, infinite or no number, and what its logarithm is then: 0 where y is 0. */
HP5_MATH bool hp5_power_is_edge(double size) { return hp5_bits(size) - 1 >= 0x7FEFFFFFFFFFFFFF; }
HP5_MATH double hp5_power_edge(double size, double y) {
    const uint64_t bits = hp5_bits(size), nothing = (uint64_t)((int64_t)(bits - 1) >> 63), any = (uint64_t)((int64_t)(0 - hp5_bits(hp5_size(y))) >> 63);
    return hp5_from_bits((bits | (nothing & 0xFFF0000000000000)) & any);
}

HP5_MATH float hp5_powf(float x, float y) {
    const double wide = (double)x, size = hp5_size(wide), times = (double)y, half = 0.5 * times;
    const bool negative = (int64_t)hp5_bits(wide) < 0;
    double k;
    const double s = hp5_log_quotient(size, &k), z = s * s;
    /* in the order in which a processor waits least */
    const double p = HP5_FMA(HP5_TIMES(z, z), HP5_FMA(z, HP5_POWF_4, HP5_POWF_3), HP5_FMA(z, HP5_POWF_2, HP5_POWF_1));
    const double first = HP5_FMA(k, HP5_LN2_H, 2.0 * s), cube = HP5_TIMES(z, s);
    double log = HP5_FMA(cube, HP5_FMA(z, p, HP5_POWF_0), first);
    if (HP5_RARELY(negative)) log = trunc(times) == times ? log : HP5_MATH_NAN;
    if (HP5_RARELY(hp5_power_is_edge(size))) log = hp5_power_edge(size, times);
    double power = times * log;
    if (HP5_RARELY(fabs(power) > 200.0)) power = hp5_with_sign(200.0, power);
    const double shifted = HP5_FMA(power, HP5_LOG2E, HP5_SHIFTER);
    double result = hp5_exp_brief(shifted, HP5_FMA(HP5_SHIFTER - shifted, HP5_LN2_H, power));
    if (HP5_RARELY(hp5_bits(log) == 0)) result = 1.0;
    if (HP5_RARELY(negative)) result = hp5_size(half - trunc(half)) == 0.5 ? hp5_with_sign(result, wide) : result;
    return (float)result;
}
/* ---- sinf, cosf ------------------------------------------------------------------------- */
HP5_MATH_TABLE double hp5_two_over_pi_single_0[32] = HP5_TWO_OVER_PI_SINGLE_0;
HP5_MATH_TABLE double hp5_two_over_pi_single_1[32] = HP5_TWO_OVER_PI_SINGLE_1;

/* x 2 / pi = 4 j + n + y, as in trig.h, with fewer parts: y; the last bits of *quadrant are n. */
HP5_MATH double hp5_angle_single(float x, uint64_t *quadrant) {
    const double wide = (double)x;
    const uint64_t row = hp5_bits(wide) >> 55 & 31;
    const Hp5Two p = hp5_product(wide, hp5_two_over_pi_single_0[row]);
    const double shifted = p.high + HP5_SHIFTER, y = p.high - (shifted - HP5_SHIFTER);
    *quadrant = hp5_bits(shifted);
    return y + HP5_FMA(wide, hp5_two_over_pi_single_1[row], p.low);
}

/* sin((n + y) pi / 2) */
HP5_MATH double hp5_sine_single(double y, uint64_t quadrant) {
    const double z = HP5_TIMES(y, y), square = HP5_TIMES(z, z);
    double sine = HP5_FMA(z, HP5_FMA(z, HP5_SINF_4, HP5_SINF_3), HP5_SINF_2);
    double cosine = HP5_FMA(z, HP5_FMA(z, HP5_COSF_4, HP5_COSF_3), HP5_COSF_2);
    sine = HP5_TIMES(y, HP5_FMA(square, sine, HP5_FMA(z, HP5_SINF_1, HP5_SINF_0)));
    cosine = HP5_FMA(square, cosine, HP5_FMA(z, HP5_COSF_1, HP5_COSF_0));
    const uint64_t odd = (uint64_t)0 - (quadrant & 1); /* a branch would often be mispredicted */
    return hp5_from_bits(((hp5_bits(cosine) & odd) | (hp5_bits(sine) & ~odd)) ^ (quadrant & 2) << 62);
}

HP5_MATH float hp5_sinf(float x) {
    uint64_t quadrant;
    const double y = hp5_angle_single(x, &quadrant);
    const float result = (float)hp5_sine_single(y, quadrant);
    return fabsf(x) < 0x1p-100f ? x : result; /* -0.0; subnormal numbers, which have no row */
}

HP5_MATH float hp5_cosf(float x) {
    uint64_t quadrant;
    const double y = hp5_angle_single(x, &quadrant);
    return (float)hp5_sine_single(y, quadrant + 1);
}
#endif
