/* LPSes: partition functions, LPU ids, sub-partitions and LPSes that divide them, If and Repeat by
 * LPU, scalars and reductions at several levels, user types, functions. Each program prints
 * or writes what each LPU did. */
#include "tests/unit/interpret/harness.h"

/* A task over `x` (created, `n` Integers) whose stages and flow are given; writes x to args.y. */
#define TASK(DEFINE, STAGES, FLOW, PARTITION)                                                      \
    "Program (args) {\n"                                                                           \
    "  e = new TaskEnvironment(name: \"T\")\n"                                                     \
    "  execute(task: \"T\"; environment: e; initialize: args.n; partition: args.k, args.l)\n"      \
    "  bind_output(e, \"x\", args.y)\n"                                                            \
    "}\n"                                                                                          \
    "Task \"T\":\n"                                                                                \
    "  Define:\n"                                                                                  \
    "    x: 1d Array of Integer\n" DEFINE                                                          \
    "  Environment:\n"                                                                             \
    "    x: create\n"                                                                              \
    "  Initialize (n):\n"                                                                          \
    "    x.dimension1.range.min = 0\n"                                                             \
    "    x.dimension1.range.max = n - 1\n"                                                         \
    "  Stages:\n" STAGES                                                                           \
    "  Computation:\n" FLOW                                                                        \
    "  Partition (k, l):\n" PARTITION

static void check_x(const char *text, const char *n, const char *k, const char *l, int count, const int64_t *expected) {
    int64_t found[64] = {0}, extent;
    const char *path = scratch("x.npy");
    Outcome o;
    if (!succeeds(text, ARGS(binding("y", path), n, k, l), &o)) return;
    fetch_array(path, &hp5_int64, 1, &extent, found);
    CU_ASSERT_EQUAL(extent, count);
    for (int i = 0; i < count; i++) {
        if (found[i] != expected[i]) printf("\nx[%d] is %ld, expected %ld\n", i, (long)found[i], (long)expected[i]);
        CU_ASSERT_EQUAL(found[i], expected[i]);
    }
}

static const char OWN_SIZE[] =
    TASK("", "    own(x) { do { x[i] = x[i] + lpuId[0] + 1 } for i in x }\n", "    Space A { own(x) }\n",
         "    Space A <1d> { x: block_size(k) }\n");
static const char OWN_COUNT[] =
    TASK("", "    own(x) { do { x[i] = x[i] + lpuId[0] + 1 } for i in x }\n", "    Space A { own(x) }\n",
         "    Space A <1d> { x: block_count(k) }\n");
static const char OWN_STRIDE[] =
    TASK("", "    own(x) { do { x[i] = x[i] + lpuId[0] + 1 } for i in x }\n", "    Space A { own(x) }\n",
         "    Space A <1d> { x: stride(k) }\n");
static const char OWN_BLOCK_STRIDE[] =
    TASK("", "    own(x) { do { x[i] = x[i] + lpuId[0] + 1 } for i in x.local.dimension1.range }\n", "    Space A { own(x) }\n",
         "    Space A <1d> { x: block_stride(k, l) }\n");

static void test_functions(void) {
    check_x(OWN_SIZE, "n=10", "k=4", "l=1", 10, (int64_t[]){1, 1, 1, 1, 2, 2, 2, 2, 3, 3});
    check_x(OWN_COUNT, "n=10", "k=4", "l=1", 10, (int64_t[]){1, 1, 1, 2, 2, 2, 3, 3, 4, 4});
    check_x(OWN_STRIDE, "n=7", "k=3", "l=1", 7, (int64_t[]){1, 2, 3, 1, 2, 3, 1});
    check_x(OWN_BLOCK_STRIDE, "n=11", "k=2", "l=3", 11, (int64_t[]){1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3});
}

/* Space B divides a strided part: its blocks are runs of positions in it. */
static const char NESTED[] =
    TASK("", "    own(x) { do { x[i] = 10 * lpuId[0] + i } for i in x and i > 1 }\n", "    Space A { Space B { own(x) } }\n",
         "    Space A <1d> { x: stride(k) }\n"
         "    Space B <1d> divides Space A partitions { x: block_size(l) }\n");

static void test_nested(void) {
    check_x(NESTED, "n=9", "k=2", "l=2", 9, (int64_t[]){0, 0, 2, 3, 14, 15, 16, 17, 28});
}

/* Padding of a part of a strided part: the neighbouring positions, which B's LPUs see as they were when they entered. */
static const char STRIDED_PADDING[] =
    TASK("", "    fill(x) { do { x[i] = i } for i in x }\n"
         "    pull(x) { do { if (i > 1) { x[i] = x[i - 2] + 100 } } for i in x and i - 2 in x.local.dimension1.range }\n",
         "    Space A { fill(x) Space B { pull(x) } }\n",
         "    Space A <1d> { x: stride(k) }\n"
         "    Space B <1d> divides Space A partitions { x: block_size(l) padding(1) }\n");

static void test_strided_padding(void) {
    /* evens 0 2 4 6 8 10 in blocks of 2 with one more on each side; a block's first element starts a chain */
    check_x(STRIDED_PADDING, "n=11", "k=2", "l=2", 11, (int64_t[]){0, 1, 100, 101, 102, 103, 202, 203, 106, 107, 206});
}

/* Sub-parts in descending order: each adds the running number of its visit. */
static const char ORDERED[] =
    TASK("    visits: Integer\n",
         "    count(visits) { visits = visits + 1 }\n"
         "    note(x, visits) { do { x[i] = visits } for i in x }\n",
         "    Space A { Repeat foreach sub-partition { count(visits) note(x, visits) } }\n",
         "    Space A <1d> {\n"
         "      x: block_size(k)\n"
         "      Sub-partition <1d> <ordered> { x: block_size(l) descends }\n"
         "    }\n");

static void test_sub_partition(void) {
    check_x(ORDERED, "n=8", "k=5", "l=2", 8, (int64_t[]){3, 3, 2, 2, 1, 2, 2, 1});
}

/* Space B divides the sub-partitions of A; B's LPUs count within their sub-part. */
static const char DIVIDED[] =
    TASK("", "    own(x) { do { x[i] = 10 * lpuId[0] + x[i] + 1 } for i in x }\n",
         "    Space A { Repeat foreach sub-partition { Space B { own(x) } } }\n",
         "    Space A <1d> {\n"
         "      x: block_size(k)\n"
         "      Sub-partition <1d> <unordered> { x: block_size(4) }\n"
         "    }\n"
         "    Space B <1d> divides Space A sub-partitions { x: block_size(l) }\n");

static void test_divided(void) {
    check_x(DIVIDED, "n=10", "k=6", "l=2", 10, (int64_t[]){1, 1, 11, 11, 1, 1, 1, 1, 11, 11});
}

/* Each LPU decides for itself, and repeats as often as its own counter says. */
static const char BY_LPU[] =
    TASK("    left: Integer\n",
         "    start(left) { left = lpuId[0] }\n"
         "    count_down(x, left) { do { x[i] = x[i] + 1 } for i in x  left = left - 1 }\n"
         "    mark(x) { do { x[i] = x[i] + 100 } for i in x }\n",
         "    Space A {\n"
         "      start(left)\n"
         "      Repeat while left > 0 { count_down(x, left) }\n"
         "      Where lpuId[0] % 2 == 1 { mark(x) }\n"
         "      If partition.l in x.local.dimension1.range { mark(x) }\n"
         "    }\n",
         "    Space A <1d> { x: block_size(k) }\n");

static void test_by_lpu(void) {
    check_x(BY_LPU, "n=7", "k=2", "l=4", 7, (int64_t[]){0, 0, 101, 101, 102, 102, 103});
}

/* A reduction to the middle level, used there, and one from there to the top. */
static const char LEVELS[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"T\")\n"
    "  execute(task: \"T\"; environment: e; initialize: 12; partition: 6, 2)\n"
    "  print(e.all, e.best)\n"
    "}\n"
    "Task \"T\":\n"
    "  Define:\n"
    "    x: 1d Array of Integer\n"
    "    part, all, best: Integer Reduction\n"
    "  Environment:\n"
    "    all, best: create\n"
    "  Initialize (n):\n"
    "    x.dimension1.range = [0...n - 1]\n"
    "  Stages:\n"
    "    fill(x) { do { x[i] = i } for i in x }\n"
    "    sum(part, x) { do { reduce(part, \"sum\", x[i]) } for i in x }\n"
    "    scale(x, part) { do { x[i] = x[i] * part } for i in x }\n"
    "    top(all, best, x) { do { reduce(all, \"sum\", x[i]) reduce(best, \"max\", x[i]) } for i in x }\n"
    "  Computation:\n"
    "    Space A {\n"
    "      Space B { fill(x) sum(Space A: part, x) }\n"
    "      scale(x, part)\n"
    "      top(Space Root: all, Space Root: best, x)\n"
    "    }\n"
    "  Partition (k, l):\n"
    "    Space A <1d> { x: block_size(k) }\n"
    "    Space B <1d> divides Space A partitions { x: block_size(l) }\n";

static void test_levels(void) {
    /* 0..5 sum to 15, 6..11 to 51 */
    prints(LEVELS, NULL, "2826 561\n");
}

static const char TYPES[] =
    "Type Point:\n"
    "  x, y: Integer\n"
    "Type Box:\n"
    "  corner: Array[2] of Point\n"
    "  weight: Real single-precision\n"
    "Function area(box) {\n"
    "  return (box.corner[1].x - box.corner[0].x) * (box.corner[1].y - box.corner[0].y)\n"
    "}\n"
    "Function grow(&box, by) {\n"
    "  box.corner[1].x = box.corner[1].x + by\n"
    "  by = 100\n"
    "}\n"
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"T\")\n"
    "  execute(task: \"T\"; environment: e; partition: 2)\n"
    "  print(e.total, e.heavy)\n"
    "}\n"
    "Task \"T\":\n"
    "  Define:\n"
    "    boxes: 1d Array of Box\n"
    "    total: Integer Reduction\n"
    "    heavy: Real single-precision Reduction\n"
    "  Environment:\n"
    "    total, heavy: create\n"
    "  Initialize:\n"
    "    boxes.dimension1.range = [1...5]\n"
    "  Stages:\n"
    "    fill(boxes) {\n"
    "      do {\n"
    "        box = boxes[i]\n"
    "        box.corner[1].x = i\n"
    "        box.corner[1].y = 2 * i\n"
    "        box.weight = 0.1 * i\n"
    "        boxes[i] = box\n"
    "        grow(boxes[i], 1)\n"
    "      } for i in boxes\n"
    "    }\n"
    "    sum(total, heavy, boxes) {\n"
    "      do { reduce(total, \"sum\", area(boxes[i])) reduce(heavy, \"max\", boxes[i].weight) } for i in boxes\n"
    "    }\n"
    "  Computation:\n"
    "    Space A { fill(boxes) sum(Space Root: total, Space Root: heavy, boxes) }\n"
    "  Partition (k):\n"
    "    Space A <1d> { boxes: block_count(k) }\n";

static void test_types(void) {
    /* (i + 1) * 2i for i in 1..5 */
    prints(TYPES, NULL, "140 0.5\n");
}

static const char COORDINATOR[] =
    "Function factorial(n) {\n"
    "  result = 1\n"
    "  do in sequence { result = result * i } for i in [2...n]\n"
    "  return result\n"
    "}\n"
    "Program (args) {\n"
    "  a = new TaskEnvironment(name: \"Step\")\n"
    "  a.s = 5\n"
    "  execute(task: \"Step\"; environment: a)\n"
    "  b = new TaskEnvironment(name: \"Step\")\n"
    "  b.s = a.s\n"
    "  execute(task: \"Step\"; environment: b)\n"
    "  print(a.s, b.s, b.made)\n"
    "  total = 0\n"
    "  do in sequence { total = total + i } for i in [1...9] step 4\n"
    "  do in sequence { total = total * 10 + i } for i in [1...3] step -1\n"
    "  print(total, factorial(10), 7 / -2, 7 % -2, 2 ** 10, 0.1 + 0.2, true, \"text\")\n"
    "  if (total > 3 and args.flag) { print(\"flag\") } else { print(\"no flag\") }\n"
    "}\n"
    "Task \"Step\":\n"
    "  Define:\n"
    "    s, made: Integer\n"
    "  Environment:\n"
    "    s: link\n"
    "    made: create\n"
    "  Stages:\n"
    "    add(s, made) { s = s + 1  made = s * 2 }\n"
    "  Computation:\n"
    "    Space A { add(s, made) }\n"
    "  Partition:\n"
    "    Space A <un-partitioned> { }\n";

static void test_coordinator(void) {
    prints(COORDINATOR, ARGS("flag=true"), "6 7 14\n15321 3628800 -3 1 1024 0.30000000000000004 true text\nflag\n");
}

UNIT_MAIN("interpret spaces", {"partition functions", test_functions}, {"parts of parts", test_nested},
          {"padding of strided parts", test_strided_padding},
          {"ordered sub-partition", test_sub_partition}, {"LPS dividing sub-partitions", test_divided},
          {"decisions by LPU", test_by_lpu}, {"reductions by level", test_levels}, {"types and functions", test_types},
          {"coordinator", test_coordinator})
