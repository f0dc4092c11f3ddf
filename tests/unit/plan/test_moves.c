/* What moves in one address space, and what need not: the environment's elements into an array of which no element is read before
 * all are written, on all ways. `v` and `w` are linked vectors; Space B has them in blocks, Space A as a whole. */
#include "compiler/plan/moves.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char PROGRAM[] = "Task \"T\":\n"
                              "Define:\n v, w: 1d Array of Real double-precision\n n, k: Integer\n"
                              "Environment:\n v, w: link\n"
                              "Initialize (n):\n"
                              "Stages:\n"
                              " set(x) { do { x[i] = 1.0 } for i in x }\n"
                              " set_some(x) { do { x[i] = 1.0 } for i in x and i > 2 }\n"
                              " use(x, y) { do { x[i] = x[i] + y[i] } for i in x }\n"
                              "Computation:\n%s\n"
                              "Partition (p):\n Space A <un-partitioned> { v, w }\n"
                              " Space B <1d> divides Space A partitions { v, w: block_size(p) }\n";

/* Whether the plan says `words`. */
static void expect_words(const char *flow, const char *words, bool said) {
    Arena *arena = arena_new();
    const char *text = arena_printf(arena, PROGRAM, flow);
    Source *source = source_from_text(arena, "t.hp5", text, strlen(text));
    Diags *diags = diags_new(arena, source);
    const Ast *ast = syntax_parse(arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(arena, ast, diags) : NULL;
    Plan *plan = program == NULL ? NULL : plan_program(arena, program, (PlanOptions){.moves = true, .omit_sync = -1, .omit_transfer = -1}, diags);
    Text out = {0};
    if (plan == NULL) {
        diags_to_text(diags, &out, (DiagStyle){0});
    } else {
        plan_hold(arena, plan->tasks.items[0]);
        plan_transfer(arena, plan->tasks.items[0]);
        plan_serve(arena, plan, plan->tasks.items[0]);
        plan_verify(plan);
        plan_dump(plan, NULL, &out);
    }
    CU_ASSERT_PTR_NOT_NULL(plan);
    bool found = out.data != NULL && strstr(out.data, words) != NULL;
    CU_ASSERT_EQUAL(found, said);
    if (plan == NULL || found != said) fprintf(stderr, "%s\n%s", flow, out.data);
    text_free(&out);
    arena_free(arena);
}

/* Whether the environment's v moves into the array. */
static void expect(const char *flow, bool moves) { expect_words(flow, "FILE: v[all] from the environment to the array", moves); }

static void test_overwritten(void) {
    expect("Space A { Space B { set(v) } }", false);
    expect("Space A { Space B { set(v) use(v, w) } }", false);
    expect("Space A { set(v) Space B { use(v, w) } }", false);
    expect("Space A { Repeat for k in [1...9] { Space B { set(v) use(w, v) } } }", true); /* without a round v goes out as it came */
    expect("Space A { Space B { set(v) } Repeat for k in [1...n] { Space B { use(w, v) } } }", false);
}

static void test_not_overwritten(void) {
    expect("Space A { Space B { use(v, w) set(v) } }", true);
    expect("Space A { Space B { set_some(v) } }", true);
    expect("Space A { Space B { set(w) use(v, w) } }", true);
}

/* Others keep what they had. */
static void test_some_lpus(void) {
    expect("Space A { Space B { Where (lpuId[0] == 0) { set(v) } } }", true);
    expect("Space A { If (n > 2) { Space B { set(v) } } Space B { use(w, v) } }", true);
    expect("Space A { If (n > 2) { Space B { set(v) use(w, v) } } }", true); /* without it v goes out as it came */
    expect("Space A { Repeat for k in [1...n] { Space B { set(v) } } Space B { use(w, v) } }", true);
}

/* Both sides of a dependence, and what sees to it. */
static void test_dependences(void) {
    const char *flow = "Space A { set(v) Space B { use(w, v) } set_some(w) }";
    expect_words(flow, "    use in Space B (line 13) reads v[part] after set in Space A (line 13) has written v[part]: a wait in Space A\n", true);
    expect_words(flow, "    set_some in Space A (line 13) writes w[3...part] after use in Space B (line 13) has read w[part]: a wait in Space A\n", true);
    expect_words(flow, "    set_some in Space A (line 13) writes w[3...part] after use in Space B (line 13) has written w[part]: a wait in Space A\n", true);
    expect_words("Space A { set(v) use(w, v) }", "depends:", false);
}

UNIT_MAIN("moves", {"overwritten", test_overwritten}, {"not overwritten", test_not_overwritten}, {"some LPUs", test_some_lpus},
          {"dependences", test_dependences})
