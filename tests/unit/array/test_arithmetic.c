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

UNIT_MAIN("arithmetic", {"Integer to Real", test_real}, {"small Integer to Real", test_real_small}, {"shifts", test_shifts})
