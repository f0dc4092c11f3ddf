/* Which arrays have their oldest version in the memory of the current one. x is in padded rows of Space A, in parts of Space B, and in rows of Space C whose
 * padding is an argument. */
#include "tests/unit/plan/planned.h"

static const char GLOBALS[] = " x, y: 2d Array of Real double-precision\n s: Real double-precision Reduction\n n: Integer\n";
static const char SPACES[] = " Space A <1d> { x<dim1>: block_size(k) padding(2, 1) y<dim1>: block_size(k) }\n"
                             " Space B <2d> { x, y: block_size(k, l) }\n Space C <1d> { x<dim1>: block_size(k) padding(q) }\n";
static const char IN_A[] = "Repeat for t in [1...9] { Space A { Epoch { wave(x) } } }", IN_B[] = "Repeat for t in [1...9] { Epoch { Space B { wave(x) } } }";

static void check(const char *flow, const char *body, bool without, int line) {
    char stages[1500];
    snprintf(stages, sizeof stages, " wave(a) { own = a.local.dimension1.range m = 1 %s }\n total(t, a) { do { reduce(t, \"sum\", a[i][j]) } for i, j in a }\n"
             " older(t, a) { do { reduce(t, \"sum\", a[i][j] at (current - 2)) } for i, j in a }\n start(a) { do { a[i][j] = 1.0 } for i, j in a }\n", body);
    Planned p = plan_of(GLOBALS, stages, flow, SPACES);
    const int found = p.text.data == NULL ? -1 : occurrences(&p, "x: ") > 0 ? occurrences(&p, "the oldest in the memory of the current one") : -1;
    CU_ASSERT_EQUAL(found, without);
    if (found != without) fprintf(stderr, "line %d, %s:\n%s\n", line, body, p.text.data);
    done(&p);
}
#define yes(flow, body) check(flow, body, true, __LINE__)
#define no(flow, body) check(flow, body, false, __LINE__)

static void test_elements(void) {
    yes(IN_B, "do { a[i][j] = 2 * (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a");
    yes(IN_B, "do { p = a[i][j] at (current - 2) a[i][j] = 2 * (a[i][j] at (current - 1)) - p } for i, j in a");
    no(IN_B, "do { a[i][j] = 2 * (a[i][j] at (current - 1)) - (a[i][j + 1] at (current - 2)) } for i, j in a and j < 7");
    no(IN_B, "do { a[i][j] = a[i][j] at (current - 1) s = a[i][j] at (current - 2) if (s > 0) { a[i][j] = s } } for i, j in a");
    no(IN_B, "do { a[i][j] = a[i][j] at (current - 1) s = a[i][j] at (current - 2) } for i, j in a");
    no(IN_B, "do { a[i][j] = a[i][j] at (current - 1) if (j > 3) { a[i][j] = a[i][j] at (current - 2) } } for i, j in a");
    no(IN_B, "do { do in sequence { a[i][j] = (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for r in [0...1] } for i, j in a");
    yes(IN_B, "do { do in sequence { a[i][j] = (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for j in a.dimension2.range } for i in a.dimension1");
    no(IN_B, "do { a[i][m] = (a[i][m] at (current - 1)) - (a[i][m] at (current - 2)) m = 2 } for i in a.dimension1");
    no(IN_B, "do { m = j a[i][m] = (a[i][m] at (current - 1)) - (a[i][m] at (current - 2)) } for i, j in a");
    no(IN_B, "do { a[i][0] = (a[i][0] at (current - 1)) - (a[i][0] at (current - 2)) } for i, j in a");
    no(IN_B, "do { if (j > 2) { a[i][j] = (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } } for i, j in a"); /* versions do not change places */
}

static void test_other_statements(void) {
    const char *wave = "do { a[i][j] = 2 * (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and j > 2";
    char text[600];
    snprintf(text, sizeof text, "%s do { a[i][j] = a[i][j] at (current - 1) } for i, j in a and j <= 2", wave);
    yes(IN_B, text);
    snprintf(text, sizeof text, "do { a[i][j] = a[i][j] at (current - 1) } for i, j in a and j <= 2 %s", wave);
    no(IN_B, text);
    snprintf(text, sizeof text, "%s do { a[i][j] = a[i][j] at (current - 2) } for i, j in a and j <= 2", wave);
    no(IN_B, text);
    snprintf(text, sizeof text, "do { s = a[i][j] at (current - 2) } for i, j in a %s", wave);
    no(IN_B, text);
}

static void test_padding(void) {
    yes(IN_A, "do { a[i][j] = (a[i - 1][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and i > own.min + 1 and i < own.max");
    no(IN_A, "do { a[i][j] = (a[i - 1][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and i > own.min and i < own.max");
    no(IN_A, "do { a[i][j] = (a[i - 1][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and i > own.min + 1");
    no(IN_A, "do { a[i][j] = (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a");
    yes(IN_A, "do { a[i][j] = (a[i - 1][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and i >= own.min + 2 and i <= own.max - 1");
    no("Repeat for t in [1...9] { Space C { Epoch { wave(x) } } }",
       "do { a[i][j] = (a[i - 1][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a and i > own.min + 1 and i < own.max - 1");
}

static void test_others(void) {
    const char *wave = "do { a[i][j] = 2 * (a[i][j] at (current - 1)) - (a[i][j] at (current - 2)) } for i, j in a";
    yes("Repeat for t in [1...9] { Epoch { Space B { wave(x) } } Space A { total(Space Root: s, y) } } Space B { total(Space Root: s, x) }", wave);
    no("Repeat for t in [1...9] { Epoch { Space B { wave(x) older(Space Root: s, x) } } }", wave);
    no("Epoch { Space B { start(x) } } Repeat for t in [1...9] { Epoch { Space B { wave(x) } } }", wave);
    no("Repeat for t in [1...9] { Epoch { Space B { wave(x) } } Epoch { Space B { wave(x) } } }", wave);
    no("Repeat for t in [1...9] { Space B { Epoch { wave(x) } } }", wave); /* versions are copied there */
}

UNIT_MAIN("oldest", {"elements", test_elements}, {"other statements", test_other_statements}, {"padding", test_padding}, {"others", test_others})
