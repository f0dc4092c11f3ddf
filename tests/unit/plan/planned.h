/* Plans of small programs, in words, for the unit tests of the planner. */
#ifndef HP5_TESTS_UNIT_PLAN_PLANNED_H
#define HP5_TESTS_UNIT_PLAN_PLANNED_H
#include "compiler/plan/plan.h"
#include "tests/unit/unit.h"
#include <string.h>

typedef struct Planned {
    Arena *arena;
    Diags *diags;
    Plan *plan;
    Text text;
} Planned;

/* A program of one task from its parts; `globals` after Define, `flow` and `spaces` as sections. x is an input, and y, if
 * it stands beside it. */
static inline Planned plan_of(const char *globals, const char *stages, const char *flow, const char *spaces) {
    Planned p = {.arena = arena_new()};
    char *source = arena_printf(p.arena,
                                "Task \"T\":\nDefine:\n%s\nEnvironment:\n x%s: "
                                "link\nStages:\n%s\nComputation:\n%s\nPartition (k, l, q):\n%s\n",
                                globals, strncmp(globals, " x, y:", 6) == 0 ? ", y" : "", stages, flow, spaces);
    Source *file = source_from_text(p.arena, "t.hp5", source, strlen(source));
    p.diags = diags_new(p.arena, file);
    const Ast *ast = syntax_parse(p.arena, file, p.diags);
    Program *program = diags_error_count(p.diags) == 0 ? check_program(p.arena, ast, p.diags) : NULL;
    if (program != NULL) p.plan = plan_program(p.arena, program, (PlanOptions){.omit_sync = -1, .omit_transfer = -1}, p.diags);
    if (p.plan != NULL) {
        plan_verify(p.plan);
        plan_dump(p.plan, NULL, &p.text);
    } else {
        diags_to_text(p.diags, &p.text, (DiagStyle){0});
    }
    return p;
}

static inline void done(Planned *p) {
    text_free(&p->text);
    arena_free(p->arena);
}

static inline int occurrences(const Planned *p, const char *what) {
    int count = 0;
    for (const char *at = p->text.data; (at = strstr(at, what)) != NULL; at += strlen(what)) count++;
    return count;
}

static inline void expect(const Planned *p, const char *what, int count) {
    int found = occurrences(p, what);
    CU_ASSERT_EQUAL(found, count);
    if (found != count) fprintf(stderr, "expected %d times '%s' in:\n%s\n", count, what, p->text.data);
}

#define VECTORS " x: 1d Array of Real double-precision\n s: Real double-precision Reduction\n n: Integer\n"
static const char SCALE[] = " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n"
                            " total(t, a) { do { reduce(t, \"sum\", a[i]) } for i in a }\n"
                            " shift(a, t) { do { a[i] = a[i] - t } for i in a }\n";
#endif
