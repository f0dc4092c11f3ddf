/* sin, cos, tan. How to read it: x 2 / pi = 4 j + n + y with an integer n from 0 to 3 and |y| <= 1/2; y in two parts, to
 * 2^-140, so that its relative error stays below 2^-60 next to a multiple of pi / 2 as well. Then polynomials in y pi / 2,
 * and n says which of them, and the sign. Arguments of any size go one way (Payne and Hanek's): x 2^(-16 k), an integer
 * from 2^39 to 2^69 or so, times 2^(16 k) 2 / pi modulo 4, which a table has in four parts. */
#ifndef HP5_RUNTIME_MATH_TRIG_H
#define HP5_RUNTIME_MATH_TRIG_H
#include "runtime/math/base.h"

HP5_MATH_TABLE double hp5_two_over_pi_0[129] = HP5_TWO_OVER_PI_0;
HP5_MATH_TABLE double hp5_two_over_pi_1[129] = HP5_TWO_OVER_PI_1;
HP5_MATH_TABLE double hp5_two_over_pi_2[129] = HP5_TWO_OVER_PI_2;
HP5_MATH_TABLE double hp5_two_over_pi_3[129] = HP5_TWO_OVER_PI_3;

/* The angle y pi / 2, and n in the last bits of *quadrant. The parts' products, the sum of which is wanted modulo 4, are up
 * to 2^70, 2^17, 2^-37 and 2^-90 in size. */
HP5_MATH Hp5Two hp5_angle(double x, uint64_t *quadrant) {
    const uint64_t bits = hp5_bits(x), row = ((bits >> 52 & 0x7FF) + 1) >> 4;
    const double scaled = hp5_from_bits(bits - (row << 56) + ((uint64_t)67 << 56));
    const Hp5Two p = hp5_product(scaled, hp5_two_over_pi_0[row]), q = hp5_product(scaled, hp5_two_over_pi_1[row]);
    const Hp5Two r = hp5_product(scaled, hp5_two_over_pi_2[row]);
    const double last = HP5_FMA(scaled, hp5_two_over_pi_3[row], r.low);
    const double multiple = p.high + 0x1.8p72 - 0x1.8p72; /* of 2^20 */
    const Hp5Two a = hp5_sum(p.high - multiple, p.low), b = hp5_sum(a.high, q.high);
    const double shifted = b.high + HP5_SHIFTER, f = b.high - (shifted - HP5_SHIFTER);
    *quadrant = hp5_bits(shifted);
    const Hp5Two c = hp5_sum(a.low, b.low), d = hp5_sum(q.low, r.high), e = hp5_sum(c.high, d.high), s = hp5_sum(f, e.high);
    const Hp5Two y = hp5_sum_fast(s.high, s.low + (e.low + (c.low + d.low + last)));
    const double angle = HP5_TIMES(y.high, HP5_PIO2_H);
    return (Hp5Two){angle, HP5_FMA(y.high, HP5_PIO2_H, -angle) + HP5_FMA(y.high, HP5_PIO2_L, HP5_TIMES(y.low, HP5_PIO2_H))};
}

/* sin and cos of an angle up to pi / 4, as sums of two. What is large enough for its rounding to matter (the square and the
 * cube of the angle, and the cube's part of the sine) is known to twice as many bits. */
HP5_MATH Hp5Two hp5_sine_of(Hp5Two r) {
    const double x = r.high, z = HP5_TIMES(x, x), cube = HP5_TIMES(z, x), third = HP5_TIMES(cube, HP5_SIN_0), high = x + third;
    const double cube_low = HP5_FMA(x, HP5_FMA(x, x, -z), HP5_FMA(z, x, -cube));
    double p = HP5_FMA(z, HP5_SIN_6, HP5_SIN_5);
    p = HP5_FMA(z, p, HP5_SIN_4);
    p = HP5_FMA(z, p, HP5_SIN_3);
    p = HP5_FMA(z, p, HP5_SIN_2);
    p = HP5_FMA(z, p, HP5_SIN_1);
    const double low = HP5_FMA(cube_low, HP5_SIN_0, HP5_FMA(cube, HP5_SIN_0, -third)) + HP5_FMA(-0.5 * z, r.low, r.low);
    return (Hp5Two){high, ((x - high) + third) + HP5_FMA(HP5_TIMES(z, cube), p, low)};
}
HP5_MATH Hp5Two hp5_cosine_of(Hp5Two r) {
    const double z = HP5_TIMES(r.high, r.high), half = 0.5 * z, z_low = HP5_FMA(r.high, 2.0 * r.low, HP5_FMA(r.high, r.high, -z));
    double p = HP5_FMA(z, HP5_COS_5, HP5_COS_4);
    p = HP5_FMA(z, p, HP5_COS_3);
    p = HP5_FMA(z, p, HP5_COS_2);
    p = HP5_FMA(z, p, HP5_COS_1);
    p = HP5_FMA(z, p, HP5_COS_0);
    const double high = 1.0 - half, low = (1.0 - high) - half;
    return (Hp5Two){high, low + HP5_FMA(HP5_TIMES(z, z), p, HP5_TIMES(z_low, HP5_FMA(z, 2.0 * HP5_COS_0, -0.5)))};
}

/* sin((n + y) pi / 2) */
HP5_MATH double hp5_sine_in(Hp5Two r, uint64_t quadrant) {
    const Hp5Two sine = hp5_sine_of(r), cosine = hp5_cosine_of(r);
    const bool odd = quadrant & 1;
    const double high = odd ? cosine.high : sine.high, low = odd ? cosine.low : sine.low;
    return hp5_from_bits(hp5_bits(high + low) ^ (quadrant & 2) << 62);
}

HP5_MATH double hp5_sin(double x) {
    uint64_t quadrant;
    const Hp5Two r = hp5_angle(x, &quadrant);
    const double result = hp5_sine_in(r, quadrant);
    return hp5_size(x) < 0x1p-27 ? x : result; /* -0.0, subnormal numbers */
}

HP5_MATH double hp5_cos(double x) {
    uint64_t quadrant;
    const Hp5Two r = hp5_angle(x, &quadrant);
    return hp5_sine_in(r, quadrant + 1);
}

HP5_MATH double hp5_tan(double x) {
    uint64_t quadrant;
    const Hp5Two r = hp5_angle(x, &quadrant);
    Hp5Two sine = hp5_sine_of(r), cosine = hp5_cosine_of(r);
    sine = hp5_sum_fast(sine.high, sine.low);
    cosine = hp5_sum_fast(cosine.high, cosine.low);
    const bool odd = quadrant & 1;
    const Hp5Two top = {odd ? -cosine.high : sine.high, odd ? -cosine.low : sine.low};
    const Hp5Two bottom = {odd ? sine.high : cosine.high, odd ? sine.low : cosine.low};
    const double result = hp5_quotient(top, bottom).high;
    return hp5_size(x) < 0x1p-27 ? x : result;
}
#endif
