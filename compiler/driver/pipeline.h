/* The driver: options, the pipeline, and the C compiler. */
#ifndef HP5_DRIVER_PIPELINE_H
#define HP5_DRIVER_PIPELINE_H
#include "compiler/driver/options.h"
#include "compiler/emit/backend.h"

/* Runs hp5c; returns the exit status. */
int driver_main(int argc, char **argv);

/* What a program is printed as: C, and, unless they are empty, its extern blocks in C++ and its text for cards. */
typedef struct ProgramTexts { const Text *c, *cplusplus, *card; } ProgramTexts;

/* cc.c: compiles the texts and links them with the runtime into `output`.
 * Returns the exit status to use; reports to `diags`. An error of a compiler that is not about extern code is an error
 * of hp5c: the text is kept. */
int driver_compile_c(const Options *options, const Program *program, const ProgramTexts *texts, const char *output, Diags *diags);
#endif
