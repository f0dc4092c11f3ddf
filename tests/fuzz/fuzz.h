/* What the fuzz targets share. Each fuzz_NAME.c defines fuzz_input(); libFuzzer calls it (run.sh), and so
 * does replay.c, which feeds it files. The linker wraps the ways out of the runtime (hooks.c), so that a
 * run-time error ends one input, not the fuzzer:
 *
 *     if (FUZZ_SURVIVES()) { … code that may call hp5_fail … }
 *     fuzz_end();           // memory that is left now is a leak, unless the input failed
 */
#ifndef HP5_TESTS_FUZZ_H
#define HP5_TESTS_FUZZ_H
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "compiler/base/diag.h"
#include "compiler/check/check.h"
#include "compiler/machine/machine.h"

enum { FUZZ_LARGEST = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern jmp_buf fuzz_way_out;
void fuzz_begin(void);
void fuzz_end(void);
/* True first; control comes back with false from hp5_fail and from exit(0). */
#define FUZZ_SURVIVES() (fuzz_begin(), setjmp(fuzz_way_out) == 0)

/* common.c: programs and machines that the targets for mappings and models need. */
Machine *fuzz_machine(Arena *arena);
Program *fuzz_program(Arena *arena);
/* Plan, verify, place, print and emit; a mapping of NULL is the default one. */
struct MappingFile;
void fuzz_compile(Arena *arena, Program *program, const struct MappingFile *mapping, const Machine *machine, Diags *diags, bool checked);
/* Prints the diagnostics in all styles. */
void fuzz_print(Diags *diags);
/* An error in hp5c when `good` is false. */
void fuzz_require(bool good, const char *what);
#endif
