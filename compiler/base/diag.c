/* Collecting diagnostics. A message is complete in memory before anything is
 * printed, so that messages come out sorted and each only once; the printing is
 * in diag_print.c. */
#include "compiler/base/diag.h"

#include "compiler/base/diag_internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

Diags *diags_new(Arena *arena, Source *source) {
    Diags *diags = ARENA_NEW(arena, Diags);
    diags->arena = arena;
    diags_set_source(diags, source);
    return diags;
}

static size_t source_order(const Diags *diags, const Source *source) {
    size_t i = 0;
    while (i < diags->sources.count && diags->sources.items[i] != source) i++;
    return i;
}

void diags_set_source(Diags *diags, Source *source) {
    diags->source = source;
    if (source && source_order(diags, source) == diags->sources.count)
        vec_push(diags->arena, &diags->sources, source);
}

Source *diags_source(Diags *diags) { return diags->source; }

static Span clip(Span span, const Source *source) {
    if (span.start > source->length) span.start = (uint32_t)source->length;
    if (span.end > source->length) span.end = (uint32_t)source->length;
    if (span.end < span.start) span.end = span.start;
    return span;
}

/* ---- Each thing is reported once ------------------------------------------------- */

static bool same_report(const Diag *a, const Diag *b) {
    return a->code == b->code && a->source == b->source && a->span.start == b->span.start &&
           a->span.end == b->span.end;
}

/* The slot that holds a report like this one, or the empty slot where it belongs. */
static Diag **find_slot(Diags *diags, const Diag *diag) {
    size_t hash = (size_t)diag->code * 31 + diag->source_order;
    hash = (hash * 0x9E3779B1u ^ diag->span.start) * 0x85EBCA6Bu ^ diag->span.end;
    hash ^= hash >> 15;
    for (size_t i = hash;; i++) {
        Diag **slot = &diags->known[i & (diags->known_capacity - 1)];
        if (!*slot || same_report(*slot, diag)) return slot;
    }
}

static void make_room(Diags *diags) {
    if (diags->items.count * 2 + 2 <= diags->known_capacity) return;
    diags->known_capacity = diags->known_capacity ? diags->known_capacity * 2 : 64;
    diags->known = ARENA_ARRAY(diags->arena, Diag *, diags->known_capacity);
    for (size_t i = 0; i < diags->items.count; i++) {
        Diag *diag = diags->items.items[i];
        if (diag->source) *find_slot(diags, diag) = diag;
    }
}

/* True when the report is new; a repeated one stays detached from the list. */
static bool remember(Diags *diags, Diag *diag) {
    if (!diag->source) return true;
    make_room(diags);
    Diag **slot = find_slot(diags, diag);
    if (*slot) return false;
    *slot = diag;
    return true;
}

static Diag *report(Diags *diags, DiagSeverity severity, DiagCode code, Source *source, Span span,
                    const char *format, va_list args) {
    Diag *diag = ARENA_NEW(diags->arena, Diag);
    diag->diags = diags;
    diag->code = code;
    diag->severity = severity;
    diag->source = source;
    diag->source_order = source_order(diags, source);
    if (source) diag->span = clip(span, source);
    diag->message = arena_vprintf(diags->arena, format, args);
    if (!remember(diags, diag)) return diag;
    vec_push(diags->arena, &diags->items, diag);
    diags->errors += severity == DIAG_ERROR;
    diags->warnings += severity == DIAG_WARNING;
    return diag;
}

/* ---- The public entry points -------------------------------------------------------- */

Diag *diag_error(Diags *diags, DiagCode code, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = report(diags, DIAG_ERROR, code, diags->source, span, format, args);
    va_end(args);
    return diag;
}

Diag *diag_warning(Diags *diags, DiagCode code, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = report(diags, DIAG_WARNING, code, diags->source, span, format, args);
    va_end(args);
    return diag;
}

Diag *diag_remark(Diags *diags, DiagCode code, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = report(diags, DIAG_REMARK, code, diags->source, span, format, args);
    va_end(args);
    return diag;
}

Diag *diag_error_plain(Diags *diags, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = report(diags, DIAG_ERROR, code, NULL, (Span){0, 0}, format, args);
    va_end(args);
    return diag;
}

Diag *diag_warning_plain(Diags *diags, DiagCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Diag *diag = report(diags, DIAG_WARNING, code, NULL, (Span){0, 0}, format, args);
    va_end(args);
    return diag;
}

void diag_label(Diag *diag, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag->label = arena_vprintf(diag->diags->arena, format, args);
    va_end(args);
}

void diag_help(Diag *diag, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *help = arena_vprintf(diag->diags->arena, format, args);
    va_end(args);
    vec_push(diag->diags->arena, &diag->helps, help);
}

/* The note lies in the source that is current now, which may differ from the message's. */
bool diag_has_help(const Diag *diag) { return diag->helps.count > 0; }

void diag_note(Diag *diag, Span span, const char *format, ...) {
    Diags *diags = diag->diags;
    DiagNote note = {.source = diags->source ? diags->source : diag->source};
    if (note.source) note.span = clip(span, note.source);
    va_list args;
    va_start(args, format);
    note.message = arena_vprintf(diags->arena, format, args);
    va_end(args);
    vec_push(diags->arena, &diag->notes, note);
}

bool diag_wants_guess(const Diag *diag) {
    enum { ENOUGH = 500 };       /* well above what is printed, for messages are sorted only in the end */
    return diag->diags->errors + diag->diags->warnings <= ENOUGH;
}

size_t diags_error_count(const Diags *diags) { return diags->errors; }

size_t diags_warning_count(const Diags *diags) { return diags->warnings; }

/* ---- Codes ------------------------------------------------------------------------------ */

typedef struct CodeEntry {
    const char *text, *title, *explanation;
} CodeEntry;

static const CodeEntry codes[] = {
#define CODE(id, text, title, explanation) {text, title, explanation},
#include "compiler/base/codes.def"
#undef CODE
};

const char *diag_code_text(DiagCode code) { return codes[code].text; }

bool diag_explain(const char *code, Text *out) {
    for (size_t i = 0; i < DIAG_CODE_COUNT; i++) {
        if (strcasecmp(code, codes[i].text) != 0) continue;
        text_printf(out, "%s: %s\n\n%s\n", codes[i].text, codes[i].title, codes[i].explanation);
        return true;
    }
    return false;
}

void internal_error(const char *phase, const char *format, ...) {
    fflush(stdout);
    fprintf(stderr, "hp5c: internal error in %s: ", phase);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\nThis is a fault in hp5c itself, not in your program. Please report it together with the\n"
          "source file, the command line and the output of 'hp5c --version'.\n",
          stderr);
    exit(70);
}
