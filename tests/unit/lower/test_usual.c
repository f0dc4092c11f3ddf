/* What the innermost loop of a nest has to gain where its numbers are usual (lower/usual.c). */
#include "compiler/lower/nest.h"
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(stages, call)                                                                              \
    "Task \"T\":\n"                                                                                       \
    "  Define: a, b: 2d Array of Real double-precision\n"                                                 \
    "    x, y: 1d Array of Real double-precision\n"                                                       \
    "    n: Integer\n"                                                                                    \
    "  Environment: a, b, x, y: link\n"                                                                   \
    "  Stages:\n" stages "\n"                                                                             \
    "  Computation: Space A { " call " }\n"                                                               \
    "  Partition (p): Space A <1d> { y: block_size(p) a, b, x: replicated }\n"

typedef struct Gain { size_t extrema, rows, conversions; } Gain;

static void check_usual(const char *program, Gain expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Usual none = {0}, *usual = f.stages.items[0]->code.nests.items[0]->usual;
    if (!usual) usual = &none;
    CU_ASSERT_EQUAL(usual->extrema.count, expected.extrema);
    CU_ASSERT_EQUAL(usual->rows.count, expected.rows);
    CU_ASSERT_EQUAL(usual->conversions.count, expected.conversions);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void test_usual(void) {
    check_usual(PROGRAM("work(y, x) { do { y[i] = max(max(x[i - 1], x[i]), x[i + 1]) } for i in y }", "work(y, x)"), (Gain){2, 1, 0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = min(min(x[i - 2], x[i + 2]), max(x[i], x[i - 2])) } for i in y }", "work(y, x)"), (Gain){0, 0, 0}); /* 3 rows */
    check_usual(PROGRAM("work(a, b) { do { t = max(b[i][j], b[i - 1][j]) u = min(t, abs(b[i][j + 1])) a[i][j] = max(t, max(u, b[i][0])) } for i, j in a }", "work(a, b)"), (Gain){4, 3, 0});
    check_usual(PROGRAM("work(y, x) { do { t = max(x[i], x[i + 1]) t = max(t, floor(x[i] )) y[i] = max(t, i) } for i in y }", "work(y, x)"), (Gain){3, 1, 0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = min(max(Integer(x[i]), 0), 9) + Integer(min(max(x[i], 0.5), 7)) + min(Integer(x[i] + 1), 5) } for i in y }", "work(y, x)"), (Gain){0, 0, 1}); /* what is clamped is no gain */
    check_usual(PROGRAM("work(y, x) { do { m = Integer(x[i] * 3.5) if (m > 4) { m = Integer(x[i]) } y[i] = m / 2 } for i in y }", "work(y, x)"), (Gain){0, 0, 2});
}

/* Numbers that others are made of in the loop, elements that it writes or does not read always, or that lie apart. Conversions whose loop reads
 * what it writes, divides, or goes where they say. */
static void test_not_usual(void) {
    check_usual(PROGRAM("work(y, x) { do { y[i] = max(max(-x[i - 1], x[i] - x[i + 1]), max(x[i + 1] * x[i], sqrt(x[i]))) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = max(max(y[i], x[i]), max(y[i], x[i])) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { t = 0.0 if (y[i] > 0) { t = max(max(x[i - 1], x[i]), x[i + 1]) } y[i] = t } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { t = x[i] if (t > 0) { t = -t } y[i] = max(max(t, x[i]), max(t, x[i + 1])) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, a) { do { y[i] = max(max(a[i][1], a[i][2]), max(a[i][3], a[i][4])) } for i in y }", "work(y, a)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = max(x[i], max(x[2 * i], 0.0)) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = max(x[i], 0.0) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y) { do { y[i] = Integer(y[i] * 3.5) } for i in y }", "work(y)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = 100 / (Integer(x[i]) + 1) } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { y[i] = x[Integer(x[i])] } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { m = Integer(x[i]) y[i] = x[m] } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { if (i % 2 == 0) { y[i] = x[i] } if (i > 3) { y[i] = Integer(x[i]) } } for i in y and i % 3 == 0 }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { if (Integer(x[i]) > 4) { y[i] = 1.0 } } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(y, x) { do { m = Integer(x[i]) if (m < 4) { m = 1 } else { y[i] = m } } for i in y }", "work(y, x)"), (Gain){0});
    check_usual(PROGRAM("work(x, y) { do { m = Integer(y[i]) if (m < 4) { m = 1 } else { x[i + 1] = m } } for i in y }", "work(x, y)"), (Gain){0});
}

UNIT_MAIN("usual", {"usual numbers", test_usual}, {"no usual numbers", test_not_usual})
