/* Which loops go in lanes, with which loops inside of them. */
#include "compiler/lower/verify_loops.h"
#include "tests/unit/emit/stage_fixture.h"
#include "tests/unit/lower/row_programs.h"
#include "tests/unit/unit.h"

/* Whether the innermost loop over y that is around the others goes in lanes. */
static void check_lanes_of(const char *program, Binding binding, bool expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form == FORM_LANES && !nest->lanes.apart, expected);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void check_lanes(const char *program, bool expected) { check_lanes_of(program, (Binding){0}, expected); }

#define ADDS(text) ROWS("t = 0.0 do in sequence { " text " } for j in x.dimension.range y[i] = t")
static void test_lanes(void) {
    check_lanes(ADDS("d = x[j] - x[i] if (d * d < 0.25 and j != i) { t = t + d * d * x[j] }"), true);
    check_lanes(ROWS("t = 0.0 do { t = t + x[j] * x[i] } for j in x y[i] = t"), true);
    check_lanes(LANES("work(y, x) { m = 0 do { t = 0.0 do { t = t + x[j] * x[i] } for j in x if (t > 0.5) { m = m + 1 } } for i in y y[0] = m }", "work(y, x)"), true);
    check_lanes(LANES("work(y, x) { m = 0 do { t = 0.0 do { t = t + x[j] * m } for j in x if (t > 0.5) { m = m + 1 } } for i in y y[0] = m }", "work(y, x)"), false);
    check_lanes(LANES("work(y, x) { do { t = 0.0 do { t = t + x[j] * x[i] } for j in x reduce(most, \"max\", t) } for i in y y[0] = most }", "work(y, x)"), true);
    check_lanes(LANES("work(y, x) { do { t = 0.0 do { t = t + x[j] * x[i] } for j in x reduce(most, \"max\", t) y[i] = t reduce(most, \"max\", x[i]) } for i in y y[0] = most }", "work(y, x)"), false);
    check_lanes(ROWS("y[i] = 0.0 do { reduce(t, \"sum\", x[j] * x[i]) } for j in x.dimension and j != i y[i] = t"), true);
    check_lanes(ROWS("if (x[i] > 0.5) { do { reduce(t, \"sum\", x[j] * x[i]) } for j in x.dimension and x[j] > 0.5 y[i] = t }"), true);
    check_lanes(ROWS("if (x[i] > 0.5) { do in sequence { y[i] = y[i] + x[j] } for j in [0...9] }"), false);
    check_lanes(ROWS("if (x[i] > 0.5) { t = 0.0 do in sequence { t = t + x[j] } for j in [0...i] y[i] = t }"), false);
    check_lanes(ROWS("t = 0.0 do { t = t + x[j] * x[i] } for j in x y[i] = t + x[3 * i] if (t > 0.5) { y[i] = x[ends[i]] }"), true);
    check_lanes(ROWS("t = 0.0 do { t = t + x[j] * x[3 * i] } for j in x y[i] = t"), false);
    check_lanes(ROWS("do in sequence { if (x[j] > x[i]) { y[i] = y[i] + exp(x[j]) } } for j in [ends[0]...9]"), true);
    check_lanes(ROWS("do in sequence { do in sequence { y[i] = y[i] + x[i + k] * x[j] } for k in [0...j] } for j in [1...x.dimension.range.max - 1]"), true);
    check_lanes(ROWS("t = 0.0 do in sequence { t = t + exp(x[i + k]) } for k in [0...3] y[i] = t"), true);
    check_lanes(LANES("work(y, x, n) { do { t = x[j] * ((i * j) % n) y[i] = y[i] + cos(t) x[j] = x[j] } for i in y; j in x }", "work(y, x, 9)"), false);
    check_lanes(LANES("work(y, x, n) { do { t = x[j] * ((i * j) % n) y[i] = y[i] + cos(t) } for i in y; j in x }", "work(y, x, 9)"), true);
    check_lanes(LANES("work(a, b, n) { do { do in sequence { a[i][j] = a[i + 1][j] * b[i][j] } for i in [1...90] step -n } for j in a.dimension2.range }", "work(a, b, 2)"), true);
    check_lanes(ROWS("t = 0.0 do in sequence { t = t + x[j] * x[i + ends[0] - 2] } for j in x.dimension.range step 2 y[i] = t"), true);
    check_lanes(LANES("work(a, b) { do { do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] } for j in a.dimension2.range }", "work(a, b)"), true);
}

/* Whether long pieces of rows go side by side: one loop inside, which keeps nothing but elements of others in each round. */
static void check_along(const char *program, bool expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form, FORM_LANES);
    CU_ASSERT_EQUAL(nest->lanes.along, expected);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

#define DOWN(text) LANES("work(a, b, n) { do { " text " } for j in a.dimension2.range }", "work(a, b, 2)")

static void test_along_rows(void) {
    check_along(DOWN("do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90]"), true);
    check_along(DOWN("do in sequence { s = a[i - 1][j] if (s > 0.5) { a[i][j] = s + b[i][j] } } for i in [1...90] step -n"), true);
    check_along(DOWN("s = 0.0 do in sequence { s = s + b[i][j] a[i][j] = s } for i in [1...90]"), false);
    check_along(DOWN("do in sequence { a[0][j] = a[0][j] + b[i][j] } for i in [1...90]"), false);
    check_along(DOWN("do in sequence { a[i][j] = a[i - 1][j] * ((i * 7) / n) } for i in [1...90]"), false);
    check_along(DOWN("do in sequence { do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] } for k in [1...90]"), false);
    check_along(DOWN("do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] do in sequence { a[i][j] = a[i + 1][j] * b[i][j] } for i in [1...90] step -1"), true);
    check_along(DOWN("a[0][j] = b[0][j] do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] a[91][j] = a[90][j]"), true);
    check_along(DOWN("a[n][j] = a[n][j] / (j % n) do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90]"), false);
    check_along(DOWN("do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] s = a[90][j] do in sequence { a[i][j] = a[i][j] * s } for i in [1...90]"), false);
    check_along(DOWN("do in sequence { a[i][j] = a[i - 1][j] * b[i][j] } for i in [1...90] do in sequence { a[0][j] = a[0][j] + a[i][j] } for i in [1...90]"), false);
}

/* Whether a few rows go together because rounds of a loop inside wait for the one before. */
static void check_apart(const char *program, bool expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form == FORM_LANES && nest->lanes.apart, expected);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

#define ALONG(text) LANES("work(a, b, n) { do { " text " } for i in a.dimension1.range }", "work(a, b, 2)")

static void test_apart(void) {
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[i][j] } for j in [1...90]"), true);
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j + 1] * b[i][j] } for j in [1...90]"), false); /* nobody waits */
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j + 1] * b[i][j] } for j in [1...90] step -1"), true);
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[i][j] } for j in [1...90] step -1"), false);
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[n][i + j] } for j in [1...90]"), true);
    check_apart(ALONG("do in sequence { a[i][j] = a[i - 1][j] + a[i][j - 1] } for j in [1...90]"), false); /* which others write */
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[i][j] } for j in [1...i]"), false);
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[i][j] } for j in [1...3]"), false); /* written out */
    check_apart(ALONG("do in sequence { a[i][j] = b[i][j] } for j in [1...90]"), false);
    check_apart(ALONG("s = 0.0 do in sequence { s = s * 0.5 + b[i][j] a[i][j] = s } for j in [1...90]"), true);
    check_apart(ALONG("do { s = 0.0 do in sequence { s = s * 0.5 + b[i][k] a[i][j] = s } for k in [1...90] } for j in a.dimension2"), false);
    check_apart(ALONG("do in sequence { do { a[i][j] = a[i][j] * b[i][k] } for j in a.dimension2 } for k in [1...90]"), false);
    check_apart(ALONG("do in sequence { a[i][j] = a[i][j - 1] * b[i][j] } for j in [1...90] do { b[i][j] = a[i][j] } for j in b.dimension2"), true);
}

/* Loops whose bounds differ, neighbours that are written, strides, places that all share, what is no plain number, several runs. */
/* Loops inside whose bounds the lanes do not share: `slides` is 1, 0, or -1: not in lanes. */
static void check_ragged(const char *program, int slides) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form == FORM_LANES, slides >= 0);
    if (nest->form == FORM_LANES) {
        CU_ASSERT_EQUAL_FATAL(nest->lanes.ragged.count, 1);
        CU_ASSERT_EQUAL(nest->lanes.ragged.items[0].slides, slides == 1);
    }
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

#define WINDOW(locals, added, range) ROWS("t = 0.0 " locals " do in sequence { t = t + " added " } for m in [" range "] y[i] = t")

static void test_ragged(void) {
    check_ragged(WINDOW("", "x[m]", "max(i - 8, 0)...min(i + 8, 99)"), 1);
    check_ragged(WINDOW("from = max(i - ends[0], 0) to = from + 20", "x[m] * x[m - i + 3]", "from...to"), 1);
    check_ragged(WINDOW("", "x[m - 1] * x[i + 1]", "i - 20...i + 20"), 1);
    check_ragged(WINDOW("", "x[m]", "0...i"), 0);
    check_ragged(WINDOW("", "x[i + m]", "max(-8, -i)...min(8, 99 - i)"), 0);
    check_ragged(ROWS("t = 0.0 do { t = t + x[m] * x[i] } for m in x and m > i y[i] = t"), 0);
    check_ragged(ROWS("t = 0.0 do { t = t + x[m] } for m in x and m >= i - 5 and m <= i + 5 y[i] = t"), 1);
    check_ragged(WINDOW("", "x[m]", "ends[i]...ends[i + 1]"), -1);
    check_ragged(WINDOW("", "x[m]", "2 * i...2 * i + 20"), -1);
    check_ragged(WINDOW("", "x[m]", "i + i...i + 20"), -1);
    check_ragged(WINDOW("", "x[m]", "max(-i, i - 20)...99"), -1);
    check_ragged(WINDOW("from = i from = from - 5", "x[m]", "from...i + 5"), -1);
    check_ragged(WINDOW("if (x[i] > 0.5) { from = i - 5 } else { from = i }", "x[m]", "from...i + 5"), -1);
    check_ragged(WINDOW("", "x[i + m]", "i - 8...i + 8"), -1);
    check_ragged(WINDOW("", "x[2 * m]", "i - 8...i + 8"), -1);
    check_ragged(ROWS("t = 0.0 do in sequence { t = t + x[m] } for m in [i - 20...i + 20] step 2 y[i] = t"), -1);
    check_ragged(ROWS("t = 0.0 do in sequence { do in sequence { t = t + x[k] } for k in [0...m] } for m in [i - 20...i + 20] y[i] = t"), -1);
    check_ragged(ROWS("t = 0.0 do { t = t + x[m] } for m in x and m > i and m % 3 == 0 y[i] = t"), -1);
    check_ragged(LANES("work(a, y) { do { do in sequence { y[j] = y[j] + a[m][j] } for m in [j - 20...j + 20] } for j in y }", "work(a, y)"), -1);
}

/* A reduction, whose body may go in lanes beside each other if its order makes no difference. */
static void check_reduction(const char *type, const char *value, bool expected) {
    char program[1200];
    snprintf(program, sizeof program, "Task \"T\":\n  Define: x: 1d Array of Real double-precision\n    text: 1d Array of Character\n    sum: %s Reduction\n"
             "  Environment: x, text: link\n  Stages:\n"
             "work(sum, x, text) { do { t = 1.5 n = 0 do in sequence { t = t * (t - x[i]) if (t > 0.5 and text[i] == 'x') { n = n + 1 } } for k in [0...40] reduce(sum, \"sum\", %s) } for i in x }\n"
             "  Computation: Space A { work(Space Root: sum, x, text) }\n  Partition (p): Space A <1d> { x, text: block_size(p) }\n", type, value);
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form, FORM_REDUCTION);
    CU_ASSERT_EQUAL(nest->lanes.reduces, expected);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void test_reductions(void) {
    check_reduction("Integer", "n", true);
    check_reduction("Real double-precision", "t", false);
}

/* Rounds that each lane leaves by itself set locals, and are computed again by those that are through. */
static void test_left_one_by_one(void) {
    check_lanes(ROWS("t = 0.0 do { t = t + x[i] } while t < 5.0 y[i] = t"), true);
    check_lanes(ROWS("t = 0.0 m = 0 do { if (x[m] > t) { t = t + exp(x[m]) } m = m + 1 n = m / 4 } while m < 9 and t < x[n] y[i] = t"), true);
    check_lanes(ROWS("t = 0.0 do in sequence { do { t = t + x[i] } while t < 5.0 * j } for j in [0...9] y[i] = t"), true);
    check_lanes(ROWS("y[i] = 0.0 do { y[i] = y[i] + x[i] } while y[i] < 5.0"), false);
    check_lanes(ROWS("t = 0.0 do { t = t + x[i] do in sequence { t = t + x[j] } for j in [0...9] } while t < 5.0 y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 do { t = t + x[i] do { t = t * 0.5 } while t > 3.0 } while t < 5.0 y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 if (x[i] > 0.5) { do { t = t + x[i] } while t < 5.0 } y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 m = 9 do { m = m / 3 t = t + x[m] } while m > 0 y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 m = 1 do { m = m + 1 t = t + x[9 / m] } while m < 9 y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 m = 1 do { m = m + 1 t = t + x[i] } while 9 % m > 0 y[i] = t"), false);
    check_lanes(LANES("work(y, x) { n = 0 do { t = 0.0 do { t = t + x[i] n = n + 1 } while t < 5.0 y[i] = t } for i in y y[0] = n }", "work(y, x)"), false);
    check_lanes(LANES("work(y, x) { do { t = 0.0 do { t = t + y[i - 1] } while t < 5.0 y[i] = t } for i in y }", "work(y, x)"), false);
}

static void test_not_in_lanes(void) {
    check_lanes(ROWS("t = 0.0 do in sequence { t = t + x[j] * x[i] } for j in [0...ends[i]] y[i] = t"), false);
    check_lanes(ROWS("m = ends[i] t = 0.0 do in sequence { t = t + x[j] * x[i] } for j in [0...m] y[i] = t"), false);
    check_lanes(ROWS("t = 0.0 do in sequence { t = t + x[j] * x[i] } for j in x.dimension.range step i + 1 y[i] = t"), false);
    check_lanes(ADDS("t = t + y[i - 1] * x[j]"), false);
    check_lanes(ADDS("t = t + y[j] * x[i]"), false);
    check_lanes(ADDS("t = t + x[2 * i] * x[j]"), false);
    check_lanes(ADDS("t = t + x[j - i] * x[j]"), false);
    check_lanes(ADDS("m = j * 2 t = t + x[m] * x[i]"), false);
    check_lanes(ADDS("if (x[j] > 0.5) { do in sequence { t = t + x[k] * x[i] } for k in [0...j] }"), false);
    check_lanes(ROWS("do in sequence { y[j] = y[j] + x[j] * x[i] } for j in x.dimension.range"), false);
    check_lanes(ROWS("do in sequence { y[i + 1] = y[i + 1] + x[j] } for j in x.dimension.range"), false);
    check_lanes(ROWS("t = 0.0 do in sequence { t = t + x[i + k] } for k in [0...3] y[i] = t"), false);
    check_lanes(LANES("work(a, b) { do { do in sequence { a[j][i] = a[j][i - 1] * b[j][i] } for i in [1...90] } for j in a.dimension1.range }", "work(a, b)"), false);
    check_lanes_of(ADDS("t = t + x[j] * x[i]"), (Binding){.unrestricted = true}, false);
    check_lanes_of(ADDS("t = t + x[j] * x[i]"), (Binding){.runs = true}, false);
    check_lanes(ADDS("t = t + x[j] * x[i]"), true);
    check_lanes(LANES("work(y, x, n) { do { do in sequence { y[i] = y[i] + x[j] n = j } for j in [0...9] } for i in y }", "work(y, x, n)"), false);
    check_lanes(LANES("work(y, x) { do { do in sequence { y[i] = y[i] + x[j] } for j in [0...9] } for i in y and i % 3 == 0 }", "work(y, x)"), false);
}

#define ROW_SUMS(body) LANES("work(a, b, y) { do { t = 0.0 " body " y[i] = t } for i in y }", "work(a, b, y)")

/* Sums along rows go together, whatever stands beside them. */
static void test_rows(void) {
    check_lanes(ROW_SUMS("do in sequence { t = t + a[i][j] * b[2][j] } for j in a.dimension2.range"), true);
    check_lanes(ROW_SUMS("do { t = t + a[i][j] } for j in a.dimension2.range"), true);
    check_lanes(ROW_SUMS("do { t = t + a[i][j] } for j in [0...i] do { t = 0.5 * max(t, a[i][j]) } for j in a.dimension2.range"), true);
    check_lanes(ROW_SUMS("do in sequence { do { t = t + a[i][k] * b[j][k] } for k in a.dimension2.range } for j in b.dimension1.range"), true);
    check_lanes(LANES("work(a) { k = 3 do { r = 0.0 do { r = r + a[k][j] * a[i][j] } for j in a.dimension2.range do { a[i][j] = a[i][j] - r * a[k][j] } "
                      "for j in a.dimension2.range } for i in a.dimension1.range and i > k }", "work(a)"), true);
}

/* Rows that meet, sums that end with the row, sums into elements, more than four elements that lie apart, no sum at all. */
static void test_not_rows(void) {
    check_lanes(LANES("work(a) { k = 3 do { r = 0.0 do { r = r + a[k][j] * a[i][j] } for j in a.dimension2.range do { a[i][j] = a[i][j] - r * a[k][j] } "
                      "for j in a.dimension2.range } for i in a.dimension1.range and i >= k }", "work(a)"), false);
    check_lanes(LANES("work(a) { do { r = 0.0 do { r = r + a[i][j] } for j in a.dimension2.range do { a[j][i] = r } "
                      "for j in a.dimension1.range } for i in a.dimension1.range }", "work(a)"), false);
    check_lanes(LANES("work(a) { do { r = 0.0 do { r = r + a[i][j] } for j in a.dimension2.range do { a[i][j + 1] = a[i - 1][j] - r } "
                      "for j in a.dimension1.range } for i in a.dimension1.range }", "work(a)"), false);
    check_lanes(ROW_SUMS("do { t = t + a[i][j] } for j in [0...i]"), false);
    check_lanes(ROW_SUMS("do { t = max(t, a[i][j]) } for j in a.dimension2.range"), false); /* in vectors along the row */
    check_lanes(ROW_SUMS("do { t = t + a[j][i * 2] } for j in a.dimension1.range"), false);
    check_lanes(ROW_SUMS("do { t = t + a[i][j] * a[i][j + 1] * a[i][j + 2] * b[i][j] * b[i][j + 1] } for j in a.dimension2.range"), false);
    check_lanes(ROW_SUMS("do { s = a[i][j] if (j == 7) { t = s } } for j in a.dimension2.range"), false);
    check_lanes(ROW_SUMS("do { t = t + a[i][j] } for j in [0...3]"), false);
    check_lanes(ROW_SUMS("do { m = j + 1 t = t + a[i][m] } for j in a.dimension2.range"), false);
    check_lanes(LANES("work(y, a) { do { do in sequence { y[i] = y[i] + a[i][j] if (y[i] > 1.0) { y[i] = 0.5 } } for j in a.dimension2.range } for i in y }", "work(y, a)"), false);
}

UNIT_MAIN("lanes", {"lanes", test_lanes}, {"along rows", test_along_rows}, {"apart", test_apart}, {"ragged", test_ragged}, {"reductions", test_reductions}, {"left one by one", test_left_one_by_one}, {"not in lanes", test_not_in_lanes}, {"rows", test_rows}, {"not rows", test_not_rows})
