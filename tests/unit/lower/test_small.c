/* Loops that are computed in 32 bits where values are small: which, up to which limit, and which not. */
#include "compiler/lower/verify_loops.h"
#include "tests/unit/check_text.h"
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(stage)                                                                                     \
    "Task \"T\":\n"                                                                                        \
    "  Define: x, y, z: 1d Array of Integer single-precision\n"                                            \
    "    a: 2d Array of Integer single-precision\n"                                                        \
    "    w: 1d Array of Integer\n"                                                                         \
    "    r: 1d Array of Real double-precision\n"                                                           \
    "    top, total: Integer Reduction\n"                                                                  \
    "  Environment: x, y, z, w, r, a: link\n"                                                              \
    "  Stages:\n work(x, y, z, w, r, a, top, total, n) { " stage " }\n"                                    \
    "  Computation: Space A { work(x, y, z, w, r, a, top, total, 3) }\n"                                   \
    "  Partition (s): Space A <1d> { x, y, z, w, r, a<dim1>: block_size(s) }\n"

/* The limit (0: the loop goes as ever), spans and scalars that are looked at. */
static void check_small(const char *program, Binding binding, int64_t limit, size_t spans, size_t scalars) {
    Fixture f;
    const bool opened = fixture_open(&f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    const Small *small = vec_last(&f.stages.items[0]->code.nests)->small;
    CU_ASSERT_EQUAL(small ? small->limit : 0, limit);
    CU_ASSERT_EQUAL(small ? small->spans.count : 0, spans);
    CU_ASSERT_EQUAL(small ? small->scalars.count : 0, scalars);
    for (size_t i = 0; small && i < small->spans.count; i++) {
        const SmallSpan *span = &small->spans.items[i];
        CU_ASSERT_EQUAL(span->more > 0, span->first != span->last);
    }
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void test_small(void) {
    const int64_t half = 1 << 30;
    check_small(PROGRAM("do { x[i] = max(y[i] + z[i], 0) } for i in x"), (Binding){0}, half, 2, 0);
    check_small(PROGRAM("do { x[i] = abs(y[i - 1] + y[i + 2] - y[i]) } for i in x"), (Binding){0}, half / 4, 1, 0);
    check_small(PROGRAM("do { x[i] = abs(y[i] + y[i - 1] - y[i + 2]) } for i in x"), (Binding){0}, half / 4, 1, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + n, 0) } for i in x"), (Binding){0}, half, 1, 1);
    check_small(PROGRAM("do { x[i] = y[i] * 100 % 7 } for i in x"), (Binding){0}, half >> 6, 1, 0);
    check_small(PROGRAM("do { t = y[i] - 1 if (x[i] == z[i]) { t = t + 2 } reduce(top, \"max\", t) } for i in x"), (Binding){0}, half, 1, 0);
    check_small(PROGRAM("do { reduce(total, \"sum\", abs(y[i] - z[i])) } for i in x"), (Binding){0}, half >> 10, 2, 0);
    check_small(PROGRAM("m = y[0] do { t = y[i] if (i > 0) { t = min(t, y[i - 1] + m) } x[i] = t } for i in x"), (Binding){0}, half, 1, 1);
    check_small(PROGRAM("do { a[i][j] = max(a[i - 1][j] at (current - 1) + y[i], 3) } for i, j in a"), (Binding){0}, half, 2, 0);
    check_small(PROGRAM("do { r[i] = y[i] + z[i] } for i in r"), (Binding){0}, half, 2, 0);
    check_small(PROGRAM("do { x[i] = max(y[7 - i] + 1, 0) } for i in x"), (Binding){0}, half, 1, 0);
    check_small(PROGRAM("do { x[i] = max(y[2 * i] + y[2 * i + 1] + y[2 * i], a[i][2]) >> 3 } for i in x"), (Binding){0}, half / 4, 3, 0);
}

/* Whether a block is computed in 32 bits before it is known whether it may be. */
static void check_first(const char *stage, bool first) {
    Fixture f;
    const bool opened = fixture_open(&f, stage, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Small *small = vec_last(&f.stages.items[0]->code.nests)->small;
    CU_ASSERT_PTR_NOT_NULL_FATAL(small);
    CU_ASSERT_EQUAL(small->first_in_32_bits, first);
    fixture_close(&f);
}

/* Not where values decide which elements are read or written. */
static void test_first(void) {
    check_first(PROGRAM("do { t = y[i] - 1 if (t > 3) { t = 0 } x[i] = t } for i in x"), true);
    check_first(PROGRAM("do { t = y[i] + z[i] if (i > 0) { t = t - y[i - 1] } x[i] = t } for i in x"), true);
    check_first(PROGRAM("do { t = y[i] - 1 if (t > 3) { x[i] = t } } for i in x"), false);
    check_first(PROGRAM("do { t = y[i] - 1 s = 0.5 if (t < 3) { s = r[i] } if (s > 1.0) { t = 0 } x[i] = t } for i in x"), false);
    check_first(PROGRAM("do { t = y[i] - 1 s = 0.5 if (t < 3 and z[i + 1] == 4) { s = 1.5 } r[i] = s + t } for i in r"), false);
    check_first(PROGRAM("do { r[i] = r[i] + max(y[i] + z[i], 0) } for i in r"), false);
    check_first(PROGRAM("do { t = y[i] - 1 if (z[t] == 4) { t = 7 } x[i] = t } for i in x"), false);
    check_first(PROGRAM("do { t = y[i] - 1 if (z[w[i]] == 4) { t = 7 } x[i] = t } for i in x"), false);
}

/* Nothing that 32 bits may not hold already, or of which only the lowest are stored; numbers of 64 bits; indices; elements under conditions, that are written, from anywhere, that lie
 * apart; division by what may be 0; products of extrema; checked builds; ranges that are no arrays. */
static void test_not_small(void) {
    check_small(PROGRAM("do { x[i] = max(y[i], z[i]) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = min(y[i], z[i]) - y[i + 1] * 3 } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + w[i], 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + i, 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { t = 0 if (z[i] == 3) { t = y[i + 1] + 1 } x[i] = t } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(x[i] + y[i], 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[z[i]] + 1, 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { t = 0 if (z[2 * i] == 3) { x[i] = max(y[7 - i] + 1, 0) } } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(a[i][n] + 1, 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = (y[i] + 1) / z[i] } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] * z[i] * y[i], 0) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { reduce(top, \"product\", y[i] + 1) } for i in x"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + 1, 0) } for i in x"), (Binding){.unrestricted = true}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + 1, 0) } for i in x"), (Binding){.runs = true}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + 1, 0) } for i in x"), (Binding){.checked = true}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + 1, 0) } for i in [n...n + 40]"), (Binding){0}, 0, 0, 0);
    check_small(PROGRAM("do { x[i] = max(y[i] + 9000000000, 0) } for i in x"), (Binding){0}, 0, 0, 0);
}

/* The verifier looks at what has 32 bits. */
static void test_verify(void) {
    Fixture f;
    const bool opened = fixture_open(&f, PROGRAM("do { t = y[i] + 1 x[i] = t * 2 } for i in x"), (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    LoweredBody *code = &f.stages.items[0]->code;
    Nest *nest = code->nests.items[0];
    CU_ASSERT_PTR_NOT_NULL_FATAL(nest->small);
    Small small = *nest->small;
    LoweredBody narrow = *small.code;
    const Ranges *const ranges = narrow.ranges;
    narrow.ranges = code->ranges;
    small.code = &narrow;
    nest->small = &small;
    CHECK_TEXT(lower_body_fault(code), "a local does not hold its values where they are small");
    small = (Small){.code = small.code, .limit = small.limit};
    narrow.ranges = ranges;
    CHECK_TEXT(lower_body_fault(code), "values count as small that are not looked at");
    fixture_close(&f);
}

UNIT_MAIN("small", {"small", test_small}, {"not small", test_not_small}, {"first in 32 bits", test_first}, {"verifier", test_verify})
