/* What the planner foresees that a stage touches: one region for each way in which it names an array. `work` is called in Space B,
 * a child of the un-partitioned Space A; a is two-dimensional, in blocks of rows; b, c, d and x are vectors in blocks, c of Integers, d with the bounds of b. */
#include "compiler/check/check.h"
#include "compiler/plan/footprint.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char PROGRAM[] = "Task \"T\":\n"
                              "Define:\n a: 2d Array of Real double-precision\n b, d, x: 1d Array of Real double-precision\n"
                              " c: 1d Array of Integer\n k, n: Integer\n r: Range\n"
                              "Environment:\n a, b, c, x: link\n"
                              "Initialize:\n d.dimension = b.dimension\n"
                              "Stages:\n work(a, b, c, d, x, k, n, r) { %s }\n"
                              "Computation:\n Space A { Space B { work(a, b, c, d, x, k, n, r) } }\n"
                              "Partition (p):\n Space A <un-partitioned> { a, b, c, d, x }\n"
                              " Space B <1d> divides Space A partitions { a<dim1>, b, c, d, x: block_size(p) }\n";

/* The regions of the stage, writes first, in the order in which the body names them. */
static void regions_of(const char *body, Text *out) {
    Arena *arena = arena_new();
    const char *text = arena_printf(arena, PROGRAM, body);
    Source *source = source_from_text(arena, "t.hp5", text, strlen(text));
    Diags *diags = diags_new(arena, source);
    const Ast *ast = syntax_parse(arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(arena, ast, diags) : NULL;
    if (program == NULL) {
        diags_to_text(diags, out, (DiagStyle){0});
    } else {
        const Step *call = program->tasks.items[0]->flow.items[0]->body.items[0]->body.items[0];
        RegionVec regions = footprint_of_call(arena, call);
        for (int write = 1; write >= 0; write--)
            for (size_t i = 0; i < regions.count; i++) {
                if (regions.items[i]->write != write) continue;
                text_append(out, out->length > 0 ? ", " : "");
                region_print(regions.items[i], regions.items[i]->var->name, out);
                if (write) text_append(out, regions.items[i]->overwritten ? " overwritten" : " written");
            }
    }
    arena_free(arena);
}

static void expect(const char *body, const char *regions) {
    Text text = {0};
    regions_of(body, &text);
    const char *found = text.data == NULL ? "" : text.data;
    CU_ASSERT_STRING_EQUAL(found, regions);
    if (strcmp(found, regions) != 0) fprintf(stderr, "%s\n  expected %s\n  found    %s\n", body, regions, found);
    text_free(&text);
}

static void test_loops_over_parts(void) {
    expect("do { b[i] = x[i] } for i in b", "b[part] overwritten, x[part]");
    expect("do { b[i] = b[i] + a[i][j] } for i, j in a", "b[part] written, b[part], a[part][part]");
    expect("do { b[i] = x[i - 1] + x[i + 1] } for i in b", "b[part] overwritten, x[part]");
}

static void test_points(void) {
    expect("b[0] = x[k]", "b[0] written, x[k]");
    expect("do { b[j] = a[k][j] } for j in a.dimension2", "b[part] written, a[k][part]");
    expect("do { a[k + 1][j] = a[n - k][j] } for j in a.dimension2", "a[(k + 1)][part] written, a[(n - k)][part]");
    expect("m = b.local.dimension1.range.min b[m] = 1.0", "b[first] written");
}

/* A scalar that the stage changes names another element each time. */
static void test_points_that_change(void) {
    expect("k = k + 1 b[k] = x[n]", "b[part] written, x[n]");
    expect("m = 0 m = m + 1 b[m] = 1.0", "b[part] written");
    expect("m = k b[m] = 1.0 m = n b[m] = 2.0", "b[part] written");
    expect("do in sequence { b[s] = x[k] } for s in c.dimension1.range", "b[part] written, x[k]");
    expect("b[k / n] = 1.0", "b[part] written"); /* dividing where the stage may not have come so far could end the program */
    expect("b[k / 2] = 1.0", "b[(k / 2)] written");
}

static void test_spans(void) {
    expect("do { b[i] = 1.0 } for i in b and i > k", "b[(k + 1)...part] written");
    expect("do { b[i] = 1.0 } for i in b and i >= r.min and i <= r.max", "b[r.min...r.max] written");
    expect("do { b[i] = x[i + 1] } for i in [k...n]", "b[k...n] written, x[(k + 1)...(n + 1)]");
    expect("do { b[i] = x[i - 2] } for i in b and i > k", "b[(k + 1)...part] written, x[(k - 1)...part]");
    expect("do in sequence { b[s] = 1.0 } for s in [0...k]", "b[0...k] written");
    expect("do in sequence { b[s] = 1.0 } for s in [k...c[0]]", "b[k...part] written, c[0]");
}

static void test_indirect(void) {
    expect("do { b[i] = x[c[i]] } for i in b", "b[part] overwritten, x[c[part]], c[part]");
    expect("b[0] = x[c[k]]", "b[0] written, x[c[k]], c[k]");
    expect("do { b[i] = x[c[i] - 1] + x[c[i] + 3 - 1] } for i in b", "b[part] overwritten, x[c[part] - 1], c[part], x[c[part] + 2]");
    expect("do { m = c[i] + 1 b[i] = x[m + 1] } for i in b", "b[part] overwritten, c[part], x[c[part] + 2]");
    expect("do { m = c[i] b[i] = x[m] } for i in b", "b[part] overwritten, c[part], x[c[part]]");
    expect("do { c[i] = 0 b[i] = x[c[i]] } for i in b", "c[part] written, b[part] overwritten, x[part], c[part]");
}

static void test_what_cannot_be_told(void) {
    expect("do { b[i * 2] = 1.0 } for i in b", "b[part] written");
    expect("do { b[i] = x[i % 3] } for i in b", "b[part] overwritten, x[part]");
    expect("b[0] = 1.0 b[1] = 1.0 b[2] = 1.0 b[3] = 1.0 b[4] = 1.0 b[5] = 1.0 b[6] = 1.0 b[7] = 1.0 b[8] = 1.0", "b[part] written");
}

/* Each element of the part, whatever happens, and before any is read. */
static void test_overwritten(void) {
    expect("do { b[i] = x[i] } for i in b", "b[part] overwritten, x[part]");
    expect("do { a[i][j] = 1.0 } for i, j in a", "a[part][part] overwritten");
    expect("do { m = c[i] b[i] = 1.0 } for i in b do { b[i] = b[i] * 2.0 } for i in b", "b[part] overwritten, c[part], b[part]");
    expect("b[k] = 1.0 do { b[i] = 1.0 } for i in b", "b[part] overwritten");
}

/* By loops over what each LPU has the same indices of, parallel or not. */
static void test_overwritten_by_other_loops(void) {
    expect("do { d[i] = 1.0 } for i in b", "d[part] overwritten");
    expect("do { b[i] = x[i] } for i in d", "b[part] overwritten, x[part]");
    expect("do in sequence { d[s] = 1.0 } for s in b.local.dimension1.range", "d[part] overwritten");
    expect("do in sequence { d[s] = 1.0 } for s in d.local.dimension1.range step -1", "d[part] overwritten");
    expect("do in sequence { a[s][k] = 1.0 } for s in a.local.dimension1.range step -1", "a[part][k] written");
    expect("do { do in sequence { a[i][s] = 1.0 } for s in a.dimension2.range } for i in a.dimension1", "a[part][part] overwritten");
    expect("do in sequence { do { a[s][j] = 1.0 } for j in a.dimension2 } for s in a.local.dimension1.range", "a[part][part] overwritten");
    expect("do in sequence { d[s] = 1.0 } for s in b.local.dimension1.range step 2", "d[part] written");
    expect("do in sequence { d[s] = 1.0 } for s in x.local.dimension1.range", "d[part] written");
    expect("do { do in sequence { a[i][s] = 1.0 } for s in a.dimension1.range } for i in a.dimension2", "a[part][part] written");
}

/* Behind a loop inside, what has the indices of the loops around it. */
static void test_read_where_it_is_overwritten(void) {
    expect("do { b[i] = 1.0 x[i] = b[i] } for i in b", "b[part] overwritten, x[part] written, b[part]");
    expect("do { do { a[i][j] = 1.0 } for j in a.dimension2 do { b[i] = b[i] + a[i][j] + a[i][k] } for j in a.dimension2 } for i in a.dimension1",
           "a[part][part] overwritten, b[part] written, b[part], a[part][part]");
    expect("do { do { a[i][j] = 1.0 } for i in a.dimension1 b[k] = a[k][j] } for j in a.dimension2", "a[part][part] overwritten, b[k] written, a[k][part]");
    expect("do { do { a[i][j] = 1.0 } for i in a.dimension1 b[k] = a[j][k] } for j in a.dimension2", "a[part][part] written, b[k] written, a[part][k]");
    expect("do { do { a[i][j] = a[i][k] } for i in a.dimension1 } for j in a.dimension2", "a[part][part] written, a[part][k]");
    expect("do { do { a[i][j] = 1.0 } for i in a.dimension1 a[k][j] = a[k][j] + 1.0 a[k][n] = a[k][n] + 1.0 } for j in a.dimension2",
           "a[part][part] written, a[k][part], a[k][n]");
    expect("do in sequence { d[s] = 1.0 } for s in d.local.dimension1.range b[k] = d[n]", "d[part] overwritten, b[k] written, d[n]");
    expect("do in sequence { do { d[i] = 1.0 } for i in d } for s in [0...c[0]] b[k] = d[n]", "d[part] written, b[k] written, c[0], d[n]");
    expect("do { d[i] = 1.0 } for i in d and i > c[0] do { c[i] = 1 } for i in c", "d[part] written, c[part] written, c[0]");
    expect("do { do { a[i][j] = 1.0 } for j in a.dimension2 and j <= a[i][k] } for i in a.dimension1", "a[part][part] written, a[part][k]");
    expect("do in sequence { do { a[i][s] = 1.0 } for i in a.dimension1 if (k > s) { return } } for s in a.dimension2.range", "a[part][part] written");
}

/* An end by one statement, the rest by a loop, which may read what it has written. */
static void test_overwritten_beside_an_end(void) {
    expect("own = b.local.dimension1.range b[own.min] = 1.0 do { b[i] = 2.0 } for i in b and i > own.min", "b[part] overwritten");
    expect("own = b.local.dimension1.range do { b[i] = 2.0 } for i in b and i > own.min and i < own.max b[own.max] = 1.0 b[own.min] = 1.0", "b[part] overwritten");
    expect("own = d.local.dimension1.range b[own.min] = 1.0 do in sequence { b[s] = b[s - 1] } for s in [own.min + 1...own.max]",
           "b[part] overwritten, b[d.local.dimension1.range.min...(d.local.dimension1.range.max - 1)]");
    expect("m = a.dimension2.range.max do { a[i][m] = 1.0 } for i in a.dimension1 "
           "do in sequence { do { a[i][s] = a[i][s + 1] } for i in a.dimension1 } for s in [a.dimension2.range.min...m - 1] step -1",
           "a[part][part] overwritten, a[part][(a.dimension2.range.min + 1)...a.dimension2.range.max]");
    expect("r2 = a.dimension2.range do { a[i][r2.min] = 1.0 do in sequence { a[i][s] = a[i][s - 1] } for s in [r2.min + 1...r2.max] } for i in a.dimension1 x[k] = a[k][n]",
           "a[part][part] overwritten, x[k] written, a[part][a.dimension2.range.min...(a.dimension2.range.max - 1)], a[k][n]");
}

static void test_not_overwritten_beside_an_end(void) {
    expect("own = b.local.dimension1.range b[own.min] = 1.0 do { b[i] = 2.0 } for i in b and i > own.min + 1",
           "b[first] written, b[((b.local.dimension1.range.min + 1) + 1)...part] written");
    expect("own = b.local.dimension1.range b[own.max] = 1.0 do { b[i] = 2.0 } for i in b and i > own.min", "b[last] written, b[first + 1...part] written");
    expect("own = b.local.dimension1.range if (k > 0) { b[own.min] = 1.0 } do { b[i] = 2.0 } for i in b and i > own.min", "b[first] written, b[first + 1...part] written");
    expect("own = x.local.dimension1.range b[own.min] = 1.0 do { b[i] = 2.0 } for i in b and i > own.min",
           "b[x.local.dimension1.range.min] written, b[(x.local.dimension1.range.min + 1)...part] written");
    expect("own = b.local.dimension1.range do { b[own.min] = 1.0 } for i in x do { b[i] = 2.0 } for i in b and i > own.min", "b[first] written, b[first + 1...part] written");
    expect("b[0] = 1.0 do in sequence { b[s] = 2.0 } for s in [1...b.dimension1.range.max]", "b[0] written, b[1...b.dimension1.range.max] written");
    /* against its way, in front of the end, of another row */
    expect("own = b.local.dimension1.range b[own.min] = 1.0 do in sequence { b[s] = b[s - 1] } for s in [own.min + 1...own.max] step -1",
           "b[first] written, b[first + 1...last] written, b[first...last - 1]");
    expect("own = b.local.dimension1.range b[own.min] = 1.0 b[own.max] = 1.0 do in sequence { b[s] = b[s + 1] } for s in [own.min + 1...own.max - 1]",
           "b[first] written, b[last] written, b[first + 1...last - 1] written, b[first + 2...last]");
    expect("own = b.local.dimension1.range do in sequence { b[s] = b[s - 1] } for s in [own.min + 1...own.max] b[own.min] = 1.0",
           "b[first + 1...last] written, b[first] written, b[first...last - 1]");
    expect("own = b.local.dimension1.range b[own.min] = 1.0 do { b[i] = b[i - 1] } for i in b and i > own.min",
           "b[first] written, b[first + 1...part] written, b[first...part]");
    expect("r2 = a.dimension2.range do { a[i][r2.min] = 1.0 do in sequence { a[i][s] = a[k][s - 1] } for s in [r2.min + 1...r2.max] } for i in a.dimension1",
           "a[part][a.dimension2.range.min] written, a[part][(a.dimension2.range.min + 1)...a.dimension2.range.max] written, a[k][a.dimension2.range.min...(a.dimension2.range.max - 1)]");
    expect("r2 = a.dimension2.range do { a[i][r2.min] = 1.0 x[i] = a[i][k] do in sequence { a[i][s] = 1.0 } for s in [r2.min + 1...r2.max] } for i in a.dimension1",
           "a[part][a.dimension2.range.min] written, x[part] written, a[part][(a.dimension2.range.min + 1)...a.dimension2.range.max] written, a[part][k]");
}

static void test_not_overwritten(void) {
    expect("do { b[i] = b[i] + 1.0 } for i in b", "b[part] written, b[part]");
    expect("do { b[i] = 1.0 x[i] = b[k] } for i in b", "b[part] written, x[part] written, b[k]");
    expect("x[k] = b[k] do { b[i] = 1.0 } for i in b", "x[k] written, b[part] written, b[k]");
    expect("do { b[i] = 1.0 } for i in x", "b[part] written");
    expect("do { a[i][i] = 1.0 } for i in a.dimension1", "a[part][part] written");
    expect("do { a[j][i] = 1.0 } for i, j in a", "a[part][part] written");
    expect("do { b[i] = 1.0 } for i in b and c[i] > 0", "b[part] written, c[part]");
    expect("do { do { b[i] = 1.0 } for i in b } for j in x", "b[part] written");
    expect("if (k > 0) { do { b[i] = 1.0 } for i in b }", "b[part] written");
    expect("do { if (c[i] > 0) { b[i] = 1.0 } } for i in b", "b[part] written, c[part]");
    expect("do in sequence { do { b[i] = 1.0 } for i in b } for s in c.dimension1.range", "b[part] written");
}

UNIT_MAIN("footprint", {"loops over parts", test_loops_over_parts}, {"points", test_points},
          {"points that change", test_points_that_change}, {"spans", test_spans}, {"indirect", test_indirect},
          {"what cannot be told", test_what_cannot_be_told},
          {"overwritten", test_overwritten}, {"overwritten by other loops", test_overwritten_by_other_loops},
          {"read where it is overwritten", test_read_where_it_is_overwritten}, {"overwritten beside an end", test_overwritten_beside_an_end},
          {"not overwritten beside an end", test_not_overwritten_beside_an_end}, {"not overwritten", test_not_overwritten})
