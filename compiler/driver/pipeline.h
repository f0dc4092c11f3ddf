/* The driver: options, the pipeline, and the C compiler. */
#ifndef HP5_DRIVER_PIPELINE_H
#define HP5_DRIVER_PIPELINE_H
#include "compiler/driver/options.h"
#include "compiler/emit/backend.h"

/* Runs hp5c; returns the exit status. */
int driver_main(int argc, char **argv);

/* cc.c: compiles, by the rule of a backend, `c_text`, and `cplusplus_text` unless it is empty, and links them with the runtime into `output`.
 * Returns the exit status to use; reports to `diags`. An error of a compiler that is not about extern code is an error
 * of hp5c: the text is kept. */
int driver_compile_c(const Options *options, BuildRule rule, const Program *program, const Text *c_text, const Text *cplusplus_text,
                     const char *output, Diags *diags);
#endif
