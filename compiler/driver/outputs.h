/* What hp5c writes: names, and the checks that nothing is lost by it. */
#ifndef HP5_DRIVER_OUTPUTS_H
#define HP5_DRIVER_OUTPUTS_H
#include "compiler/driver/options.h"

/* Before anything is read: options that ask for two things at once, outputs that would replace an input, a file of another kind
 * or a folder, or that cannot be written. `--format --in-place` sets the output. */
void outputs_check(Arena *arena, Options *options, Diags *diags);
/* -o, or the source's name with `suffix` in the current folder. */
const char *output_path(Arena *arena, const Options *options, const char *suffix);
/* Without -o, whatever that says. */
const char *output_default_path(Arena *arena, const Options *options, const char *suffix);
/* The other files of -S, for extern blocks in C++ (.cc) and for cards (.cu); checked when it turns out that they are needed. */
const char *output_path_beside(Arena *arena, const Options *options, const char *suffix);
bool output_may_be_written(const Options *options, const char *path, Diags *diags);
#endif
