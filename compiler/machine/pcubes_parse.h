/* Inside the reader of model files: the tokens, and the constructors that the
 * grammar calls. pcubes.re makes tokens, pcubes.y groups them, pcubes_build.c makes
 * spaces of them, pcubes_parse.c runs the three and reports what does not fit. */
#ifndef HP5_MACHINE_PCUBES_PARSE_H
#define HP5_MACHINE_PCUBES_PARSE_H
#include "compiler/machine/machine.h"

/* A slice of the source; a grammar symbol's value. */
typedef struct PcubesToken {
    Span span;
} PcubesToken;

typedef struct PcubesQuantity {
    Span number, unit; /* unit is empty when there is none */
} PcubesQuantity;
typedef struct PcubesAttribute {
    Span name;
    VEC(PcubesQuantity) quantities;
} PcubesAttribute;

typedef VEC(Span) PcubesFlags; /* words, of flags or of a name */
typedef VEC(PcubesAttribute *) PcubesAttributes;

typedef struct PcubesLexer {
    Source *source;
    Diags *diags;
    const char *cursor;
} PcubesLexer;

/* The parser's %extra_context. */
typedef struct PcubesContext {
    Arena *arena;
    Source *source;
    Diags *diags;
    Machine *machine;
    Span machine_span; /* of the Machine line; empty before it */
    bool lines_lost;   /* a line that did not fit was dropped: the numbers may jump */
} PcubesContext;

/* The next token's code; 0 at the end. Reports and skips what is no token. */
int pcubes_next_token(PcubesLexer *lexer, PcubesToken *token);
bool pcubes_accepts(void *parser, int token);

void pcubes_add_machine(PcubesContext *context, Span keyword, Span name);
void pcubes_add_model(PcubesContext *context, Span keyword, Span name);
void pcubes_add_space(PcubesContext *context, Span keyword, Span number, PcubesFlags flags,
                      PcubesFlags words, Span count, PcubesAttributes attributes, Span last);
PcubesAttribute *pcubes_new_attribute(PcubesContext *context, Span name, PcubesQuantity first);

/* Sets the attribute of `out` that `attribute` describes, or reports why it cannot. */
void pcubes_read_attribute(PcubesContext *context, const PcubesAttribute *attribute, MachineAttributes *out);
/* The rules that hold over a whole model: flags, at least one space. */
void pcubes_check_models(PcubesContext *context);

static inline const char *pcubes_slice(const PcubesContext *context, Span span) {
    return arena_copy(context->arena, context->source->text + span.start, span.end - span.start);
}
#endif
