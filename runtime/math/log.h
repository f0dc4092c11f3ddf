/* log, log2, log10, log1p, asinh, acosh, atanh. How to read it: a positive number is 2^k m with m near 1, and
 * log m = 2 atanh s with s = (m - 1) / (m + 1), |s| <= 0.172. Each function finds its own k and s (in two parts, because the
 * division rounds) and hands them to hp5_log_of. pow and the gamma functions need more bits, and have a table (hp5_log_long). */
#ifndef HP5_RUNTIME_MATH_LOG_H
#define HP5_RUNTIME_MATH_LOG_H
#include "runtime/math/base.h"

/* 2 atanh s less 2 s.high. */
HP5_MATH double hp5_log_rest(Hp5Two s) {
    const double z = s.high * s.high;
    double p = HP5_FMA(z, HP5_LOG_6, HP5_LOG_5);
    p = HP5_FMA(z, p, HP5_LOG_4);
    p = HP5_FMA(z, p, HP5_LOG_3);
    p = HP5_FMA(z, p, HP5_LOG_2);
    p = HP5_FMA(z, p, HP5_LOG_1);
    p = HP5_FMA(z, p, HP5_LOG_0);
    return HP5_FMA(HP5_TIMES(z, s.high), p, 2.0 * s.low);
}

/* k ln 2 + 2 atanh s. */
HP5_MATH Hp5Two hp5_log_of(double k, Hp5Two s) {
    const Hp5Two sum = hp5_sum_fast(HP5_TIMES(k, HP5_LN2_EXACT), 2.0 * s.high);
    return hp5_sum_fast(sum.high, sum.low + HP5_FMA(k, HP5_LN2_REST, hp5_log_rest(s)));
}

/* The exponent k for which x 2^-k, *scaled, lies between sqrt 1/2 and sqrt 2; x is positive and normal, `bits` are its bits. */
HP5_MATH double hp5_log_exponent(uint64_t bits, double *scaled) {
    const uint64_t moved = bits - 0x3FE6A09E667F3BCD; /* sqrt 1/2 */
    *scaled = hp5_from_bits(bits - (moved & 0xFFF0000000000000));
    /* The exponent as a double: its 12 bits, with the sign turned, below 2^52. */
    return hp5_from_bits(((moved >> 52) ^ 0x800) | 0x4330000000000000) - (0x1p52 + 0x800);
}

/* (f.high + f.low) / (2 + f) */
HP5_MATH Hp5Two hp5_log_ratio(Hp5Two f) {
    Hp5Two d = hp5_sum_fast(2.0, f.high);
    d.low += f.low;
    const double inverse = 1.0 / d.high, s = HP5_TIMES(f.high, inverse);
    const double rest = HP5_FMA(-s, d.high, f.high) + HP5_FMA(-s, d.low, f.low);
    return (Hp5Two){s, HP5_TIMES(rest, inverse)};
}

/* log x = k ln 2 + 2 atanh s, of a positive x that may be subnormal. */
HP5_MATH double hp5_log_parts(double x, Hp5Two *s) {
    const bool small = x < 0x1p-1022;
    double m;
    const double k = hp5_log_exponent(hp5_bits(small ? x * 0x1p54 : x), &m);
    *s = hp5_log_ratio((Hp5Two){m - 1.0, 0.0});
    return small ? k - 54.0 : k;
}

/* What logarithms give where x is no positive number. */
HP5_MATH double hp5_log_special(double x, double result) {
    result = x == HP5_MATH_INFINITY ? x : result;
    result = x > 0.0 ? result : HP5_MATH_NAN; /* NaN as well */
    return x == 0.0 ? -HP5_MATH_INFINITY : result;
}

/* Not a positive and normal number. */
HP5_MATH bool hp5_log_is_special(double x) { return hp5_bits(x) - 0x0010000000000000 >= 0x7FE0000000000000; }

HP5_MATH double hp5_log(double x) {
    const bool special = hp5_log_is_special(x);
    uint64_t bits = hp5_bits(x);
    if (HP5_RARELY(special)) bits = hp5_bits(x * 0x1p54) - ((uint64_t)54 << 52); /* of subnormal numbers; what others get does not matter */
    double m;
    const double k = hp5_log_exponent(bits, &m);
    /* twice hp5_log_ratio, t = 2 s: fewer operations; 1 / d for the small correction by a line */
    const double f = m - 1.0, d = m + 1.0, d_low = f - (d - 2.0), twice = f + f, t = twice / d, z = HP5_TIMES(t, t);
    const double rest = HP5_TIMES(HP5_FMA(-t, d_low, HP5_FMA(-t, d, twice)), HP5_FMA(f, HP5_LOG_LINE_1, HP5_LOG_LINE_0));
    double p = HP5_FMA(z, HP5_LOG_6 * 0x1p-15, HP5_LOG_5 * 0x1p-13);
    p = HP5_FMA(z, p, HP5_LOG_4 * 0x1p-11);
    p = HP5_FMA(z, p, HP5_LOG_3 * 0x1p-9);
    p = HP5_FMA(z, p, HP5_LOG_2 * 0x1p-7);
    p = HP5_FMA(z, p, HP5_LOG_1 * 0x1p-5);
    p = HP5_FMA(z, p, HP5_LOG_0 * 0x1p-3);
    const double whole = HP5_TIMES(k, HP5_LN2_EXACT), high = whole + t, low = t - (high - whole);
    double result = high + HP5_FMA(HP5_TIMES(z, t), p, low + HP5_FMA(k, HP5_LN2_REST, rest));
    if (HP5_RARELY(special)) result = hp5_log_special(x, result);
    return result;
}

/* ---- Logarithms by a table ------------------------------------------------------------------------------------- */
/* log x = k ln 2 - log q + log(1 + r) with a q of few bits, so that r = q m - 1 is exact, |r| < 0.006. A row is -log q in two parts; the
 * last 20 bits of the second one are the first ones of q. */
HP5_MATH_TABLE uint64_t hp5_log_rows[256] = HP5_LOG_ROWS;

/* r, and k ln 2 - log q, whose high part is a multiple of 2^-42. */
HP5_MATH double hp5_log_split(uint64_t bits, Hp5Two *base) {
    const uint64_t moved = bits - HP5_LOG_LEAST + ((uint64_t)2048 << 52), row = moved >> 44 & 254;
    const uint64_t high = hp5_log_rows[row], low = hp5_log_rows[row + 1];
    const double m = hp5_from_bits((moved & 0x000FFFFFFFFFFFFF) + HP5_LOG_LEAST), q = hp5_from_bits(low << 44);
    const double k = hp5_from_bits(moved >> 52 | 0x4330000000000000) - (0x1p52 + 2048.0);
    *base = (Hp5Two){HP5_FMA(k, HP5_LN2_EXACT, hp5_from_bits(high)), HP5_FMA(k, HP5_LN2_REST, hp5_from_bits(low))};
    return HP5_FMA(m, q, -1.0);
}

/* (log(1 + r) - r + r^2 / 2) / r^3; `square` is r^2. */
HP5_MATH double hp5_log_near(double r, double square) {
    double p = HP5_FMA(r, HP5_LOG_NEAR_5, HP5_LOG_NEAR_4);
    p = HP5_FMA(square, p, HP5_FMA(r, HP5_LOG_NEAR_3, HP5_LOG_NEAR_2));
    return HP5_FMA(square, p, HP5_FMA(r, HP5_LOG_NEAR_1, HP5_LOG_NEAR_0));
}

/* base + log(1 + r), to some 68 bits. The lower part may be up to 2^-16 of the higher one. */
HP5_MATH Hp5Two hp5_log_joined(Hp5Two base, double r) {
    const double square = HP5_TIMES(r, r), half = 0.5 * r;
    const double most = HP5_FMA(-half, r, r), lost = HP5_FMA(-half, r, r - most); /* r - r^2 / 2 */
    const Hp5Two sum = hp5_sum_fast(base.high, most);
    return (Hp5Two){sum.high, sum.low + HP5_FMA(HP5_TIMES(square, r), hp5_log_near(r, square), base.low + lost)};
}
/* log x of a positive x; a subnormal number has the bits, with an exponent below 0, that it would have as a normal one. */
HP5_MATH Hp5Two hp5_log_long(uint64_t bits) {
    Hp5Two base;
    const double r = hp5_log_split(bits, &base);
    const Hp5Two log = hp5_log_joined(base, r);
    return hp5_sum_fast(log.high, log.low);
}

HP5_MATH double hp5_log2(double x) {
    Hp5Two s;
    const double k = hp5_log_parts(x, &s);
    const Hp5Two log = hp5_log_of(0.0, s), part = hp5_two_times(log, HP5_TWO(HP5_INV_LN2)), sum = hp5_sum_fast(k, part.high);
    const double result = k == 0.0 ? part.high : sum.high + (sum.low + part.low);
    return hp5_log_special(x, result);
}

HP5_MATH double hp5_log10(double x) {
    Hp5Two s;
    const double k = hp5_log_parts(x, &s);
    const Hp5Two log = hp5_log_of(0.0, s), part = hp5_two_times(log, HP5_TWO(HP5_INV_LN10));
    const Hp5Two sum = hp5_sum_fast(HP5_TIMES(k, HP5_LOG10_2_EXACT), part.high);
    const double result = sum.high + (sum.low + HP5_FMA(k, HP5_LOG10_2_REST, part.low));
    return hp5_log_special(x, result);
}

/* log(1 + w) of a w of two parts, 1 + w positive and normal, up to 2^1022. */
HP5_MATH Hp5Two hp5_log_one_plus(Hp5Two w) {
    const Hp5Two u = hp5_sum(1.0, w.high);
    double m;
    const double k = hp5_log_exponent(hp5_bits(u.high), &m), down = hp5_scale(HP5_SHIFTER - k);
    const Hp5Two f = {k == 0.0 ? w.high : m - 1.0, k == 0.0 ? w.low : HP5_TIMES(u.low + w.low, down)};
    return hp5_log_of(k, hp5_log_ratio(f));
}

HP5_MATH double hp5_log1p(double x) {
    const double y = x > 0x1p1020 ? 1.0 : x;
    const double large = hp5_log(x > 0x1p1020 ? x : 1.0);
    double result = hp5_log_one_plus((Hp5Two){y, 0.0}).high;
    result = x > 0x1p1020 ? large : result;
    result = hp5_size(x) < 0x1p-54 ? x : result;
    result = x > -1.0 ? result : HP5_MATH_NAN;
    return x == -1.0 ? -HP5_MATH_INFINITY : result;
}

/* ---- Inverse hyperbolic functions -------------------------------------------------------------- */
/* log(1 + w) where the argument is at most 2^500, log x + log 2 from there on. */
HP5_MATH double hp5_log_twice(double x, Hp5Two w) {
    const bool large = x > 0x1p500;
    Hp5Two s = {0.0, 0.0};
    const double k = hp5_log_parts(large ? x : 1.0, &s);
    const Hp5Two whole = hp5_log_of(k + 1.0, s), other = hp5_log_one_plus((Hp5Two){large ? 1.0 : w.high, large ? 0.0 : w.low});
    return x == HP5_MATH_INFINITY ? x : large ? whole.high : other.high;
}

/* log(x + sqrt(x^2 + 1)), and x + sqrt(x^2 + 1) - 1 is x + x^2 / (1 + sqrt(x^2 + 1)). */
HP5_MATH double hp5_asinh(double x) {
    const double size = hp5_size(x), y = size > 0x1p500 ? 1.0 : size;
    const Hp5Two square = hp5_product(y, y), sum = hp5_sum(1.0, square.high);
    const double low = sum.low + square.low, root = sqrt(sum.high);
    const double root_low = (HP5_FMA(-root, root, sum.high) + low) / (root + root);
    Hp5Two bottom = hp5_sum_fast(root, 1.0);
    bottom = hp5_sum_fast(bottom.high, bottom.low + root_low);
    const Hp5Two w = hp5_two_plus((Hp5Two){y, 0.0}, hp5_quotient(square, bottom));
    const double result = hp5_with_sign(hp5_log_twice(size, w), x);
    return size >= 0x1p-28 ? result : x;
}

/* log(x + sqrt(x^2 - 1)), and x + sqrt(x^2 - 1) - 1 is t + sqrt(t (2 + t)) with t = x - 1. */
HP5_MATH double hp5_acosh(double x) {
    const double y = x > 0x1p500 ? 2.0 : x;
    const Hp5Two t = hp5_sum(y, -1.0), square = hp5_two_times(t, hp5_sum(y, 1.0));
    const double root = sqrt(square.high);
    const double lacks = (HP5_FMA(-root, root, square.high) + square.low) / (root + root), low = root > 0.0 ? lacks : 0.0;
    const Hp5Two w = hp5_two_plus(t, (Hp5Two){root, low});
    const double result = hp5_log_twice(x, w);
    return x >= 1.0 ? result : HP5_MATH_NAN;
}

/* Half of log((1 + x) / (1 - x)): less k ln 2 it is the atanh of (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)). */
HP5_MATH double hp5_atanh(double x) {
    const double size = hp5_size(x);
    const Hp5Two up = hp5_sum_fast(1.0, size), down = hp5_sum_fast(1.0, -size);
    double m;
    const double k = hp5_log_exponent(hp5_bits(up.high / down.high), &m), scale = hp5_scale(HP5_SHIFTER + k);
    const Hp5Two other = {down.high * scale, down.low * scale};
    const Hp5Two top = hp5_two_plus(up, hp5_two_negative(other)), bottom = hp5_two_plus(up, other);
    Hp5Two s = hp5_quotient(top, bottom);
    s = k == 0.0 ? (Hp5Two){size, 0.0} : s;
    double result = hp5_with_sign(0.5 * hp5_log_of(k, s).high, x);
    result = size < 1.0 ? result : HP5_MATH_NAN;
    result = size == 1.0 ? hp5_with_sign(HP5_MATH_INFINITY, x) : result;
    return size < 0x1p-28 ? x : result;
}
#endif
