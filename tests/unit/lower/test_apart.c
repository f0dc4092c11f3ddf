/* Which loops threads may share (LOOP_APART): iterations write their own elements alone, and come to nobody else's, whatever stands in them. */
#include "tests/unit/emit/stage_fixture.h"
#include "tests/unit/unit.h"

#include <string.h>

#define PROGRAM_BEGIN                                                                                    \
    "Function step(&x) { if (x < 0.0) { return } x = x + 1.0 }\n"                                        \
    "Function raise(&x) { x = x + 1.0 }\n"                                                               \
    "Function stepped(&x) { x = x + 1.0 return x }\n"                                                     \
    "Function root(x) { y = x @Extern { @Language \"CUDA\" ${ y = sqrt(y); }$ } return y }\n"            \
    "Task \"T\":\n"                                                                                      \
    "  Define: x, y, z: 2d Array of Real double-precision\n"                                             \
    "    n: 1d Array of Integer\n"                                                                       \
    "    total: Real double-precision Reduction\n"                                                       \
    "  Environment: x, y, z, n: link\n"                                                                   \
    "  Stages:\n"                                                                                        \
    "  work(a, b, c, p) { "
#define PROGRAM_END                                                                                      \
    " }\n"                                                                                               \
    "  Computation: Space A { work(x, y, z, n) }\n"                                                         \
    "  Partition (p): Space A <1d> { x<dim1>, y<dim1>, z<dim1>: block_size(p) n: replicated }\n"

/* The loop over i, the outermost one. */
static const Loop *find(const Fixture *f) {
    const LoweredBody *code = &f->lowered->tasks.items[0]->stages.items[0]->code;
    for (size_t n = 0; n < code->nests.count; n++)
        for (size_t l = 0; l < code->nests.items[n]->loops.count; l++)
            if (strcmp(code->nests.items[n]->loops.items[l].index->var->name, "i") == 0) return &code->nests.items[n]->loops.items[l];
    return NULL;
}

static void check_flag(const char *loop, LoopLegal flag, bool apart) {
    char program[2000];
    snprintf(program, sizeof program, "%s%s%s", PROGRAM_BEGIN, loop, PROGRAM_END);
    Fixture f;
    bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Loop *found = find(&f);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    CU_ASSERT_EQUAL(loop_may(found, flag), apart);
    if (loop_may(found, flag) != apart) fprintf(stderr, "%s\n", loop);
    fixture_close(&f);
}

static void check(const char *loop, bool apart) {
    check_flag(loop, LOOP_APART, apart);
    check_flag(loop, LOOP_APART_ON_CARDS, apart);
}

static void check_foreign(const char *loop, bool on_cards) {
    check_flag(loop, LOOP_APART, false);
    check_flag(loop, LOOP_APART_ON_CARDS, on_cards);
}

static void test_apart(void) {
    check("do { a[i][j] = b[i][j] } for i, j in a", true);
    check("do { s = 0.0 do { s = s + b[i][k] } for k in b.dimension2 a[i][0] = s } for i in a.dimension1", true);
    check("do { do { a[i][j] = b[i][j] * 2.0 } for j in a.dimension2 } for i in a.dimension1", true);
    check("do { do in sequence { a[i][k] = a[i][k] + 1.0 } for k in [0...3] } for i in a.dimension1", true);
    check("do { a[i + p[0]][0] = b[i][0] } for i in b.dimension1", true);
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and b[i][1] > 0.0", true);
    check("do { if (b[i][0] > 1.0) { a[i][0] = 2.0 } else { a[i][1] = 3.0 } } for i in a.dimension1", true);
}

static void test_together(void) {
    check("do { do { a[i + k][0] = b[i][k] } for k in [0...1] } for i in a.dimension1", false);                    /* others come there */
    check("do { t = 1 a[i + t][0] = b[i][0] } for i in a.dimension1", false);
    check("do { p[i + p[0]] = 5 } for i in a.dimension1", false);                                                 /* of the number that p[0] then is */
    check("do { do { a[k][0] = a[k][0] + b[i][k] } for k in b.dimension2 } for i in a.dimension1", false);         /* all write the same */
    check("do { s = 0.0 do { s = s + a[k][0] } for k in a.dimension1 a[i][0] = s } for i in a.dimension1", false); /* reads what others write */
    check("do { t = a[i - 1][0] a[i][0] = t } for i in a.dimension1 and i > 3", false);
    check("do { a[i][0] = 1.0 a[i][1] = 2.0 } for i in a.dimension1 and a[0][0] > 0.0", false);                    /* a filter reads it */
    check("do { t = b[i][0] step(t) a[i][0] = t } for i in a.dimension1", false);                                  /* a call changes something */
    check("do { t = b[i][0] raise(t) a[i][0] = t } for i in a.dimension1", true);                                  /* which stands in its place */
}

/* Bounds keep what an iteration reads from being what another one writes. */
static void test_bounds(void) {
    check("do { t = a[3][0] a[i][0] = a[i][0] + t } for i in a.dimension1 and i > 3", true);
    check("do { t = a[3][0] a[i][0] = a[i][0] + t } for i in a.dimension1 and i < 3", true);
    check("do { t = a[3][0] a[i][0] = a[i][0] + t } for i in a.dimension1 and i >= 3", false);
    check("k = p[0] do { do { a[i][j] = a[i][j] + a[k - 1][j] } for j in a.dimension2.range } for i in a.dimension1 and i >= k", true);
    check("k = p[0] do { do { a[i][j] = a[i][j] + a[k][j] } for j in a.dimension2.range } for i in a.dimension1 and i >= k", false);
    check("k = p[0] do { t = a[k][0] k = k + 1 a[i][0] = t } for i in a.dimension1 and i > p[0]", false);                        /* of another row in the next iteration */
    check("do { k = 3 k = k + 1 t = a[k][0] a[i][0] = t } for i in a.dimension1 and i > 3", false);
    check("do { t = 0.0 do in sequence { t = t + a[k][0] } for k in [0...3] a[i][0] = t } for i in a.dimension1 and i > 3", false); /* nothing is said of k */
}

/* Filters that ask where an array ends read none of its elements; others may read what their own iteration writes. */
static void test_filters(void) {
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and a[i][1] > 0.0", true);
    check("do { a[i][0] = a[i][0] / 2.0 } for i in a.dimension1 and a[i][0] > 1.0", true);
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and i > 0 and a[i - 1][0] > 0.0", false);
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and i > 0 and a[i - 1][1] > 0.0", true); /* the other column */
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and i > 3 and a[3][0] > 0.0", true);
    check("do { t = b[i][0] p[i] = 1 a[i][0] = t } for i in a.dimension1 and a[p[i]][0] > 0.0", false);
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and i - 1 in a.local.dimension1.range", true);
    check("do { t = b[i][0] a[i][0] = t } for i in a.dimension1 and i + p[0] in a.dimension2.range", true);
    check("do { t = b[i][0] p[i] = i a[i][0] = t } for i in a.dimension1 and i + p[0] in a.dimension2.range", false);
}

/* A diagonal has an element in each row, and in each column. */
static void test_diagonals(void) {
    check("do { a[i][i] = b[i][0] c[i][i + 1] = 0.0 } for i in a.dimension1", true);
    check("do { t = b[i][0] a[i][i] = a[i][0] + a[0][i] * t } for i in a.dimension1", true);
    check("do { t = b[i][0] a[i][i] = a[i + 1][i + 1] * t } for i in a.dimension1", false);
    check("do { a[i][i + 1] = b[i][0] a[i + 1][i] = 0.0 } for i in a.dimension1", false); /* nobody compares both subscripts */
    check("do { t = b[i][0] a[i / 2][i % 2] = t } for i in a.dimension1", false);
}

/* What extern code touches is its author's business on cards; what stands beside it is looked at. */
static void test_foreign(void) {
    check_foreign("do { t = b[i][0] @Extern { @Language \"CUDA\" ${ t = t + 1; }$ } a[i][0] = t } for i in a.dimension1", true);
    check_foreign("do { a[i][0] = root(b[i][0]) } for i in a.dimension1", true);
    check_foreign("do { @Extern { @Language \"CUDA\" ${ a[i * a_ld1 - a_origin] = 1.0; }$ } } for i in a.dimension1", true);
    check_foreign("do { t = a[i - 1][0] @Extern { @Language \"CUDA\" ${ t = t + 1; }$ } a[i][0] = t } for i in a.dimension1 and i > 3", false);
    check_foreign("do { t = root(b[i][0]) step(t) a[i][0] = t } for i in a.dimension1", false);
    check_foreign("do { a[i][0] = root(b[i][0]) + stepped(b[0][0]) } for i in a.dimension1", false);
}

UNIT_MAIN("loops for threads", {"apart", test_apart}, {"not apart", test_together}, {"by bounds", test_bounds}, {"filters", test_filters}, {"diagonals", test_diagonals}, {"extern code", test_foreign})
