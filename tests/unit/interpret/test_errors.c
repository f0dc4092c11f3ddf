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
          "program.hp5:16: run-time error: f: index 4 of dimension 1 of x is outside this LPU's part, which is 0 to 3");
    fails(RUN("do { x[i] = x[i - 1] } for i in x"), KL,
          "program.hp5:16: run-time error: f: index -1 of dimension 1 of x is outside this LPU's part, which is 0 to 3");
    fails(TASK("    f(v) { do { v[i] = v[i - 2] } for i in v and i > 1 }\n", "    Space A { f(x) }\n",
               "    Space A <1d> { x: stride(k) }\n"), ARGS("k=3", "l=1"),
          "program.hp5:16: run-time error: f: index 1 of dimension 1 of v is outside this LPU's part, which is 1 index out "
          "of every 3 from 0 to 9");
    fails(TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { If x[9] > 0 { f(x) } }\n", BLOCKS), KL,
          "program.hp5:18: run-time error: index 9 of x lies outside the LPU's part in dimension 1");
    fails(RUN("v = new Array[3] of Integer  do { v[i] = i  x[i] = v[i] } for i in x"), KL,
          "program.hp5:16: run-time error: index 3 lies outside the static array, whose indices are [0...2]");
    fails(RUN("do { x[i] = lpuId[i] } for i in x"), KL,
          "program.hp5:16: run-time error: lpuId[1]: the Space has 1 dimension, so the index must be from 0 to 0");
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
          "program.hp5:16: run-time error: the step of a loop is 0");
}

static void test_narrow(void) {
    fails(TASK("    f(z) { do { z[i] = i * 1073741824 } for i in z }\n", "    Space A { f(z) }\n",
               "    Space A <1d> { z: block_size(k) }\n"), KL,
          "program.hp5:16: run-time error: Integer overflow: 2147483648 does not fit an Integer single-precision");
}

static void test_overlap(void) {
    fails(TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
               "    Space A <2d> { x: block_size(k), replicated  z: replicated, block_size(l) }\n"), KL,
          "program.hp5:16: run-time error: f: LPUs 0 and 1 both write x[0] in one execution of the stage; each element must "
          "be written by one LPU");
}

static void test_partition(void) {
    fails_with(2, RUN("do { x[i] = i } for i in x"), ARGS("k=0", "l=1"),
               "program.hp5: task T, Space A: the partition argument k of block_size(k) for x is 0; it must be at least 1");
    fails_with(2, TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
                       "    Space A <1d> { x: block_size(k)  z: block_size(l) }\n"), KL,
               "program.hp5: task T, Space A: all variables must have the same number of parts in dimension 1 of the Space, "
               "but x (dimension 1: 10 indices, block_size(k) with k = 4) has 3 parts and z (dimension 1: 11 indices, "
               "block_size(l) with l = 2) has 6 parts");
    fails_with(2, TASK("    f(x) { do { x[i] = 1 } for i in x }\n", "    Space A { f(x) }\n",
                       "    Space A <1d> { x: block_size(k) padding(l) }\n"), ARGS("k=4", "l=-1"),
               "program.hp5: task T, Space A: the padding l of block_size(k) padding(l) for x is -1; it must not be negative");
}

/* Bounds that Initialize sets from arguments. */
static void test_bounds(void) {
    static const char text[] = "Program (args) {\n"
                               "  e = new TaskEnvironment(name: \"T\")\n"
                               "  execute(task: \"T\"; environment: e; initialize: args.n)\n"
                               "}\n"
                               "Task \"T\":\n"
                               "  Define:\n"
                               "    x: 1d Array of Integer\n"
                               "  Initialize (n):\n"
                               "    x.dimension1.range = [5...n]\n"
                               "  Stages:\n"
                               "    f(x) { do { x[i] = i } for i in x }\n"
                               "  Computation:\n"
                               "    Space A { f(x) }\n"
                               "  Partition:\n"
                               "    Space A <un-partitioned> { x }\n";
    fails(text, ARGS("n=4"), "program.hp5: array x is empty in dimension 1: Initialize gave it the bounds [5...4]");
}

/* Two outputs of one name; an output that nothing makes. */
static void test_outputs(void) {
    static const char text[] = "Program (args) {\n"
                               "  e = new TaskEnvironment(name: \"T\")\n"
                               "  bind_output(e, \"x\", args.a)\n"
                               "  if (args.twice) { bind_output(e, \"y\", args.b) }\n"
                               "  if (args.run) { execute(task: \"T\"; environment: e) }\n"
                               "}\n"
                               "Task \"T\":\n"
                               "  Define:\n"
                               "    x, y: 1d Array of Integer\n"
                               "  Environment:\n"
                               "    x, y: create\n"
                               "  Initialize:\n"
                               "    x.dimension1.range = [0...4]\n"
                               "    y.dimension1.range = [0...4]\n"
                               "  Stages:\n"
                               "    f(x, y) { do { x[i] = i  y[i] = i } for i in x }\n"
                               "  Computation:\n"
                               "    Space A { f(x, y) }\n"
                               "  Partition:\n"
                               "    Space A <un-partitioned> { x, y }\n";
    fails_with(2, text, ARGS("a=z.npy", "b=z.npy", "twice=true", "run=true"),
               "program.hp5: a and b would both be written to 'z.npy'\n"
               "  (hp5c --interpret program.hp5 -- --help lists the arguments)");
    fails(text, ARGS("a=z.npy", "b=y.npy", "twice=false", "run=false"),
          "program.hp5: output x was bound to \"z.npy\", but no task has made it");
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
          "program.hp5: task \"T\" links x, but its environment does not hold it: bind an input to it or share it from "
          "another environment");
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
          {"partition arguments", test_partition}, {"bounds", test_bounds}, {"outputs", test_outputs}, {"environment", test_environment}, {"extern code", test_extern})
