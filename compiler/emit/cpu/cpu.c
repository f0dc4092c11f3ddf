/* The backend for CPUs: threads on shared memory, compiled by gcc or clang. */
#include "compiler/emit/cpu/cpu.h"

/* ---- How C compilers are asked -------------------------------------------------------------------------- */
static const char *const flags[] = {"-O3", "-march=native", "-fwrapv", "-fno-math-errno", "-fno-trapping-math",
#if defined __x86_64__
                                    "-mprefer-vector-width=512", /* compilers that know a processor may prefer half of its width */
#endif
                                    "-falign-loops=64", /* processors take short loops whole from a cache line */
                                    "-Wall", "-Wextra", NULL};
/* Loops whose conditions meet in one place from more ways than 4 stay out of vectors without this: if (a and b and c and d and e) { … } */
/* gcc 12 loses a dependence where it takes loops apart: of `d[k] = 5; c[k] = 5; b[k] = b[k - 1] + c[k - 1]`, whose arrays it must ask for overlaps, the last came first. */
static const char *const gcc_flags[] = {"--param=max-tree-if-conversion-phi-args=64", "-fno-tree-loop-distribution", NULL};
static const char *const libraries[] = {"-lhwloc", "-lpthread", "-lm", NULL};

const Backend backend_cpu = {.machine = "shared memory", .runs_on = "threads on shared memory", .own = "static", .called = "static inline",
                             .schedule = cpu_schedule, .stage = cpu_stage, .stage_cost = cpu_stage_cost, .parallel = cpu_parallel,
                             .reduce = cpu_reduce, .touches = cpu_touches, .flow = cpu_flow, .build = {flags, gcc_flags, libraries}};
