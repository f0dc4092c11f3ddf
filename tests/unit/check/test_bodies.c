/* Inference, weak literals, loop domains and bounds, accumulation, slices, instances. Each
 * test checks a short program and looks at the typed tree, or at its dump for whole shapes. */
#include <string.h>
#include "compiler/check/check.h"
#include "compiler/check/internal.h"
#include "tests/unit/unit.h"

typedef struct Checked { Arena *arena; Program *program; Text dump; } Checked;

static const char HEAD[] =
    "Function widen(a) { if (a > 2) { return a } else { return 0.5 } }\n"
    "Function bump(&a) { a = a + 1 }\n"
    "Task \"T\":\n Define:\n x, m, l: 2d Array of Real double-precision\n s: 2d Array of Real single-precision\n"
    " v, w: 1d Array of Real double-precision\n c: 1d Array of Integer single-precision\n"
    " f: Real double-precision\n g: Real single-precision\n n: Integer\n rr: Range\n t: Real double-precision Reduction\n"
    " Environment: x, m, l, s, v, w, c: link\n Stages:\n";
static const char TAIL[] =
    " Partition (k):\n Space A <un-partitioned> { x, m, l, s, v, w, c }\n";

/* Checks a task whose stages are `stages` and whose flow is `flow`. */
static Checked check_stages(const char *stages, const char *flow) {
    Checked checked = {.arena = arena_new()};
    char *text = arena_printf(checked.arena, "%s%s\n Computation: Space A { %s }\n%s", HEAD, stages, flow, TAIL);
    Source *source = source_from_text(checked.arena, "test.hp5", text, strlen(text));
    Diags *diags = diags_new(checked.arena, source);
    Ast *ast = syntax_parse(checked.arena, source, diags);
    if (diags_error_count(diags) == 0) checked.program = check_program(checked.arena, ast, diags);
    if (checked.program == NULL) diags_print(diags, stderr, (DiagStyle){0});
    else program_dump(checked.program, &checked.dump);
    return checked;
}

static Checked check_body(const char *body) {
    Checked checked = {0};
    Arena *arena = arena_new();
    checked = check_stages(arena_printf(arena, "work(x) { %s }", body), "work(x)");
    arena_free(arena);
    return checked;
}

static void finish(Checked *checked) {
    text_free(&checked->dump);
    arena_free(checked->arena);
}

static const Block *body_of(const Checked *checked) {
    CU_ASSERT_FATAL(checked->program != NULL && checked->program->tasks.count == 1);
    CU_ASSERT_FATAL(checked->program->tasks.items[0]->stages.count >= 1);
    return &checked->program->tasks.items[0]->stages.items[0]->body.block;
}

static const char *local_type(const Checked *checked, const char *name) {
    const Block *block = body_of(checked);
    for (size_t i = 0; i < block->locals.count; i++)
        if (strcmp(block->locals.items[i]->name, name) == 0) return block->locals.items[i]->type->text;
    return "none";
}

/* The dump of the body holds `wanted`; shows the dump when it does not. */
static void expect_dump(const char *body, const char *wanted) {
    Checked checked = check_body(body);
    bool found = checked.program != NULL && strstr(checked.dump.data, wanted) != NULL;
    if (!found) fprintf(stderr, "wanted %s in:\n%s\n", wanted, checked.dump.data == NULL ? "" : checked.dump.data);
    CU_ASSERT(found);
    finish(&checked);
}

static void expect_local(const char *body, const char *name, const char *type) {
    Checked checked = check_body(body);
    CU_ASSERT_STRING_EQUAL(local_type(&checked, name), type);
    finish(&checked);
}

/* ---- Inference ----------------------------------------------------------------------- */
static void test_widest_assignment_wins(void) {
    expect_local("a = 1 do in sequence { a = a + 0.5 } for i in [0...3] v[0] = a", "a", "Real double-precision");
    expect_local("a = 1 b = a do in sequence { b = a a = g } for i in [0...3] v[0] = b", "b", "Real single-precision");
    expect_local("a = c[0] v[0] = a", "a", "Integer");
    expect_local("r = x.dimension1.range v[0] = r.min", "r", "Range");
    expect_local("a = n > 2 if (a) { v[0] = 1 }", "a", "Boolean");
}

static void test_a_chain_of_locals_reaches_the_fixpoint(void) {
    expect_local("a = 0 b = 0 d = 0 do in sequence { d = b b = a a = a + f } for i in [0...3] v[0] = d", "d", "Real double-precision");
}

static void test_literals_are_weak(void) {
    expect_local("a = 0.0 do in sequence { a = a + s[i][0] } for i in [0...3] v[0] = a", "a", "Real single-precision");
    expect_local("a = 0.25 * g v[0] = a", "a", "Real single-precision");
    expect_local("a = 0.25 * n v[0] = a", "a", "Real double-precision");
    expect_local("a = 0.25 v[0] = a", "a", "Real double-precision");
    expect_local("a = (1.0 / 3) * g v[0] = a", "a", "Real single-precision");
    expect_local("a = 0.25 b = a * g v[0] = b", "b", "Real double-precision");
    expect_dump("f = 2 * f", "f = (2.0 * f)");
    expect_dump("g = 0.1 * g", "f * g)");
    expect_dump("f = 1 / 2 * f", "f = (double((1 / 2)) * f)");
}

static void test_conversions_are_explicit(void) {
    expect_dump("f = n", "f = double(n)");
    expect_dump("n = f", "n = integer(f)");
    expect_dump("g = f", "g = single(f)");
    expect_dump("f = f ** 2", "f = (f ** 2)");
    expect_dump("f = n ** 0.5", "f = (double(n) ** 0.5)");
    expect_dump("f = n / 2", "f = double((n / 2))");
    expect_dump("f = sqrt(n) + abs(n) + abs(f)", "((sqrt(double(n)) + double(llabs(n))) + fabs(f))");
    expect_dump("g = sqrt(g * 2)", "g = sqrt((g * 2.0f))");
}

/* ---- Scopes ---------------------------------------------------------------------------- */
static size_t count_locals(const Block *block) {
    size_t count = block->locals.count;
    for (size_t i = 0; i < block->statements.count; i++) {
        count += count_locals(&block->statements.items[i]->body);
        if (block->statements.items[i]->otherwise != NULL) count += count_locals(block->statements.items[i]->otherwise);
    }
    return count;
}

static void test_locals_live_in_the_lowest_block(void) {
    Checked checked = check_body("do { a = i v[i] = a } for i in v do { a = 0.5 v[i] = a } for i in v");
    CU_ASSERT_EQUAL(body_of(&checked)->locals.count, 0);
    CU_ASSERT_EQUAL(count_locals(body_of(&checked)), 2);
    finish(&checked);
    checked = check_body("if (n > 0) { a = 1 } else { a = 2 } v[0] = a");
    CU_ASSERT_EQUAL(body_of(&checked)->locals.count, 1);
    CU_ASSERT_EQUAL(count_locals(body_of(&checked)), 1);
    finish(&checked);
}

static void test_a_carried_local_stays_outside(void) {
    Checked checked = check_body("a = 0 do in sequence { v[i] = a a = i } for i in [0...3]");
    CU_ASSERT_EQUAL(body_of(&checked)->locals.count, 1);
    CU_ASSERT_EQUAL(count_locals(body_of(&checked)), 1);
    finish(&checked);
}

/* ---- Loops -------------------------------------------------------------------------------- */
static const Stmt *loop_of(const Checked *checked) {
    const Block *block = body_of(checked);
    for (size_t i = 0; i < block->statements.count; i++)
        if (block->statements.items[i]->kind == STMT_PARALLEL) return block->statements.items[i];
    CU_FAIL_FATAL("no parallel loop");
    return NULL;
}

static void test_indices_find_their_dimensions(void) {
    Checked checked = check_body("do { x[i][j] = x[i][j] + m[i][k] * l[k][j] } for i, j in x; k in m");
    const Stmt *loop = loop_of(&checked);
    CU_ASSERT_EQUAL(loop->indices.count, 3);
    CU_ASSERT_EQUAL(loop->indices.items[1].dimension, 1);
    CU_ASSERT_EQUAL(loop->indices.items[2].dimension, 1);
    CU_ASSERT_STRING_EQUAL(loop->indices.items[2].domain_var->name, "m");
    CU_ASSERT_EQUAL(loop->body.statements.items[0]->accumulate, ACCUMULATE_FMA);
    finish(&checked);
    expect_dump("do { x[i][i] = 0 } for i in x", "parallel i in x.dimension1 and dimension2 {");
    expect_dump("do { x[i - 1][0] = 0 } for i in x and i > 0", "parallel i in x.dimension1 from 1 {");
    expect_dump("do { v[i] = 0 } for i in x.dimension2", "parallel i in x.dimension2 {");
    expect_dump("do { v[i] = 0 } for i in x.local.dimension1.range", "parallel i in x.dimension1 {");
    expect_dump("do { v[i] = 0 } for i in x.dimension1.range", "parallel i in x.dimension1.range {");
    expect_dump("do { v[i] = 0 } for i in rr", "parallel i in rr {");
}

static void test_restrictions_become_bounds(void) {
    expect_dump("do { x[i][j] = 0 } for i, j in x and i < j", "i in x.dimension1; j in x.dimension2 from (i + 1) {");
    expect_dump("do { x[i][j] = 0 } for i, j in x and (n < i and (i <= n + 9 and j == 3))",
                "i in x.dimension1 from (n + 1) to (n + 9); j in x.dimension2 from 3 to 3 {");
    expect_dump("do { v[i] = 0 } for i in v and i in rr", "from rr.min to rr.max {");
    expect_dump("do { v[i] = 0 } for i in v and i in [2...n]", "from 2 to n {");
    expect_dump("do { v[i] = 0 } for i in v and i in x.dimension1.range", "from x.dimension1.range.min to x.dimension1.range.max {");
    expect_dump("do { v[i] = 0 } for i in v and i >= 1 and i < 7", "from 1 to 6 {");
}

static void test_other_restrictions_are_filters(void) {
    expect_dump("do { v[i] = 0 } for i in v and !(i == 3)", "where not (i == 3) {");
    expect_dump("do { v[i] = 0 } for i in v and i != 3", "where (i != 3) {");
    expect_dump("do { v[i] = 0 } for i in v and i > 0.5 * n", "where (double(i) > (0.5 * double(n))) {");
    expect_dump("do { v[i] = 0 } for i in v and i > v[3]", "where (double(i) > v[3]) {");
    expect_dump("do { c[i] = 0 } for i in c and i > c[3]", "where (i > c[3]) {");
    expect_dump("do { v[i] = 0 } for i in v and i > c[3]", "from (c[3] + 1) {");
    expect_dump("do { v[i] = 0 } for i in v and i + 1 > n", "where ((i + 1) > n) {");
    expect_dump("do { v[i] = 0 } for i in v and (i < 3 or i > 5)", "where ((i < 3) or (i > 5)) {");
    expect_dump("do { v[i] = 0 } for i in v and i in x.local.dimension1.range", "where (i in x.local.dimension1.range) {");
    expect_dump("do { v[i] = 0 } for i in v and i < widen(n)", "where (double(i) < widen#0(n)) {");
    expect_dump("do { n = i v[i] = n } for i in v and i > n", "where (i > n) {");
}

static void test_accumulation_rounds_once(void) {
    expect_dump("a = 0.0 do in sequence { a = a - v[i] * w[i] } for i in [0...3] v[0] = a", "a =fms (a - (v[i] * w[i]))");
    expect_dump("do { v[i] = v[i] + v[i] * 2 } for i in v", "v[i] =fma (v[i] + (v[i] * 2.0))");
    expect_dump("do { v[i] = v[i] * 2 + v[i] } for i in v", "v[i] = ((v[i] * 2.0) + v[i])");
    expect_dump("do { v[i] = v[i + 1] + v[i] * 2 } for i in v", "v[i] = (v[(i + 1)] + (v[i] * 2.0))");
    expect_dump("do { s[i][0] = s[i][0] + v[i] * 2 } for i in v", "s[i][0] = single((double(s[i][0]) + (v[i] * 2.0)))");
    expect_dump("n = n + n * 2", "n = (n + (n * 2))");
    expect_dump("do { x[i][j] = x[i][j] at (current - 1) + v[i] * v[j] } for i, j in x", "x[i][j] = (x[i][j] at (current - 1) + (v[i] * v[j]))");
}

static void test_slices_become_loops(void) {
    expect_dump("v = x[...][n]", "parallel i in v.dimension1 {\n            v[i] = x[i][n]");
    expect_dump("v[0...2] = w[3...5]", "parallel i in v.dimension1 from 0 to 2 {\n            v[i] = w[(i + 3)]");
    expect_dump("v[n...4] = w[0...n]", "v[i] = w[((i - n) + 0)]");
    expect_dump("v[...] = w[2...4]", "v[i] = w[((i - v.dimension1.range.min) + 2)]");
    expect_dump("x[...][...] = 2", "parallel i in x.dimension1; j in x.dimension2 {\n            x[i][j] = 2.0");
    expect_dump("x = m", "x[i][j] = m[i][j]");
}

static void test_versions(void) {
    const char *stage = "next(x, m) { do { x[i][j] = (x[i][j] + m[c[i]][j] * f) at (current - 2) } for i, j in x }";
    Checked epoch = check_stages(stage, "Epoch { next(x, m) } next(l, x)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(epoch.program);
    CU_ASSERT_PTR_NOT_NULL(strstr(epoch.dump.data, "(x[i][j] at (current - 2) + (m[c[i]][j] * f))"));
    CU_ASSERT_PTR_NOT_NULL(strstr(epoch.dump.data, "(x[i][j] + (m[c[i]][j] at (current - 2) * f))"));
    finish(&epoch);
    expect_dump("do { x[i][j] = (x[i][j] + m[i][j]) at (current - 1) } for i, j in x", "(x[i][j] at (current - 1) + m[i][j] at (current - 1))");
    Checked checked = check_body("do { x[i][j] = x[i][j] at (current - 2) } for i, j in x");
    VarUse use = body_var_use(&checked.program->tasks.items[0]->stages.items[0]->body, checked.program->tasks.items[0]->stages.items[0]->body.params.items[0]);
    CU_ASSERT(use.read && use.written && !use.read_current && use.max_lag == 2);
    finish(&checked);
}

/* ---- Instances and chains ---------------------------------------------------------------------- */
static void test_stages_have_an_instance_for_each_combination(void) {
    Checked checked = check_stages("set(a, b) { do { a[i] = b } for i in a }", "set(v, f) set(w, f) set(v, g) set(v, 3) set(c, n)");
    CU_ASSERT_FATAL(checked.program != NULL);
    const Task *task = checked.program->tasks.items[0];
    CU_ASSERT_EQUAL(task->stages.count, 4);
    CU_ASSERT(task->stages.items[2]->body.params.items[1]->constant_argument);
    CU_ASSERT(!task->stages.items[3]->body.params.items[1]->constant_argument);
    CU_ASSERT_EQUAL(task->stages.items[3]->body.instance, 3);
    finish(&checked);
}

static void test_functions_have_an_instance_for_each_combination(void) {
    Checked checked = check_body("f = widen(n) + widen(f) + widen(3) a = 1 bump(a) f = a");
    CU_ASSERT_FATAL(checked.program != NULL);
    CU_ASSERT_EQUAL(checked.program->functions.count, 3);
    CU_ASSERT_STRING_EQUAL(checked.program->functions.items[0]->body.result->text, "Real double-precision");
    CU_ASSERT(checked.program->functions.items[2]->body.params.items[0]->by_reference);
    CU_ASSERT_EQUAL(checked.program->functions.items[2]->body.result->kind, TYPE_VOID);
    finish(&checked);
}

static void test_chains_are_written_out(void) {
    expect_dump("a = v[0] = n = 3 f = a", "n = 3\n        v[0] = double(n)\n        a = v[0]\n");
    expect_local("a = v[0] = 3 f = a", "a", "Real double-precision");
}

static void test_extern_uses(void) {
    expect_dump("a = 1 @Extern { @Language \"C\" ${ int own = a + n; /* f */ s.f = \"g\"; }$ } f = a", "extern C uses a n s\n");
    expect_dump("a = 1 @Extern { @Language \"C++\" ${ a = n; }$ } @Extern { @Language \"CUDA\" ${ s.f = a; }$ } f = a", "extern C++ or CUDA uses a n s\n");
    expect_dump("a = 1 @Extern { @Language \"CUDA\" ${ a = n; }$ } f = a", "extern CUDA uses a n\n");
    expect_dump("a = 1 @Extern { @Language \"C\" ${ a = n; }$ } @Extern { @Language \"C\" ${ a = a; }$ } f = a", "extern C uses a n\n");
}

UNIT_MAIN("bodies", {"widest assignment wins", test_widest_assignment_wins},
          {"a chain of locals reaches the fixpoint", test_a_chain_of_locals_reaches_the_fixpoint},
          {"literals are weak", test_literals_are_weak}, {"conversions are explicit", test_conversions_are_explicit},
          {"locals live in the lowest block", test_locals_live_in_the_lowest_block},
          {"a carried local stays outside", test_a_carried_local_stays_outside},
          {"indices find their dimensions", test_indices_find_their_dimensions},
          {"restrictions become bounds", test_restrictions_become_bounds},
          {"other restrictions are filters", test_other_restrictions_are_filters},
          {"accumulation rounds once", test_accumulation_rounds_once}, {"slices become loops", test_slices_become_loops},
          {"versions", test_versions}, {"one stage instance for each combination", test_stages_have_an_instance_for_each_combination},
          {"one function instance for each combination", test_functions_have_an_instance_for_each_combination},
          {"chains are written out", test_chains_are_written_out}, {"extern uses", test_extern_uses})
