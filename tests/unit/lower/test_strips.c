/* Which stages run in strips, and what they hand on: of pairs of stages each of which has one thing that must be so. */
#include "compiler/lower/lower.h"
#include "compiler/lower/verify_loops.h"
#include "tests/unit/check_text.h"
#include "tests/unit/unit.h"
#include <string.h>

typedef struct Case {
    const char *stages, *flow;
    const char *bounds; /* of t, w, s and z; NULL: as x has them */
    const char *parts;  /* of Space A; NULL: the usual ones */
} Case;

typedef struct Lowered {
    Arena *arena;
    LoweredProgram *program;
} Lowered;

static const char BOUNDS[] = "t.dimension = w.dimension = x.dimension\n s.dimension = z.dimension = m.dimension\n";
static const char PARTS[] = "Space A <1d> { x, y, c, t, w: block_size(k) e: replicated }\n Space B <1d> { m<dim1>, s<dim1>, z<dim1>: block_size(k) }\n Space C <2d> { m, s, z: block_size(k, k) }";

static Lowered lowered_of(const Case *test, bool checked) {
    Lowered l = {.arena = arena_new()};
    char *text = arena_printf(l.arena,
                              "Task \"T\":\n Define:\n x, y, t, w: 1d Array of Real double-precision\n c, e: 1d Array of Integer\n"
                              " m, s, z: 2d Array of Real double-precision\n n: Integer\n r: Real double-precision Reduction\n q: Real double-precision\n"
                              " Environment:\n x, y, c, e, m: link\n z: create\n Initialize (n):\n q = 1.5\n %s"
                              " Stages:\n %s\n Computation:\n %s\n Partition (k):\n %s\n",
                              test->bounds ? test->bounds : BOUNDS, test->stages, test->flow, test->parts ? test->parts : PARTS);
    Source *source = source_from_text(l.arena, "t.hp5", text, strlen(text));
    Diags *diags = diags_new(l.arena, source);
    const Ast *ast = syntax_parse(l.arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(l.arena, ast, diags) : NULL;
    const PlanOptions options = {.checked = checked, .omit_sync = -1, .omit_transfer = -1};
    Plan *plan = program ? plan_program(l.arena, program, options, diags) : NULL;
    if (plan == NULL) diags_print(diags, stdout, (DiagStyle){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    l.program = lower_program(l.arena, plan);
    lower_verify(l.program);
    return l;
}

/* "first, second: t in 1", a group after the other. */
static void expect(Case test, bool checked, const char *expected) {
    Lowered l = lowered_of(&test, checked);
    Text text = {0};
    const LoweredTask *task = l.program->tasks.items[0];
    for (size_t g = 0; g < task->strips.count; g++) {
        const Strips *strips = task->strips.items[g];
        if (g > 0) text_append(&text, "; ");
        for (size_t i = 0; i < strips->steps.count; i++) text_printf(&text, "%s%s", i > 0 ? ", " : "", strips->steps.items[i]->use->stage->body.name);
        for (size_t i = 0; i < strips->passed.count; i++) {
            text_printf(&text, "%s%s in ", i > 0 ? ", " : ": ", strips->passed.items[i]->name);
            for (size_t b = 0; b < strips->bounded.count; b++)
                if (strips->bounded.items[b].array == strips->passed.items[i]) text_printf(&text, "%d", strips->bounded.items[b].dimension + 1);
        }
    }
    CHECK_TEXT(text.data ? text.data : "none", expected);
    text_free(&text);
    arena_free(l.arena);
}

#define GIVE "give(t, x) { do { t[i] = 2 * x[i] } for i in x }\n "
#define TAKE "take(y, t) { do { y[i] = t[i] + 1 } for i in t }\n "
#define FLOW "Space A { give(t, x) take(y, t) }"
#define ROWS "give(s, m) { do { s[i][j] = 2 * m[i][j] } for i, j in m }\n "
#define ROW_FLOW "Space B { give(s, m) take(z, s) }"

static void check(const char *stages, const char *flow, const char *expected) { expect((Case){.stages = stages, .flow = flow}, false, expected); }
static void check_take(const char *take, const char *expected) {
    char stages[1000];
    snprintf(stages, sizeof stages, GIVE "%s", take);
    check(stages, FLOW, expected);
}

static void test_handed_on(void) {
    check(GIVE TAKE, FLOW, "give, take: t in 1");
    expect((Case){.stages = GIVE TAKE, .flow = FLOW}, true, "none"); /* a checked build looks at each element where it stands */
    check(GIVE TAKE, "Repeat for round in [1...3] { " FLOW " }", "give, take: t in 1");
    check_take("take(y, t) { do in sequence { y[i] = t[i] } for i in t.local.dimension1.range }", "give, take: t in 1");
    check_take("take(y, t) { a = lpuId[0] do { y[i] = t[i] + a } for i in t and i > 3 }", "give, take: t in 1");
    check_take("take(y, t) { do { t[i] = t[i] + 1 } for i in t do { y[i] = t[i] } for i in t }", "give, take: t in 1");
    check_take("take(y, t) { do { y[i] = t[i] } for i in y }", "none"); /* nobody says that y has the bounds of t */
    check("give(t, x) { do in sequence { t[i] = x[i] } for i in t.local.dimension1.range }\n " TAKE, FLOW, "give, take: t in 1");
    check(GIVE TAKE "more(w, t) { do { w[i] = t[i] } for i in t }\n last(y, w) { do { y[i] = y[i] + w[i] } for i in w }",
          "Space A { give(t, x) take(y, t) more(w, t) last(y, w) }", "give, take, more, last: t in 1, w in 1");
    check(GIVE TAKE "other(w, x) { do { w[i] = x[i] } for i in x }\n last(c, w) { do { c[i] = Integer(w[i]) } for i in w }",
          "Space A { other(w, x) last(c, w) }  Space A { give(t, x) take(y, t) }", "other, last: w in 1; give, take: t in 1");
    check(ROWS "take(z, s) { do { z[i][j] = s[i][j + 1] * s[i][0] } for i, j in z }", ROW_FLOW, "give, take: s in 1");
    check("give(s, m) { do { s[j][i] = 2 * m[j][i] } for j, i in m }\n take(z, s) { do { do { z[i][j] = s[i][j] } for j in s } for i in s }",
          "Space C { give(s, m) take(z, s) }", "give, take: s in 1");
}

/* The array is touched elsewhere, or lives elsewhere: it is not handed on, though stages come to it in strips. */
static void test_touched_elsewhere(void) {
    check(GIVE TAKE, "Space A { give(t, x) take(y, t) } Space A { take(y, t) }", "give, take");
    check(GIVE TAKE, "Space A { take(y, t) give(t, x) take(y, t) }", "take, give, take");
    check(GIVE TAKE, "Space A { give(t, x) take(y, t) if (t[0] > 1.0) { take(y, x) } }", "give, take");
    check(GIVE TAKE, "Space A { give(y, x) take(c, y) }", "none");
    check(GIVE TAKE, "Space A { Repeat for round in [1...3] { give(t, x) } take(y, t) }", "none");
    check(GIVE TAKE, "Space A { give(t, x) Repeat for round in [1...3] { take(y, t) } }", "none");
    check(GIVE TAKE, "Space A { give(t, x) if (n > 3) { take(y, t) } }", "none");
    check("give(t, x) { do { t[i] = 2 * x[i] } for i in x }\n take(y, t) { do { y[i] = t[i] + t[i] at (current - 1) } for i in t }",
          "Space A { Epoch { give(t, x) } take(y, t) }", "none");
}

/* Not all of it is written first: likewise. */
static void test_written(void) {
    check("give(t, x) { do { if (x[i] > 0.0) { t[i] = x[i] } } for i in x }\n " TAKE, FLOW, "give, take");
    check("give(t, x) { do { t[i] = x[i] } for i in x and i > 0 }\n " TAKE, FLOW, "give, take");
    check("give(t, x) { do { t[i] = x[i] } for i in x and x[i] > 0.0 }\n " TAKE, FLOW, "give, take");
    check("give(t, x) { do { t[i] = t[i] + x[i] } for i in x }\n " TAKE, FLOW, "give, take");
    check("give(t, x) { do { t[i - 1] = x[i] } for i in x }\n " TAKE, FLOW, "none");
    check("give(t, x) { do { t[0] = x[i] } for i in x }\n " TAKE, FLOW, "none");
    check("give(t, x) { do in sequence { t[i] = x[i] } for i in t.local.dimension1.range step 2 }\n " TAKE, FLOW, "none");
    check("give(s, m) { do { s[i][i] = m[i][j] } for i, j in m }\n take(z, s) { do { z[i][j] = s[i][j] } for i, j in z }", ROW_FLOW, "give, take");
    check("give(s, m) { do { s[i][0] = m[i][0] } for i in m }\n take(z, s) { do { z[i][j] = s[i][j] } for i, j in z }", ROW_FLOW, "give, take");
}

/* An element is read at another index than the loop's. */
static void test_read(void) {
    check_take("take(y, t) { do { y[i] = t[i - 1] } for i in t }", "none");
    check_take("take(y, t) { do { y[i] = t[c[i]] } for i in t }", "none");
    check_take("take(y, t) { a = t[0] do { y[i] = t[i] + a } for i in t }", "none");
    check_take("take(y, t) { do { y[i] = y[i] + t[j] } for i in y; j in t }", "none");
    check(ROWS "take(z, s) { do { z[i][j] = s[j][i] } for i, j in z }", ROW_FLOW, "none");
    check(ROWS "take(z, s) { do { z[i][j] = s[i][j + 1] } for i, j in z }", "Space C { give(s, m) take(z, s) }", "give, take"); /* the neighbour is another LPU's */
    check(ROWS "take(z, s) { do { z[i][j] = s[i][j] } for i, j in z and j > 2 }", "Space C { give(s, m) take(z, s) }", "give, take: s in 1");
}

/* Something goes on from one strip to the next, or asks where the part ends. */
static void test_knows_of_strips(void) {
    check_take("take(y, t) { a = 0.0 do in sequence { a = a + t[i] y[i] = a } for i in t.local.dimension1.range }", "none");
    check_take("take(y, t) { a = t.local.dimension1.range do { y[i] = t[i] + a.min } for i in t }", "none");
    check_take("take(y, t) { do { if (i - 1 in x.local.dimension1.range) { y[i] = t[i] } } for i in t }", "none");
    check_take("take(y, t) { do { y[i] = t[i] do { e[j] = e[j] + 1 } for j in t } for i in t }", "none");
    check_take("take(y, t) { a = t.dimension1.range do { y[i] = t[i] + a.min } for i in t }", "give, take: t in 1");
    check_take("take(y, t) { do { y[i] = t[i] } for i in t y[0] = 0.0 }", "none");
    check_take("take(y, t) { if (n > 2) { do { y[i] = t[i] } for i in t } }", "none");
    check_take("take(y, t) { do in sequence { y[i] = t[i] } for i in t.local.dimension1.range step -1 }", "none");
    check_take("take(y, t) { do in sequence { y[i] = t[i] } for i in [0...n] }", "none");
    check_take("take(y, t) { do { y[i] = t[i] } for i in t return }", "none");
    check_take("take(y, t) { do { y[i] = t[i] q = 2.5 } for i in t }", "none");
    check(GIVE "take(r, t) { do { reduce(r, \"sum\", t[i]) } for i in t }", "Space A { give(t, x) take(Space Root: r, t) }", "give, take: t in 1");
}

/* Strips are for what two stages touch at the same index, whatever else they touch. */
static void test_shared(void) {
    check("give(y, x) { do { y[i] = 0.5 } for i in x }\n take(c, x) { do { c[i] = 1 } for i in x }", "Space A { give(y, x) take(c, x) }", "none");
    check("give(c, y, x) { do { c[i] = Integer(y[i + 1]) } for i in x }\n take(y, x) { do { y[i] = y[i] + x[i] } for i in x }", "Space A { give(c, y, x) take(y, x) }", "none");
    check("give(y, e, x) { do { y[i] = e[3] } for i in x }\n take(c, e, x) { do { c[i] = e[3] } for i in x }", "Space A { give(y, e, x) take(c, e, x) }", "none");
    check("give(y, x) { do { y[i] = x[i] } for i in x }\n take(c, x) { do { c[i] = Integer(x[i] + x[i + 1]) } for i in x }", "Space A { give(y, x) take(c, x) }", "none");
    check("give(y, x) { do { y[i] = x[i] } for i in x }\n take(c, x) { do { c[i] = Integer(2 * x[i]) } for i in x }", "Space A { give(y, x) take(c, x) }", "give, take");
}

/* Results of strips are leaves of a tree: chunks of iterations begin where the part does, and go to one result in one loop. */
static void test_reductions(void) {
    const char *const flow = "Space A { give(y, x) take(Space Root: r, x) }";
#define GIVE_MORE "give(y, x) { do { y[i] = 2 * x[i] } for i in x }\n "
    check(GIVE_MORE "take(r, x) { do { reduce(r, \"sum\", x[i]) } for i in x }", flow, "give, take");
    check(GIVE_MORE "take(r, x) { do { if (x[i] > 0.5) { reduce(r, \"sum\", x[i]) } } for i in x }", flow, "give, take");
    check(GIVE_MORE "take(r, x) { do { reduce(r, \"sum\", x[i]) } for i in x and i % 2 == 1 }", flow, "give, take");
    check(GIVE_MORE "take(r, x) { do { reduce(r, \"max\", x[i]) } for i in x }", flow, "give, take");
    check(GIVE_MORE "take(r, x) { do { reduce(r, \"sum\", x[i]) } for i in x and i > 3 }", flow, "none");
    check(GIVE_MORE "take(r, x, e) { do { do { reduce(r, \"sum\", x[i] * e[j]) } for j in e } for i in x }", "Space A { give(y, x) take(Space Root: r, x, e) }", "none");
    check(GIVE_MORE "take(r, x, e) { do { reduce(r, \"sum\", x[i]) do { reduce(r, \"sum\", x[i] * e[j]) } for j in e } for i in x }",
          "Space A { give(y, x) take(Space Root: r, x, e) }", "none");
    check(GIVE_MORE "take(r, x, e) { do { reduce(r, \"sum\", x[i] * e[j]) } for i in x; j in e }", "Space A { give(y, x) take(Space Root: r, x, e) }", "none");
    check(GIVE_MORE "take(r, x) { do { reduce(r, \"sum\", x[i]) } for i in x do { reduce(r, \"sum\", x[i] * x[i]) } for i in x }", flow, "none");
    check("give(s, m) { do { s[i][j] = 2 * m[i][j] } for i, j in m }\n take(r, s) { do { reduce(r, \"sum\", s[i][j]) } for i, j in s }",
          "Space B { give(s, m) take(Space Root: r, s) }", "none");
}

/* What else they touch. */
static void test_apart(void) {
    check("give(t, y) { do { t[i] = y[i] + y[i + 1] } for i in t }\n " TAKE, "Space A { give(t, y) take(y, t) }", "none");
    check("give(t, y) { do { t[i] = y[i] } for i in t }\n " TAKE, "Space A { give(t, y) take(y, t) }", "give, take: t in 1");
    check("give(t, e) { do { t[i] = e[0] } for i in t }\n take(e, t) { do { e[0] = e[0] + Integer(t[i]) } for i in t }", "Space A { give(t, e) take(e, t) }", "none");
    check(GIVE "take(e, t) { do { e[0] = e[0] + Integer(t[i]) } for i in t }", "Space A { give(t, x) take(e, t) }", "give, take: t in 1");
    check("give(s, z) { do { s[i][j] = z[i][j] } for i, j in s }\n take(z, s) { do { z[i][j] = s[i][j] do { z[v][j] = 1.0 } for v in z } for i, j in s }", "Space B { give(s, z) take(z, s) }", "none");
}

/* Parts that are not alike, or may not be. */
static void test_parts(void) {
    const char *const bounds[] = {"t.dimension.range = [0...n]\n", "w.dimension = x.dimension\n if (n > 3) { t.dimension = x.dimension } else { t.dimension.range = [0...n] }\n",
                                  "t.dimension.range = [0...n]\n t.dimension.range.max = x.dimension.range.max\n"};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s s.dimension = z.dimension = m.dimension\n", bounds[i], i == 1 ? "" : "w.dimension = x.dimension\n");
        expect((Case){.stages = GIVE TAKE, .flow = FLOW, .bounds = text}, false, "none");
    }
    const char *const same = "w.dimension.range = [0...2 * n]\n t.dimension.range = [0...2 * n]\n s.dimension = z.dimension = m.dimension\n";
    const char *const other = "w.dimension.range = [0...2 * n]\n n = n + 1\n t.dimension.range = [0...2 * n]\n s.dimension = z.dimension = m.dimension\n";
    const char *const stages = "give(t, w) { do { t[i] = 0.5 } for i in w }\n take(w, t) { do { w[i] = t[i] } for i in t }";
    expect((Case){.stages = stages, .flow = "Space A { give(t, w) take(w, t) }", .bounds = same}, false, "give, take: t in 1, w in 1");
    expect((Case){.stages = stages, .flow = "Space A { give(t, w) take(w, t) }", .bounds = other}, false, "none");
    const char *const parts[] = {"Space A <1d> { x: block_size(k) y, c, t, w: block_size(2) e: replicated }", "Space A <1d> { x, y, c, w: block_count(k) t: block_size(k) e: replicated }",
                                 "Space A <1d> { x, y, c, t, w: stride(k) e: replicated }", "Space A <1d> { x, y, c, t, w: block_size(k) padding(1) e: replicated }",
                                 "Space A <1d> { x, y, c, w: block_size(k) t: replicated e: replicated }"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) expect((Case){.stages = GIVE TAKE, .flow = FLOW, .parts = parts[i]}, false, "none");
}

/* ---- The verifier sees what is wrong ------------------------------------------------------------------------------ */
typedef struct Broken {
    Lowered lowered;
    Strips *strips;
    Stmt *loops[2]; /* of the two stages */
} Broken;

static Broken open_case(const Case *test) {
    Broken b = {.lowered = lowered_of(test, false)};
    LoweredTask *task = b.lowered.program->tasks.items[0];
    CU_ASSERT_EQUAL_FATAL(task->strips.count, 1);
    b.strips = ARENA_NEW(b.lowered.arena, Strips);
    *b.strips = *task->strips.items[0];
    task->strips.items[0] = b.strips;
    for (size_t i = 0; i < 2; i++) b.loops[i] = vec_last(&task->stages.items[i]->code.body->block.statements);
    return b;
}

static Broken open_group(const char *stages) { return open_case(&(Case){.stages = stages, .flow = FLOW}); }

static void close_group(Broken *b, const char *expected) {
    const char *fault = lower_strips_fault(b->lowered.program->tasks.items[0], b->strips);
    CHECK_TEXT(fault ? fault : "nothing", expected);
    arena_free(b->lowered.arena);
}

static void test_verifier(void) {
    Broken b = open_group(GIVE TAKE);
    close_group(&b, "nothing");
    b = open_group(GIVE TAKE);
    b.loops[1]->body.statements.items[0]->value->left->arguments.items[0] = b.loops[1]->body.statements.items[0]->value->right;
    close_group(&b, "an element that is handed on is touched in another strip");
    b = open_group(GIVE TAKE);
    b.loops[0]->body.statements.count = 0;
    close_group(&b, "an element that is handed on is touched before it is there");
    b = open_group(GIVE TAKE);
    b.strips->steps.count = 1;
    close_group(&b, "an array that is handed on is touched by another step");
    b = open_group(GIVE TAKE);
    b.strips->steps.items[1] = b.strips->steps.items[0];
    close_group(&b, "something stands between stages that run in strips");
    b = open_group("give(t, x) { do { t[i] = x[i] + y[i] } for i in t }\n take(y, t) { do { y[i] = t[i] } for i in t }");
    Expr *sum = b.loops[0]->body.statements.items[0]->value;
    sum->right->arguments.items[0] = sum->left;
    close_group(&b, "what one loop writes is touched by another one in another strip");
    b = open_group(GIVE TAKE);
    b.loops[1]->kind = STMT_RETURN;
    close_group(&b, "a stage in strips does more than assign elements");
    b = open_group(GIVE "take(y, t) { a = 0 do { y[i] = t[i] + a } for i in t }");
    const Var *array = b.strips->passed.items[0];
    ((Var *)array)->environment = true;
    close_group(&b, "an array that is handed on is not the stages' own");
    const Case reducing = {.stages = "give(t, x) { do { t[i] = 2 * x[i] } for i in x }\n take(r, t) { do { reduce(r, \"sum\", t[i]) } for i in t }", .flow = "Space A { give(t, x) take(Space Root: r, t) }"};
    b = open_case(&reducing);
    close_group(&b, "nothing");
    b = open_case(&reducing);
    b.strips->reduces = false;
    close_group(&b, "a stage in strips reduces in another order");
    b = open_case(&reducing);
    vec_push(b.lowered.arena, &b.loops[1]->indices.items[0].lower, b.loops[1]->body.statements.items[0]->value);
    close_group(&b, "a stage in strips reduces in another order");
    b = open_group(GIVE "take(y, t) { do { do { e[j] = 1 } for j in e y[i] = t[i] } for i in t }");
    b.loops[1]->body.statements.items[0]->indices.items[0] = b.loops[1]->indices.items[0];
    close_group(&b, "a stage asks for the part of which it has strips");
}

UNIT_MAIN("strips", {"the verifier", test_verifier}, {"arrays that are handed on", test_handed_on}, {"touched elsewhere", test_touched_elsewhere}, {"written first", test_written}, {"read at the index", test_read},
          {"nothing knows of strips", test_knows_of_strips}, {"shared", test_shared}, {"reductions", test_reductions}, {"what else they touch", test_apart}, {"parts that are alike", test_parts})
