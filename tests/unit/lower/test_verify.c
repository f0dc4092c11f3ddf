/* The verifier of lowering can fail: each test lowers a stage, sees that nothing is wrong with it, breaks one thing and expects
 * to be told which. */
#include "compiler/lower/verify_loops.h"
#include "compiler/lower/passes.h"
#include "tests/unit/lower/verify_programs.h"

static const char COPY[] = PROGRAM("work(a, b) { do { a[i][j] = b[i][j] * 2.0 } for i, j in a }", "work(x, y)");
static const char TRIANGLE[] = PROGRAM("work(a, b) { do { a[i][j] = b[i][j] } for i, j in a and j < i }", "work(x, y)");
static const char ROWS[] = PROGRAM("work(u, x, v) { do { u[i] = u[i] + x[i][j] * v[j] } for i in u; j in v }", "work(u, x, v)");
static const char REDUCED[] = PROGRAM("work(total, u) { do { reduce(total, \"sum\", u[i]) } for i in u }", "work(total, u)");
static const char HANDED[] = PROGRAM("work(u, v, ends) { do { first = 0 if (i > 0) { first = ends[i - 1] } sum = 0.0 "
                                     "do { sum = sum + v[j] * v[j] } for j in [first...ends[i] - 1] u[i] = sum } for i in u }",
                                     "work(u, v, ends)");
static const char FILTERED[] = PROGRAM("work(u, v) { do { u[i] = v[i] } for i in u and i % 3 == 0 }", "work(u, v)");

/* ---- Loops ------------------------------------------------------------------------------------------- */
static void test_lost_loop(void) {
    Opened o = open_stage(COPY, (Binding){0});
    o.nest->loops.count = 1;
    close_stage(&o, "a nest lost a loop");
}

static void test_loop_twice(void) {
    Opened o = open_stage(COPY, (Binding){0});
    *loop_of(&o, 1) = *loop_of(&o, 0);
    close_stage(&o, "two loops are over one index");
}

static void swap(Opened *o, size_t a, size_t b) {
    const Loop loop = *loop_of(o, a);
    *loop_of(o, a) = *loop_of(o, b);
    *loop_of(o, b) = loop;
}

static void test_order(void) {
    Opened o = open_stage(COPY, (Binding){0});
    swap(&o, 0, 1);
    close_stage(&o, "loops changed their order unnoticed");
    o = open_stage(TRIANGLE, (Binding){0});
    swap(&o, 0, 1);
    o.nest->reordered = true;
    close_stage(&o, "a bound names an inner index");
    o = open_stage(FILTERED, (Binding){0});
    o.nest->reordered = true;
    close_stage(&o, "filters were moved");
    o = open_stage(PROGRAM("work(u, x) { do { u[0] = u[0] + x[i][j] * 2.0 } for i, j in x }", "work(u, x)"), (Binding){0});
    swap(&o, 0, 1);
    o.nest->reordered = true;
    close_stage(&o, "accumulating loops changed their order");
    o = open_stage(REDUCED, (Binding){0});
    o.nest->reordered = true;
    close_stage(&o, "a nest that reduces was reordered");
}

static void test_domain(void) {
    Opened o = open_stage(COPY, (Binding){0});
    loop_of(&o, 1)->dimension = 0;
    close_stage(&o, "a loop runs over another domain than its index");
    o = open_stage(COPY, (Binding){0});
    loop_of(&o, 1)->domain_var = o.stage->formals.items[1].formal->var;
    close_stage(&o, "a loop runs over another domain than its index");
    o = open_stage(COPY, (Binding){.runs = true});
    loop_of(&o, 1)->interval = true;
    close_stage(&o, "a part of several runs is taken for an interval");
}

/* ---- What is legal ------------------------------------------------------------------------------------- */
static void test_parallel(void) {
    Opened o = open_stage(ROWS, (Binding){0});
    loop_of(&o, 1)->legal |= LOOP_PARALLEL;
    close_stage(&o, "iterations of a parallel loop write the same place");
    o = open_stage(COPY, (Binding){.unrestricted = true});
    loop_of(&o, 1)->legal |= LOOP_PARALLEL;
    close_stage(&o, "iterations of a parallel loop write the same place");
    o = open_stage(PROGRAM("work(u, v) { do { v[i] = 1.0 u[i] = u[i + 1] } for i in u }", "work(u, v)"), (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_PARALLEL;
    close_stage(&o, "iterations of a parallel loop read what others write");
    o = open_stage(HANDED, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_PARALLEL;
    close_stage(&o, "a parallel loop does more than assign");
}

static void test_accumulates(void) {
    Opened o = open_stage(ROWS, (Binding){0});
    loop_of(&o, 1)->legal &= ~(unsigned)LOOP_ACCUMULATES;
    close_stage(&o, "a loop accumulates unnoticed");
    o = open_stage(COPY, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_ACCUMULATES;
    close_stage(&o, "a loop accumulates into elements that it moves along");
}

static void test_bounds(void) {
    Opened o = open_stage(TRIANGLE, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_RECTANGULAR;
    close_stage(&o, "bounds of a rectangular loop name indices");
    o = open_stage(FILTERED, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_RECTANGULAR;
    close_stage(&o, "bounds of a rectangular loop name indices");
}

static void test_stride(void) {
    Opened o = open_stage(COPY, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_UNIT_STRIDE;
    close_stage(&o, "a loop of unit stride moves elements further");
}

static void test_together(void) {
    Opened o = open_stage(COPY, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_TOGETHER;
    close_stage(&o, "iterations of a loop that is not innermost run together");
    o = open_stage(FILTERED, (Binding){0});
    loop_of(&o, 0)->legal |= LOOP_TOGETHER;
    close_stage(&o, "iterations of a loop that is not innermost run together");
}

/* ---- Forms ---------------------------------------------------------------------------------------------- */
static Product *copy_product(Opened *o) {
    Product *product = ARENA_NEW(o->fixture.arena, Product);
    *product = *o->nest->product;
    o->nest->product = product;
    return product;
}

static void test_product(void) {
    Opened o = open_stage(PRODUCT, (Binding){0});
    copy_product(&o)->subtracts = true;
    close_stage(&o, "a product has the wrong sign");
    o = open_stage(PRODUCT, (Binding){0});
    Product *product = copy_product(&o);
    product->right.depth = 1;
    product->right.column = 0;
    close_stage(&o, "an operand of a product moves in another way");
    o = open_stage(PRODUCT, (Binding){0});
    copy_product(&o)->row = loop_of(&o, 2);
    close_stage(&o, "loops of a product are not the innermost");
    o = open_stage(PRODUCT, (Binding){0});
    product = copy_product(&o);
    product->left.value = product->right.value;
    close_stage(&o, "a product has other operands than its statement");
    o = open_stage(COPY, (Binding){0});
    o.nest->form = FORM_PRODUCT;
    close_stage(&o, "a product is none of three loops and one sum");
}

static void test_joins(void) {
    Opened o = open_stage(COPY, (Binding){0});
    o.stage->code.joins = true;
    close_stage(&o, "a stage waits for its neighbours that is more than a product");
    o = open_stage(PRODUCT, (Binding){0});
    StageUse *use = (StageUse *)o.stage->code.use;
    for (size_t i = 0; i < use->formals.count; i++) use->formals.items[i].actual = use->formals.items[i].var;
    o.stage->code.joins = lower_joins(&o.stage->code);
    CU_ASSERT_TRUE(o.stage->code.joins);
    use->formals.items[0].actual = use->formals.items[2].actual;
    CU_ASSERT_FALSE(lower_joins(&o.stage->code));
    close_stage(&o, "a product waits for its neighbours, whose target others read");
    o = open_stage(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + b[i][k] * c[k][j] } for i, j in a and j <= i; k in b.dimension2 }", "work(x, y, z)"), (Binding){0});
    CU_ASSERT_FALSE(o.stage->code.joins);
    o.stage->code.joins = true;
    close_stage(&o, "a product waits for its neighbours that is not of whole boxes");
}

/* A product of a triangle: boxes, and bounds between indices. */
static void test_banded_product(void) {
    const char *const program =
        PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + 2.0 * b[i][k] * c[k][j] } for i, j in a and j <= i; k in [0...i - 1] and k < 5 }", "work(x, y, z)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->form, FORM_PRODUCT);
    CU_ASSERT_EQUAL_FATAL(o.nest->product->bounds.count, 2);
    copy_product(&o)->bounds.count = 1;
    close_stage(&o, "a bound between two indices of a product is lost");
    o = open_stage(program, (Binding){0});
    Product *product = copy_product(&o);
    vec_push(o.fixture.arena, &product->bounds, product->bounds.items[0]);
    close_stage(&o, "a product has a bound that no loop has");
    o = open_stage(program, (Binding){0});
    product = copy_product(&o);
    product->boxes[1] = *product->column;
    close_stage(&o, "a box of a product has other bounds than its loop");
    o = open_stage(program, (Binding){0});
    product = copy_product(&o);
    product->boxes[1] = product->boxes[0];
    close_stage(&o, "a box of a product is another loop's");
    o = open_stage(program, (Binding){0});
    product = copy_product(&o);
    LoopIndex index = *product->boxes[2].index;
    index.upper.count = 0;
    product->boxes[2].index = &index;
    close_stage(&o, "a box of a product has other bounds than its loop");
    o = open_stage(program, (Binding){0});
    copy_product(&o)->left.computed = false;
    close_stage(&o, "an operand of a product moves in another way");
}

static void test_sum(void) {
    Opened o = open_stage(PROGRAM("work(u, x, v) { do { u[i] = u[i] + x[i][j] * v[j] } for i in u; j in v and j < i }", "work(u, x, v)"),
                          (Binding){0});
    o.nest->sum.abreast = true;
    close_stage(&o, "elements of a sum cannot go side by side");
    o = open_stage(ROWS, (Binding){0});
    o.nest->sum.assign = NULL;
    close_stage(&o, "a sum is not what its nest assigns");
    o = open_stage(COPY, (Binding){0});
    o.nest->form = FORM_SUM;
    o.nest->sum = (ElementSum){.assign = o.nest->stmt->body.statements.items[0]};
    close_stage(&o, "the innermost loop of a sum does not accumulate");
}

static void test_reduction(void) {
    Opened o = open_stage(REDUCED, (Binding){0});
    o.nest->reduction.any_order = true;
    close_stage(&o, "a reduction of Reals goes in any order");
    o = open_stage(REDUCED, (Binding){0});
    o.nest->reduction.targets.count = 0;
    close_stage(&o, "a reduction has no target");
    o = open_stage(REDUCED, (Binding){0});
    o.nest->form = FORM_LOOPS;
    close_stage(&o, "reductions and the form of the nest differ");
    o = open_stage(REDUCED, (Binding){0});
    o.nest->lanes.reduces = true;
    close_stage(&o, "a reduction in order goes in lanes");
}

static void test_carry(void) {
    Opened o = open_stage(HANDED, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->form, FORM_CARRY);
    Carry *carry = ARENA_NEW(o.fixture.arena, Carry);
    *carry = *o.nest->carry;
    carry->before = carry->now;
    o.nest->carry = carry;
    close_stage(&o, "an element is handed on that is not the next one");
    o = open_stage(HANDED, (Binding){0});
    loop_of(&o, 0)->interval = false;
    close_stage(&o, "an element is handed over a gap");
    o = open_stage(HANDED, (Binding){0});
    for (size_t i = 0; i < o.stage->code.use->formals.count; i++) ((Formal *)o.stage->code.use->formals.items)[i].written = true;
    close_stage(&o, "an element is handed on that may change");
    o = open_stage(COPY, (Binding){0});
    o.nest->form = FORM_CHAIN;
    close_stage(&o, "a chain has gaps");
}

static void test_cut(void) {
    const char *const program = PROGRAM("work(x) { do { x[i][j] = x[i][j] - x[i][3] } for i, j in x }", "work(x)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->form, FORM_CUT);
    o.nest->cut = o.nest->stmt->body.statements.items[0]->target->arguments.items[1];
    close_stage(&o, "a loop is cut where its iterations decide");
    o = open_stage(program, (Binding){0});
    Expr *other = ARENA_NEW(o.fixture.arena, Expr);
    *other = *o.nest->cut;
    other->integer = 4;
    o.nest->cut = other;
    close_stage(&o, "iterations of a parallel loop read what others write");
    o = open_stage(program, (Binding){0});
    loop_of(&o, 1)->interval = false;
    close_stage(&o, "a loop with gaps is cut");
    o = open_stage(PROGRAM("work(x) { do { x[i][j + 1] = x[i][j + 1] - x[i][3] } for i, j in x and j < 7 }", "work(x)"), (Binding){0});
    o.nest->form = FORM_CUT;
    Expr *at = ARENA_NEW(o.fixture.arena, Expr);
    *at = (Expr){.kind = EXPR_INTEGER, .type = o.nest->stmt->body.statements.items[0]->target->arguments.items[0]->type, .integer = 3};
    o.nest->cut = at;
    close_stage(&o, "a loop is cut at another iteration");
}

/* ---- Lanes --------------------------------------------------------------------------------------------- */
static void check_lanes(const char *stage, const char *expected) {
    char program[1500];
    snprintf(program, sizeof program, PROGRAM("work(u, v, ends) { %s }", "work(u, v, ends)"), stage);
    Opened o = open_stage(program, (Binding){0});
    o.nest->form = FORM_LANES;
    o.nest->lanes = (Lanes){0};
    close_stage(&o, expected);
}

static void test_lanes(void) {
    check_lanes("do { do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", "nothing");
    check_lanes("do { do in sequence { u[i] = u[i] + v[j] } for j in [0...i] } for i in u", "a loop inside of one in lanes is not the same for all");
    check_lanes("do { m = ends[i] do in sequence { u[i] = u[i] + v[j] } for j in [0...m] } for i in u", "a loop inside of one in lanes is not the same for all");
    check_lanes("do { do { u[i] = u[i] + v[j] } for j in v and j < i } for i in u", "a loop inside of one in lanes is not the same for all");
    check_lanes("do { do in sequence { u[i + 1] = u[i + 1] + v[j] } for j in [0...9] } for i in u", "lanes write the same place");
    check_lanes("do { do in sequence { u[i] = u[i - 1] + v[j] } for j in [0...9] } for i in u", "a loop in lanes touches what other lanes write");
    check_lanes("m = 0 do { do in sequence { m = m + ends[j] } for j in [0...9] } for i in u ends[0] = m", "lanes write the same place");
    check_lanes("do { t = 0.0 do { t = t + v[i] } while t < 9.0 u[i] = t } for i in u", "nothing");
    check_lanes("do { do { u[i] = u[i] + v[i] } while u[i] < 9.0 } for i in u", "a do … while in lanes does more than set locals");
    check_lanes("do { t = 0.0 do { do { t = t + v[i] } while t < 4.0 t = t * 3 } while t < 9.0 u[i] = t } for i in u", "a do … while in lanes does more than set locals");
    check_lanes("do { do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u and i % 3 == 0", "a loop in lanes has gaps");
    check_lanes("do { do in sequence { u[i] = u[i] + v[j] } for j in [0...9] step i } for i in u", "a loop inside of one in lanes is not the same for all");
    check_lanes("do { t = 0.0 do in sequence { t = t + v[j] } for j in [0...9] reduce(most, \"max\", t) } for i in u u[0] = most", "nothing");
    check_lanes("do { t = 0.0 do in sequence { t = t + v[j] } for j in [0...9] reduce(most, \"max\", t) u[i] = t reduce(most, \"max\", v[i]) } for i in u", "lanes write the same place");
    check_lanes("do { t = 0.0 do in sequence { t = t + v[j] reduce(most, \"max\", t) } for j in [0...9] } for i in u u[0] = most", "lanes write the same place");
    Opened o = open_stage(ROWS, (Binding){0});
    o.nest->form = FORM_LANES;
    o.nest->lanes = (Lanes){.inside = 2};
    close_stage(&o, "a nest has no loop in lanes");
}

/* m, which the first statement of the body assigns, said to be what lanes count in. */
static void check_counts(const char *stage, const char *expected) {
    char program[1500];
    snprintf(program, sizeof program, PROGRAM("work(u, v, ends) { m = 0 %s ends[0] = m }", "work(u, v, ends)"), stage);
    Opened o = open_stage(program, (Binding){0});
    o.nest->form = FORM_LANES;
    o.nest->lanes = (Lanes){0};
    vec_push(o.fixture.arena, &o.nest->lanes.sums, o.nest->stmt->body.statements.items[0]->target->var);
    close_stage(&o, expected);
}

static void test_counts(void) {
    const char *same = "lanes write the same place";
    check_counts("do { m = m + i do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", "nothing");
    check_counts("do { m = m + i do in sequence { u[i] = u[i] + v[j] + m } for j in [0...9] } for i in u", same);
    check_counts("do { m = m + i m = m + 1 do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", same);
    check_counts("do { m = m - i do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", same);
    check_counts("do { m = i + m do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", same);
    check_counts("do { m = i do in sequence { u[i] = u[i] + v[j] } for j in [0...9] } for i in u", same);
}

/* The first statement of the body said to be a ragged loop; asked: of which value it asks whether it is moderate. */
static void check_ragged(const char *range, bool slides, bool asks, bool right) {
    char program[1500];
    snprintf(program, sizeof program, PROGRAM("work(u, v, ends) { do { do in sequence { u[i] = u[i] + v[j] } for j in [%s] } for i in u }", "work(u, v, ends)"), range);
    Opened o = open_stage(program, (Binding){0});
    const Stmt *stmt = o.nest->stmt->body.statements.items[0];
    LaneLoop loop = {.stmt = stmt, .slides = slides};
    if (asks) vec_push(o.fixture.arena, &loop.asked, stmt->value->left->right);
    o.nest->form = FORM_LANES;
    o.nest->lanes = (Lanes){0};
    vec_push(o.fixture.arena, &o.nest->lanes.ragged, loop);
    close_stage(&o, right ? "nothing" : "a loop inside of one in lanes is not the same for all");
}

static void test_ragged(void) {
    check_ragged("i - 9...i + 9", true, false, true);
    check_ragged("max(i - 9, 0)...min(i + 9, 40)", true, false, true);
    check_ragged("3 - i...9 - i", false, false, true);
    check_ragged("3 - i...9 - i", true, false, false);
    check_ragged("2 * i...i + 90", false, false, false);
    check_ragged("i + i...i + 90", false, false, false);
    check_ragged("max(3 - i, i)...90", false, false, false);
    check_ragged("i - ends[0]...i + 9", true, true, true);
    check_ragged("i - ends[0]...i + 9", true, false, false);
    check_ragged("ends[i] - 3...90", false, false, false);
}

static void test_edges(void) {
    static const char program[] = PROGRAM("work(n, ends) { do { m = ends[i] if (i > 3 or i == 7) { m = 1 } n[i] = m } for i in n }", "work(n, ends)");
    Opened o = open_stage(program, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->edges->count, 2);
    o.nest->edges->items[0].op = OP_GE;
    close_stage(&o, "an edge is not where its condition says");
    o = open_stage(program, (Binding){0});
    loop_of(&o, 0)->legal &= ~(unsigned)LOOP_PARALLEL;
    close_stage(&o, "a loop has edges that does not go in pieces");
    o = open_stage(program, (Binding){0});
    Expr test = *o.nest->edges->items[0].test;
    Expr *const element = o.nest->stmt->body.statements.items[0]->value;
    test.right = element;
    o.nest->edges->items[0] = (Edge){&test, OP_GT, element, 0};
    close_stage(&o, "an edge moves while its loop runs");
    const char *const moved = PROGRAM("work(u, v) { do { t = v[i] if (i + 1 < 9) { t = v[i + 1] } u[i] = t } for i in u }", "work(u, v)");
    o = open_stage(moved, (Binding){0});
    CU_ASSERT_EQUAL_FATAL(o.nest->edges->items[0].offset, 1);
    ((Edge *)o.nest->edges->items)[0].offset = -1;
    close_stage(&o, "an edge is not where its condition says");
    o = open_stage(moved, (Binding){0});
    loop_of(&o, 0)->domain_var = NULL;
    close_stage(&o, "a loop runs over another domain than its index");
    static const struct { const char *program; Operator is, broken; } turned[] = { /* the bound comes first */
        {PROGRAM("work(n, ends) { do { m = ends[i] if (3 < i) { m = 1 } n[i] = m } for i in n }", "work(n, ends)"), OP_GT, OP_LT},
        {PROGRAM("work(n, ends) { do { m = ends[i] if (3 >= i) { m = 1 } n[i] = m } for i in n }", "work(n, ends)"), OP_LE, OP_GE}};
    for (int t = 0; t < 2; t++) {
        o = open_stage(turned[t].program, (Binding){0});
        CU_ASSERT_EQUAL_FATAL(o.nest->edges->count, 1);
        CU_ASSERT_EQUAL(o.nest->edges->items[0].op, turned[t].is);
        o.nest->edges->items[0].op = turned[t].broken;
        close_stage(&o, "an edge is not where its condition says");
    }
}

/* A stage whose loop runs for usual numbers first, with records of it that can be changed. */
typedef struct OpenedUsual { Opened opened; Usual usual; UsualRow row; } OpenedUsual;

static Usual *open_usual(OpenedUsual *o, const char *program) {
    o->opened = open_stage(program, (Binding){0});
    CU_ASSERT_FATAL(o->opened.nest->usual != NULL);
    o->usual = *o->opened.nest->usual;
    if (o->usual.rows.count > 0) o->row = o->usual.rows.items[0];
    o->usual.rows.items = &o->row;
    o->opened.nest->usual = &o->usual;
    return &o->usual;
}

static void test_usual(void) {
    static const char program[] = PROGRAM("work(u, v) { do { t = max(v[i - 1], v[i]) u[i] = max(t, v[i + 1]) } for i in u }", "work(u, v)");
    OpenedUsual o;
    open_usual(&o, program)->rows.count = 0;
    close_stage(&o.opened, "an extremum may be of NaN or -0.0");
    open_usual(&o, program)->rows.items->high--;
    close_stage(&o.opened, "an extremum may be of NaN or -0.0");
    open_usual(&o, program)->rows.items->high++;
    close_stage(&o.opened, "a row is looked at where not every iteration reads");
    open_usual(&o, program)->rows.items->low++;
    close_stage(&o.opened, "a row begins elsewhere");
    open_usual(&o, program);
    loop_of(&o.opened, 0)->legal &= ~(unsigned)LOOP_PARALLEL;
    close_stage(&o.opened, "a loop runs for usual numbers first that does not go in blocks");
}

static void test_usual_again(void) {
    OpenedUsual o;
    Usual *usual = open_usual(&o, PROGRAM("work(u, v) { do { t = max(v[i - 1], v[i]) u[i] = max(t, v[i + 1]) + v[7 / n[i]] } for i in u }", "work(u, v)"));
    const Expr *conversion = NULL;
    vec_push(o.opened.fixture.arena, &usual->conversions, conversion);
    close_stage(&o.opened, "a loop runs twice that may not");
}

/* ---- Roles ------------------------------------------------------------------------------------------------- */
static void test_roles(void) {
    Opened o = open_stage(ROWS, (Binding){0});
    loop_of(&o, 1)->role = ROLE_VECTOR;
    close_stage(&o, "a loop goes in vectors whose iterations may not");
    o = open_stage(PROGRAM("work(u, n) { found = 0 do { found = found + n[i] u[0] = 1.0 } for i in u\n u[1] = found }", "work(u, n)"), (Binding){0});
    loop_of(&o, 0)->role = ROLE_VECTOR;
    close_stage(&o, "a loop goes in vectors whose iterations may not");
    o = open_stage(COPY, (Binding){0});
    loop_of(&o, 0)->role = ROLE_VECTOR;
    close_stage(&o, "a loop goes in vectors whose iterations may not");
    o = open_stage(COPY, (Binding){0});
    loop_of(&o, 1)->role = ROLE_TILE;
    close_stage(&o, "a loop is tiled that is none of a product");
    o = open_stage(COPY, (Binding){0});
    loop_of(&o, 1)->role = ROLE_NONE;
    close_stage(&o, "a loop has no role beside others that have one");
}

/* ---- Bodies ------------------------------------------------------------------------------------------------- */
static void test_bodies(void) {
    Opened o = open_stage(COPY, (Binding){0});
    o.stage->code.nests.count = 0;
    close_stage(&o, "a data-parallel loop has no nest");
    o = open_stage(PROGRAM("work(u, n) { do { it = n[i] % 300 if (it > 5) { u[i] = 1.0 } } for i in u }", "work(u, n)"), (Binding){0});
    signed char *bytes = ARENA_ARRAY(o.fixture.arena, signed char, o.stage->code.body->vars.count + 1);
    for (size_t i = 0; i < o.stage->code.body->vars.count; i++)
        if (strcmp(o.stage->code.body->vars.items[i]->name, "it") == 0) bytes[i] = 1;
    o.stage->code.local_bytes = bytes;
    close_stage(&o, "a local does not hold its values");
    o = open_stage(PROGRAM("work(u) { unused = 3 do { u[i] = 1.0 } for i in u }", "work(u)"), (Binding){0});
    o.stage->code.body = &o.fixture.uses.items[0]->stage->body;
    close_stage(&o, "a stage computes what nothing reads");
}

UNIT_MAIN("verify", {"a loop is lost", test_lost_loop}, {"a loop stands twice", test_loop_twice}, {"order", test_order}, {"domain", test_domain},
          {"parallel", test_parallel}, {"accumulates", test_accumulates}, {"bounds", test_bounds}, {"stride", test_stride},
          {"together", test_together}, {"joins", test_joins}, {"product", test_product}, {"banded product", test_banded_product}, {"sum", test_sum}, {"reduction", test_reduction}, {"carry", test_carry}, {"cut", test_cut}, {"lanes", test_lanes}, {"counts", test_counts}, {"ragged", test_ragged},
          {"edges", test_edges}, {"usual numbers", test_usual}, {"usual numbers again", test_usual_again}, {"roles", test_roles}, {"bodies", test_bodies})
