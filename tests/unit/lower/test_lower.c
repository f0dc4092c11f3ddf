/* What lowering stores of a stage besides its nests: the body without what nothing reads, the versions that it names, narrow
 * locals, what holds products. */
#include "compiler/lower/rounding.h"
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(body)                                                                          \
    "Function twice(&x) { x = x * 2.0 }\n"                                                     \
    "Task \"T\":\n"                                                                            \
    "  Define: u, v: 1d Array of Real double-precision\n    n: 1d Array of Integer\n"         \
    "  Environment: u, v, n: link\n"                                                          \
    "  Stages:\n    work(u, v, n) {\n" body "\n}\n"                                           \
    "  Computation: Space A { work(u, v, n) }\n"                                              \
    "  Partition (p): Space A <1d> { u, v, n: block_size(p) }\n"

static LoweredStage *open_stage(Fixture *f, const char *program, Binding binding) {
    const bool opened = fixture_open(f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    return f->stages.items[0];
}

static size_t statements_left(const char *program, Binding binding) {
    Fixture f;
    const size_t count = open_stage(&f, program, binding)->code.body->block.statements.count;
    fixture_close(&f);
    return count;
}

/* A chain of locals goes as a whole; not what may end the program, nor what the caller sees; nothing in checked builds. */
static void test_pruned(void) {
    CU_ASSERT_EQUAL(statements_left(PROGRAM("a = 1 b = a + 1 c = b * 2 u[0] = 3.0"), (Binding){0}), 1);
    CU_ASSERT_EQUAL(statements_left(PROGRAM("a = 1 b = a + 1 u[0] = a"), (Binding){0}), 2);
    CU_ASSERT_EQUAL(statements_left(PROGRAM("a = n[0] / n[1] u[0] = 3.0"), (Binding){0}), 2);
    CU_ASSERT_EQUAL(statements_left(PROGRAM("a = 1 b = a + 1 u[0] = 3.0"), (Binding){.checked = true}), 3);
}

static uint64_t versions_of(const char *program, size_t formal) {
    Fixture f;
    const uint64_t versions = open_stage(&f, program, (Binding){0})->formals.items[formal].versions;
    fixture_close(&f);
    return versions;
}

static void test_versions(void) {
    CU_ASSERT_EQUAL(versions_of(PROGRAM("do { u[i] = v[i] at (current - 2) } for i in u"), 0), 1);
    CU_ASSERT_EQUAL(versions_of(PROGRAM("do { u[i] = v[i] at (current - 2) } for i in u"), 1), 4);
    CU_ASSERT_EQUAL(versions_of(PROGRAM("do { u[i] = v[i] + v[i] at (current - 3) } for i in u"), 1), 9);
    CU_ASSERT_EQUAL(versions_of(PROGRAM("u[0] = v.local.dimension1.range.min"), 1), 0); /* its part, no element */
}

static int bytes_of(const LoweredStage *stage, const char *name) {
    for (size_t i = 0; i < stage->code.body->vars.count; i++)
        if (strcmp(stage->code.body->vars.items[i]->name, name) == 0) return lower_bytes_of(&stage->code, stage->code.body->vars.items[i]);
    return -1;
}

static void test_locals(void) {
    Fixture f;
    const LoweredStage *stage = open_stage(&f, PROGRAM("do { a = n[i] % 100000 b = n[i] if (a > 5) { u[i] = b } } for i in u"), (Binding){0});
    CU_ASSERT_EQUAL(bytes_of(stage, "a"), 0); /* beside elements of eight bytes nothing is gained */
    CU_ASSERT_EQUAL(bytes_of(stage, "b"), 0);
    fixture_close(&f);
    stage = open_stage(&f, PROGRAM("a = 7 if (a > 5) { u[0] = a }"), (Binding){.checked = true});
    CU_ASSERT_PTR_NULL(stage->code.ranges);
    CU_ASSERT_EQUAL(bytes_of(stage, "a"), 0);
    fixture_close(&f);
}

static bool holds_product(const LoweredStage *stage, const char *name) {
    for (size_t i = 0; i < stage->code.products.count; i++)
        if (strcmp(stage->code.products.items[i]->name, name) == 0) return true;
    return false;
}

/* Through assignments in any order, and by reference. */
static void test_products(void) {
    Fixture f;
    const LoweredStage *stage = open_stage(&f, PROGRAM("a = 0.0 b = 0.0 c = 1.0 d = 2.0 do { u[i] = b - c v[i] = d b = a a = v[i] * c } for i in u"), (Binding){0});
    CU_ASSERT_TRUE(holds_product(stage, "a") && holds_product(stage, "b"));
    CU_ASSERT_FALSE(holds_product(stage, "c") || holds_product(stage, "d"));
    fixture_close(&f);
    stage = open_stage(&f, PROGRAM("a = 1.0 twice(a) u[0] = a - 1.0"), (Binding){0});
    CU_ASSERT_TRUE(holds_product(stage, "a"));
    fixture_close(&f);
}

UNIT_MAIN("lower", {"pruned", test_pruned}, {"versions", test_versions}, {"locals", test_locals}, {"products", test_products})
