/* Reduction.any_order and LOOP_TOGETHER: whether a reduction's order makes no difference, and whether C compilers can do
 * iterations of the innermost loop at once. Each stage here has one data-parallel loop around all others. */
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(stages, calls)                                                                          \
    "Function shift(x) { return x + 1.0 }\n"                                                           \
    "Task \"T\":\n"                                                                                    \
    "  Define:\n"                                                                                      \
    "    x, y: 2d Array of Real double-precision\n"                                                    \
    "    u, v: 1d Array of Real double-precision\n"                                                    \
    "    n: 1d Array of Integer\n"                                                                     \
    "    sum: Real double-precision Reduction\n"                                                       \
    "    least: Real double-precision Reduction\n"                                                     \
    "    count: Integer Reduction\n"                                                                   \
    "    place: Integer Reduction\n"                                                                   \
    "  Environment: x, y, u, v, n: link\n"                                                             \
    "  Stages:\n" stages "\n"                                                                          \
    "  Computation: Space A { " calls " }\n"                                                           \
    "  Partition (p): Space A <1d> { x<dim1>, y<dim1>, u, v, n: block_size(p) }\n"

static const Nest *open_nest(Fixture *f, const char *program, Binding binding) {
    bool opened = fixture_open(f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    CU_ASSERT_TRUE_FATAL(f->stages.items[0]->code.nests.count > 0);
    return f->stages.items[0]->code.nests.items[0];
}

static bool is_separate(const char *program, Binding binding) {
    Fixture f;
    const Nest *nest = open_nest(&f, program, binding);
    const Loop *innermost = nest_innermost(nest);
    const bool abreast = nest->form == FORM_SUM && nest->sum.abreast;
    const bool separate = innermost->interval && !nest->has_filters && (abreast || loop_may(innermost, LOOP_PARALLEL) || loop_may(innermost, LOOP_TOGETHER));
    fixture_close(&f);
    return separate;
}

static bool is_any_order(const char *program) {
    Fixture f;
    const Nest *nest = open_nest(&f, program, (Binding){0});
    const bool any_order = nest->form == FORM_REDUCTION && nest->reduction.any_order;
    fixture_close(&f);
    return any_order;
}

#define WORK(body) PROGRAM("    work(u, v, n) { do {\n" body "\n} for i in u }", "work(u, v, n)")
#define ONE(body) is_separate(WORK(body), (Binding){0})

static void test_elements(void) {
    CU_ASSERT_TRUE(ONE("u[i] = v[i] * 2.0"));
    CU_ASSERT_TRUE(ONE("u[i] = v[i + 1] * 2.0\n n[i] = 3"));
    CU_ASSERT_TRUE(ONE("half = v[i] / 2.0\n if (half > 1.0) { u[i] = half }"));
    CU_ASSERT_FALSE(ONE("u[i] = u[i - 1] * 2.0"));     /* another iteration's */
    CU_ASSERT_FALSE(ONE("u[n[i]] = v[i]"));            /* the same one twice, perhaps */
    CU_ASSERT_FALSE(ONE("u[0] = v[i]"));               /* all of them one element */
    CU_ASSERT_FALSE(is_separate(WORK("u[i] = v[i] * 2.0"), (Binding){.unrestricted = true})); /* u may be v */
    CU_ASSERT_FALSE(is_separate(WORK("u[i] = v[i] * 2.0"), (Binding){.runs = true}));         /* a walk over runs */
}

static void test_filters(void) {
    CU_ASSERT_TRUE(is_separate(PROGRAM("work(u, v) { do { u[i] = v[i] } for i in u and i > 3 }", "work(u, v)"), (Binding){0}));
    CU_ASSERT_FALSE(is_separate(PROGRAM("work(u, v) { do { u[i] = v[i] } for i in u and i % 3 == 0 }", "work(u, v)"), (Binding){0}));
}

/* Integers add up in any order, and so do extrema; sums of Reals do not. */
static void test_sums(void) {
#define COUNTED(start, body) PROGRAM("    work(u, v, n) {\n" start "\n do {\n" body "\n} for i in u\n u[0] = found }", "work(u, v, n)")
    CU_ASSERT_TRUE(is_separate(COUNTED("found = 0", "if (u[i] > 1.0) { found = found + 1 }"), (Binding){0}));
    CU_ASSERT_TRUE(is_separate(COUNTED("found = 0", "found = found + n[i]"), (Binding){0}));
    CU_ASSERT_FALSE(is_separate(COUNTED("found = 0.0", "found = found + u[i]"), (Binding){0}));
    CU_ASSERT_FALSE(is_separate(COUNTED("found = 0", "found = found + 1\n u[i] = found"), (Binding){0})); /* seen half-way */
    CU_ASSERT_FALSE(is_separate(COUNTED("found = 0", "found = n[i]"), (Binding){0}));                       /* the last one's */
}

/* Loops inside that C compilers write out, and others. */
static void test_loops_inside(void) {
    CU_ASSERT_TRUE(ONE("total = 0.0\n do in sequence { total = total + v[i + m] } for m in [0...3]\n u[i] = total"));
    CU_ASSERT_TRUE(ONE("total = 0.0\n do in sequence { do in sequence { total = total + v[i + m + k] } for k in [0...1] } for m in [0...3]\n u[i] = total"));
    CU_ASSERT_FALSE(ONE("total = 0.0\n do in sequence { total = total + v[i + m] } for m in [0...30]\n u[i] = total"));
    CU_ASSERT_FALSE(ONE("total = 0.0\n do in sequence { total = total + v[m] } for m in [0...i]\n u[i] = total"));
}

/* Sums of Integers in locals go in vectors together, in any order; sums of Reals wait for each other. */
static void test_roles(void) {
    static const char sums[] = PROGRAM("work(u, n) { found = 0 do { found = found + n[i] } for i in u\n u[0] = found }", "work(u, n)");
    Fixture f;
    const Nest *nest = open_nest(&f, sums, (Binding){0});
    CU_ASSERT_TRUE(loop_may(nest_innermost(nest), LOOP_TOGETHER) && !loop_may(nest_innermost(nest), LOOP_PARALLEL));
    CU_ASSERT_EQUAL(nest_innermost(nest)->role, ROLE_VECTOR);
    fixture_close(&f);
    nest = open_nest(&f, PROGRAM("work(u, v) { found = 0.0 do { found = found + v[i] } for i in u\n u[0] = found }", "work(u, v)"), (Binding){0});
    CU_ASSERT_EQUAL(nest_innermost(nest)->role, ROLE_SERIAL);
    fixture_close(&f);
    nest = open_nest(&f, WORK("u[i] = v[i]"), (Binding){0});
    CU_ASSERT_EQUAL(nest_innermost(nest)->role, ROLE_VECTOR);
    fixture_close(&f);
    nest = open_nest(&f, WORK("u[i] = v[i]"), (Binding){.checked = true});
    CU_ASSERT_EQUAL(nest_innermost(nest)->role, ROLE_SERIAL);
    fixture_close(&f);
}

/* Elements that accumulate side by side. */
static void test_abreast(void) {
    static const char rows[] = PROGRAM("work(u, x, v) { do { u[i] = u[i] + x[i][j] * v[j] } for i in u; j in v }", "work(u, x, v)");
    Fixture f;
    const Nest *nest = open_nest(&f, rows, (Binding){0});
    CU_ASSERT_TRUE(nest->form == FORM_SUM && nest->sum.abreast && !loop_may(nest_innermost(nest), LOOP_PARALLEL));
    CU_ASSERT_TRUE(loop_may(&nest->loops.items[0], LOOP_PARALLEL) && nest->loops.items[0].role == ROLE_VECTOR);
    fixture_close(&f);
    CU_ASSERT_FALSE(is_separate(PROGRAM("work(u, x, v) { do { u[i] = u[i] + x[i][j] * v[j] } for i in u; j in v and j < i }", "work(u, x, v)"),
                                (Binding){0}));
}

#define REDUCED(target, op, value) \
    PROGRAM("work(" target ", u, n) { do { reduce(" target ", \"" op "\", " value ") } for i in u }", "work(" target ", u, n)")

static void test_reductions(void) {
    CU_ASSERT_FALSE(is_any_order(REDUCED("sum", "sum", "u[i]")));
    CU_ASSERT_FALSE(is_any_order(REDUCED("sum", "product", "u[i]")));
    CU_ASSERT_TRUE(is_any_order(REDUCED("least", "min", "u[i]")));
    CU_ASSERT_TRUE(is_any_order(REDUCED("count", "sum", "n[i]")));
    CU_ASSERT_TRUE(is_any_order(REDUCED("count", "max", "n[i]")));
    CU_ASSERT_TRUE(is_any_order(REDUCED("place", "max_entry", "u[i]")));
    CU_ASSERT_TRUE(is_any_order(REDUCED("place", "min_entry", "n[i]")));
    CU_ASSERT_FALSE(is_any_order(WORK("u[i] = v[i]"))); /* reduces nothing */
}

/* One target whose order matters is enough. */
static void test_several_reductions(void) {
#define BOTH(first, second) \
    PROGRAM("work(sum, count, place, u, n) { do {\n" first "\n" second "\n} for i in u }", "work(sum, count, place, u, n)")
    CU_ASSERT_TRUE(is_any_order(BOTH("reduce(count, \"sum\", n[i])", "reduce(place, \"max_entry\", u[i])")));
    CU_ASSERT_FALSE(is_any_order(BOTH("reduce(count, \"sum\", n[i])", "reduce(sum, \"sum\", u[i])")));
    CU_ASSERT_TRUE(is_any_order(BOTH("if (u[i] > 0.0) { reduce(count, \"sum\", n[i]) }", "reduce(count, \"sum\", 1)")));
}

UNIT_MAIN("separate", {"elements", test_elements}, {"filters", test_filters}, {"sums in locals", test_sums}, {"loops inside", test_loops_inside},
          {"roles", test_roles}, {"side by side", test_abreast}, {"reductions", test_reductions}, {"several reductions", test_several_reductions})
