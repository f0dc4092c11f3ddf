/* The reference interpreter: what a checked program means. It runs the typed program
 * sequentially, slowly and simply; every backend is compared with it bit by bit.
 *
 * Checked mode is always on: an index outside the array or the LPU's part, two LPUs of one LPS
 * writing the same unpadded element in one stage, a local read before it has a value, Integer
 * overflow and division by zero … end the program through hp5_fail_at with
 * "program.hp5:LINE: run-time error: …", exit status 1. Bad partition arguments end it before any
 * LPU works, exit status 2. The texts are those of a program compiled with --checked.
 *
 * Where language.md leaves a choice to the implementation:
 *   - `execute` runs its task at once; outputs bound by bind_output are written when the program
 *     ends, in the order of the bind_output statements, from what the environment names then;
 *   - a scalar of an environment is a value: `a.s = b.s` copies it, `a.x = b.x` of arrays shares;
 *   - `stride()` and `block_stride(s)` take 1 for the PPU count, as there is no mapping;
 *   - a Repeat variable keeps the value of its last round. */
#ifndef HP5_INTERPRET_INTERPRET_H
#define HP5_INTERPRET_INTERPRET_H
#include "compiler/check/program.h"

/* `check_footprints`: ends the program where a stage touches what the planner has not foreseen (plan/footprint.h).
 * Runs the coordinator (program->coordinator must not be NULL) with the command line of a
 * compiled program: argv[0] is the program's name, the arguments follow. Returns the exit status. Run-time errors, bad
 * arguments and --help end the process (runtime/report/error.h, runtime/io/args.h). A program
 * with an extern block is refused before anything runs. */
int interpret_program(const Program *program, bool check_footprints, int argc, char **argv);
#endif
