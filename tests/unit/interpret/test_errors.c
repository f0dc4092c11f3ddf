/* Run-time errors: the whole message, verbatim, with the source line. */
#include "tests/unit/interpret/harness.h"

/* Program whose task T has x (1d Integers, n of them), y (2d) and scalars; lines are counted below. */
#define TASK(STAGES, FLOW, PARTITION)                                                              \
    "Program (args) {\n"                                       /* 1 */                             \
    "  e = new TaskEnvironment(name: \"T\")\n"                                                     \
    "  execute(task: \"T\"; environment: e; initialize: 10; partition: args.k, args.l)\n" /* 3 */  \
    "}\n"                                                                                          \
    "Task \"T\":\n"                                            /* 5 */                             \
    "  Define:\n"                                                                                  \
    "    x: 1d Array of Integer\n"                                                                 \
    "    z: 1d Array of Integer single-precision\n"                                                \
    "    s: Integer\n"                                                                             \
    "    r: Real double-precision\n"                           /* 10 */                            \
    "  Initialize (n):\n"                                                                          \
    "    x.dimension1.range = [0...n - 1]\n"                                                       \
    "    z.dimension1.range = [0...n]\n"                                                           \
    "    r = 1.0e30\n"                                                                             \
    "  Stages:\n"                                              /* 15 */                            \
    STAGES                                                     /* 16 */                            \
    "  Computation:\n" FLOW                                                                        \
    "  Partition (k, l):\n" PARTITION

#define BLOCKS "    Space A <1d> { x: block_size(k) }\n"
#define RUN(STAGE) TASK("    f(x, z, s) { " STAGE " }\n", "    Space A { f(x, z, s) }\n", BLOCKS)
#define KL ARGS("k=4", "l=2")

static void test_index(void) {
    fails(RUN("do { x[i + 1] = i } for i in x"), KL,
          "program.hp5:16: run-time error: x[4] lies outside the part of LPU (0) of Space A in dimension 1, which is "
          "[0...3], in stage 'f'");
    fails(RUN("do { x[i] = x[i - 1] } for i in x"), KL,
          "program.hp5:16: run-time error: x[-1] lies outside the array in dimension 1, which is [0...9], in stage 'f'");
    fails(TASK("    f(v) { do { v[i] = v[i - 2] } for i in v and i > 1 }\n", "    Space A { f(x) }\n",
               "    Space A <1d> { x: stride(k) }\n"), ARGS("k=3", "l=1"),
          "program.hp5:16: run-time error: x[1] (here 'v') lies outside the part of LPU (0) of Space A in dimension 1, "
          "which is 4 indices of [0...9], in stage 'f'");
}

static void test_arithmetic(void) {
    fails(RUN("do { x[i] = 10 / (i - 2) } for i in x"), KL, "program.hp5:16: run-time error: Integer division by zero");
    fails(RUN("do { x[i] = 10 % (i - 2) } for i in x"), KL,
          "program.hp5:16: run-time error: Integer division by zero (remainder)");
    fails(RUN("do { x[i] = 9223372036854775807 + i } for i in x"), KL,
          "program.hp5:16: run-time error: Integer overflow: 9223372036854775807 + 1");
    fails(RUN("do { x[i] = r } for i in x"), KL,
          "program.hp5:16: run-time error: 1e+30 does not fit an Integer");
    fails(RUN("do in sequence { s = i } for i in [1...3] step s"), ARGS("k=10", "l=1"),
          "program.hp5:16: run-time error: the step of a loop over [1...3] is 0");
}

static void test_narrow(void) {
    fails(TASK("    f(z) { do { z[i] = i * 1073741824 } for i in z }\n", "    Space A { f(z) }\n",
               "    Space A <1d> { z: block_size(k) }\n"), KL,
          "program.hp5:16: run-time error: Integer overflow: 2147483648 does not fit an Integer single-precision");
}

static void test_overlap(void) {
    fails(TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
               "    Space A <2d> { x: block_size(k), replicated  z: replicated, block_size(l) }\n"), KL,
          "program.hp5:16: run-time error: two LPUs write x[0] in one execution of stage 'f': LPU (0, 0) of Space A and "
          "LPU (0, 1) of Space A");
}

static void test_partition(void) {
    fails(RUN("do { x[i] = i } for i in x"), ARGS("k=0", "l=1"),
          "program.hp5:20: run-time error: Space A: the argument k = 0 of block_size for 'x' must be at least 1");
    fails(TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
               "    Space A <1d> { x: block_size(k)  z: block_size(l) }\n"), KL,
          "program.hp5:20: run-time error: Space A: its variables give different numbers of parts in dimension 1: 'x' 3 "
          "(block_size(k = 4) of dimension 1, extent 10), 'z' 6 (block_size(l = 2) of dimension 1, extent 11)");
    fails(TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
               "    Space A <1d> { x: block_size(k) padding(l) }\n"), ARGS("k=4", "l=-1"),
          "program.hp5:20: run-time error: Space A: the padding l = -1 of 'x' must not be negative");
}

static void test_environment(void) {
    static const char text[] = "Program (args) {\n"
                               "  e = new TaskEnvironment(name: \"T\")\n"
                               "  if (args.give) { bind_input(e, \"x\", \"none.npy\") }\n"
                               "  execute(task: \"T\"; environment: e; partition: 2)\n"
                               "}\n"
                               "Task \"T\":\n"
                               "  Define:\n"
                               "    x: 1d Array of Integer\n"
                               "  Environment:\n"
                               "    x: link\n"
                               "  Stages:\n"
                               "    f(x) { do { x[i] = i } for i in x }\n"
                               "  Computation:\n"
                               "    Space A { f(x) }\n"
                               "  Partition (k):\n"
                               "    Space A <1d> { x: block_size(k) }\n";
    fails(text, ARGS("give=false"),
          "program.hp5:4: run-time error: task 'T' links 'x', but its environment has no data for it; use bind_input or "
          "assign it before execute");
}

static void test_extern(void) {
    static const char text[] = "Function f(a) {\n"
                               "  b = 0\n"
                               "  @Extern { @Language \"C\" ${ b = a; }$ }\n"
                               "  return b\n"
                               "}\n"
                               "Program (args) { print(f(1)) }\n";
    fails(text, NULL,
          "program.hp5: line 3: function 'f' contains extern code, which the interpreter cannot run; compile the program "
          "with hp5c instead");
}

UNIT_MAIN("interpret errors", {"index", test_index}, {"arithmetic", test_arithmetic}, {"narrow Integers", test_narrow}, {"overlapping writes", test_overlap},
          {"partition arguments", test_partition}, {"environment", test_environment}, {"extern code", test_extern})
