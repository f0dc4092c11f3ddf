/* Inside the reader of mapping files: the tokens, and the constructors that the
 * grammar calls. map.re makes tokens, map.y groups them, map_build.c and statements.c make blocks of
 * them, map_parse.c runs the three and reports what does not fit. */
#ifndef HP5_MAPPING_MAP_PARSE_H
#define HP5_MAPPING_MAP_PARSE_H
#include "compiler/mapping/mapping.h"

typedef struct MapToken {
    Span span;
} MapToken;

/* `[a...b]`; span is empty when there is none. */
typedef struct MapSubset {
    Span span, first, last;
} MapSubset;

typedef struct MapLexer {
    Source *source;
    Diags *diags;
    const char *cursor;
} MapLexer;

/* The parser's %extra_context. */
typedef struct MapContext {
    Arena *arena;
    Source *source;
    Diags *diags;
    MappingFile *file;
    MappingTask task; /* of the block being read */
} MapContext;

/* The next token's code; 0 at the end. Reports and skips what is no token. */
int map_next_token(MapLexer *lexer, MapToken *token);
bool map_accepts(void *parser, int token);
/* `def` has just been read: reads the function, whose body is braced or indented, into the file's functions. */
void map_read_function(const MapContext *context, MapLexer *lexer, Span keyword);
/* `name` has just been read outside a block: when it is the left side of an assignment
 * (`m = Machine(GPU)`), reads it and returns true. */
bool map_read_assignment(const MapContext *context, MapLexer *lexer, Span name);

void map_begin_task(MapContext *context, Span name);
void map_end_task(MapContext *context, Span last);
void map_add_model(MapContext *context, Span name);
/* One item of a layout; `number` is empty where none follows the word. */
void map_layout_word(MapContext *context, PlaceStatement *layout, Span word, Span number);
void map_add_layout(MapContext *context, Span keyword, Span array, const PlaceStatement *layout);
void map_add_region(MapContext *context, Span keyword, Span array, Span memory);
/* The other placement statements; `name` or `number` is empty where they have none. */
void map_add_statement(MapContext *context, PlaceKind kind, Span keyword, Span name, Span number);
void map_add_line(MapContext *context, Span keyword, Span lps, Span pps, MapSubset subset, Span function);

/* The integer of a token; too large ones are cut. */
int64_t map_integer(const MapContext *context, Span span);

static inline const char *map_slice(const MapContext *context, Span span) {
    return arena_copy(context->arena, context->source->text + span.start, span.end - span.start);
}
#endif
