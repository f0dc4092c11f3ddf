/* Conversions and shifts of runtime/array/arithmetic.h against what C does with one number at a time. */
#include "runtime/array/arithmetic.h"
#include <math.h>
#include "tests/unit/unit.h"

/* All numbers of few bits, at every place of an Integer, and their neighbours. */
static int64_t sample(int number) {
    static const int64_t patterns[] = {0, 1, 3, 5, 0x5555, 0x1FFFFF, 0x123456789ABCDEF};
    int64_t pattern = patterns[number % 7], place = number / 7 % 64, neighbour = number / 448 % 5 - 2;
    return (int64_t)(((uint64_t)pattern << place) + (uint64_t)neighbour);
}
enum { SAMPLES = 448 * 5 };

static void test_real(void) {
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) {
        /* The conversion itself, not the C compiler's; the least Integer is its own opposite. */
        const volatile int64_t a = sample(i), opposite = (int64_t)(0 - (uint64_t)a);
        wrong += hp5_real(a) != (double)a || hp5_real(opposite) != (double)opposite;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(hp5_real(INT64_MIN) == -0x1p63);
    CU_ASSERT(hp5_real(INT64_MAX) == 0x1p63);
    CU_ASSERT(hp5_real(((int64_t)1 << 53) + 1) == 0x1p53);
    CU_ASSERT(!signbit(hp5_real(0)));
}

static void test_real_small(void) {
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const volatile int64_t a = sample(i) >> 12;
        wrong += hp5_real_small(a) != (double)a;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(hp5_real_small(HP5_REAL_SMALL) == 0x1p51);
    CU_ASSERT(hp5_real_small(-HP5_REAL_SMALL) == -0x1p51);
    CU_ASSERT(!signbit(hp5_real_small(0)));
}

static void test_shifts(void) {
    int wrong = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int n = 0; n < 64; n++) {
            const int64_t a = sample(i), up = a < 0 ? -((-(a + 1)) >> n) - 1 : a >> n;
            wrong += hp5_shift_right(a, n) != up || hp5_shift_right(a, n + 64) != up;
            wrong += a >= 0 && hp5_shift_positive(a, n) != up;
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Around powers of two, at both ends, and what is no number: as with branches. */
static void test_truncation(void) {
    static const double others[] = {0, -0.0, 0.5, -0.5, 1e300, -1e300, INFINITY, -INFINITY, NAN, -NAN, 0x1.fffffffffffffp62, -0x1.0000000000001p63};
    int wrong = 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const volatile double value = others[i];
        const volatile float single = (float)others[i];
        wrong += hp5_integer_by_choice(value) != hp5_integer_from_real(value) || hp5_integer_by_parts(value) != hp5_integer_from_real(value);
        wrong += hp5_integer_by_choice_single(single) != hp5_integer_from_real((double)single);
    }
    for (int power = -3; power < 70; power++)
        for (int i = -4; i <= 4; i++) {
            const volatile double value = ldexp(1 + i / 8.0, power), opposite = -value;
            const volatile float single = (float)value;
            wrong += hp5_integer_by_choice(value) != hp5_integer_from_real(value) || hp5_integer_by_choice(opposite) != hp5_integer_from_real(opposite);
            wrong += hp5_integer_by_parts(value) != hp5_integer_from_real(value) || hp5_integer_by_parts(opposite) != hp5_integer_from_real(opposite);
            wrong += hp5_integer_by_choice_single(single) != hp5_integer_from_real((double)single);
            wrong += hp5_integer_by_choice_single(-single) != hp5_integer_from_real(-(double)single);
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(hp5_integer_by_choice(-2.75), -2);
    CU_ASSERT_EQUAL(hp5_integer_by_choice(0x1p63), INT64_MAX);
    CU_ASSERT_EQUAL(hp5_integer_by_choice_single(-0x1p64f), INT64_MIN);
    CU_ASSERT_EQUAL(hp5_integer_by_choice_single(NAN), 0);
}

/* Near every whole number that is a sum of two powers of two. */
static void test_truncation_by_parts(void) {
    int wrong = 0;
    for (int high = 0; high < 64; high++)
        for (int low = -2; low < high; low++)
            for (int i = -3; i <= 3; i++) {
                const volatile double value = ldexp(1, high) + ldexp(1, low) + 0.25 * i, less = ldexp(1, high) - ldexp(1, low) + 0.25 * i;
                wrong += hp5_integer_by_parts(value) != hp5_integer_from_real(value) || hp5_integer_by_parts(-value) != hp5_integer_from_real(-value);
                wrong += hp5_integer_by_parts(less) != hp5_integer_from_real(less) || hp5_integer_by_parts(-less) != hp5_integer_from_real(-less);
            }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* What is below 2^31 is converted; of everything else it is said that it is not. */
static void test_usual_truncation(void) {
    static const double others[] = {0x1p31, 0x1.000001p31, 1e300, INFINITY, NAN};
    static const double numbers[] = {0, 0.5, 0.99999, 1, 2.75, 0x1.fffffcp30, 0x1.fffffep30, 1e-300};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t unusual = 0;
            int32_t unusual_single = 0;
            hp5_integer_usual(sign * others[i], &unusual);
            hp5_integer_usual_single((float)(sign * others[i]), &unusual_single);
            CU_ASSERT(unusual != 0 && unusual_single != 0);
            hp5_integer_usual(1.0, &unusual);
            CU_ASSERT(unusual != 0);
        }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double value = sign * numbers[i];
            int64_t unusual = 0;
            int32_t unusual_single = 0;
            CU_ASSERT_EQUAL(hp5_integer_usual(value, &unusual), hp5_integer_from_real(value));
            CU_ASSERT_EQUAL(hp5_integer_usual_single((float)value, &unusual_single), hp5_integer_from_real((double)(float)value));
            CU_ASSERT(unusual == 0 && unusual_single == 0);
        }
}

static int64_t cut(int64_t value, int64_t low, int64_t high) { return value < low ? low : value > high ? high : value; }

/* The same as cut first and converted then, or the other way round. */
static void test_truncation_between(void) {
    static const double values[] = {0, -0.0, 0.5, 1, 1.5, 2.999, 254.999, 255, 255.5, 256, 1e9, 0x1p31, 1e18, 1e300, INFINITY, NAN};
    static const double limits[][2] = {{0, 255}, {-0.0, 10}, {1, 255}, {1.5, 2.5}, {-7, 9}, {-9.5, -3.25}, {-2147483646, 2147483646}, {0, 0}, {-3, -3}};
    int wrong = 0;
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
        for (size_t i = 0; i < 2 * sizeof values / sizeof values[0]; i++) {
            const double value = i % 2 ? -values[i / 2] : values[i / 2], low = limits[l][0], high = limits[l][1];
            const float single = (float)value;
            const int64_t least = (int64_t)low, most = (int64_t)high, none = least > 0 ? least : most < 0 ? most : 0;
            wrong += hp5_integer_between(value, low, high, 0) != hp5_integer_from_real(hp5_fmin(hp5_fmax(value, low), high));
            if (low == (double)least && high == (double)most) wrong += hp5_integer_between(value, low, high, (int32_t)none) != cut(hp5_integer_from_real(value), least, most);
            if (least < -1000) continue;
            wrong += hp5_integer_between_single(single, (float)low, (float)high, 0) != hp5_integer_from_real((double)hp5_fminf(hp5_fmaxf(single, (float)low), (float)high));
            if (low == (double)least && high == (double)most)
                wrong += hp5_integer_between_single(single, (float)low, (float)high, (int32_t)none) != cut(hp5_integer_from_real((double)single), least, most);
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Exponents that the C compiler knows give the bits of those that it does not. */
static void test_known_powers(void) {
    static const double bases[] = {0.1, -0.3, 3.7, -1e-160, 1e155, INFINITY, -INFINITY, -0.0};
    int wrong = 0;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const double base = bases[i], known[] = {hp5_power_real(base, 2), hp5_power_real(base, 3), hp5_power_real(base, 4)};
        const float small = (float)base, known_small[] = {hp5_power_single(small, 2), hp5_power_single(small, 3), hp5_power_single(small, 4)};
        for (volatile int64_t n = 2; n <= 4; n++) {
            const double power = hp5_power_real(base, n);
            const float power_small = hp5_power_single(small, n);
            wrong += memcmp(&power, &known[n - 2], sizeof power) != 0 || memcmp(&power_small, &known_small[n - 2], sizeof power_small) != 0;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

UNIT_MAIN("arithmetic", {"Integer to Real", test_real}, {"small Integer to Real", test_real_small}, {"shifts", test_shifts}, {"Real to Integer", test_truncation},
          {"Real to Integer by parts", test_truncation_by_parts}, {"usual Real to Integer", test_usual_truncation}, {"cut Real to Integer", test_truncation_between}, {"known powers", test_known_powers})
