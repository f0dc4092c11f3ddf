/* What an operator makes of two intervals holds what it makes of their numbers. */
#include "compiler/lower/interval.h"
#include "runtime/array/arithmetic.h"
#include "tests/unit/unit.h"

static const Operator operators[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_BITAND, OP_BITOR, OP_BITXOR, OP_SHL, OP_SHR};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

/* As HP5 computes it; *known is false where the program ends (division by zero). */
static int64_t apply(Operator op, int64_t a, int64_t b, bool *known) {
    bool divides = op == OP_DIV || op == OP_MOD;
    *known = !divides || b != 0;
    if (divides && (b == 0 || (a == INT64_MIN && b == -1))) return op == OP_DIV ? INT64_MIN : 0;
    switch (op) {
    case OP_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case OP_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
    case OP_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case OP_DIV: return a / b;
    case OP_MOD: return a % b;
    case OP_BITAND: return a & b;
    case OP_BITOR: return a | b;
    case OP_BITXOR: return a ^ b;
    case OP_SHL: return hp5_shift_left(a, b);
    default: return hp5_shift_right(a, b);
    }
}

static bool holds(Interval interval, int64_t value) { return value >= interval.min && value <= interval.max; }

static int misses(Operator op, Interval a, Interval b) {
    const Interval result = interval_binary(op, a, b);
    int missed = result.min > result.max;
    for (int64_t x = a.min;; x++) {
        for (int64_t y = b.min;; y++) {
            bool known;
            const int64_t value = apply(op, x, y, &known);
            missed += known && !holds(result, value);
            if (y == b.max) break;
        }
        if (x == a.max) break;
    }
    return missed;
}

static void test_small(void) {
    int missed = 0;
    for (int op = 0; op < OPERATORS; op++)
        for (int64_t a = -9; a <= 9; a++)
            for (int64_t b = -9; b <= 9; b++)
                for (int64_t width = 0; width < 36; width++)
                    missed += misses(operators[op], (Interval){a, a + width % 6}, (Interval){b, b + width / 6});
    CU_ASSERT_EQUAL(missed, 0);
}

static void test_limits(void) {
    static const int64_t places[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 2, -2, (int64_t)1 << 31, (int64_t)1 << 32,
                                     ((int64_t)1 << 62) - 1, -((int64_t)1 << 62), 61, 62};
    int missed = 0;
    for (int op = 0; op < OPERATORS; op++)
        for (size_t a = 0; a < sizeof places / sizeof places[0]; a++)
            for (size_t b = 0; b < sizeof places / sizeof places[0]; b++)
                missed += misses(operators[op], (Interval){places[a], places[a] + 2}, (Interval){places[b], places[b] + 2});
    CU_ASSERT_EQUAL(missed, 0);
}

/* Not everything: what the compiler is to find out. */
static void test_close(void) {
    const Interval word = {0, 0xFFFFFFFF}, factor = {0x692B68C9, 0x692B68C9}, bits = {31, 31};
    const Interval product = interval_binary(OP_MUL, word, factor);
    CU_ASSERT_EQUAL(product.max, (int64_t)0x692B68C9 * 0xFFFFFFFF);
    CU_ASSERT(interval_equal(interval_binary(OP_BITXOR, word, word), word));
    CU_ASSERT(interval_within(interval_binary(OP_SHR, (Interval){0, INT64_MAX}, bits), 0, 0xFFFFFFFF));
    CU_ASSERT(interval_equal(interval_binary(OP_MOD, INTERVAL_ALL, (Interval){8, 8}), ((Interval){-7, 7})));
    CU_ASSERT(interval_equal(interval_binary(OP_BITAND, INTERVAL_ALL, (Interval){15, 15}), ((Interval){0, 15})));
    CU_ASSERT(interval_equal(interval_negate((Interval){-3, 5}), ((Interval){-5, 3})));
    CU_ASSERT(interval_equal(interval_negate((Interval){INT64_MIN, 5}), INTERVAL_ALL));
}

static void test_extrema(void) {
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -7, -1, 0, 1, 8, INT64_MAX - 1, INT64_MAX};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    int missed = 0;
    for (size_t i = 0; i < ENDS; i++)
        for (size_t j = i; j < ENDS; j++) {
            const Interval a = {ends[i], ends[j]}, magnitude = interval_magnitude(a);
            for (size_t n = i; n <= j; n++)
                missed += !holds(magnitude, ends[n] < 0 ? (int64_t)(0 - (uint64_t)ends[n]) : ends[n]);
            for (size_t k = 0; k < ENDS; k++)
                for (size_t n = i; n <= j; n++) {
                    const Interval b = {ends[k], ends[k]};
                    missed += !holds(interval_least(a, b), ends[n] < ends[k] ? ends[n] : ends[k]);
                    missed += !holds(interval_most(a, b), ends[n] > ends[k] ? ends[n] : ends[k]);
                }
        }
    CU_ASSERT_EQUAL(missed, 0);
    CU_ASSERT(interval_equal(interval_most(INTERVAL_SINGLE, (Interval){0, 0}), ((Interval){0, INT32_MAX})));
    CU_ASSERT(interval_equal(interval_least(INTERVAL_SINGLE, (Interval){0, 9}), ((Interval){INT32_MIN, 9})));
    CU_ASSERT(interval_equal(interval_magnitude((Interval){-9, 3}), ((Interval){0, 9})));
    CU_ASSERT(interval_equal(interval_magnitude((Interval){-9, -3}), ((Interval){3, 9})));
}

static void test_widen(void) {
    CU_ASSERT(interval_equal(interval_widen((Interval){0, 9}, (Interval){0, 10}), ((Interval){0, 127})));
    CU_ASSERT(interval_equal(interval_widen((Interval){0, 127}, (Interval){-1, 127}), ((Interval){-128, 127})));
    CU_ASSERT(interval_equal(interval_widen((Interval){0, 1}, (Interval){0, INT64_MAX}), ((Interval){0, INT64_MAX})));
    Interval interval = {0, 0};
    for (int rounds = 0; rounds < 40; rounds++) {
        const Interval next = {interval.min > INT64_MIN ? interval.min - 1 : INT64_MIN, interval.max < INT64_MAX ? interval.max + 1 : INT64_MAX};
        interval = interval_widen(interval, next);
        CU_ASSERT(holds(interval, next.min) && holds(interval, next.max));
    }
    CU_ASSERT(interval_equal(interval, INTERVAL_ALL));
}

UNIT_MAIN("interval", {"small numbers", test_small}, {"at the limits", test_limits}, {"close", test_close}, {"extrema", test_extrema}, {"widening", test_widen})
