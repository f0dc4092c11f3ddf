/* Whether a stage reads nothing of an array but what it has written before. `work` is called in Space B; a is two-dimensional, in blocks of rows; b, c, d and x are
 * vectors in blocks, c of Integers, d with the bounds of b. */
#include "compiler/check/check.h"
#include "compiler/plan/footprint.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char PROGRAM[] = "Function change(&v) { v = v + 1.0 }\nTask \"T\":\n"
                              "Define:\n a: 2d Array of Real double-precision\n b, d, x: 1d Array of Real double-precision\n"
                              " c: 1d Array of Integer\n k, n: Integer\n"
                              "Environment:\n a, b, c, x: link\n"
                              "Initialize:\n d.dimension = b.dimension\n"
                              "Stages:\n work(a, b, c, d, x, k, n) { %s }\n"
                              "Computation:\n Space A { Space B { work(a, b, c, d, x, k, n) } }\n"
                              "Partition (p):\n Space A <un-partitioned> { a, b, c, d, x }\n"
                              " Space B <1d> divides Space A partitions { a<dim1>, b, c, d, x: block_size(p) }\n";

static void expect(const char *array, const char *body, bool own) {
    Arena *arena = arena_new();
    Text messages = {0};
    const char *text = arena_printf(arena, PROGRAM, body);
    Source *source = source_from_text(arena, "t.hp5", text, strlen(text));
    Diags *diags = diags_new(arena, source);
    const Ast *ast = syntax_parse(arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(arena, ast, diags) : NULL;
    diags_to_text(diags, &messages, (DiagStyle){0});
    if (program == NULL) fprintf(stderr, "%s\n%s", body, messages.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    const Step *call = program->tasks.items[0]->flow.items[0]->body.items[0]->body.items[0];
    const Var *var = NULL;
    for (size_t i = 0; i < call->arguments.count; i++)
        if (call->arguments.items[i].var != NULL && strcmp(call->arguments.items[i].var->name, array) == 0) var = call->arguments.items[i].var;
    const bool found = footprint_reads_own(arena, call, var);
    CU_ASSERT_EQUAL(found, own);
    if (found != own) fprintf(stderr, "%s, %s: %d\n%s", array, body, found, messages.data == NULL ? "" : messages.data);
    text_free(&messages);
    arena_free(arena);
}

static void yes(const char *array, const char *body) { expect(array, body, true); }
static void no(const char *array, const char *body) { expect(array, body, false); }

static void test_elements(void) {
    yes("b", "b[0] = 1.0 x[0] = b[0]");
    no("b", "b[0] = 1.0 x[0] = b[1]");
    no("b", "x[0] = b[0] b[0] = 1.0");
    no("b", "b[0] = b[0] + 1.0");
    yes("b", "b[0] = x[0]");
    yes("b", "b[k] = 1.0 x[0] = b[k]");
    yes("b", "b[k + 1] = 1.0 x[0] = b[k + 2 - 1]");
    no("b", "b[k] = 1.0 x[0] = b[n]");
    yes("b", "m = k * n b[m] = 1.0 x[0] = b[m]");
    no("b", "m = 1 b[m] = 1.0 m = 2 x[0] = b[m]");
    no("b", "m = 0 do in sequence { b[m] = 1.0 m = m + 1 x[0] = b[m] } for s in [0...n]");
    no("b", "b[c[0]] = 1.0 x[0] = b[c[0]]");
    yes("b", "b[0] = 1.0 change(b[0])");
    no("b", "change(b[0])");
    no("b", "b[0] = 1.0 x[c[0]] = x[0] x[1] = b[0] x[2] = b[c[1]]");
    yes("a", "a[k][n] = 1.0 x[0] = a[k][n]");
    no("a", "a[k][n] = 1.0 x[0] = a[n][k]");
}

static void test_branches(void) {
    no("b", "if (k > 0) { b[0] = 1.0 } x[0] = b[0]");
    yes("b", "if (k > 0) { b[0] = 1.0 x[0] = b[0] }");
    no("b", "if (k > 0) { b[0] = 1.0 } else { x[0] = b[0] }");
    yes("b", "b[0] = 1.0 if (k > 0) { x[0] = b[0] } else { x[1] = b[0] }");
    no("b", "if (b[0] > 0.0) { b[0] = 1.0 }");
    no("b", "do { b[0] = 1.0 x[0] = b[1] } while k > 0");
}

static void test_parallel_loops(void) {
    yes("b", "do { b[i] = 1.0 x[i] = b[i] } for i in b");
    no("b", "do { b[i] = 1.0 x[i] = b[i - 1] } for i in b");
    yes("b", "do { b[i] = 1.0 } for i in b do { x[i] = b[i] } for i in b and i > 2");
    yes("b", "do { b[i] = 1.0 } for i in b do { x[i] = b[i] } for i in d");
    no("b", "do { b[i] = 1.0 } for i in b and i > 2 do { x[i] = b[i] } for i in b");
    no("b", "do { b[i] = 1.0 } for i in b and c[i] > 2 do { x[i] = b[i] } for i in b");
    no("b", "do { b[i] = 1.0 } for i in b do { x[i] = b[i] } for i in x");
    no("b", "do { b[i] = 1.0 } for i in b do { x[i] = b[i - 1] } for i in b");
    no("b", "do { b[i] = 1.0 } for i in b x[0] = b[0]");
    yes("a", "do { a[i][j] = 1.0 } for i, j in a do { x[i] = a[i][j] } for i, j in a");
    no("a", "do { a[i][j] = 1.0 } for i, j in a do { x[i] = a[j][i] } for i, j in a");
    yes("a", "do { do { a[i][j] = 1.0 } for j in a.dimension2 do { x[i] = a[i][j] } for j in a.dimension2 } for i in a.dimension1 and i > 3");
    no("a", "do { do { a[i][j] = 1.0 } for j in a.dimension2 and j > 0 do { x[i] = a[i][j] } for j in a.dimension2 } for i in a.dimension1");
    no("a", "do { a[i][i] = 1.0 } for i in a.dimension1 do { x[i] = a[i][j] } for i, j in a");
    no("a", "do { do { a[i][0] = 1.0 } for j in a.dimension2 } for i in a.dimension1 do { x[i] = a[i][0] } for i in a.dimension1");
}

static void test_sequential_loops(void) {
    yes("b", "b[0] = 1.0 do in sequence { b[s] = b[s - 1] * 2.0 } for s in [1...n]");
    no("b", "b[1] = 1.0 do in sequence { b[s] = b[s - 1] * 2.0 } for s in [1...n]");
    no("b", "do in sequence { b[s] = b[s - 1] * 2.0 } for s in [1...n]");
    no("b", "b[0] = 1.0 do in sequence { b[s] = b[s - 1] * 2.0 } for s in [1...n] step 2");
    no("b", "b[0] = 1.0 do in sequence { b[s] = b[s - 1] * 2.0 } for s in [1...n] step -1");
    yes("b", "b[n] = 1.0 do in sequence { b[s] = b[s + 1] * 2.0 } for s in [0...n - 1] step -1");
    no("b", "b[n] = 1.0 do in sequence { b[s] = b[s + 1] * 2.0 } for s in [0...n] step -1");
    no("b", "b[0] = 1.0 do in sequence { b[s] = b[s - 2] * 2.0 } for s in [1...n]");
    yes("b", "b[0] = 1.0 b[1] = 1.0 do in sequence { b[s] = b[s - 1] + b[s - 2] } for s in [2...n]");
    no("b", "b[0] = 1.0 do in sequence { if (s > k) { b[s] = 1.0 } x[s] = b[s - 1] } for s in [1...n]");
    no("b", "b[0] = 1.0 do in sequence { x[s] = b[s + 1] b[s] = 1.0 } for s in [1...n]");
    no("b", "b[0] = 1.0 do in sequence { x[s] = b[s] b[s] = 1.0 } for s in [1...n]");
}

static void test_stretches(void) {
    yes("b", "b[0] = 1.0 do in sequence { b[s] = 1.0 } for s in [1...n] do { x[i] = b[i] } for i in [0...n]");
    yes("b", "do in sequence { b[s] = 1.0 } for s in [1...n] b[0] = 1.0 do in sequence { x[s] = b[s] } for s in [0...n] step -1");
    no("b", "b[0] = 1.0 do in sequence { b[s] = 1.0 } for s in [2...n] do { x[i] = b[i] } for i in [0...n]");
    no("b", "b[0] = 1.0 do in sequence { b[s] = 1.0 } for s in [1...n] do { x[i] = b[i] } for i in [0...n + 1]");
    no("b", "b[0] = 1.0 do in sequence { b[s] = 1.0 } for s in [1...n] do { x[i] = b[i] } for i in [0...k]");
    no("b", "do in sequence { b[s] = 1.0 } for s in [1...n] do in sequence { b[s] = 1.0 } for s in [n + 2...n + 9] x[0] = b[n + 1]");
    yes("b", "do in sequence { b[s] = 1.0 } for s in [1...n] do in sequence { b[s] = 1.0 } for s in [n + 1...n + 9] do { x[i] = b[i - 1] } for i in [2...n + 10]");
    no("b", "do in sequence { b[s] = 1.0 } for s in [1...n] x[0] = b[1]");
    yes("a", "do { a[i][0] = 0.0 do in sequence { a[i][s] = a[i][s - 1] } for s in [1...n] do in sequence { x[i] = x[i] + a[i][s] } for s in [0...n] step -1 } for i in a.dimension1 and i > 3");
    no("a", "do { a[i][0] = 0.0 do in sequence { a[k][s] = a[i][s - 1] } for s in [1...n] } for i in a.dimension1");
    no("a", "do { a[i][0] = 0.0 } for i in a.dimension1 and i > 3 do { do in sequence { a[i][s] = a[i][s - 1] } for s in [1...n] } for i in a.dimension1");
    no("a", "do in sequence { do in sequence { a[s][t] = 1.0 } for t in [0...s] } for s in [0...n] do in sequence { do in sequence { x[s] = a[s][t] } for t in [0...n] } for s in [0...n]");
}

UNIT_MAIN("scratch", {"elements", test_elements}, {"branches", test_branches}, {"parallel loops", test_parallel_loops}, {"sequential loops", test_sequential_loops},
          {"stretches", test_stretches})
