/* asin, acos, atan, atan2. How to read it: an angle is a constant plus or minus the atan or asin of something small, by
 * one polynomial. atan2 divides the smaller of its arguments by the larger (atan: its argument and 1), after turning the
 * pair by the nearest of 0, atan 1/2 and pi / 4, so that the quotient is at most 1/4. */
#ifndef HP5_RUNTIME_MATH_ATAN_H
#define HP5_RUNTIME_MATH_ATAN_H
#include "runtime/math/base.h"

/* The angle from 0 to pi of the point (x, y), given |x|, |y| and a number of the sign of x, 1 or -1. */
HP5_MATH double hp5_angle_of(double y, double x, double side) {
    const bool swap = y > x, negative = side < 0.0;
    double a = swap ? x : y, b = swap ? y : x;
    const double both = a == b ? 1.0 : 0.0;
    const bool endless = b == HP5_MATH_INFINITY;
    a = endless ? both : a;
    b = endless ? 1.0 : b;
    b = b == 0.0 ? 1.0 : b;
    const double scale = b > 0x1p600 ? 0x1p-200 : b < 1.0 ? 0x1p500 : 1.0;
    const bool tiny = a * scale < 0x1p-700; /* its quotient may be subnormal, and is rounded at the end */
    a *= tiny ? scale * 0x1p200 : scale;
    b *= scale;
    const bool low = a < 0.25 * b, middle = a < 0.72 * b;
    const double twice = middle ? 2.0 : 1.0; /* of the point (b, a) turned by atan 1/2: (2 b + a, 2 a - b) */
    const Hp5Two top = {low ? a : HP5_FMA(twice, a, -b), 0.0};
    const Hp5Two bottom = hp5_sum_fast(low ? b : twice * b, low ? 0.0 : a), t = hp5_quotient(top, bottom);
    const double z = t.high * t.high;
    double p = HP5_FMA(z, HP5_ATAN_8, HP5_ATAN_7);
    p = HP5_FMA(z, p, HP5_ATAN_6);
    p = HP5_FMA(z, p, HP5_ATAN_5);
    p = HP5_FMA(z, p, HP5_ATAN_4);
    p = HP5_FMA(z, p, HP5_ATAN_3);
    p = HP5_FMA(z, p, HP5_ATAN_2);
    p = HP5_FMA(z, p, HP5_ATAN_1);
    p = HP5_FMA(z, p, HP5_ATAN_0);
    const double rest = HP5_FMA(HP5_TIMES(z, t.high), p, t.low);
    /* 0, pi / 2 or pi, plus or minus the turn, plus or minus atan t */
    const double turn = low ? 0.0 : middle ? HP5_ATAN_HALF_H : HP5_PIO4_H, turn_low = low ? 0.0 : middle ? HP5_ATAN_HALF_L : HP5_PIO4_L;
    const double start = swap ? HP5_PIO2_H : negative ? HP5_PI_H : 0.0, start_low = swap ? HP5_PIO2_L : negative ? HP5_PI_L : 0.0;
    const double sign = swap ? -side : side;
    const Hp5Two base = hp5_sum(start, sign * turn), sum = hp5_sum(base.high, sign * t.high);
    const double lows = base.low + HP5_FMA(sign, turn_low, start_low), drop = start == 0.0 ? 0x1p-200 : 1.0;
    return (sum.high + (sum.low + HP5_FMA(sign, rest, lows))) * (tiny ? drop : 1.0);
}

HP5_MATH double hp5_atan2(double y, double x) {
    const double result = hp5_with_sign(hp5_angle_of(hp5_size(y), hp5_size(x), hp5_with_sign(1.0, x)), y);
    const double known = x == x ? result : x;
    return y == y ? known : y;
}

HP5_MATH double hp5_atan(double x) {
    const double result = hp5_with_sign(hp5_angle_of(hp5_size(x), 1.0, 1.0), x);
    return hp5_size(x) >= 0x1p-28 ? result : x; /* NaN as well */
}

/* ---- asin and acos -------------------------------------------------------------------------- */
/* (asin s / s - 1) of z = s s, z <= 1/4. */
HP5_MATH double hp5_asin_rest(double z) {
    double p = HP5_FMA(z, HP5_ASIN_12, HP5_ASIN_11);
    p = HP5_FMA(z, p, HP5_ASIN_10);
    p = HP5_FMA(z, p, HP5_ASIN_9);
    p = HP5_FMA(z, p, HP5_ASIN_8);
    p = HP5_FMA(z, p, HP5_ASIN_7);
    p = HP5_FMA(z, p, HP5_ASIN_6);
    p = HP5_FMA(z, p, HP5_ASIN_5);
    p = HP5_FMA(z, p, HP5_ASIN_4);
    p = HP5_FMA(z, p, HP5_ASIN_3);
    p = HP5_FMA(z, p, HP5_ASIN_2);
    p = HP5_FMA(z, p, HP5_ASIN_1);
    p = HP5_FMA(z, p, HP5_ASIN_0);
    return HP5_TIMES(z, p);
}

/* asin of |x| <= 1/2; else asin of sqrt((1 - |x|) / 2), which is half of acos |x|. */
HP5_MATH Hp5Two hp5_asin_part(double size, bool far) {
    const double z = far ? HP5_FMA(size, -0.5, 0.5) : HP5_TIMES(size, size), root = sqrt(z);
    const double s = far ? root : size;
    const double lost = HP5_FMA(-root, root, z) / (root + root), low = far && root > 0.0 ? lost : 0.0;
    return hp5_sum_fast(s, HP5_FMA(s, hp5_asin_rest(z), low));
}

HP5_MATH double hp5_asin(double x) {
    const double size = hp5_size(x);
    const bool far = size > 0.5;
    const Hp5Two part = hp5_asin_part(size, far), sum = hp5_sum_fast(HP5_PIO2_H, -2.0 * part.high);
    const double other = sum.high + (sum.low + HP5_FMA(-2.0, part.low, HP5_PIO2_L));
    const double result = hp5_with_sign(far ? other : part.high, x);
    return size >= 0x1p-28 ? result : x;
}

HP5_MATH double hp5_acos(double x) {
    const double size = hp5_size(x);
    const bool far = size > 0.5, negative = x < 0.0;
    const Hp5Two part = hp5_asin_part(size, far);
    const double times = (far ? 2.0 : 1.0) * (negative == far ? -1.0 : 1.0);
    const double start = far ? (negative ? HP5_PI_H : 0.0) : HP5_PIO2_H, low = far ? (negative ? HP5_PI_L : 0.0) : HP5_PIO2_L;
    const Hp5Two sum = hp5_sum(start, times * part.high);
    return sum.high + (sum.low + HP5_FMA(times, part.low, low));
}
#endif
