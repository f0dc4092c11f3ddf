/* expf, exp2f, logf and powf in fewer operations than the functions of double precision need: they compute in doubles, to some
 * 2^-36, and round at the end. */
#ifndef HP5_RUNTIME_MATH_SINGLE_H
#define HP5_RUNTIME_MATH_SINGLE_H
#include "runtime/math/log.h"
#include "runtime/math/pow.h"

/* 2^n e^r */
HP5_MATH double hp5_exp_brief(double n, double r) {
    double p = HP5_FMA(r, HP5_EXPF_8, HP5_EXPF_7);
    p = HP5_FMA(r, p, HP5_EXPF_6);
    p = HP5_FMA(r, p, HP5_EXPF_5);
    p = HP5_FMA(r, p, HP5_EXPF_4);
    p = HP5_FMA(r, p, HP5_EXPF_3);
    p = HP5_FMA(r, p, HP5_EXPF_2);
    p = HP5_FMA(r, p, HP5_EXPF_1);
    p = HP5_FMA(r, p, HP5_EXPF_0);
    return p * hp5_scale(n + HP5_SHIFTER);
}

/* e^x, beyond the range of single precision at both ends. */
HP5_MATH double hp5_exp_near(double x) {
    x = x > 130.0 ? 130.0 : x;
    x = x < -160.0 ? -160.0 : x;
    const double n = HP5_FMA(x, HP5_LOG2E, HP5_SHIFTER) - HP5_SHIFTER;
    return hp5_exp_brief(n, HP5_FMA(-n, HP5_LN2_H, x));
}

HP5_MATH float hp5_expf(float x) { return (float)hp5_exp_near((double)x); }

HP5_MATH float hp5_exp2f(float x) {
    double y = (double)x > 150.0 ? 150.0 : (double)x;
    y = y < -180.0 ? -180.0 : y;
    const double n = y + HP5_SHIFTER - HP5_SHIFTER;
    return (float)hp5_exp_brief(n, (y - n) * HP5_LN2_H);
}

/* The logarithms of 2^k and of m = (1 + s) / (1 - s). */
HP5_MATH float hp5_logf(float x) {
    double m;
    const double k = hp5_log_exponent((double)x, &m), s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = HP5_FMA(z, HP5_LOGF_3, HP5_LOGF_2);
    p = HP5_FMA(z, p, HP5_LOGF_1);
    p = HP5_FMA(z, p, HP5_LOGF_0);
    return (float)hp5_log_special((double)x, HP5_FMA(k, HP5_LN2_H, HP5_TIMES(s, HP5_FMA(z, p, 2.0))));
}

HP5_MATH float hp5_powf(float x, float y) {
    const double size = hp5_size((double)x), power = (double)y;
    double m;
    const double k = hp5_log_exponent(size, &m), s = (m - 1.0) / (m + 1.0);
    double log = HP5_FMA(k, HP5_LN2_H, HP5_FMA(2.0, s, hp5_log_rest((Hp5Two){s, 0.0})));
    log = size == 0.0 ? -HP5_MATH_INFINITY : log;
    log = size < HP5_MATH_INFINITY ? log : size; /* NaN as well */
    return (float)hp5_power_of_any((double)x, power, hp5_exp_near(power * log));
}
#endif
