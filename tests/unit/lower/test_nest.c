/* What lowering makes of data-parallel loops, as --dump=loops says it. */
#include "compiler/lower/verify_loops.h"
#include "tests/unit/check_text.h"
#include "tests/unit/emit/stage_fixture.h"
#include "tests/unit/lower/row_programs.h"

#include <stdio.h>

#define PROGRAM(stages, calls)                                                                           \
    "Task \"T\":\n"                                                                                      \
    "  Define: x, y, z: 2d Array of Real double-precision\n"                                             \
    "    total: Real double-precision Reduction\n"                                                       \
    "  Environment: x, y, z: link\n"                                                                     \
    "  Stages:\n" stages "\n"                                                                            \
    "  Computation: Space A { " calls " }\n"                                                             \
    "  Partition (p): Space A <1d> { x<dim1>, y<dim1>, z<dim1>: block_size(p) }\n"

static void check_dump(const char *program, Binding binding, const char *expected) {
    Fixture f;
    bool opened = fixture_open(&f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    lower_dump(f.lowered, &text);
    CHECK_TEXT(text.data, expected);
    text_free(&text);
    fixture_close(&f);
}

static const char MULTIPLY[] =
    PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + b[i][k] * c[k][j] } for i, j in a; k in b }", "work(x, y, z)");

static void test_multiply(void) {
    check_dump(MULTIPLY, (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered, the three innermost as one register-tiled product\n"
               "        for i in dimension 1 of a\n"
               "        for k in dimension 2 of b, ascending: the target accumulates over it\n"
               "        for j in dimension 2 of a, in vectors\n");
}

static void test_multiply_runs(void) {
    check_dump(MULTIPLY, (Binding){.runs = true},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered, the three innermost as one register-tiled product\n"
               "        for i in dimension 1 of a, run by run\n"
               "        for k in dimension 2 of b, run by run, ascending: the target accumulates over it\n"
               "        for j in dimension 2 of a, run by run, in vectors\n");
}

static void test_multiply_same_array(void) {
    check_dump(MULTIPLY, (Binding){.unrestricted = true},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        for k in dimension 2 of b, ascending: the target accumulates over it\n");
}

/* The other factor is turned, an index bounds another one, a factor is computed: still products. */
static void test_multiply_triangle(void) {
    check_dump(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + (b[i][k] - 1.0) * c[j][k] } for i, j in a and j <= i; k in b }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, the three innermost as one register-tiled product\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a, narrowed by 1 bound\n"
               "        for k in dimension 2 of b, ascending: the target accumulates over it, in vectors\n");
}

/* A bound that is no index plus or minus something, a factor that calls or divides Integers, one that has all three indices, one
 * subscript of two indices, a target that other iterations read. */
static void check_no_product(const char *loop) {
    char program[4000];
    snprintf(program, sizeof program, PROGRAM("work(a, b, c) { do { %s", "work(x, y, z)"), loop);
    Fixture f;
    Text text = {0};
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    lower_dump(f.lowered, &text);
    CU_ASSERT_PTR_NULL(strstr(text.data, "product"));
    text_free(&text);
    fixture_close(&f);
}

static void test_no_product(void) {
    check_no_product("a[i][j] = a[i][j] + b[i][k] * c[k][j] } for i, j in a; k in b.dimension2 and k <= i * 2 }");
    check_no_product("a[i][j] = a[i][j] + b[i][k] * c[k][j] } for i, j in a; k in b.dimension2 and k <= i + j }");
    check_no_product("a[i][j] = a[i][j] + (b[i][k] + k / i) * c[k][j] } for i, j in a; k in b.dimension2 }");
    check_no_product("a[i][j] = a[i][j] + (b[i][k] + j) * c[k][j] } for i, j in a; k in b.dimension2 }");
    check_no_product("a[i][j] = a[i][j] + b[i][k + i] * c[k][j] } for i, j in a; k in b.dimension2 }");
    check_no_product("a[i][j] = a[i][j] - b[i][k] * a[k][j] } for i, j in a; k in b.dimension2 and k < i }");
    check_no_product("a[i][j] = a[i][j] - (a[i][k] + 1.0) * c[k][j] } for i, j in a; k in b.dimension2 and k < j }");
}

static void test_multiply_in_place(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][j] = a[i][j] - b[i][k] * a[k][j] } for i, j in a and i > 5; k in [2...5] }", "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered, the three innermost as one register-tiled product\n"
               "        for i in dimension 1 of a, narrowed by 1 bound\n"
               "        for k in a range, ascending: the target accumulates over it\n"
               "        for j in dimension 2 of a, in vectors\n");
}

/* Row 6 is read and written: rows and k keep their order; columns do not touch each other. */
static void test_overlap_in_place(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][j] = a[i][j] - b[i][k] * a[k][j] } for i, j in a and i > 5; k in [2...6] }", "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a, narrowed by 1 bound\n"
               "        for j in dimension 2 of a\n"
               "        for k in a range, ascending: the target accumulates over it\n"
               "        neighbours in j side by side in vectors, through the loops inside\n");
}

static void test_elimination_in_place(void) {
    check_dump(PROGRAM("work(a, n) { do { a[i][j] = a[i][j] - a[i][n] * a[n][j] } for i, j in a and i > n and j < n - 1 }", "work(x, 3)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a, narrowed by 1 bound\n"
               "        for j in dimension 2 of a, narrowed by 1 bound, in vectors\n");
}

/* Columns before and behind n read what they do not write; others go in order. */
static void test_cut(void) {
    check_dump(PROGRAM("work(a, n) { do { a[i][j] = a[i][j] - a[i][n] * a[n][j] } for i, j in a }", "work(x, 3)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a, in vectors\n"
               "        cut where j has the value that others read\n");
}

static void check_not_cut(const char *program) {
    check_dump(program, (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n");
}

static void test_not_cut(void) {
    check_not_cut(PROGRAM("work(a, n) { do { a[i][j] = a[i][j] - a[i][n] * a[i][n + 2] } for i, j in a }", "work(x, 3)"));
    check_not_cut(PROGRAM("work(a, n) { do { a[i][j + 1] = a[i][j + 1] - a[i][n] } for i, j in a }", "work(x, 3)"));
    check_dump(PROGRAM("work(a) { do { a[i][j] = a[i][j] - a[i][i + j] } for i, j in a }", "work(x)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        in vectors where the elements of a that it comes to lie as far apart as it has rounds\n");
    check_not_cut(PROGRAM("work(a, n) { do { a[i][j] = a[i][n] - a[i][i + j] } for i, j in a }", "work(x, 3)"));
    check_not_cut(PROGRAM("work(a) { n = 3 do { a[i][j] = a[i][n] - 1.0 if (a[i][j] > 0) { n = j } } for i, j in a }", "work(x)"));
}

/* Windows that slide along rows of the target; their loops go innermost, and rows and columns of matrices are no windows. */
static void test_window(void) {
    check_dump(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + c[p][q] * b[i + p - 1][j + q] } for p in c.dimension1; i in a.dimension1; "
                       "q in c.dimension2; j in a.dimension2 }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered, neighbours of a row side by side in registers\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        for p in dimension 1 of c, ascending: the target accumulates over it\n"
               "        for q in dimension 2 of c, ascending: the target accumulates over it\n");
    check_dump(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + c[q][0] * b[i][q - j] } for i, j in a; q in c.dimension1 }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, 8 elements side by side in registers\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        for q in dimension 1 of c, ascending: the target accumulates over it\n");
    check_dump(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + c[q][0] * b[i + q][j] } for i, j in a; q in c.dimension1 and q <= j }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, neighbours of a row side by side in registers, where they have the same to add\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        for q in dimension 1 of c, narrowed by 1 bound, ascending: the target accumulates over it\n");
    check_dump(PROGRAM("work(a, b, c) { do { a[i][j] = a[i][j] + c[q][0] * b[i + q][j] } for i, j in a; p in b.dimension2; q in c.dimension1 and q <= j }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, its element kept in a register\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        for p in dimension 2 of b, ascending: the target accumulates over it\n"
               "        for q in dimension 1 of c, narrowed by 1 bound, ascending: the target accumulates over it\n");
}

/* A function that changes nothing leaves iterations independent. */
static void test_calls(void) {
#define FUNCTIONS "Function half(v) { return 0.5 * v }\nFunction raise(&v) { v = v + 1 return v }\n"
    check_dump(FUNCTIONS PROGRAM("work(a, b) { do { keep = half(b[i][j]) a[i][j] = keep * keep } for i, j in a }", "work(x, y)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 8\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a, in vectors\n");
    check_dump(FUNCTIONS PROGRAM("work(a, b) { do { keep = b[i][j] a[i][j] = raise(keep) + keep } for i, j in a }", "work(x, y)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 8\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n");
#undef FUNCTIONS
}

static void test_runs(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][j] = b[i][j] } for i, j in a and j > 2 and j < i and b[i][j] > 0.5 }", "work(x, y)"),
               (Binding){.runs = true},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a, run by run\n"
               "        for j in dimension 2 of a, narrowed by 2 bounds, 1 tested inside, run by run, in vectors\n");
}

static void test_interchange(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][j] = b[i][j] * 2.0 } for j in a.dimension2; i in a.dimension1 }", "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a, in vectors\n");
}

/* The target moves by one over i, what is loaded over j: stores count. */
static void test_transpose(void) {
    check_dump(PROGRAM("work(a, b) { do { a[j][i] = b[i][j] } for i, j in b }", "work(x, y)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, reordered\n"
               "        for j in dimension 2 of b\n"
               "        for i in dimension 1 of b, in vectors\n");
}

static void test_triangle_keeps_its_order(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][j] = b[i][j] * 2.0 } for j in a.dimension2; i in a.dimension1 and i > j }", "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for j in dimension 2 of a\n"
               "        for i in dimension 1 of a, narrowed by 1 bound, in vectors\n");
}

static void test_register(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][0] = a[i][0] + b[i][k] * b[0][k] } for i in a.dimension1; k in b.dimension2 }", "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, 8 elements side by side in registers\n"
               "        for i in dimension 1 of a\n"
               "        for k in dimension 2 of b, ascending: the target accumulates over it\n");
}

static void test_register_one_by_one(void) {
    check_dump(PROGRAM("work(a, b) { do { a[i][0] = a[i][0] + b[i][k] * b[0][k] } for i in a.dimension1; k in b.dimension2 and k < i }",
                       "work(x, y)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6, its element kept in a register\n"
               "        for i in dimension 1 of a\n"
               "        for k in dimension 2 of b, narrowed by 1 bound, ascending: the target accumulates over it\n");
}

static const char INNER[] = "    loop at line 6\n        for j in a range\n";

static void check_rows(const char *program, const char *handed) {
    char expected[400];
    snprintf(expected, sizeof expected,
             "task \"T\"\n  stage work in Space Root (work)\n    loop at line 6\n        for i in dimension 1 of y\n%s%s", handed, INNER);
    check_dump(program, (Binding){0}, expected);
}

static void test_handed_on(void) {
    check_rows(ROWS("first = 0 if (i > 0) { first = ends[i - 1] } total = 0.0 "
                    "do { total = total + x[j] * x[j] } for j in [first...ends[i] - 1] y[i] = total"),
               "        hands an element of ends to the next iteration, cut at the bound of an if\n");
    check_rows(ROWS("total = 0.0 do { total = total + x[j] * x[j] } for j in [ends[i - 1]...ends[i]] y[i] = total"),
               "        hands an element of ends to the next iteration\n");
}

/* The condition does not hold from a bound on; it needs a local; the branch is not the only place that may not read. */
static void test_not_handed_on(void) {
    check_rows(ROWS("first = 0 if (i != 5) { first = ends[i - 1] } total = 0.0 "
                    "do { total = total + x[j] * x[j] } for j in [first...ends[i] - 1] y[i] = total"), "");
    check_rows(ROWS("total = 0.0 do { total = total + x[j] * x[j] } for j in [ends[i - 2]...ends[i]] y[i] = total"), "");
    check_rows(ROWS("first = 0 if (i > ends[i]) { first = ends[i - 1] } total = 0.0 "
                    "do { total = total + x[j] * x[j] } for j in [first...ends[i] - 1] y[i] = total"), "");
    check_rows(ROWS("first = 0 if (i > 0) { first = ends[i - 1] } total = 0.0 "
                    "do { total = total + x[j] * x[j] } for j in [first...first + 99] "
                    "if (total > 1.0) { total = total + ends[i] } y[i] = total"), "");
}

/* Around a loop that C compilers write out; not where neighbours write far from each other, or what others read. */
static void test_written_out(void) {
    check_dump(ROWS("total = 0.0 do { total = total + x[i + j] * x[j] } for j in [0...3] y[i] = total"), (Binding){0},
               "task \"T\"\n  stage work in Space Root (work)\n    loop at line 6\n        for i in dimension 1 of y, in vectors\n    loop at line 6\n        for j in a range\n");
    check_rows(ROWS("total = 0.0 do { total = total + y[i + j] * x[j] } for j in [0...3] y[i] = total"), "");
    check_dump(PROGRAM("work(a, b) { do { t = 0.0 do { t = t + b[k][i] } for k in [0...3] a[i][0] = t } for i in a.dimension1 }", "work(x, y)"), (Binding){0},
               "task \"T\"\n  stage work in Space Root (work)\n    loop at line 6\n        for i in dimension 1 of a\n    loop at line 6\n        for k in a range\n");
}

/* Elements at places that Integers made of Reals say: not in vectors under a condition. */
static void test_places(void) {
    static const char head[] = "task \"T\"\n  stage work in Space Root (work)\n    loop at line 6\n        for i in dimension 1 of y%s\n";
    char vectors[200], alone[200], narrow[300];
    snprintf(vectors, sizeof vectors, head, ", in vectors");
    snprintf(alone, sizeof alone, head, "");
    snprintf(narrow, sizeof narrow, head, ", in vectors\n        block by block: 1 Integer made of Reals in 32 bits, and again in 64 where one does not fit");
    check_dump(ROWS("k = Integer(floor(2.5 * i - 7.0)) t = 0.0 if (k >= 0 and k < 9) { t = x[k] } y[i] = t"), (Binding){0}, alone);
    check_dump(ROWS("k = Integer(floor(2.5 * i - 7.0)) t = 0.0 if (k >= 0 and k < 9) { t = 2.0 * k } y[i] = t"), (Binding){0}, narrow);
    check_dump(ROWS("if (y[i] < 1.0) { y[i] = y[i] + x[Integer(9.0 * y[i])] }"), (Binding){0}, alone);
    check_dump(ROWS("k = 3 * i - 7 t = 0.0 if (k >= 0 and k < 9) { t = x[k] } y[i] = t"), (Binding){0}, vectors);
}

/* A local of the first loop's own; the second one hands it on, to what is behind. */
static void test_own_locals(void) {
    check_dump(PROGRAM("work(a, b, c) { do { way = b[i][0] - c[i][0] a[i][0] = way * way } for i in a.dimension1 way = b[0][0] "
                       "do { way = b[i][1] a[i][1] = way } for i in a.dimension1 a[0][0] = way }", "work(x, y, z)"),
               (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a, in vectors\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n");
}

static void test_reduction(void) {
    check_dump(PROGRAM("work(a, total) { do { reduce(total, \"sum\", a[i][j]) } for i, j in a }", "work(x, total)"), (Binding){0},
               "task \"T\"\n"
               "  stage work in Space Root (work)\n"
               "    loop at line 6\n"
               "        for i in dimension 1 of a\n"
               "        for j in dimension 2 of a\n"
               "        reduces to total: chunks of 1024 iterations, 32 lanes each\n");
}

/* A field belongs to its element: iterations that write fields of different elements are independent. */
static void test_fields(void) {
    check_dump("Type Point:\n  x, y: Real double-precision\n"
               "Task \"T\":\n"
               "  Define: p, q: 1d Array of Point\n"
               "  Environment: p, q: link\n"
               "  Stages:\n    pull(a, b) { do {\n"
               "      way = b[j].x - a[i].y\n"
               "      a[i].x = a[i].x + way\n"
               "    } for j in b; i in a }\n"
               "  Computation: Space A { pull(p, q) }\n"
               "  Partition (k): Space A <1d> { p: block_size(k)\n q: replicated }\n",
               (Binding){0},
               "task \"T\"\n"
               "  stage pull in Space Root (pull)\n"
               "    loop at line 7\n"
               "        for j in dimension 1 of b\n"
               "        for i in dimension 1 of a, in vectors\n"
               "        256 iterations of i through all of j, then the next\n");
}

/* ---- Loops in three pieces ------------------------------------------------------------------------------- */
/* So many comparisons of the innermost index are known between the edges. */
static void check_edges(const char *program, size_t expected) {
    Fixture f;
    const bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    const Nest *nest = f.stages.items[0]->code.nests.items[0];
    CU_ASSERT_EQUAL(nest->edges ? nest->edges->count : 0, expected);
    CU_ASSERT_PTR_NULL(lower_body_fault(&f.stages.items[0]->code));
    fixture_close(&f);
}

static void test_edges(void) {
    check_edges(LANES("work(y, x) { do { t = x[i] if (i > 0) { t = t + x[i - 1] } y[i] = t } for i in y }", "work(y, x)"), 1);
    check_edges(LANES("work(y, x, n) { do { t = x[i] if (not (i == 3 or 9 <= i) and t > i and i != n + 1) { t = 1.0 } y[i] = t } for i in y }", "work(y, x, 9)"), 3);
    check_edges(LANES("work(y, x) { do { t = x[i] if (i < y.dimension.range.max) { if (i > y.local.dimension.range.min) { t = x[i + 1] } } y[i] = t } for i in y }", "work(y, x)"), 2);
    check_edges(LANES("work(a, b) { do { t = b[i][j] if (i > 0 and j >= i) { t = 0.0 } a[i][j] = t } for i, j in a }", "work(a, b)"), 1);
    check_edges(LANES("work(y, x, n) { do { t = x[i] if (i + 1 < n) { t = x[i + 1] } if (0 <= i - 2) { t = t + x[i - 2] } y[i] = t } for i in y }", "work(y, x, 9)"), 2);
}

/* What changes in the loop, what is no Integer, iterations that depend on each other, tests inside, few rounds, one index beside the other. */
static void test_no_edges(void) {
    check_edges(LANES("work(y, x) { do { t = x[i] if (t > i) { t = i } y[i] = t } for i in y }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x) { do { m = i / 2 if (i > m + 9) { m = 0 } y[i] = m } for i in y }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x) { do { t = x[i] if (i > x[0]) { t = 1.0 } y[i] = t } for i in y }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x) { do { if (i > 0) { y[i] = y[i - 1] + x[i] } } for i in y }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x) { do { if (i > 0) { y[i] = x[i] } } for i in y and i % 3 == 0 }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x) { do { if (i > 0) { y[i] = x[i] } } for i in [3...9] }", "work(y, x)"), 0);
    check_edges(LANES("work(y, x, n) { do { t = 0.5 if (i + 1 < n) { t = 1.0 } y[i - n] = t } for i in [n...n * n] }", "work(y, x, 9)"), 0);
    check_edges(LANES("work(y, x, n) { do { t = 0.5 if (i + 9000000000 < n) { t = 1.0 } y[i] = t } for i in y }", "work(y, x, 9)"), 0);
    check_edges(LANES("work(y, x, n) { do { t = 0.5 if (2 - i < n) { t = 1.0 } y[i] = t } for i in y }", "work(y, x, 9)"), 0);
    check_edges(LANES("work(a, b) { do { t = b[i][j] if (i + j > 3) { t = 0.0 } a[i][j] = t } for i, j in a }", "work(a, b)"), 0);
}

UNIT_MAIN("nest", {"multiply", test_multiply}, {"multiply, several runs", test_multiply_runs},
          {"multiply, arrays may be the same", test_multiply_same_array},
          {"multiply in place", test_multiply_in_place}, {"multiply triangle", test_multiply_triangle}, {"no product", test_no_product},
          {"overlap in place", test_overlap_in_place},
          {"elimination in place", test_elimination_in_place}, {"cut", test_cut}, {"not cut", test_not_cut}, {"window", test_window}, {"calls", test_calls}, {"several runs", test_runs}, {"interchange", test_interchange}, {"transpose", test_transpose}, {"triangle", test_triangle_keeps_its_order},
          {"register", test_register}, {"register, one element at a time", test_register_one_by_one}, {"reduction", test_reduction}, {"own locals", test_own_locals}, {"handed on", test_handed_on}, {"not handed on", test_not_handed_on}, {"written out", test_written_out}, {"places", test_places},
          {"fields", test_fields}, {"edges", test_edges}, {"no edges", test_no_edges})
