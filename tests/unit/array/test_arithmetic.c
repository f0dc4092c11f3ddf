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
        wrong += hp5_integer_by_choice(value) != hp5_integer_from_real(value);
        wrong += hp5_integer_by_choice_single(single) != hp5_integer_from_real((double)single);
    }
    for (int power = -3; power < 70; power++)
        for (int i = -4; i <= 4; i++) {
            const volatile double value = ldexp(1 + i / 8.0, power), opposite = -value;
            const volatile float single = (float)value;
            wrong += hp5_integer_by_choice(value) != hp5_integer_from_real(value) || hp5_integer_by_choice(opposite) != hp5_integer_from_real(opposite);
            wrong += hp5_integer_by_choice_single(single) != hp5_integer_from_real((double)single);
            wrong += hp5_integer_by_choice_single(-single) != hp5_integer_from_real(-(double)single);
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(hp5_integer_by_choice(-2.75), -2);
    CU_ASSERT_EQUAL(hp5_integer_by_choice(0x1p63), INT64_MAX);
    CU_ASSERT_EQUAL(hp5_integer_by_choice_single(-0x1p64f), INT64_MIN);
    CU_ASSERT_EQUAL(hp5_integer_by_choice_single(NAN), 0);
}

UNIT_MAIN("arithmetic", {"Integer to Real", test_real}, {"small Integer to Real", test_real_small}, {"shifts", test_shifts}, {"Real to Integer", test_truncation})
