/* cbrt and hypot. How to read it: an approximation, and then what it lacks, computed exactly by fma. */
#ifndef HP5_RUNTIME_MATH_ROOT_H
#define HP5_RUNTIME_MATH_ROOT_H
#include "runtime/math/base.h"

/* A step of third order to w^(-1/3). */
HP5_MATH double hp5_inverse_cbrt_step(double w, double r) {
    const double h = HP5_FMA(-w * r, r * r, 1.0);
    return HP5_FMA(r * h, HP5_FMA(h, HP5_TWO_NINTHS, HP5_THIRD), r);
}

/* w^(-1/3), 1 <= w < 8. */
HP5_MATH double hp5_inverse_cbrt(double w) {
    double r = HP5_FMA(w, HP5_CBRT_4, HP5_CBRT_3);
    r = HP5_FMA(w, r, HP5_CBRT_2);
    r = HP5_FMA(w, r, HP5_CBRT_1);
    r = HP5_FMA(w, r, HP5_CBRT_0);
    return hp5_inverse_cbrt_step(w, hp5_inverse_cbrt_step(w, r));
}

HP5_MATH double hp5_cbrt(double x) {
    const double size = hp5_size(x);
    const bool small = size < 0x1p-1022;
    const uint64_t bits = hp5_bits(small ? size * 0x1p54 : size);
    /* |x| = w 2^(3 k - 1023), 1 <= w < 8: exponents are counted from 2^-1023, which is (2^-341)^3 */
    const double exponent = hp5_from_bits(bits >> 52 | 0x4330000000000000) - 0x1p52;
    const double k = HP5_FMA(exponent, HP5_THIRD, -0.33) + HP5_SHIFTER - HP5_SHIFTER;
    const double over = HP5_FMA(-3.0, k, exponent);
    const double w = hp5_from_bits((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000) * hp5_scale(over + HP5_SHIFTER);
    const double r = hp5_inverse_cbrt(w), y = w * r * r;
    const Hp5Two square = hp5_product(y, y), cube = hp5_product(square.high, y);
    const double lacks = (w - cube.high) - HP5_FMA(square.low, y, cube.low);
    const double root = HP5_FMA(HP5_TIMES(lacks, HP5_THIRD), HP5_TIMES(r, r), y);
    const double result = hp5_with_sign(root * hp5_scale(k - (small ? 359.0 : 341.0) + HP5_SHIFTER), x);
    const bool same = size == 0.0 || !(size < HP5_MATH_INFINITY);
    return same ? x : result;
}

HP5_MATH double hp5_hypot(double x, double y) {
    const double p = hp5_size(x), q = hp5_size(y);
    double a = p < q ? q : p, b = p < q ? p : q;
    const double scale = a > 0x1p500 ? 0x1p-600 : a < 0x1p-400 ? 0x1p600 : 1.0;
    const double back = a > 0x1p500 ? 0x1p600 : a < 0x1p-400 ? 0x1p-600 : 1.0;
    a *= scale;
    b *= scale;
    const Hp5Two aa = hp5_product(a, a), bb = hp5_product(b, b), sum = hp5_sum_fast(aa.high, bb.high);
    const double root = sqrt(sum.high);
    const double lacks = HP5_FMA(-root, root, sum.high) + (sum.low + (aa.low + bb.low));
    double result = (root + lacks / (root + root)) * back;
    result = a == 0.0 ? 0.0 : result;
    result = p != p || q != q ? p + q : result;
    return p == HP5_MATH_INFINITY || q == HP5_MATH_INFINITY ? HP5_MATH_INFINITY : result;
}
#endif
