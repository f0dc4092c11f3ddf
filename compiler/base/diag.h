/* Diagnostics: one clear message for each thing the user got wrong.
 *
 * A message has a stable code (see codes.def: E0101 …, W0901 …), a text that
 * says what was found and what was expected, a position, an optional label
 * under the caret, hints ("help: …") and notes at other positions. At most
 * DIAG_MAX_ERRORS errors are printed; a last line counts those left out.
 *
 *     Diag *d = diag_error(diags, E_UNKNOWN_NAME, span, "unknown name '%s'", name);
 *     diag_help(d, "did you mean '%s'?", near);
 *     diag_note(d, other_span, "'%s' is declared here", name);
 *
 * prints
 *
 *     program.hp5:12:9: error: unknown name 'plat' [E0301]
 *        12 |         plat[i][j] = 0
 *           |         ^~~~
 *        help: did you mean 'plate'?
 *
 * Two diagnostics of the same code at the same span are reported once. */
#ifndef HP5_BASE_DIAG_H
#define HP5_BASE_DIAG_H
#include <stdbool.h>
#include <stdio.h>
#include "compiler/base/source.h"
#include "compiler/base/text.h"

enum { DIAG_MAX_ERRORS = 20 };

typedef enum DiagCode {
#define CODE(id, text, title, explanation) id,
#include "compiler/base/codes.def"
#undef CODE
    DIAG_CODE_COUNT
} DiagCode;

typedef enum DiagSeverity { DIAG_ERROR, DIAG_WARNING, DIAG_REMARK } DiagSeverity;

typedef struct Diag Diag;
typedef struct Diags Diags;

/* `source` is the default source of spans; later ones may name another. */
Diags *diags_new(Arena *arena, Source *source);
void diags_set_source(Diags *diags, Source *source);
Source *diags_source(Diags *diags);
__attribute__((format(printf, 4, 5))) Diag *diag_error(Diags *diags, DiagCode code, Span span, const char *format, ...);
__attribute__((format(printf, 4, 5))) Diag *diag_warning(Diags *diags, DiagCode code, Span span, const char *format, ...);
__attribute__((format(printf, 4, 5))) Diag *diag_remark(Diags *diags, DiagCode code, Span span, const char *format, ...);
/* An error or a warning with no position (options, files). */
__attribute__((format(printf, 3, 4))) Diag *diag_error_plain(Diags *diags, DiagCode code, const char *format, ...);
__attribute__((format(printf, 3, 4))) Diag *diag_warning_plain(Diags *diags, DiagCode code, const char *format, ...);
__attribute__((format(printf, 2, 3))) void diag_label(Diag *diag, const char *format, ...);
__attribute__((format(printf, 2, 3))) void diag_help(Diag *diag, const char *format, ...);
/* Whether something has been advised already: a guess of the name that was meant, say. */
bool diag_has_help(const Diag *diag);
__attribute__((format(printf, 3, 4))) void diag_note(Diag *diag, Span span, const char *format, ...);

/* False when so much has been reported that guessing what was meant is no longer worth its time. */
bool diag_wants_guess(const Diag *diag);

size_t diags_error_count(const Diags *diags);
size_t diags_warning_count(const Diags *diags);
/* Sorts by position (stable) and prints. `color` wants a terminal; `json` prints one
 * JSON object a line: {"severity","code","message","file","line","column","endLine","endColumn","label","help":[…],"notes":[…]}. */
typedef struct DiagStyle { bool color, json, remarks; } DiagStyle;
void diags_print(Diags *diags, FILE *out, DiagStyle style);
void diags_to_text(Diags *diags, Text *out, DiagStyle style);

/* For --explain: finds "E0301" (any case); returns false when there is no such code. */
bool diag_explain(const char *code, Text *out);
const char *diag_code_text(DiagCode code);
/* An error in hp5c itself: names the phase, asks for the file, exits with status 70. */
__attribute__((noreturn, format(printf, 2, 3))) void internal_error(const char *phase, const char *format, ...);
#endif
