/* The rules of language.md 3.2 and 3.3, one by one, where an implementation easily goes wrong. */
#include "tests/unit/interpret/harness.h"
#include "runtime/array/reduce.h"
#include <math.h>

#define PROGRAM(EXECUTE, DEFINE, ENVIRONMENT, INITIALIZE, STAGES, FLOW, PARTITION)                 \
    "Program (args) {\n"                                                                           \
    "  e = new TaskEnvironment(name: \"T\")\n" EXECUTE "}\n"                                       \
    "Task \"T\":\n"                                                                                \
    "  Define:\n" DEFINE "  Environment:\n" ENVIRONMENT "  Initialize" INITIALIZE "  Stages:\n" STAGES \
    "  Computation:\n" FLOW "  Partition" PARTITION

static int64_t integers[4096];

static void expect_integers(const char *text, const char *const *arguments, const char *path, int rank, int count,
                            const int64_t *expected) {
    Outcome o;
    int64_t extents[2];
    if (!succeeds(text, arguments, &o)) return;
    fetch_array(path, &hp5_int64, rank, extents, integers);
    for (int i = 0; i < count; i++) {
        if (integers[i] != expected[i]) printf("\n[%d] is %ld, expected %ld\n", i, (long)integers[i], (long)expected[i]);
        CU_ASSERT_EQUAL(integers[i], expected[i]);
    }
}

/* Padding in one dimension, replication in the other: the LPU that wrote wins over those that did not. */
static void test_replicated_padding(void) {
    static const char text[] =
        PROGRAM("  execute(task: \"T\"; environment: e)\n  bind_output(e, \"x\", args.y)\n",
                "    x, w: 1d Array of Integer\n", "    x: create\n", ":\n      x.dimension1.range = [0...5]\n      w.dimension1.range = [0...1]\n",
                "    f(x) { if (lpuId[1] == lpuId[0]) { do { x[i] = 10 * lpuId[0] + i } for i in x and i >= 2 * lpuId[0] and i <= 2 * lpuId[0] + 1 } }\n",
                "    Space A { f(x) }\n",
                ":\n    Space A <2d> { x: block_size(2) padding(1), replicated  w: replicated, block_size(1) }\n");
    const char *path = scratch("r.npy");
    expect_integers(text, ARGS(binding("y", path)), path, 1, 6, (int64_t[]){0, 1, 12, 13, 0, 0});
}

/* Two LPUs hold the same elements in place: an epoch advances each once. */
static void test_epoch_once(void) {
    static const char text[] =
        PROGRAM("  execute(task: \"T\"; environment: e)\n  bind_output(e, \"x\", args.y)\n",
                "    x, w: 1d Array of Integer\n", "    x: create\n", ":\n      x.dimension1.range = [0...2]\n      w.dimension1.range = [0...1]\n",
                "    f(x) { if (lpuId[0] == 1) { do { x[i] = x[i] at (current - 2) + 100 + x[i] at (current - 1) } for i in x } }\n",
                "    Space A { Repeat for t in [1...3] { Epoch { f(x) } } }\n",
                ":\n    Space A <1d> { x: replicated  w: block_size(1) }\n");
    const char *path = scratch("o.npy");
    expect_integers(text, ARGS(binding("y", path)), path, 1, 3, (int64_t[]){400, 400, 400});
}

static void test_epoch_scalar(void) {
    static const char text[] =
        PROGRAM("  execute(task: \"T\"; environment: e)\n  print(e.s)\n",
                "    s: Integer\n", "    s: create\n", ":\n",
                "    f(s) { s = s at (current - 1) + s at (current - 2) + 1 }\n",
                "    Space A { Repeat for t in [1...5] { Epoch { f(s) } } }\n", ":\n    Space A <un-partitioned> { }\n");
    /* 1, 2, 4, 7, 12 */
    prints(text, NULL, "12\n");
}

/* Bounds narrow, filters do not renumber, the diagonal is what is in both dimensions. */
static void test_loops(void) {
    static const char text[] =
        PROGRAM("  execute(task: \"T\"; environment: e)\n  bind_output(e, \"m\", args.y)\n",
                "    m: 2d Array of Integer\n", "    m: create\n", ":\n      m.dimension1.range = [0...3]\n      m.dimension2.range = [0...4]\n",
                "    f(m) {\n"
                "      do { m[i][i] = 1 } for i in m\n"
                "      do { m[i][j] = 2 } for i, j in m and i > j and i + j < 5 and j % 2 == 0\n"
                "      do { m[0][j] = m[0][j] + j } for j in m.dimension2 and j >= 3\n"
                "      m[3][...] = m[0][...]\n"
                "    }\n",
                "    Space A { f(m) }\n", ":\n    Space A <un-partitioned> { m }\n");
    const char *path = scratch("m.npy");
    expect_integers(text, ARGS(binding("y", path)), path, 2, 20,
                    (int64_t[]){1, 0, 0, 3, 4, 2, 1, 0, 0, 0, 2, 0, 1, 0, 0, 1, 0, 0, 3, 4});
}

/* Compressed rows: the inner loop runs over a few of many columns. */
static void test_sparse(void) {
    static const char text[] =
        PROGRAM("  bind_input(e, \"rows\", args.rows)\n  bind_input(e, \"cols\", args.cols)\n  execute(task: \"T\"; environment: e; partition: args.r)\n"
                "  bind_output(e, \"w\", args.y)\n",
                "    rows, cols, w: 1d Array of Integer\n", "    rows, cols: link\n    w: create\n", ":\n      w.dimension = rows.dimension\n",
                "    f(w, rows, cols) {\n"
                "      start = rows.local.dimension1.range.min\n"
                "      if (start == 0) { start = -1 }\n"
                "      do {\n"
                "        if (i > 0) { first = rows[i - 1] + 1 } else { first = 0 }\n"
                "        last = rows[i]\n"
                "        do { w[i] = w[i] + cols[j] } for j in cols and j >= first and j <= last\n"
                "      } for i in rows and i > start\n"
                "    }\n",
                "    Space A { f(w, rows, cols) }\n",
                " (r):\n    Space A <1d> { cols: replicated  rows: block_size(r) padding(1, 0)  w: block_size(r) }\n");
    const char *rows = scratch("rows.npy"), *cols = scratch("cols.npy"), *path = scratch("w.npy");
    save_array(rows, &hp5_int64, 1, (int64_t[]){4}, (int64_t[]){1, 2, 2, 5});
    save_array(cols, &hp5_int64, 1, (int64_t[]){6}, (int64_t[]){1, 2, 4, 8, 16, 32});
    expect_integers(text, ARGS(binding("rows", rows), binding("cols", cols), binding("y", path), "r=3"), path, 1, 4,
                    (int64_t[]){3, 4, 0, 56});
}

/* Single precision stays single; products accumulate with one rounding. */
static void test_single(void) {
    static const char text[] =
        PROGRAM("  bind_input(e, \"x\", args.x)\n  execute(task: \"T\"; environment: e)\n  print(e.s)\n",
                "    x: 1d Array of Real single-precision\n    s: Real single-precision\n", "    x: link\n    s: create\n", ":\n",
                "    f(x, s) { do in sequence { s = s + x[i] * x[i]  s = s - 0.1 * x[i] } for i in x.dimension1.range }\n",
                "    Space A { f(x, s) }\n", ":\n    Space A <un-partitioned> { x }\n");
    float x[7] = {0.1f, 1.7f, -3.3f, 1e-3f, 12.625f, 7.1f, -0.7f}, s = 0;
    for (int i = 0; i < 7; i++) {
        s = fmaf(x[i], x[i], s);
        s = fmaf(-0.1f, x[i], s);
    }
    const char *in = scratch("single.npy");
    save_array(in, &hp5_float32, 1, (int64_t[]){7}, x);
    Outcome o;
    if (!succeeds(text, ARGS(binding("x", in)), &o)) return;
    CU_ASSERT_EQUAL(strtof(o.out, NULL), s);
}

/* Runs of an inner index, a filter that skips but counts, LPUs without work; the target that nobody
 * takes part in keeps its value. */
static void test_reductions(void) {
    static const char text[] =
        PROGRAM("  bind_input(e, \"x\", args.x)\n  execute(task: \"T\"; environment: e)\n  print(e.s, e.p, e.all, e.any, e.kept, e.empty, e.first)\n",
                "    x: 2d Array of Real double-precision\n    s, p: Real double-precision Reduction\n    all, any: Boolean Reduction\n"
                "    kept, empty, first: Integer Reduction\n",
                "    x: link\n    s, p, all, any, kept, empty, first: create\n", ":\n      kept = 77\n",
                "    f(s, p, all, any, x) {\n"
                "      do { reduce(s, \"sum\", x[i][j]) } for i, j in x and j != 3 and j > 0\n"
                "      do { reduce(p, \"product\", x[i][0])  reduce(all, \"land\", x[i][0] > 0)  reduce(any, \"lor\", x[i][0] > 30) } for i in x.dimension1\n"
                "    }\n"
                "    g(kept) { do { reduce(kept, \"sum\", i) } for i in [1...3] }\n"
                "    h(empty, first, x) { do { reduce(empty, \"sum\", i)  reduce(first, \"min_entry\", i) } for i in x.dimension1 and i > 100 }\n",
                "    Space A {\n      f(Space Root: s, Space Root: p, Space Root: all, Space Root: any, x)\n"
                "      If lpuId[0] > 50 { g(Space Root: kept) }\n      h(Space Root: empty, Space Root: first, x)\n    }\n",
                ":\n    Space A <1d> { x<dim1>: block_size(2) }\n");
    enum { ROWS = 3, COLS = 2100 };
    static double x[ROWS][COLS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) x[i][j] = 1.0 / (1 + i + 3 * j);
    Hp5Tree_sum_real all = {0};
    for (int lpu = 0; lpu < ROWS; lpu += 2) {
        Hp5Tree_sum_real tree = {0};
        for (int i = lpu; i < lpu + 2 && i < ROWS; i++)
            for (int chunk = 1; chunk < COLS; chunk += HP5_CHUNK) {
                double lanes[HP5_LANES] = {0};
                for (int j = chunk; j < COLS && j < chunk + HP5_CHUNK; j++)
                    if (j != 3) lanes[(j - chunk) % HP5_LANES] += x[i][j];
                hp5_tree_sum_real_add(&tree, hp5_lanes_sum_real(lanes));
            }
        hp5_tree_sum_real_add(&all, hp5_tree_sum_real_finish(&tree));
    }
    const char *in = scratch("red.npy");
    save_array(in, &hp5_float64, 2, (int64_t[]){ROWS, COLS}, x);
    Outcome o;
    if (!succeeds(text, ARGS(binding("x", in)), &o)) return;
    char *rest;
    CU_ASSERT_EQUAL(strtod(o.out, &rest), hp5_tree_sum_real_finish(&all));
    CU_ASSERT_EQUAL(strtod(rest, &rest), 1.0 * 0.5 * (1.0 / 3));
    CU_ASSERT_STRING_EQUAL(rest, " true false 77 0 -1\n");
}

/* create makes a new item each time, so an alias keeps the old one; link works on the item itself. */
static void test_items(void) {
    static const char text[] =
        "Program (args) {\n"
        "  m = new TaskEnvironment(name: \"Make\")\n"
        "  execute(task: \"Make\"; environment: m; initialize: 3)\n"
        "  a = new TaskEnvironment(name: \"Add\")\n"
        "  a.x = m.x\n"
        "  execute(task: \"Make\"; environment: m; initialize: 4)\n"
        "  execute(task: \"Add\"; environment: a)\n"
        "  execute(task: \"Add\"; environment: a)\n"
        "  print(a.sum, a.count)\n"
        "  a.x = m.x\n"
        "  a.count = 10\n"
        "  execute(task: \"Add\"; environment: a)\n"
        "  print(a.sum, a.count)\n"
        "  b = new TaskEnvironment(name: \"Add\")\n"
        "  b.x = a.x\n"
        "  execute(task: \"Add\"; environment: b)\n"
        "  execute(task: \"Add\"; environment: a)\n"
        "  print(a.sum, a.count, b.count)\n"
        "  loaded = load_array(args.file)\n"
        "  b.x = loaded\n"
        "  execute(task: \"Add\"; environment: b)\n"
        "  print(b.sum, b.count)\n"
        "  store_array(loaded, args.copy)\n"
        "}\n"
        "Task \"Make\":\n"
        "  Define:\n    x: 1d Array of Integer\n"
        "  Environment:\n    x: create\n"
        "  Initialize (n):\n    x.dimension1.range = [0...n - 1]\n"
        "  Stages:\n    f(x) { do { x[i] = i + 1 } for i in x }\n"
        "  Computation:\n    Space A { f(x) }\n"
        "  Partition:\n    Space A <un-partitioned> { x }\n"
        "Task \"Add\":\n"
        "  Define:\n    x: 1d Array of Integer\n    sum: Integer Reduction\n    count: Integer\n"
        "  Environment:\n    x: link\n    sum: create\n    count: link_or_create\n"
        "  Stages:\n"
        "    f(x, count) { do { x[i] = x[i] + 1 } for i in x  count = count + 1 }\n"
        "    g(sum, x) { do { reduce(sum, \"sum\", x[i]) } for i in x }\n"
        "  Computation:\n    Space A { f(x, count) g(sum, x) }\n"
        "  Partition:\n    Space A <un-partitioned> { x }\n";
    const char *file = scratch("stored.npy"), *copy = scratch("copy.npy");
    save_array(file, &hp5_int64, 1, (int64_t[]){2}, (int64_t[]){40, 50});
    /* 1+2+3 twice raised by 3; 1..4 raised by 4, then twice more through two environments */
    prints(text, ARGS(binding("file", file), binding("copy", copy)), "12 2\n14 11\n22 12 1\n92 2\n");
    int64_t extent, stored[2];
    fetch_array(copy, &hp5_int64, 1, &extent, stored);
    CU_ASSERT_EQUAL(stored[0], 41);
    CU_ASSERT_EQUAL(stored[1], 51);
}

static void test_sequences(void) {
    static const char text[] =
        "Program (args) {\n"
        "  e = new TaskEnvironment(name: \"T\")\n"
        "  execute(task: \"T\"; environment: e)\n"
        "  print(e.up, e.down)\n"
        "  n = 0\n"
        "  do { n = n + 3 } while n < 10\n"
        "  l = new List of Integer\n"
        "  l[0] = n\n"
        "  l[1] = l[0] + 1\n"
        "  r = [2...5]\n"
        "  print(n, l[1], r, r.length, 3 in r, 6 in r, 'c', 1.5e300 * 1e10, 5 & 3, 5 | 3, 5 ^ 3, 1 << 4, -17 >> 2, not true)\n"
        "  print(abs(-3), abs(-2.5), fmax(1.0, 2.0), 2.0 ** -2, 2.0 ** 0.5, -7 % 3)\n"
        "}\n"
        "Task \"T\":\n"
        "  Define:\n    up, down: Integer\n"
        "  Environment:\n    up, down: create\n"
        "  Stages:\n    f(s, t) { s = s * 10 + t }\n"
        "  Computation:\n"
        "    Space A {\n"
        "      Repeat for t in [1...6] step 2 { f(up, t) }\n"
        "      Repeat for t in [1...6] step -2 { f(down, t) }\n"
        "    }\n"
        "  Partition:\n    Space A <un-partitioned> { }\n";
    prints(text, NULL,
           "135 642\n12 13 [2...5] 4 true false c inf 1 7 6 16 -5 false\n3 2.5 2.0 0.25 1.4142135623730951 -1\n");
}

UNIT_MAIN("interpret rules", {"replication with padding", test_replicated_padding}, {"epochs advance once", test_epoch_once},
          {"versions of scalars", test_epoch_scalar}, {"loops", test_loops}, {"compressed rows", test_sparse},
          {"single precision", test_single}, {"reductions", test_reductions}, {"data items", test_items},
          {"sequences and operators", test_sequences})
