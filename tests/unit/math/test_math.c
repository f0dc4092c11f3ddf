/* runtime/math: fma in software against the C library's, special values as C's Annex F says, and what holds exactly. */
#include <math.h>
#include <stdint.h>
#include "runtime/math/math.h"
#include "tests/unit/unit.h"

static uint64_t seed;
static uint64_t random_bits(void) {
    uint64_t z = seed += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/* A number with few bits, far apart: products and sums of such numbers are often halfway between two doubles. */
static double sparse(void) {
    const uint64_t r = random_bits();
    double x = ldexp(1, (int)(r & 127) - 64);
    for (int k = 0; k < 3; k++) {
        const int lower = (int)(r >> (8 + 7 * k) & 127);
        if (lower < 53) x += ldexp(r >> (40 + k) & 1 ? x : -x, -lower);
    }
    return r >> 63 ? -x : x;
}

static void fma_in_software_is_exact(void) {
    int differ = 0;
    for (int i = 0; i < 2000000; i++) {
        const double a = sparse(), b = sparse(), c = i & 1 ? sparse() : ldexp(-(a * b), (int)(random_bits() % 120) - 60);
        differ += hp5_fma_exact(a, b, c) != fma(a, b, c);
    }
    CU_ASSERT_EQUAL(differ, 0);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

static void special_values(void) {
    CU_ASSERT(same(hp5_sin(-0.0), -0.0) && isnan(hp5_sin(INFINITY)) && same(hp5_cos(0.0), 1) && same(hp5_tan(-0.0), -0.0));
    CU_ASSERT(same(hp5_exp(-INFINITY), 0) && same(hp5_exp(INFINITY), INFINITY) && same(hp5_exp(0), 1) && isnan(hp5_exp(NAN)));
    CU_ASSERT(same(hp5_expm1(-0.0), -0.0) && same(hp5_expm1(-INFINITY), -1) && same(hp5_exp2(10), 1024) && same(hp5_exp2(-1074), 0x1p-1074));
    CU_ASSERT(same(hp5_log(-0.0), -INFINITY) && isnan(hp5_log(-1)) && same(hp5_log(1), 0) && same(hp5_log2(0x1p-1074), -1074));
    CU_ASSERT(same(hp5_log10(1000), 3) && same(hp5_log1p(-1), -INFINITY) && isnan(hp5_log1p(-2)) && same(hp5_log1p(-0.0), -0.0));
    CU_ASSERT(same(hp5_atan2(-0.0, -0.0), -0x1.921fb54442d18p1) && same(hp5_atan2(0.0, 0.0), 0) && same(hp5_atan2(INFINITY, -INFINITY), 0x1.2d97c7f3321d2p1));
    CU_ASSERT(isnan(hp5_asin(1.5)) && isnan(hp5_acos(-1.5)) && same(hp5_acos(1), 0) && same(hp5_atan(-INFINITY), -0x1.921fb54442d18p0));
    CU_ASSERT(same(hp5_tanh(-INFINITY), -1) && same(hp5_sinh(-0.0), -0.0) && isnan(hp5_acosh(0.5)) && same(hp5_atanh(-1), -INFINITY));
    CU_ASSERT(same(hp5_cbrt(-27), -3) && same(hp5_cbrt(-0.0), -0.0) && same(hp5_hypot(INFINITY, NAN), INFINITY) && same(hp5_hypot(3, -4), 5));
    CU_ASSERT(same(hp5_erf(-INFINITY), -1) && same(hp5_erfc(INFINITY), 0) && same(hp5_erfc(-INFINITY), 2) && same(hp5_erf(-0.0), -0.0));
    CU_ASSERT(same(hp5_tgamma(-0.0), -INFINITY) && isnan(hp5_tgamma(-3)) && same(hp5_tgamma(6), 120) && same(hp5_lgamma(-3), INFINITY) && same(hp5_lgamma(1), 0));
}

/* C's table for pow. */
static void special_powers(void) {
    static const double infinity = INFINITY;
    CU_ASSERT(same(hp5_pow(0.0, -3), infinity) && same(hp5_pow(-0.0, -3), -infinity) && same(hp5_pow(-0.0, -2), infinity));
    CU_ASSERT(same(hp5_pow(-0.0, 3), -0.0) && same(hp5_pow(-0.0, 2), 0) && same(hp5_pow(-0.0, 2.5), 0));
    CU_ASSERT(same(hp5_pow(-1, infinity), 1) && same(hp5_pow(-1, -infinity), 1) && same(hp5_pow(1, NAN), 1) && same(hp5_pow(NAN, 0), 1));
    CU_ASSERT(isnan(hp5_pow(-2, 0.5)) && same(hp5_pow(0.5, -infinity), infinity) && same(hp5_pow(2, -infinity), 0));
    CU_ASSERT(same(hp5_pow(-infinity, -3), -0.0) && same(hp5_pow(-infinity, 3), -infinity) && same(hp5_pow(-infinity, 2), infinity));
    CU_ASSERT(same(hp5_pow(-3, 3), -27) && same(hp5_pow(-2, -1074), 0x1p-1074) && same(hp5_pow(10, 15), 1e15) && same(hp5_pow(-1, 0x1p53), 1));
    CU_ASSERT(same((double)hp5_powf(2, 0.5f), (double)0x1.6a09e6p+0f) && same((double)hp5_expf(89), infinity) && isnan((double)hp5_sinf(INFINITY)));
}

UNIT_MAIN("math", {"fma in software", fma_in_software_is_exact}, {"special values", special_values}, {"special powers", special_powers})
