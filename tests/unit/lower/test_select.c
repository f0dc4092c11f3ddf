/* Elements that are stored in any case, and cut loops that may be whole: where, and where not. */
#include "compiler/lower/verify_loops.h"
#include "tests/unit/check_text.h"
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(stage)                                                                                    \
    "Type Pair:\n first, second: Real double-precision\n"                                                 \
    "Task \"T\":\n"                                                                                       \
    "  Define: a, b: 2d Array of Real double-precision\n"                                                 \
    "    x, y, z: 1d Array of Real double-precision\n"                                                    \
    "    n: 1d Array of Integer\n"                                                                        \
    "    p: 1d Array of Pair\n"                                                                           \
    "  Environment: a, b, x, y, z, n, p: link\n"                                                          \
    "  Stages:\n work(a, b, x, y, z, n, p, k) { " stage " }\n"                                            \
    "  Computation: Space A { work(a, b, x, y, z, n, p, 3) }\n"                                           \
    "  Partition (s): Space A <1d> { a<dim1>, b<dim1>, x, y, z, n, p: block_size(s) }\n"

/* So many elements are stored in any case, so many of these only where the part's ends allow it. */
static void check_choices(const char *program, Binding binding, size_t elements, size_t asked) {
    Fixture f;
    const bool opened = fixture_open(&f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    size_t found = 0;
    for (size_t i = 0; nest->choices && i < nest->choices->items.count; i++) found += nest->choices->items.items[i].elements.count;
    CU_ASSERT_EQUAL(found, elements);
    CU_ASSERT_EQUAL(nest->choices ? nest->choices->asked.count : 0, asked);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void test_choices(void) {
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] } } for i in x"), (Binding){0}, 1, 0);
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] } } for i in y"), (Binding){0}, 1, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in x"), (Binding){0}, 1, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"), (Binding){0}, 1, 1);
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] n[i] = k } } for i in x"), (Binding){0}, 2, 1);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { if (y[i] > 2.0) { x[i] = y[i] } else { z[i] = x[i] } } } for i in x"), (Binding){0}, 2, 1);
    check_choices(PROGRAM("do { if (b[i][j] + a[i][k] < a[i][j]) { a[i][j] = b[i][j] + a[i][k] } } for i, j in a"), (Binding){0}, 1, 0);
    check_choices(PROGRAM("do { if (b[i][j] > 1.0) { a[i][j + k] = 1.0 } b[i][j] = a[i][j + k] } for i, j in b"), (Binding){0}, 1, 0);
}

/* Elements that others may write, that may not be there, that are assigned in any case; fields; other elements behind the assignment; what
 * ends the program; iterations one after the other. */
static void test_no_choices(void) {
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] } } for i in x"), (Binding){.shared = true}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] } } for i in x"), (Binding){.unrestricted = true}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] < x[i]) { x[i] = y[i] } } for i in x"), (Binding){.checked = true}, 1, 0); /* not printed so */
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i + 1] = y[i] } } for i in x"), (Binding){0}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"), (Binding){.runs = true}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0 and x[i] > 0.0) { x[i] = y[i] } } for i in [k...k + 99]"), (Binding){0}, 1, 1);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } else { x[i] = 2.0 } } for i in x"), (Binding){0}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { p[i].first = y[i] } } for i in p"), (Binding){0}, 0, 0);
    check_choices(PROGRAM("do { if (b[i][j] < a[i][j]) { a[i][j] = b[i][j] b[i][j] = a[i][k] } } for i, j in a"), (Binding){0}, 1, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { n[i] = n[i] / k } } for i in n"), (Binding){0}, 0, 0);
    check_choices(PROGRAM("do { if (y[i] > 1.0) { x[i] = x[i - 1] } } for i in x"), (Binding){0}, 0, 0);
    check_choices(PROGRAM("do { if (i > 3) { x[n[i]] = y[i] } } for i in y"), (Binding){0}, 0, 0);
}

/* Whether the loop may be whole, with so many elements in locals. */
static void check_whole(const char *stage, bool whole, size_t fixed) {
    Fixture f;
    const bool opened = fixture_open(&f, stage, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->form, FORM_CUT);
    CU_ASSERT_EQUAL(nest->whole != NULL, whole);
    CU_ASSERT_EQUAL(nest->whole ? nest->whole->fixed.count : 0, fixed);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

/* Not: what is assigned is read again where the loop is cut, does not exist in all iterations, or is no number by itself. */
static void test_whole(void) {
    check_whole(PROGRAM("do { way = a[i][k] + b[k][j] if (way < a[i][j]) { a[i][j] = way } } for i, j in a"), true, 1);
    check_whole(PROGRAM("do { a[i][j] = a[i][j] - a[i][k] * b[k][j] } for i, j in a"), true, 1);
    check_whole(PROGRAM("do { if (b[i][j] > 0.0) { a[i][j] = a[i][j] + a[i][k] } b[i][j] = a[i][j] } for i, j in a"), true, 0);
    check_whole(PROGRAM("do { a[i][j] = a[i][j] + 1.0 b[i][j] = a[i][k] } for i, j in a"), false, 0);
    check_whole(PROGRAM("do { if (b[i][j] > 0.0) { a[i][j] = a[i][k] } } for i, j in a"), false, 0);
    check_whole(PROGRAM("do { p[i].first = p[i].first + p[k].second } for i in p"), false, 0);
    check_whole(PROGRAM("do { n[i] = n[i] / n[k] } for i in n"), false, 0);
}

/* What is printed asks for all indices, in all dimensions that the loops do not run over by themselves. */
static void check_printed(const char *program, const char *expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    backend_cpu.stage(&f.emit, f.stages.items[0], &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, expected));
    if (!strstr(text.data, expected)) printf("%s\n", text.data);
    text_free(&text);
    fixture_close(&f);
}

static void test_printed(void) {
    check_printed(PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"), "if (x_view->part[0].begin <= i_begin && i_end <= x_view->part[0].end) {");
    check_printed(PROGRAM("do { if (y[i] > 1.0) { a[i][j] = y[i] } } for i in y; j in a"), "if (a_view->part[0].begin <= i && i < a_view->part[0].end) {");
    check_printed(PROGRAM("do { if (y[i] > 1.0) { a[i][j] = y[i] } } for i, j in b"),
                  "if (a_view->part[0].begin <= i && i < a_view->part[0].end && a_view->part[1].begin <= j_begin &&\n"
                  "                    j_end <= a_view->part[1].end) {");
}

/* ---- The verifier ------------------------------------------------------------------------------------- */
typedef struct Opened { Fixture fixture; Nest *nest; Choices choices; Whole whole; } Opened;

static void open_stage(Opened *o, const char *program) {
    *o = (Opened){.nest = NULL}; /* what an earlier stage has left is gone with its arena */
    const bool opened = fixture_open(&o->fixture, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    o->nest = o->fixture.stages.items[0]->code.nests.items[0];
    if (o->nest->choices) o->choices = *o->nest->choices, o->nest->choices = &o->choices;
    if (o->nest->whole) o->whole = *o->nest->whole, o->nest->whole = &o->whole;
}

static void close_stage(Opened *o, const char *expected) {
    const char *fault = lower_body_fault(&o->fixture.stages.items[0]->code);
    CHECK_TEXT(fault ? fault : "nothing", expected);
    fixture_close(&o->fixture);
}

static Formal *formals_of(Opened *o) { return (Formal *)o->fixture.stages.items[0]->code.use->formals.items; }

static void test_verify_choices(void) {
    Opened o;
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"));
    o.choices.asked.count = 0;
    close_stage(&o, "an element is stored in any case that may not exist");
    for (int turned = 0; turned < 2; turned++) { /* the right side of a condition may not be looked at */
        open_stage(&o, turned ? PROGRAM("do { if (y[i] > 1.0 or x[i] > 0.0) { x[i] = y[i] } } for i in y")
                              : PROGRAM("do { if (y[i] > 1.0 and x[i] > 0.0) { x[i] = y[i] } } for i in y"));
        CU_ASSERT_EQUAL_FATAL(o.choices.asked.count, 1);
        o.choices.asked.count = 0;
        close_stage(&o, "an element is stored in any case that may not exist");
    }
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"));
    formals_of(&o)[0].shared = formals_of(&o)[1].shared = true;
    close_stage(&o, "an element is stored in any case that others may write");
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in x"));
    o.choices.items.items[0].elements.items[0] = o.choices.items.items[0].stmt->value->left;
    close_stage(&o, "an element is stored in any case behind others of its array");
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in y"));
    o.nest->loops.items[0].interval = false;
    close_stage(&o, "a loop in pieces asks where its elements lie");
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in x"));
    o.choices.items.items[0].stmt = o.choices.items.items[0].stmt->body.statements.items[0];
    close_stage(&o, "a choice is no if");
    open_stage(&o, PROGRAM("do { if (y[i] > 1.0) { x[i] = y[i] } } for i in x"));
    o.nest->loops.items[0].legal &= ~(unsigned)LOOP_PARALLEL;
    close_stage(&o, "elements are stored in any case where iterations depend on each other");
}

static void test_verify_whole(void) {
    const char *const program = PROGRAM("do { a[i][j] = a[i][j] - a[i][k] * b[k][j] } for i, j in a");
    Opened o;
    open_stage(&o, program);
    o.whole.targets.count = 0;
    close_stage(&o, "a loop counts as whole that may have changed something");
    open_stage(&o, program);
    o.whole.fixed.items[0] = o.whole.targets.items[0];
    close_stage(&o, "an element is held in a local that moves");
    open_stage(&o, PROGRAM("do { a[i][j] = a[i][j] + 1.0 b[i][j] = a[i][k] } for i, j in a"));
    vec_push(o.fixture.arena, &o.whole.targets, o.nest->stmt->body.statements.items[0]->target);
    vec_push(o.fixture.arena, &o.whole.targets, o.nest->stmt->body.statements.items[1]->target);
    o.nest->whole = &o.whole;
    close_stage(&o, "what a loop is cut for is read again when it may have changed");
    open_stage(&o, PROGRAM("do { a[i][j] = 1.0 } for i, j in a"));
    o.nest->whole = &o.whole;
    close_stage(&o, "a loop may be whole that is not cut");
}

UNIT_MAIN("select", {"stored in any case", test_choices}, {"not stored in any case", test_no_choices}, {"whole", test_whole}, {"printed", test_printed},
          {"verifier, choices", test_verify_choices}, {"verifier, whole", test_verify_whole})
