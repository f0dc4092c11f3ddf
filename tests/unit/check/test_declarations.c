/* The declarations side of the checker, seen from its output: how instructions are
 * matched with array dimensions, the LPS tree, the flow, scalar homes, versions. */
#include <stdio.h>
#include <string.h>
#include "compiler/check/check.h"
#include "tests/unit/unit.h"

typedef struct Checked { Arena *arena; Diags *diags; Program *program; Task *task; } Checked;

static Checked check_source(const char *source) {
    Checked checked = {.arena = arena_new()};
    Source *text = source_from_text(checked.arena, "test.hp5", source, strlen(source));
    checked.diags = diags_new(checked.arena, text);
    Ast *ast = syntax_parse(checked.arena, text, checked.diags);
    if (diags_error_count(checked.diags) == 0) checked.program = check_program(checked.arena, ast, checked.diags);
    if (checked.program == NULL) {
        diags_print(checked.diags, stderr, (DiagStyle){0});
        CU_FAIL("the program was refused");
        return checked;
    }
    CU_ASSERT(checked.program->tasks.count > 0);
    checked.task = checked.program->tasks.items[0];
    return checked;
}

/* One task with two arrays of each rank and a stage for each kind of use. */
static Checked check_task(const char *partition, const char *computation) {
    char source[4096];
    snprintf(source, sizeof source,
             "Task \"T\":\n"
             "  Define:\n"
             "    v, w: 1d Array of Real double-precision\n"
             "    m, n: 2d Array of Real double-precision\n"
             "    c: 3d Array of Integer\n"
             "    total: Real double-precision Reduction\n"
             "    s, t: Integer\n"
             "  Environment:\n"
             "    v, w, m, n, c: link\n"
             "  Stages:\n"
             "    touch(x) { do { x[i] = x[i] + 1 } for i in x }\n"
             "    set(a) { a = 1 }\n"
             "    sum(r, x) { do { reduce(r, \"sum\", x[i]) } for i in x }\n"
             "    older(x) { do { x[i] = x[i] at (current - 2) } for i in x }\n"
             "  Computation:\n%s\n"
             "  Partition%s\n",
             computation, partition);
    return check_source(source);
}

static const Lps *lps_of(const Checked *checked, const char *name) {
    for (size_t i = 0; checked->task != NULL && i < checked->task->spaces.count; i++)
        if (strcmp(checked->task->spaces.items[i]->name, name) == 0) return checked->task->spaces.items[i];
    CU_FAIL_FATAL("no such LPS");
    return NULL;
}

static Var *global_of(const Checked *checked, const char *name) {
    for (size_t i = 0; checked->task != NULL && i < checked->task->globals.count; i++)
        if (strcmp(checked->task->globals.items[i]->name, name) == 0) return checked->task->globals.items[i];
    CU_FAIL_FATAL("no such global");
    return NULL;
}

static const DimPartition *dim_of(const Checked *checked, const char *lps, const char *var, int dimension) {
    const LpsVar *listed = lps_find_var(lps_of(checked, lps), global_of(checked, var));
    CU_ASSERT_PTR_NOT_NULL_FATAL(listed);
    return &listed->dims[dimension];
}

#define CHECK_DIM(checked, lps, var, dimension, wanted_function, wanted_array_dimension)             \
    do {                                                                                             \
        const DimPartition *dim_ = dim_of(&(checked), lps, var, dimension);                          \
        CU_ASSERT_EQUAL(dim_->function, wanted_function);                                            \
        CU_ASSERT_EQUAL(dim_->array_dimension, wanted_array_dimension);                              \
    } while (0)

/* ---- Matching instructions with dimensions ------------------------------------------------ */

static void test_by_position(void) {
    Checked checked = check_task("(k, l): Space A <2d> { m: block_size(k, l)  n: replicated, block_count(l) }",
                                 "Space A { set(s) Repeat for i in [1...2] { Space A { } } }");
    if (checked.task == NULL) return;
    CHECK_DIM(checked, "A", "m", 0, PART_BLOCK_SIZE, 0);
    CHECK_DIM(checked, "A", "m", 1, PART_BLOCK_SIZE, 1);
    CU_ASSERT_STRING_EQUAL(dim_of(&checked, "A", "m", 0)->arguments[0]->var->name, "k");
    CU_ASSERT_STRING_EQUAL(dim_of(&checked, "A", "m", 1)->arguments[0]->var->name, "l");
    CHECK_DIM(checked, "A", "n", 0, PART_REPLICATED, -1);
    CHECK_DIM(checked, "A", "n", 1, PART_BLOCK_COUNT, 1);
    arena_free(checked.arena);
}

static void test_by_name(void) {
    Checked checked = check_task("(k): Space A <2d> { m<dim2>: block_size(k), replicated  n<dim2, dim1>: block_size(k), stride(3)\n"
                                 " c<dim3>: replicated, stride() }", "Space A { set(s) }");
    if (checked.task == NULL) return;
    CHECK_DIM(checked, "A", "m", 0, PART_BLOCK_SIZE, 1);
    CHECK_DIM(checked, "A", "m", 1, PART_REPLICATED, -1);
    CHECK_DIM(checked, "A", "n", 0, PART_BLOCK_SIZE, 1);
    CHECK_DIM(checked, "A", "n", 1, PART_STRIDE, 0);
    CHECK_DIM(checked, "A", "c", 1, PART_STRIDE, 2);
    CU_ASSERT_PTR_NULL(dim_of(&checked, "A", "c", 1)->arguments[0]);
    arena_free(checked.arena);
}

static void test_fewer_dimensions(void) {
    Checked checked = check_task("(k): Space A <3d> { v: replicated, block_size(k), replicated\n"
                                 "  m: block_size(k), replicated, block_count(2)  c: block_size(k, k, k) }", "Space A { set(s) }");
    if (checked.task == NULL) return;
    CHECK_DIM(checked, "A", "v", 1, PART_BLOCK_SIZE, 0);
    CHECK_DIM(checked, "A", "m", 0, PART_BLOCK_SIZE, 0);
    CHECK_DIM(checked, "A", "m", 1, PART_REPLICATED, -1);
    CHECK_DIM(checked, "A", "m", 2, PART_BLOCK_COUNT, 1);
    CHECK_DIM(checked, "A", "c", 2, PART_BLOCK_SIZE, 2);
    arena_free(checked.arena);
}

static void test_more_dimensions(void) {
    Checked checked = check_task("(k): Space A <1d> { m, v: block_size(k) }", "Space A { set(s) }");
    if (checked.task == NULL) return;
    CHECK_DIM(checked, "A", "m", 0, PART_BLOCK_SIZE, 0);
    CHECK_DIM(checked, "A", "v", 0, PART_BLOCK_SIZE, 0);
    arena_free(checked.arena);
}

static void test_block_stride(void) {
    Checked checked = check_task("(k): Space A <2d> { m: block_stride(k, 2, 3, 4)  n: block_stride(k), block_stride(5, k) }",
                                 "Space A { set(s) }");
    if (checked.task == NULL) return;
    CHECK_DIM(checked, "A", "m", 1, PART_BLOCK_STRIDE, 1);
    CU_ASSERT_EQUAL(dim_of(&checked, "A", "m", 0)->arguments[1]->integer, 2);
    CU_ASSERT_EQUAL(dim_of(&checked, "A", "m", 1)->arguments[0]->integer, 3);
    CU_ASSERT_PTR_NULL(dim_of(&checked, "A", "n", 0)->arguments[1]);
    CU_ASSERT_STRING_EQUAL(dim_of(&checked, "A", "n", 1)->arguments[1]->var->name, "k");
    arena_free(checked.arena);
}

static int64_t front(const Checked *checked, const char *var, int d) {
    const Expr *expr = dim_of(checked, "A", var, d)->padding_front;
    return expr == NULL ? 0 : expr->integer;
}
static int64_t back(const Checked *checked, const char *var, int d) {
    const Expr *expr = dim_of(checked, "A", var, d)->padding_back;
    return expr == NULL ? 0 : expr->integer;
}

static void test_padding(void) {
    Checked checked = check_task("(k): Space A <2d> { m: block_size(k, k) padding(1)  n: block_size(k, k) padding(1, 2)\n"
                                 " c: block_size(k, k) padding(1, 2, 3, 4)  v: block_size(k) padding(5, 0), replicated }",
                                 "Space A { set(s) }");
    if (checked.task == NULL) return;
    CU_ASSERT(front(&checked, "m", 0) == 1 && back(&checked, "m", 0) == 1 && front(&checked, "m", 1) == 1 && back(&checked, "m", 1) == 1);
    CU_ASSERT(front(&checked, "n", 0) == 1 && back(&checked, "n", 0) == 1 && front(&checked, "n", 1) == 2 && back(&checked, "n", 1) == 2);
    CU_ASSERT(front(&checked, "c", 0) == 1 && back(&checked, "c", 0) == 2 && front(&checked, "c", 1) == 3 && back(&checked, "c", 1) == 4);
    CU_ASSERT(front(&checked, "v", 0) == 5 && back(&checked, "v", 0) == 0 && front(&checked, "v", 1) == 0);
    arena_free(checked.arena);
}

/* ---- The LPS tree ---------------------------------------------------------------------------- */

static void test_tree(void) {
    Checked checked = check_task("(k, q):\n"
                                 " Space C <1d> divides Space B sub-partitions { v: block_size(1) }\n"
                                 " Space B <1d> divides Space A partitions { v: block_size(k)\n"
                                 "   Sub-partition <1d> <ordered> { v: block_size(q) descends } }\n"
                                 " Space A <un-partitioned> { v }\n",
                                 "Space B { Repeat foreach sub-partition { Space C { touch(v) } } }");
    if (checked.task == NULL) return;
    const Lps *root = lps_of(&checked, "Root"), *a = lps_of(&checked, "A"), *b = lps_of(&checked, "B"), *c = lps_of(&checked, "C");
    const Lps *sub = lps_of(&checked, "B sub-partition");
    CU_ASSERT(root->id == 0 && root->parent == NULL && root->dims == 0);
    CU_ASSERT(a->parent == root && b->parent == a && sub->parent == b && c->parent == sub);
    CU_ASSERT(b->sub == sub && sub->sub_partition && sub->ordered && sub->dims == 1);
    for (size_t i = 1; i < checked.task->spaces.count; i++) {
        CU_ASSERT_EQUAL(checked.task->spaces.items[i]->id, (int)i);
        CU_ASSERT(checked.task->spaces.items[i]->parent->id < (int)i);
    }
    CU_ASSERT_EQUAL(dim_of(&checked, "B sub-partition", "v", 0)->order, ORDER_DESCENDS);
    CU_ASSERT_EQUAL(root->vars.count, 5);
    CU_ASSERT_PTR_EQUAL(lps_holder(c, global_of(&checked, "m")), root);
    CU_ASSERT_PTR_EQUAL(lps_holder(c, global_of(&checked, "v")), c);
    CU_ASSERT(lps_is_within(c, a) && !lps_is_within(a, c) && lps_is_within(a, a));
    arena_free(checked.arena);
}

/* ---- The flow ----------------------------------------------------------------------------------- */

static void test_flow_written_out(void) {
    Checked checked = check_task("(k): Space A <un-partitioned> { v } Space B <1d> divides Space A partitions { v: block_size(k) }",
                                 "Space B { Space B { touch(v) } }");
    if (checked.task == NULL) return;
    CU_ASSERT_EQUAL_FATAL(checked.task->flow.count, 1);
    const Step *a = checked.task->flow.items[0];
    CU_ASSERT(a->kind == STEP_SPACE && a->space == lps_of(&checked, "A") && a->lps == lps_of(&checked, "Root"));
    CU_ASSERT_EQUAL_FATAL(a->body.count, 1);
    const Step *b = a->body.items[0];
    CU_ASSERT(b->kind == STEP_SPACE && b->space == lps_of(&checked, "B") && b->lps == a->space);
    CU_ASSERT_EQUAL_FATAL(b->body.count, 1);
    CU_ASSERT(b->body.items[0]->kind == STEP_CALL && b->body.items[0]->lps == b->space);
    CU_ASSERT_EQUAL(checked.task->step_count, 3);
    arena_free(checked.arena);
}

static void test_instances_are_shared(void) {
    Checked checked = check_task("(k): Space A <1d> { v, w: block_size(k) }", "Space A { touch(v) touch(w) }");
    if (checked.task == NULL) return;
    const Step *space = checked.task->flow.items[0];
    CU_ASSERT_EQUAL_FATAL(space->body.count, 2);
    CU_ASSERT_PTR_EQUAL(space->body.items[0]->stage, space->body.items[1]->stage);
    CU_ASSERT_PTR_EQUAL(space->body.items[1]->arguments.items[0].var, global_of(&checked, "w"));
    arena_free(checked.arena);
}

/* ---- Homes, versions, epochs ----------------------------------------------------------------------- */

static const char THREE[] = "(k): Space A <un-partitioned> { v } Space B <1d> divides Space A partitions { v: block_size(k) }\n"
                            "Space C <1d> divides Space B partitions { v: block_size(2) }";

static const char *home_of(const Checked *checked, const char *name) { return global_of(checked, name)->home->name; }

static void test_homes(void) {
    Checked checked = check_task(THREE, "Space A { set(s) Space B { set(t) Repeat for round in [1...2] { touch(v) } } Space A { sum(total, v) } }");
    if (checked.task == NULL) return;
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "s"), "A");
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "t"), "B");
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "round"), "B");
    CU_ASSERT(global_of(&checked, "round")->implicit && global_of(&checked, "round")->type->kind == TYPE_INTEGER);
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "total"), "A");
    arena_free(checked.arena);
}

static void test_home_above_two_places(void) {
    Checked checked = check_task(THREE, "set(s) Space A { set(s) } Space C { sum(Space B: total, v) }");
    if (checked.task == NULL) return;
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "s"), "Root");
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "t"), "Root");
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "total"), "B");
    arena_free(checked.arena);
}

static void test_home_in_sub_partition(void) {
    Checked checked = check_task("(k, q): Space A <1d> { v: block_size(k) Sub-partition <1d> <unordered> { v: block_size(q) } }",
                                 "Space A { Repeat foreach sub-partition { set(s) sum(total, v) } }");
    if (checked.task == NULL) return;
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "s"), "A");
    CU_ASSERT_STRING_EQUAL(home_of(&checked, "total"), "A");
    arena_free(checked.arena);
}

static void test_versions_and_epochs(void) {
    Checked checked = check_task("(k): Space A <1d> { v, w: block_size(k) }", "Space A { Epoch { older(v) touch(w) } }");
    if (checked.task == NULL) return;
    CU_ASSERT_EQUAL(global_of(&checked, "v")->versions, 3);
    CU_ASSERT_EQUAL(global_of(&checked, "w")->versions, 1);
    const Step *epoch = checked.task->flow.items[0]->body.items[0];
    CU_ASSERT_EQUAL_FATAL(epoch->kind, STEP_EPOCH);
    CU_ASSERT_EQUAL_FATAL(epoch->advances.count, 1);
    CU_ASSERT_PTR_EQUAL(epoch->advances.items[0], global_of(&checked, "v"));
    arena_free(checked.arena);
}

/* ---- Types and tasks -------------------------------------------------------------------------------- */

static void test_types_in_order(void) {
    Checked checked = check_source("Type Outer: a: Inner b: Array[2][3] of Inner\nType Inner: x: Integer single-precision\n"
                                   "Task \"int\": Define: p: 1d Array of Outer Stages: s(x) { do { x[i].a.x = 1 } for i in x }\n"
                                   "Environment: p: link Computation: s(p)\n");
    if (checked.program == NULL) return;
    CU_ASSERT_EQUAL_FATAL(checked.program->structs.count, 2);
    CU_ASSERT_STRING_EQUAL(checked.program->structs.items[0]->name, "Inner");
    CU_ASSERT_STRING_EQUAL(checked.program->structs.items[1]->fields.items[1].type->text, "Array[2][3] of Inner");
    CU_ASSERT_STRING_EQUAL(global_of(&checked, "p")->type->text, "1d Array of Outer");
    CU_ASSERT_STRING_EQUAL(checked.task->symbol, "task_int");
    arena_free(checked.arena);
}

static void test_symbols_differ(void) {
    Checked checked = check_source("Task \"A b\": Define: s: Integer Stages: f(x) { x = 1 } Computation: f(s)\n"
                                   "Task \"A-b\": Define: s: Integer Stages: f(x) { x = 1 } Computation: f(s)\n");
    if (checked.program == NULL) return;
    CU_ASSERT_EQUAL_FATAL(checked.program->tasks.count, 2);
    CU_ASSERT_STRING_EQUAL(checked.program->tasks.items[0]->symbol, "A_b");
    CU_ASSERT_STRING_NOT_EQUAL(checked.program->tasks.items[1]->symbol, "A_b");
    arena_free(checked.arena);
}

UNIT_MAIN("declarations",
          {"instructions match by position", test_by_position},
          {"instructions match named dimensions", test_by_name},
          {"fewer dimensions than the LPS", test_fewer_dimensions},
          {"more dimensions than the LPS", test_more_dimensions},
          {"block_stride takes pairs", test_block_stride},
          {"padding of one, n and 2n arguments", test_padding},
          {"LPS tree, any order, sub-partitions", test_tree},
          {"flow is written out and flattened", test_flow_written_out},
          {"calls of equal types share an instance", test_instances_are_shared},
          {"scalar homes", test_homes},
          {"a home contains all places", test_home_above_two_places},
          {"homes in a sub-partition", test_home_in_sub_partition},
          {"versions and epochs", test_versions_and_epochs},
          {"user types in any order", test_types_in_order},
          {"symbols are unique", test_symbols_differ})
