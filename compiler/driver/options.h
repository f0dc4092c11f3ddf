/* Options of hp5c, from the one table in options.def. */
#ifndef HP5_DRIVER_OPTIONS_H
#define HP5_DRIVER_OPTIONS_H
#include "compiler/base/diag.h"
#include "compiler/base/text.h"
#include "compiler/base/vec.h"

enum { EXIT_DIAGNOSED = 1, EXIT_BAD_USAGE = 2 };

typedef VEC(const char *) TextVec;
typedef struct Options {
#define FLAG bool
#define TEXT const char *
#define OPTIONAL const char * /* "" when given without a value */
#define MANY TextVec
#define OPTION(field, name, kind, value, help_text) kind field;
#include "compiler/driver/options.def"
#undef OPTION
#undef FLAG
#undef TEXT
#undef OPTIONAL
#undef MANY
    const char *source; /* the .hp5 file, or NULL */
    int rest;           /* argv index after `--`, or argc */
} Options;

/* Fills `options`; every problem goes to `diags` (E_OPTION, nearest spelling). */
void options_parse(Arena *arena, int argc, char **argv, Options *options, Diags *diags);
void options_help(Text *out);
void options_man_page(Text *out);
void options_completion(Text *out);
#endif
