/* Texts of Reals: shortest digits that read back, and print()'s line. */
#include "runtime/io/print.h"
#include <float.h>
#include <math.h>
#include "tests/unit/child.h"
#include "tests/unit/unit.h"

static void check_real(double value, const char *expected) {
    char text[32];
    CU_ASSERT_EQUAL(hp5_real_text(value, text), (int)strlen(expected));
    CU_ASSERT_STRING_EQUAL(text, expected);
}
static void check_single(float value, const char *expected) {
    char text[32];
    CU_ASSERT_EQUAL(hp5_single_text(value, text), (int)strlen(expected));
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_reals(void) {
    check_real(0.0, "0.0");
    check_real(-0.0, "-0.0");
    check_real(1.0, "1.0");
    check_real(-100.0, "-100.0");
    check_real(0.1, "0.1");
    check_real(0.1 + 0.2, "0.30000000000000004");
    check_real(1.0 / 3.0, "0.3333333333333333");
    check_real(123456.789, "123456.789");
    check_real(1e15, "1000000000000000.0");
    check_real(1e16, "1e+16");
    check_real(1.5e300, "1.5e+300");
    check_real(0.0001, "0.0001");
    check_real(0.00012345678901234567, "0.00012345678901234567");
    check_real(0.00001, "1e-05");
    check_real(DBL_MAX, "1.7976931348623157e+308");
    check_real(DBL_MIN, "2.2250738585072014e-308");
    check_real(5e-324, "5e-324");
    check_real(-1.2345678901234567e-308, "-1.2345678901234567e-308");
    check_real(9007199254740993.0, "9007199254740992.0");
    check_real(INFINITY, "inf");
    check_real(-INFINITY, "-inf");
    check_real(NAN, "nan");
    check_real(-NAN, "nan");
}

static void test_singles(void) {
    check_single(0.1f, "0.1");
    check_single(1.0f / 3.0f, "0.33333334");
    check_single(16777216.0f, "16777216.0");
    check_single(FLT_MAX, "3.4028235e+38");
    check_single(1e-45f, "1e-45");
    check_single(FLT_MIN, "1.1754944e-38");
    check_single(-INFINITY, "-inf");
}

/* Every text reads back, and one digit less does not. */
static void test_round_trip(void) {
    uint64_t state = 2463534242u;
    for (int round = 0; round < 20000; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &state, sizeof value);
        if (round % 2) value = (double)(int64_t)(state >> 44) / 1000.0;
        if (!isfinite(value)) continue;
        char text[32], less[40];
        hp5_real_text(value, text);
        CU_ASSERT_EQUAL(strtod(text, NULL), value);
        int digits = 0, zeros = 0; /* without the zeros at either end */
        for (const char *c = text; *c && *c != 'e'; c++) {
            if (*c == '0' && digits > 0) zeros++;
            if (*c < '1' || *c > '9') continue;
            digits += zeros + 1;
            zeros = 0;
        }
        if (digits < 2) continue;
        snprintf(less, sizeof less, "%.*e", digits - 2, value);
        CU_ASSERT_NOT_EQUAL(strtod(less, NULL), value);
        float single = (float)value;
        hp5_single_text(single, text);
        if (isfinite(single)) CU_ASSERT_EQUAL(strtof(text, NULL), single);
    }
}

static void print_line(void *unused) {
    (void)unused;
    hp5_print_integer(INT64_MIN);
    hp5_print_space();
    hp5_print_real(2.5);
    hp5_print_space();
    hp5_print_single(0.1f);
    hp5_print_space();
    hp5_print_boolean(true);
    hp5_print_boolean(false);
    hp5_print_character('x');
    hp5_print_string("a%sb");
    hp5_print_range(-1, 7);
    hp5_print_end();
}

static void print_to_full_disk(void *unused) {
    if (!freopen("/dev/full", "w", stdout)) return;
    print_line(unused);
}

static void test_line(void) {
    CU_ASSERT_STRING_EQUAL(child_run(print_line, NULL).out, "-9223372036854775808 2.5 0.1 truefalsexa%sb[-1...7]\n");
    Child child = child_run(print_to_full_disk, NULL);
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_STRING_EQUAL(child.err, "program: cannot write to the standard output: No space left on device\n");
}

UNIT_MAIN("print", {"reals", test_reals}, {"singles", test_singles}, {"round trip", test_round_trip}, {"line", test_line})
