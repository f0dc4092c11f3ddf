/* Source buffers and positions. A Span is a half-open byte range of one source;
 * line and column are computed only when something is reported. */
#ifndef HP5_BASE_SOURCE_H
#define HP5_BASE_SOURCE_H
#include <stdbool.h>
#include <stdint.h>
#include "compiler/base/arena.h"

typedef struct Source {
    const char *name;   /* as the user wrote it */
    const char *text;   /* length bytes, then at least one NUL sentinel */
    size_t length;
    uint32_t *line_starts; /* built on first use */
    size_t line_count;
    Arena *arena;       /* owns everything above */
} Source;

typedef struct Span {
    uint32_t start, end;
} Span;

/* Reads a whole file. On failure returns NULL and sets errno (EFBIG: over 256 MiB). */
Source *source_read(Arena *arena, const char *path);
Source *source_from_text(Arena *arena, const char *name, const char *text, size_t length);
/* 1-based line, 1-based column in characters (UTF-8 sequences count one). */
void source_position(Source *source, uint32_t offset, int *line, int *column);
/* The line alone, without a look at its characters. */
int source_line_number(Source *source, uint32_t offset);
/* The text of a 1-based line without its newline; *length gets its bytes. */
const char *source_line(Source *source, int line, size_t *length);
static inline Span span_join(Span a, Span b) { return (Span){a.start, b.end}; }
#endif
