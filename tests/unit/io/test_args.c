/* Arguments: every spelling, every mistake with its full message, and the help. */
#include "runtime/io/args.h"
#include "runtime/report/error.h"
#include "runtime/report/memory.h"
#include <inttypes.h>
#include <math.h>
#include "tests/unit/child.h"
#include "tests/unit/unit.h"

enum { A, C, K, TOLERANCE, FAST, LABEL, COUNT };
static const Hp5ArgSpec specs[COUNT] = {
    [A] = {"a", HP5_ARG_INPUT, "input file of plate: 2d Array of Real double-precision"},
    [C] = {"c", HP5_ARG_OUTPUT, "output file of plate: 2d Array of Real double-precision"},
    [K] = {"block_size", HP5_ARG_INTEGER, "partition argument k of \"Heat\""},
    [TOLERANCE] = {"tolerance", HP5_ARG_REAL, "value of tolerance"},
    [FAST] = {"fast", HP5_ARG_BOOLEAN, "value of fast, a condition whose explanation is so long that it does not fit beside the name on one line of the help"},
    [LABEL] = {"label", HP5_ARG_STRING, "text"},
};
static const Hp5Program program = {"heat", "five-point stencil", "heat.hp5", specs, COUNT};

static void parse(void *words) {
    char **argv = words; /* never written through */
    int argc = 0;
    while (argv[argc]) argc++;
    Hp5ArgValue v[COUNT];
    Hp5Options o;
    hp5_args_parse(&program, argc, argv, v, &o);
    printf("%s %s %" PRId64 " %g %d '%s' | %d %s %" PRId64, v[A].string, v[C].string, v[K].integer, v[TOLERANCE].real,
           v[FAST].boolean, v[LABEL].string, o.timing, o.machine ? o.machine : "-", o.threads);
}

#define RUN(...) child_run(parse, (void *)(const char *[]){"./heat", __VA_ARGS__, NULL})
#define GOOD "a=x.npy", "c=y.npy", "block_size=64", "tolerance=0.5", "fast=true", "label="

static void check_good(Child child, const char *expected) {
    CU_ASSERT_EQUAL(child.status, 0);
    CU_ASSERT_STRING_EQUAL(child.err, "");
    CU_ASSERT_STRING_EQUAL(child.out, expected);
}

static void check_bad(Child child, const char *expected) {
    CU_ASSERT_EQUAL(child.status, 2);
    CU_ASSERT_STRING_EQUAL(child.out, "");
    CU_ASSERT_STRING_EQUAL(child.err, expected);
    if (strcmp(child.err, expected) != 0) printf("\n got      %s\n expected %s\n", child.err, expected);
}

static void test_spellings(void) {
    check_good(RUN(GOOD), "x.npy y.npy 64 0.5 1 '' | 0 - 0");
    check_good(RUN("--a", "x", "--c=y", "--block_size", "-5", "--tolerance=1e-3", "fast=0", "--label", "-v"),
               "x y -5 0.001 0 '-v' | 0 - 0");
    check_good(RUN("--a=--odd", "c=a=b", "--block-size=0x10", "tolerance=inf", "fast=1", "label=--help"),
               "--odd a=b 16 inf 1 '--help' | 0 - 0");
    check_good(RUN(GOOD, "--timing", "--machine", "Core=2,Node=1", "--threads=3"),
               "x.npy y.npy 64 0.5 1 '' | 1 Core=2,Node=1 3");
    check_good(RUN("a=x", "c=y", "block_size=-9223372036854775808", "tolerance=-0x1p-3", "fast=false", "label=a b\nc%s\"*/"),
               "x y -9223372036854775808 -0.125 0 'a b\nc%s\"*/' | 0 - 0");
}

static void test_one_problem(void) {
    check_bad(RUN(GOOD, "labell=x"), "heat: 'labell' is unknown: did you mean label?\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--tresads=2"), "heat: 'tresads' is unknown: did you mean --threads?\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--zzzzzzzz", "4"), "heat: 'zzzzzzzz' is unknown\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "x.npy"), "heat: 'x.npy' is not an argument: arguments are written name=value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "fast=true"), "heat: fast is given more than once\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--threads=2", "--threads=2"), "heat: --threads is given more than once\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--timing=yes"), "heat: --timing takes no value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--machine"), "heat: --machine needs a value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--threads", "0"), "heat: --threads: '0' is not a number of threads (1 to 4096)\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--assume-rounds=3"), "heat: --assume-rounds belongs to --simulate\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--measured=times"), "heat: --measured belongs to --simulate\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--simulate"), "heat: --simulate belongs to a program that hp5c --smpi has compiled and SimGrid's smpirun has started\n"
                                       "  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--pin=core"), "heat: --pin: 'core' is neither none nor model\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--memory=much"), "heat: --memory: 'much' is neither a size, as 8GB, nor none\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--print-mapping=yes"), "heat: --print-mapping takes no value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--mapping-svg"), "heat: --mapping-svg needs a value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "--"), "heat: '--' is not an argument: arguments are written name=value\n  (./heat --help lists the arguments)\n");
    check_bad(RUN(GOOD, "\x1b[2J=1"), "heat: '\\x1b[2J' is unknown\n  (./heat --help lists the arguments)\n");
}

static void check_value(const char *argument, const char *reason) {
    char expected[300];
    snprintf(expected, sizeof expected, "heat: %s\n  (./heat --help lists the arguments)\n", reason);
    bool integer = strncmp(argument, "block", 5) == 0, real = strncmp(argument, "tol", 3) == 0;
    bool boolean = strncmp(argument, "fast", 4) == 0, input = argument[0] == 'a';
    check_bad(RUN(input ? argument : "a=x", "c=y", integer ? argument : "block_size=1", real ? argument : "tolerance=1",
                  boolean ? argument : "fast=1", "label=x"),
              expected);
}

static void limit(void *words) {
    parse(words);
    printf(" | %" PRId64, hp5_memory_available());
}

static void check_memory(const char *size, const char *expected) {
    const char *words[] = {"./heat", GOOD, "--memory", size, NULL};
    Child child = child_run(limit, words);
    CU_ASSERT_EQUAL(child.status, 0);
    const char *found = strrchr(child.out, ' ');
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    CU_ASSERT_STRING_EQUAL(found + 1, expected);
}

static void test_memory(void) {
    static const char *const wrong[] = {"", "x", "-1", "0", "1e30", "8 GB ", "8GBB", "8X", "0x10", "inf", "nan", " 8", "8i", "8Gi2"};
    check_memory("8", "8");
    check_memory("2kB", "2000");
    check_memory("2KiB", "2048");
    check_memory("1.5 M", "1500000");
    check_memory("3g", "3000000000");
    check_memory("2TiB", "2199023255552");
    check_memory("none", "9223372036854775807");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) CU_ASSERT_EQUAL(RUN(GOOD, "--memory", wrong[i]).status, 2);
}

static void test_values(void) {
    check_value("block_size=", "block_size: '' is not an Integer");
    check_value("block_size=4x", "block_size: '4x' is not an Integer");
    check_value("block_size=4.0", "block_size: '4.0' is not an Integer");
    check_value("block_size= 4", "block_size: ' 4' is not an Integer");
    check_value("block_size=--4", "block_size: '--4' is not an Integer");
    check_value("block_size=0x", "block_size: '0x' is not an Integer");
    check_value("block_size=9223372036854775808", "block_size: '9223372036854775808' is outside the range of Integer (64 bits)");
    check_value("block_size=0x8000000000000000", "block_size: '0x8000000000000000' is outside the range of Integer (64 bits)");
    check_value("tolerance=", "tolerance: '' is not a Real");
    check_value("tolerance=1,5", "tolerance: '1,5' is not a Real");
    check_value("tolerance=1e999", "tolerance: '1e999' is outside the range of Real double-precision");
    check_value("tolerance= 1", "tolerance: ' 1' is not a Real");
    check_value("fast=yes", "fast: 'yes' is not true or false");
    check_value("fast=TRUE", "fast: 'TRUE' is not true or false");
    check_value("a=", "a: the file name is empty");
}

static void test_all_at_once(void) {
    check_bad(RUN("--a", "--c=y", "blok_size=4", "tolerance=x", "fast=1", "fast=0"),
              "heat: 6 problems with the arguments:\n"
              "  --a needs a value\n"
              "  'blok_size' is unknown: did you mean block_size?\n"
              "  tolerance: 'x' is not a Real\n"
              "  fast is given more than once\n"
              "  block_size=INTEGER is missing: partition argument k of \"Heat\"\n"
              "  label=TEXT is missing: text\n"
              "  (./heat --help lists the arguments)\n");
}

static const char help[] =
    "heat: five-point stencil (heat.hp5)\n\n"
    "Usage: ./heat a=FILE c=FILE block_size=INTEGER tolerance=REAL fast=true|false label=TEXT [options]\n\n"
    "Arguments (name=value, --name value or --name=value):\n"
    "  a=FILE              input file of plate: 2d Array of Real double-precision\n"
    "  c=FILE              output file of plate: 2d Array of Real double-precision\n"
    "  block_size=INTEGER  partition argument k of \"Heat\"\n"
    "  tolerance=REAL      value of tolerance\n"
    "  fast=true|false     value of fast, a condition whose explanation is so long\n"
    "                      that it does not fit beside the name on one line of the\n"
    "                      help\n"
    "  label=TEXT          text\n\n"
    "Options:\n"
    "  --help                      print this help and stop (also -h)\n"
    "  --threads N                 use N threads (default: as the mapping and the\n"
    "                              model say)\n"
    "  --machine LEVEL=COUNT,...   use COUNT PPUs of a level, in each PPU above,\n"
    "                              instead of the model's number\n"
    "  --timing                    print the time of each stage, and the predicted\n"
    "                              one, at the end\n"
    "  --task-times                print how long each task took, at the end, and\n"
    "                              measure nothing inside of it\n"
    "  --report comm               print what has moved between processes, at the\n"
    "                              end: planned, sent, waited for\n"
    "  --predict                   run no stage; print what each will cost on the\n"
    "                              model's machine\n"
    "  --simulate                  on a simulated cluster: run no stage, let the time\n"
    "                              pass that it would take\n"
    "  --assume-rounds N           with --simulate: loops whose end depends on\n"
    "                              results take N rounds\n"
    "  --measured FILE             with --simulate: stages take as long as --timing\n"
    "                              says in FILE, for what is predicted\n"
    "  --trace FILE                write what each thread did when, for Perfetto\n"
    "  --pin none|model            threads run on any core, or each on its PPU's\n"
    "                              (default: model)\n"
    "  --memory SIZE|none          stop before arrays and LPUs take more, as in\n"
    "                              --memory 8GB (default: what the system has free)\n"
    "  --in-place                  outputs may replace files that the program reads\n"
    "  --print-mapping             print which PPU runs what and the bytes between\n"
    "                              PPUs, and compute nothing\n"
    "  --mapping-svg FILE          draw the same as a picture, and compute nothing\n";

static void test_help(void) {
    Child child = RUN("--help");
    CU_ASSERT_EQUAL(child.status, 0);
    CU_ASSERT_STRING_EQUAL(child.out, help);
    if (strcmp(child.out, help) != 0) printf("\n%s", child.out);
    CU_ASSERT_STRING_EQUAL(RUN("a=1", "nonsense", "-h").out, help);
}

static void parse_nothing(void *words) {
    static const Hp5Program empty = {"empty", NULL, NULL, NULL, 0};
    Hp5Options options;
    hp5_args_parse(&empty, 1, words, NULL, &options);
    printf("ran");
}

static void test_no_arguments(void) { check_good(child_run(parse_nothing, (char *[]){"", NULL}), "ran"); }

UNIT_MAIN("arguments", {"spellings", test_spellings}, {"one problem", test_one_problem}, {"values", test_values}, {"memory", test_memory},
          {"all at once", test_all_at_once}, {"help", test_help}, {"no arguments", test_no_arguments})
