/* How many bytes move, for arrays of given sizes. */
#include "compiler/plan/moves.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char PROGRAM[] = "Type Pair:\n number: Integer\n flag: Boolean\n"
                              "Task \"T\":\n"
                              "Define:\n v: 1d Array of Pair\n vw: 2d Array of Integer single-precision\n"
                              "Environment:\n v, vw: link\n"
                              "Stages:\n use(v, vw) { do { vw[3][i] = vw[2][i] + v[i + 1].number } for i in [2...5] }\n"
                              "Computation:\n Space A { use(v, vw) }\n"
                              "Partition:\n Space A <un-partitioned> { v, vw }\n";

typedef struct Volumes {
    Arena *arena;
    Program *program;
    Plan *plan;
} Volumes;

static Volumes planned(void) {
    Volumes v = {.arena = arena_new()};
    Source *source = source_from_text(v.arena, "t.hp5", PROGRAM, strlen(PROGRAM));
    Diags *diags = diags_new(v.arena, source);
    v.program = check_program(v.arena, syntax_parse(v.arena, source, diags), diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(v.program);
    v.plan = plan_program(v.arena, v.program, (PlanOptions){.moves = true, .omit_sync = -1, .omit_transfer = -1}, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(v.plan);
    plan_hold(v.arena, v.plan->tasks.items[0]);
    plan_transfer(v.arena, v.plan->tasks.items[0]);
    return v;
}

/* The line of the plan that begins with `transfer` ends with `volume`. */
static void expect(const Volumes *v, const char *sizes, const char *transfer, const char *volume) {
    Text out = {0};
    plan_dump(v->plan, sizes, &out);
    const char *at = strstr(out.data, transfer), *end = at == NULL ? NULL : strchr(at, '\n');
    CU_ASSERT_PTR_NOT_NULL_FATAL(end);
    const size_t length = strlen(volume);
    const bool same = (size_t)(end - at) > length && memcmp(end - length, volume, length) == 0;
    CU_ASSERT_TRUE(same);
    if (!same) fprintf(stderr, "expected '%s' after '%s' in:\n%s", volume, transfer, out.data);
    text_free(&out);
}

/* Fields lie as in C, with what aligns the next element; names may begin alike. */
static void test_volumes(void) {
    Volumes v = planned();
    expect(&v, "vw=7x9,v=100", "FILE: v[all]", ": 1600 B");
    expect(&v, "v=100,vw=7x9", "FILE: v[all]", ": 1600 B");
    expect(&v, "v=1000000,vw=7x9", "FILE: v[all]", ": 16 MB");
    expect(&v, "v=100,vw=7x9", "FILE: vw[all][all]", ": 252 B");
    expect(&v, "v=100,vw=7x9", "FILE: vw[3][2...5]", ": 16 B");
    expect(&v, "vw=7x9", "FILE: v[all]", ", before use in Space A (line 13)"); /* its size is not known */
    expect(&v, "vw=7x9,v=3x3", "FILE: v[all]", ", before use in Space A (line 13)");
    arena_free(v.arena);
}

static void test_mistakes(void) {
    static const char wanted[] = "an array and its size, as in a=1000x1000,b=50";
    Volumes v = planned();
    CU_ASSERT_PTR_NULL(plan_sizes_error(v.arena, v.program, "v=100,vw=7x9"));
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v"), wanted);
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v=x9"), wanted);
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v=9x"), wanted);
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v=9,,vw=7x9"), wanted);
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v=1234567890123456789"), wanted);
    CU_ASSERT_STRING_EQUAL(plan_sizes_error(v.arena, v.program, "v=9,w=7"), "arrays of the program; no task has an array 'w'");
    arena_free(v.arena);
}

UNIT_MAIN("volume", {"volumes", test_volumes}, {"mistakes", test_mistakes})
