/* Stages that run before all elements of an array have come: how far what they use lies from an iteration's place, and that the verifier sees
 * where that is wrong. */
#include "tests/unit/lower/open_stage.h"

#define PROGRAM(stages, calls)                                                                           \
    "Task \"T\":\n"                                                                                      \
    "  Define: x, y: 2d Array of Real double-precision\n"                                                \
    "    u: 1d Array of Real double-precision\n"                                                        \
    "    n: 1d Array of Integer\n"                                                                       \
    "    total: Real double-precision Reduction\n"                                                       \
    "  Environment: x, y, u, n: link\n"                                                                  \
    "  Stages:\n" stages "\n"                                                                            \
    "  Computation: Space A { " calls " }\n"                                                             \
    "  Partition (p): Space A <1d> { x<dim1>, y<dim1>, u, n: block_size(p) }\n"

static const Binding B_COMES = {.coming = "b"};

static const char NEIGHBOURS[] = PROGRAM("work(a, b) { r = b.local.dimension1.range do { a[i][j] = b[i - 1][j] + b[i][j + 2] } for i, j in a and i > r.min }", "work(x, y)");
static const char AROUND[] = PROGRAM("work(a, b) { do { s = 0.0 do { s = s + b[m][j] } for m in [i - 1...i + 3] a[i][j] = s } for i, j in a }", "work(x, y)");

static Border *border_of(Opened *o) {
    CU_ASSERT_PTR_NOT_NULL_FATAL(o->stage->code.border);
    Border *border = ARENA_NEW(o->fixture.arena, Border);
    *border = *o->stage->code.border;
    o->stage->code.border = border;
    return border;
}

static void check_reach(const char *program, int d, int64_t low, int64_t high) {
    Opened o = open_stage(program, B_COMES);
    const Border *border = border_of(&o);
    CU_ASSERT_EQUAL(border->low[d], low);
    CU_ASSERT_EQUAL(border->high[d], high);
    close_stage(&o, "nothing");
}

static void test_border(void) {
    check_reach(NEIGHBOURS, 0, -1, 0);
    check_reach(NEIGHBOURS, 1, 0, 2);
    check_reach(AROUND, 0, -1, 3);
    check_reach(AROUND, 1, 0, 0);
    Opened o = open_stage(NEIGHBOURS, B_COMES);
    border_of(&o)->low[0] = 0;
    close_stage(&o, "an element is used that may not have come");
    o = open_stage(AROUND, B_COMES);
    border_of(&o)->high[0] = 2;
    close_stage(&o, "an element is used that may not have come");
    o = open_stage(NEIGHBOURS, B_COMES);
    border_of(&o);
    loop_of(&o, 0)->box = 2;
    close_stage(&o, "a loop is bounded in the wrong dimension");
    o = open_stage(NEIGHBOURS, B_COMES);
    loop_of(&o, 1)->box = 0;
    close_stage(&o, "a loop is not bounded that goes along the array");
    o = open_stage(NEIGHBOURS, B_COMES);
    o.stage->code.border = NULL;
    close_stage(&o, "a loop is bounded by a box that nobody gives");
    o = open_stage(NEIGHBOURS, B_COMES);
    loop_of(&o, 0)->legal &= ~(unsigned)(LOOP_PARALLEL | LOOP_APART);
    CHECK_TEXT(lower_border_fault(&o.stage->code), "iterations that depend on each other run in parts");
    fixture_close(&o.fixture);
}

/* What has none. */
static void check_no_border(const char *program) {
    Opened o = open_stage(program, B_COMES);
    CU_ASSERT_PTR_NULL(o.stage->code.border);
    close_stage(&o, "nothing");
}

static void test_no_border(void) {
    check_no_border(PROGRAM("work(a, b) { do { a[i][j] = b[j][i] + b[i][j] } for i, j in a }", "work(x, y)"));          /* one index in two dimensions */
    check_no_border(PROGRAM("work(a, b) { do { a[i][j] = b[2 * i][j] } for i, j in a }", "work(x, y)"));                /* not beside it */
    check_no_border(PROGRAM("work(a, b, n) { do { a[i][j] = b[n[i]][j] } for i, j in a }", "work(x, y, n)"));           /* anywhere */
    check_no_border(PROGRAM("work(a, b) { do { a[i][j] = b[0][j] } for i, j in a }", "work(x, y)"));                    /* always the same */
    check_no_border(PROGRAM("work(a, b) { s = b[0][0] do { a[i][j] = s + b[i][j] } for i, j in a }", "work(x, y)"));    /* before the loop */
    check_no_border(PROGRAM("work(b) { do { b[i][j] = b[i - 1][j] } for i, j in b }", "work(y)"));                      /* in order */
    check_no_border(PROGRAM("work(a, b) { do { a[i][j] = b[i][j] } for i, j in a do { a[i][j] = a[i][j] + b[i][j] } for i, j in a }", "work(x, y)"));
    check_no_border(PROGRAM("work(total, b) { do { reduce(total, \"sum\", b[i][j]) } for i, j in b }", "work(total, x)"));
    check_no_border(PROGRAM("work(u, b) { do { u[i] = u[i] + b[i][j] } for i in u; j in b }", "work(u, x)"));           /* j adds up */
}

UNIT_MAIN("border", {"reach, and what is wrong", test_border}, {"none", test_no_border})
