/* Whole programs against a direct computation in C, bit by bit. */
#include "tests/unit/interpret/harness.h"
#include "runtime/array/reduce.h"
#include <math.h>

static double pattern(int64_t i) { return (double)((i * 7919) % 1009) / 17.0 - 20.0; }

static void fill(double *data, int64_t count, int64_t seed) {
    for (int64_t i = 0; i < count; i++) data[i] = pattern(i + seed);
}

/* ---- Block matrix multiply with sub-partitions --------------------------------------- */

static const char MULTIPLY[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"Multiply\")\n"
    "  bind_input(e, \"a\", args.a)\n"
    "  bind_input(e, \"b\", args.b)\n"
    "  execute(task: \"Multiply\"; environment: e; partition: args.k, args.l, args.q)\n"
    "  bind_output(e, \"c\", args.c)\n"
    "}\n"
    "Task \"Multiply\":\n"
    "  Define:\n"
    "    a, b, c: 2d Array of Real double-precision\n"
    "  Environment:\n"
    "    a, b: link\n"
    "    c: create\n"
    "  Initialize:\n"
    "    c.dimension1 = a.dimension1\n"
    "    c.dimension2 = b.dimension2\n"
    "  Stages:\n"
    "    multiply(x, y, z) {\n"
    "      do { x[i][j] = x[i][j] + y[i][k] * z[k][j] } for i, j in x; k in y\n"
    "    }\n"
    "  Computation:\n"
    "    Space A { Repeat foreach sub-partition { multiply(c, a, b) } }\n"
    "  Partition (k, l, q):\n"
    "    Space A <2d> {\n"
    "      c: block_size(k, l)\n"
    "      a: block_size(k), replicated\n"
    "      b: replicated, block_size(l)\n"
    "      Sub-partition <1d> <unordered> { a<dim2>, b<dim1>: block_size(q) }\n"
    "    }\n";

static void check_multiply(int n, int m, int p, const char *k, const char *l, const char *q) {
    double a[400], b[400], c[400], expected[400];
    fill(a, n * m, 1);
    fill(b, m * p, 77);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) {
            double sum = 0;
            for (int t = 0; t < m; t++) sum = fma(a[i * m + t], b[t * p + j], sum);
            expected[i * p + j] = sum;
        }
    const char *fa = scratch("a.npy"), *fb = scratch("b.npy"), *fc = scratch("c.npy");
    save_array(fa, &hp5_float64, 2, (int64_t[]){n, m}, a);
    save_array(fb, &hp5_float64, 2, (int64_t[]){m, p}, b);
    Outcome o;
    if (!succeeds(MULTIPLY, ARGS(binding("a", fa), binding("b", fb), binding("c", fc), k, l, q), &o)) return;
    int64_t extents[2];
    fetch_array(fc, &hp5_float64, 2, extents, c);
    CU_ASSERT_EQUAL(extents[0], n);
    CU_ASSERT_EQUAL(extents[1], p);
    CU_ASSERT_EQUAL(memcmp(c, expected, sizeof(double) * (size_t)(n * p)), 0);
}

static void test_multiply(void) {
    check_multiply(7, 9, 5, "k=2", "l=3", "q=4");
    check_multiply(1, 1, 1, "k=2", "l=3", "q=4");
    check_multiply(16, 13, 8, "k=16", "l=1", "q=1");
}

/* ---- Two-level padded stencil with epochs ----------------------------------------------- */

static const char STENCIL[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"Stencil\")\n"
    "  bind_input(e, \"plate\", args.plate)\n"
    "  bind_output(e, \"plate\", args.result)\n"
    "  execute(task: \"Stencil\"; environment: e; initialize: args.rounds; partition: args.k, args.l, args.m, args.n, args.p1, args.p2)\n"
    "}\n"
    "Task \"Stencil\":\n"
    "  Define:\n"
    "    plate: 2d Array of Real double-precision\n"
    "    rounds: Integer\n"
    "  Environment:\n"
    "    plate: link\n"
    "  Initialize (rounds):\n"
    "  Stages:\n"
    "    refine(plate) {\n"
    "      rows = plate.local.dimension1.range\n"
    "      cols = plate.local.dimension2.range\n"
    "      do { plate[i][j] at (current) = 0.25 * (plate[i-1][j] + plate[i+1][j] + plate[i][j-1] + plate[i][j+1]) at (current - 1)\n"
    "      } for i, j in plate and (i > rows.min and i < rows.max) and (j > cols.min and j < cols.max)\n"
    "    }\n"
    "  Computation:\n"
    "    Repeat for c1 in [1...rounds] {\n"
    "      Space A {\n"
    "        Repeat for c2 in [1...partition.p1] step partition.p2 {\n"
    "          Space B {\n"
    "            Repeat for c3 in [1...partition.p2] { Epoch { refine(plate) } }\n"
    "          }\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  Partition (k, l, m, n, p1, p2):\n"
    "    Space A <2d> { plate: block_count(k, l) padding(p1) }\n"
    "    Space B <2d> divides Space A partitions { plate: block_count(m, n) padding(p2) }\n";

static void jacobi(double *plate, int rows, int cols, int steps) {
    double old[600];
    for (int s = 0; s < steps; s++) {
        memcpy(old, plate, sizeof(double) * (size_t)(rows * cols));
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < cols - 1; j++)
                plate[i * cols + j] = 0.25 * (old[(i - 1) * cols + j] + old[(i + 1) * cols + j] + old[i * cols + j - 1] + old[i * cols + j + 1]);
    }
}

static void check_stencil(int rows, int cols, int steps, const char *const *partition) {
    double plate[600], result[600];
    fill(plate, rows * cols, 3);
    const char *in = scratch("plate.npy"), *out = scratch("result.npy");
    save_array(in, &hp5_float64, 2, (int64_t[]){rows, cols}, plate);
    jacobi(plate, rows, cols, steps);
    const char *arguments[16] = {binding("plate", in), binding("result", out)};
    for (int i = 0; partition[i] != NULL; i++) arguments[i + 2] = partition[i];
    Outcome o;
    if (!succeeds(STENCIL, arguments, &o)) return;
    int64_t extents[2];
    fetch_array(out, &hp5_float64, 2, extents, result);
    CU_ASSERT_EQUAL(memcmp(plate, result, sizeof(double) * (size_t)(rows * cols)), 0);
}

static void test_stencil(void) {
    check_stencil(20, 17, 12, ARGS("rounds=3", "k=2", "l=2", "m=2", "n=3", "p1=4", "p2=2"));
    check_stencil(23, 9, 8, ARGS("rounds=8", "k=3", "l=1", "m=1", "n=2", "p1=1", "p2=1"));
    check_stencil(5, 5, 6, ARGS("rounds=1", "k=7", "l=2", "m=3", "n=1", "p1=6", "p2=3"));
    check_stencil(2, 2, 3, ARGS("rounds=1", "k=2", "l=2", "m=2", "n=2", "p1=3", "p2=1"));
}

/* Too little padding: LPUs work on copies and do not see each other until they leave. */
static const char COPIES[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"Copies\")\n"
    "  bind_input(e, \"x\", args.x)\n"
    "  bind_output(e, \"x\", args.y)\n"
    "  execute(task: \"Copies\"; environment: e; partition: args.s, args.p, args.n)\n"
    "}\n"
    "Task \"Copies\":\n"
    "  Define:\n"
    "    x: 1d Array of Real double-precision\n"
    "  Environment:\n"
    "    x: link\n"
    "  Stages:\n"
    "    blur(x) {\n"
    "      here = x.local.dimension1.range\n"
    "      do { x[i] at (current) = (x[i-1] + x[i+1]) at (current - 1) } for i in x and i > here.min and i < here.max\n"
    "    }\n"
    "  Computation:\n"
    "    Space A { Repeat for c in [1...partition.n] { Epoch { blur(x) } } }\n"
    "  Partition (s, p, n):\n"
    "    Space A <1d> { x: block_size(s) padding(p) }\n";

static void test_copies(void) {
    enum { N = 11, S = 4, P = 1, ROUNDS = 3 };
    double x[N], expected[N], found[N];
    fill(x, N, 9);
    for (int begin = 0; begin < N; begin += S) {
        int end = begin + S < N ? begin + S : N, lo = begin - P < 0 ? 0 : begin - P, hi = end + P > N ? N : end + P;
        double now[N], old[N];
        memcpy(now, x, sizeof now);
        for (int r = 0; r < ROUNDS; r++) {
            memcpy(old, now, sizeof old);
            for (int i = lo + 1; i < hi - 1; i++) now[i] = old[i - 1] + old[i + 1];
        }
        memcpy(expected + begin, now + begin, sizeof(double) * (size_t)(end - begin));
    }
    const char *in = scratch("x.npy"), *out = scratch("y.npy");
    save_array(in, &hp5_float64, 1, (int64_t[]){N}, x);
    Outcome o;
    if (!succeeds(COPIES, ARGS(binding("x", in), binding("y", out), "s=4", "p=1", "n=3"), &o)) return;
    int64_t extent;
    fetch_array(out, &hp5_float64, 1, &extent, found);
    CU_ASSERT_EQUAL(memcmp(expected, found, sizeof found), 0);
}

/* ---- Epochs with lag 2 --------------------------------------------------------------------- */

static const char LAG[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"Lag\")\n"
    "  bind_input(e, \"x\", args.x)\n"
    "  bind_output(e, \"x\", args.y)\n"
    "  execute(task: \"Lag\"; environment: e; partition: args.s, args.n)\n"
    "}\n"
    "Task \"Lag\":\n"
    "  Define:\n"
    "    x: 1d Array of Integer\n"
    "    t: Integer\n"
    "  Environment:\n"
    "    x: link\n"
    "  Stages:\n"
    "    next(x, t) {\n"
    "      do { x[i] = x[i] at (current - 1) + x[i] at (current - 2) + t } for i in x and i > 0\n"
    "    }\n"
    "  Computation:\n"
    "    Space A { Repeat for t in [1...partition.n] { Epoch { next(x, t) } } }\n"
    "  Partition (s, n):\n"
    "    Space A <1d> { x: block_size(s) }\n";

static void test_lag(void) {
    int64_t x[5] = {5, 1, 2, 3, 4}, found[5], extent;
    const char *in = scratch("lag.npy"), *out = scratch("lagged.npy");
    save_array(in, &hp5_int64, 1, (int64_t[]){5}, x);
    Outcome o;
    if (!succeeds(LAG, ARGS(binding("x", in), binding("y", out), "s=2", "n=6"), &o)) return;
    fetch_array(out, &hp5_int64, 1, &extent, found);
    CU_ASSERT_EQUAL(found[0], 5);
    for (int i = 1; i < 5; i++) {
        int64_t now = x[i], one = x[i], two = x[i];
        for (int64_t t = 1; t <= 6; t++) {
            now = one + two + t;
            two = one;
            one = now;
        }
        CU_ASSERT_EQUAL(found[i], now);
    }
}

/* ---- Reductions --------------------------------------------------------------------------------- */

static const char SUM[] =
    "Program (args) {\n"
    "  e = new TaskEnvironment(name: \"Sum\")\n"
    "  bind_input(e, \"x\", args.x)\n"
    "  execute(task: \"Sum\"; environment: e; partition: args.s)\n"
    "  print(e.total, e.where, e.low)\n"
    "}\n"
    "Task \"Sum\":\n"
    "  Define:\n"
    "    x: 1d Array of Real double-precision\n"
    "    total, low: Real double-precision Reduction\n"
    "    where: Integer Reduction\n"
    "  Environment:\n"
    "    x: link\n"
    "    total, where, low: create\n"
    "  Stages:\n"
    "    gather(total, where, low, x) {\n"
    "      do {\n"
    "        reduce(total, \"sum\", x[i] * x[i])\n"
    "        reduce(where, \"max_entry\", x[i])\n"
    "        reduce(low, \"min\", x[i])\n"
    "      } for i in x\n"
    "    }\n"
    "  Computation:\n"
    "    Space B { gather(Space A: total, Space A: where, Space A: low, x) }\n"
    "  Partition (s):\n"
    "    Space A <un-partitioned> { x }\n"
    "    Space B <1d> divides Space A partitions { x: block_size(s) }\n";

static void test_sum(void) {
    enum { N = 5000, S = 2300 };
    static double x[N];
    fill(x, N, 0);
    x[1234] = x[4000] = 1e6;
    Hp5Tree_sum_real all = {0};
    double low = INFINITY;
    for (int begin = 0; begin < N; begin += S) {
        int end = begin + S < N ? begin + S : N;
        Hp5Tree_sum_real tree = {0};
        for (int chunk = begin; chunk < end; chunk += HP5_CHUNK) {
            double lanes[HP5_LANES] = {0};
            for (int i = chunk; i < end && i < chunk + HP5_CHUNK; i++) lanes[(i - chunk) % HP5_LANES] += x[i] * x[i];
            hp5_tree_sum_real_add(&tree, hp5_lanes_sum_real(lanes));
        }
        hp5_tree_sum_real_add(&all, hp5_tree_sum_real_finish(&tree));
    }
    for (int i = 0; i < N; i++) low = x[i] < low ? x[i] : low;
    const char *in = scratch("sum.npy");
    save_array(in, &hp5_float64, 1, (int64_t[]){N}, x);
    Outcome o;
    if (!succeeds(SUM, ARGS(binding("x", in), "s=2300"), &o)) return;
    double total, smallest;
    long where;
    CU_ASSERT_EQUAL(sscanf(o.out, "%lf %ld %lf", &total, &where, &smallest), 3);
    CU_ASSERT_EQUAL(total, hp5_tree_sum_real_finish(&all));
    CU_ASSERT_EQUAL(where, 1234);
    CU_ASSERT_EQUAL(smallest, low);
}

UNIT_MAIN("interpret programs", {"matrix multiply", test_multiply}, {"padded stencil", test_stencil},
          {"own copies", test_copies}, {"lag 2", test_lag}, {"reductions", test_sum})
