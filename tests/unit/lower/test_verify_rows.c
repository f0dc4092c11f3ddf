/* The verifier of lowering can fail (test_verify.c): nests that go along rows, several of them at a time, in blocks, or in any order. */
#include "compiler/lower/verify_loops.h"
#include "compiler/lower/passes.h"
#include "tests/unit/lower/verify_programs.h"

static void test_window(void) {
    const char *const program = PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + y[i][j + q] } for i, j in x; q in [0...3] }", "work(x, y)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->sum.window, 1);
    o.nest->sum.window = 2;
    close_stage(&o, "a loop of a window does not accumulate");
    o = open_stage(program, (Binding){0});
    o.nest->sum.window = 3;
    close_stage(&o, "a window has no row");
    o = open_stage(program, (Binding){0});
    loop_of(&o, 1)->interval = false;
    close_stage(&o, "elements of a sum cannot go side by side");
    o = open_stage(PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + y[i][j + q] } for i, j in x; q in [0...j] }", "work(x, y)"), (Binding){0});
    CU_ASSERT_TRUE_FATAL(o.nest->sum.ragged);
    o.nest->sum.ragged = false;
    close_stage(&o, "bounds of a window change along its row");
    o = open_stage(PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + y[i][j + q] } for i, j in x; p in [0...1]; q in [0...3] }", "work(x, y)"), (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->sum.window, 2);
    o.nest->sum.ragged = true;
    close_stage(&o, "a ragged window has several loops");
}

static void test_turned(void) {
    const char *const program = PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + fabs(y[j][m] - y[i][m]) } for i, j in x; m in y.dimension2 }", "work(x, y)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->sum.turned.count, 1);
    close_stage(&o, "nothing");
    o = open_stage(program, (Binding){0});
    o.nest->sum.abreast = false;
    close_stage(&o, "operands are turned for nothing");
    o = open_stage(program, (Binding){0});
    loop_of(&o, 1)->interval = false;
    close_stage(&o, "operands are turned in loops that bound each other");
    o = open_stage(PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + fabs(y[j][m] - y[i][m]) } for i, j in x and j <= i; m in y.dimension2 }", "work(x, y)"), (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->sum.turned.count, 1);
    close_stage(&o, "nothing");
    o = open_stage(PROGRAM("work(x, y) { do { x[i][j] = x[i][j] + fabs(y[j][m] - y[i][m]) } for i, j in x; m in y.dimension2 and m < i }", "work(x, y)"), (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->sum.turned.count, 0);
    o.nest->sum.turned = (ExprVec){.items = &o.nest->sum.assign->value->right->arguments.items[0]->left, .count = 1};
    close_stage(&o, "operands are turned in loops that bound each other");
    o = open_stage(program, (Binding){0});
    Expr moving = *o.nest->sum.turned.items[0]; /* y[i][m] */
    Expr *subscripts[] = {o.nest->sum.assign->target->arguments.items[0], moving.arguments.items[1]};
    moving.arguments.items = subscripts;
    o.nest->sum.turned.items[0] = &moving;
    close_stage(&o, "an operand is turned that changes");
}

static void test_along(void) {
    const char *const program = PROGRAM("work(x, y) { do { x[0][j] = x[0][j] + y[i][j] } for i, j in y }", "work(x, y)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(o.nest->along);
    close_stage(&o, "nothing");
    o = open_stage(program, (Binding){0});
    loop_of(&o, 0)->interval = false;
    close_stage(&o, "rows that are added are not alike");
    o = open_stage(PROGRAM("work(x, y) { do { x[i][j] = y[i][j] } for i, j in y }", "work(x, y)"), (Binding){0});
    o.nest->along = o.nest->stmt->body.statements.items[0];
    close_stage(&o, "rows that are added do not accumulate");
}

static void test_blocked(void) {
    Opened o = open_stage(PROGRAM("work(u, v, ends) { do { u[i] = u[i] * 0.5 + ends[j] v[i] = v[i] - u[i] } for j in ends; i in u }", "work(u, v, ends)"), (Binding){0});
    CU_ASSERT_TRUE(o.nest->blocked);
    loop_of(&o, 1)->interval = false;
    close_stage(&o, "blocks of a row depend on each other");
    o = open_stage(PROGRAM("work(u, v, ends) { do { u[i] = u[i] * 0.5 v[i] = v[i] - u[i] } for j in ends; i in u and i < j }", "work(u, v, ends)"), (Binding){0});
    CU_ASSERT_FALSE(o.nest->blocked);
    o.nest->blocked = true;
    close_stage(&o, "a row that is blocked changes");
    o = open_stage(PROGRAM("work(u, x, ends) { do { u[j] = u[j] * 0.5 x[i][j] = u[j] - x[i][j] } for i in ends; j in x }", "work(u, x, ends)"), (Binding){0});
    CU_ASSERT_FALSE(o.nest->blocked);
    o.nest->blocked = true;
    close_stage(&o, "a row that is blocked moves on");
    o = open_stage(PRODUCT, (Binding){0});
    o.nest->blocked = true;
    close_stage(&o, "a nest is blocked that has no plain row");
}

/* Whether the first loop of a stage with locals w and m, which are not literals, goes in stretches. */
#define DIVIDING(body) PROGRAM("work(u, x) { w = x.dimension2.length m = u.dimension1.length do { " body " } for i in u }", "work(u, x)")

static bool goes_in_stretches(const char *program) {
    Opened o = open_stage(program, (Binding){0});
    const bool stretches = o.nest->quotient != NULL;
    close_stage(&o, "nothing");
    return stretches;
}

static void test_quotients(void) {
    CU_ASSERT_TRUE(goes_in_stretches(DIVIDING("u[i] = x[i / w][i % w]")));
    CU_ASSERT_TRUE(goes_in_stretches(DIVIDING("row = i / (w + 2 * m) u[i] = u[i] + row")));
    CU_ASSERT_FALSE(goes_in_stretches(DIVIDING("u[i] = x[i / 8][i % 8]")));
    CU_ASSERT_FALSE(goes_in_stretches(DIVIDING("u[i] = x[w / (i + 1)][0]")));
    CU_ASSERT_FALSE(goes_in_stretches(DIVIDING("q = i + 3 u[i] = u[i] + i / q")));
    CU_ASSERT_FALSE(goes_in_stretches(DIVIDING("if (u[i] > 0.5) { u[i] = i / w }")));
    CU_ASSERT_FALSE(goes_in_stretches(DIVIDING("w = w + 1 u[i] = i / w")));
    Opened o = open_stage(DIVIDING("u[i] = u[i] + i / w"), (Binding){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(o.nest->quotient);
    loop_of(&o, 0)->interval = false;
    close_stage(&o, "a loop goes in stretches that is no plain one");
    o = open_stage(DIVIDING("row = i / w u[i] = u[i] + row * (w % m)"), (Binding){0});
    o.nest->quotient = o.nest->stmt->body.statements.items[1]->value;
    close_stage(&o, "stretches are of something else than quotients of the index");
    o = open_stage(DIVIDING("row = i / w if (u[i] > 0.5) { u[i] = i % m }"), (Binding){0});
    const Stmt *under = o.nest->stmt->body.statements.items[1]->body.statements.items[0];
    o.nest->quotient = under->value->kind == EXPR_CONVERT ? under->value->left : under->value;
    close_stage(&o, "not every round computes the quotient");
    o = open_stage(DIVIDING("q = i + 3 u[i] = u[i] + i / q"), (Binding){0});
    const Expr *sum = o.nest->stmt->body.statements.items[1]->value;
    o.nest->quotient = sum->right->kind == EXPR_CONVERT ? sum->right->left : sum->right;
    close_stage(&o, "a divisor changes within a stretch");
}

static void test_extremum(void) {
    const char *const program = PROGRAM("work(u, x) { do { least = 1.0 do { d = x[i][j] * 2.0 least = fmin(least, d) } for j in x.dimension2 u[i] = least } for i in u }", "work(u, x)");
    Opened o = open_stage(program, (Binding){0});
    Nest *nest = o.stage->code.nests.items[1];
    CU_ASSERT_EQUAL_FATAL(nest->form, FORM_EXTREMUM);
    nest->extremum = nest->stmt->body.statements.items[0];
    close_stage(&o, "an extremum is none");
    o = open_stage(program, (Binding){0});
    o.stage->code.nests.items[1]->loops.items[0].interval = false;
    close_stage(&o, "an extremum is taken in loops with gaps");
    o = open_stage(program, (Binding){0});
    nest = o.stage->code.nests.items[1];
    nest->stmt->body.statements.items[0]->value = nest->extremum->value->arguments.items[0];
    close_stage(&o, "an extremum is asked for while it is taken");
    o = open_stage(program, (Binding){0});
    nest = o.stage->code.nests.items[1];
    nest->stmt->body.statements.items[0]->target = o.fixture.stages.items[0]->code.body->block.statements.items[0]->body.statements.items[2]->target;
    close_stage(&o, "a loop does more than take an extremum");
    o = open_stage(PROGRAM("work(u, x) { do { least = 1.0 more = 0.0 do { more = more + x[i][j] least = fmin(least, x[i][j]) } for j in x.dimension2 u[i] = least + more } for i in u }", "work(u, x)"), (Binding){0});
    CU_ASSERT_NOT_EQUAL(o.stage->code.nests.items[1]->form, FORM_EXTREMUM);
    close_stage(&o, "nothing");
}

/* Whether the loop asks how far apart the elements lie that its rounds come to. */
static void check_spaced(const char *stage, bool expected) {
    char program[1500];
    snprintf(program, sizeof program, PROGRAM("work(u, v, ends, x) { h = ends[0] %s }", "work(u, v, ends, x)"), stage);
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL(o.nest->spaced != NULL, expected);
    close_stage(&o, "nothing");
}

#define SPACED PROGRAM("work(u, ends) { h = ends[0] do { a = u[q] b = u[q + h] u[q] = a + b u[q + h] = a - b } for q in [0...9] }", "work(u, ends)")
static void test_spaced(void) {
    check_spaced("do { a = u[q] b = u[q + h] u[q] = a + b u[q + h] = a - b } for q in [0...9]", true);
    check_spaced("do { if (v[q] > 0.5) { u[2 * h + q] = u[q] } } for q in [0...9]", true);
    check_spaced("do { base = q / h * 2 * h + q % h u[base] = u[base + h] } for q in [0...9]", false); /* gcc asks there */
    check_spaced("do { x[h][q] = x[h][q + h] } for q in [0...9]", true);
    check_spaced("do { u[q] = u[q + 1] u[q + 1] = v[q] } for q in [0...9]", false);     /* a few apart */
    check_spaced("do { u[2 * q] = u[q + h] } for q in [0...9]", false);                /* not by one */
    check_spaced("do { u[q] = u[ends[q]] } for q in [0...9]", false);
    check_spaced("do { u[q] = u[h] } for q in [0...9]", false);
    check_spaced("do { x[q][h] = x[q + h][h] } for q in [0...9]", false);              /* not along rows */
    check_spaced("do { x[h][q] = x[0][q + h] } for q in [0...9]", false);
    check_spaced("do { h = h + 1 u[q] = u[q + h] } for q in [0...9]", false);
    check_spaced("do { base = q / 3 + q % h u[base] = u[base + h] } for q in [0...9]", false);
    Opened o = open_stage(SPACED, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->spaced->pairs.count, 1);
    ((Spaced *)o.nest->spaced)->pairs.count = 0;
    close_stage(&o, "it is not asked whether elements that rounds come to lie apart");
    o = open_stage(PROGRAM("work(u, v, ends) { m = 0 do { m = m + 1 u[m] = v[i] } for i in u }", "work(u, v, ends)"), (Binding){0});
    Spaced none = {.pairs = {0}};
    o.nest->spaced = &none;
    close_stage(&o, "a loop whose elements lie apart does more than assign them");
    o = open_stage(PROGRAM("work(u, v, ends) { do { u[ends[i]] = v[i] } for i in u }", "work(u, v, ends)"), (Binding){0});
    o.nest->spaced = &none;
    close_stage(&o, "rounds of a loop whose elements lie apart write the same one");
}

static void check_wraps(const char *stage, size_t moving, size_t fixed) {
    char program[1500];
    snprintf(program, sizeof program, PROGRAM("work(u, v, ends, x) { h = ends[0] w = ends[1] %s }", "work(u, v, ends, x)"), stage);
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL(o.nest->wraps ? o.nest->wraps->moving.count : 0, moving);
    CU_ASSERT_EQUAL(o.nest->wraps ? o.nest->wraps->fixed.count : 0, fixed);
    close_stage(&o, "nothing");
}

#define WRAPPED PROGRAM("work(u, v, ends) { h = ends[0] do { left = (i + h - 1) % h m = i * 2 m = m % h u[i] = v[left] if (u[i] > 0.5) { m = (i + 2) % h } } for i in u }", "work(u, v, ends)")
static void test_wraps(void) {
    check_wraps("do { left = (i + h - 1) % h u[i] = v[left] + v[(w + i) % h] } for i in u", 2, 0);
    check_wraps("do { x[i][j] = v[(i + h - 1) % w] + v[i / h] + v[(j - w) % h] } for i, j in x", 1, 2);
    check_wraps("do { u[i] = v[(i + 1) % h] * (1 + (1 + i) % h) + v[(i + 1) % h] } for i in u", 2, 0);
    check_wraps("do { if (v[i] > 0.5) { u[i] = v[(i + 1) % h] } } for i in u", 0, 0);
    check_wraps("do { if (h > 0 and (i + 1) % h == 0) { u[i] = v[i] } } for i in u", 0, 0);
    check_wraps("do { m = ends[i] u[i] = v[(i + 1) % m] } for i in u", 0, 0);
    check_wraps("do { u[i] = v[(2 * i + 1) % h] } for i in u", 0, 0);
    check_wraps("do { u[i] = v[(i + 1) % 7] } for i in u", 0, 0);
    check_wraps("do { u[i] = u[(i + 1) % h] } for i in u", 0, 0);
    const char *const faults[] = {"a remainder does not move as its piece does", "not every round computes the remainder"};
    for (int f = 0; f < 2; f++) {
        Opened o = open_stage(WRAPPED, (Binding){0});
        CU_ASSERT_EQUAL_FATAL(o.nest->wraps->moving.count, 1);
        const StmtVec *body = &o.nest->stmt->body.statements;
        ((Wraps *)o.nest->wraps)->moving.items[0] = f == 0 ? body->items[2]->value : body->items[4]->body.statements.items[0]->value;
        close_stage(&o, faults[f]);
    }
    Opened o = open_stage(WRAPPED, (Binding){0});
    Expr other = *o.nest->wraps->moving.items[0];
    other.right = o.nest->stmt->body.statements.items[1]->target;
    ((Wraps *)o.nest->wraps)->moving.items[0] = &other;
    close_stage(&o, "a divisor changes within a piece");
    o = open_stage(WRAPPED, (Binding){0});
    loop_of(&o, 0)->legal &= ~(unsigned)LOOP_PARALLEL;
    close_stage(&o, "pieces in vectors are of a loop whose rounds meet");
}

UNIT_MAIN("verify rows", {"window", test_window}, {"turned", test_turned}, {"along", test_along}, {"blocked", test_blocked}, {"quotients", test_quotients}, {"spaced", test_spaced}, {"wraps", test_wraps}, {"extremum", test_extremum})
