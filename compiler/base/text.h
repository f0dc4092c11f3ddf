/* Text: a growable output buffer in ordinary memory (emitters, printers, dumps),
 * and small string helpers. */
#ifndef HP5_BASE_TEXT_H
#define HP5_BASE_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "compiler/base/arena.h"

typedef struct Text {
    char *data;      /* NUL-terminated, or NULL while empty */
    size_t length;   /* without the NUL */
    size_t capacity;
} Text;

void text_free(Text *text);
void text_append(Text *text, const char *string);
void text_append_n(Text *text, const char *bytes, size_t count);
void text_char(Text *text, char c);
__attribute__((format(printf, 2, 3))) void text_printf(Text *text, const char *format, ...);
void text_vprintf(Text *text, const char *format, va_list args);
void text_indent(Text *text, int columns);
/* Writes the text to `path` through a temporary file beside it that is renamed
 * when whole. Returns false and sets errno when that fails. */
bool text_write_file(const Text *text, const char *path);
/* Decodes the UTF-8 sequence at `bytes` (length > 0) and returns how many bytes it takes.
 * A byte that starts no valid sequence counts as one character, U+FFFD. */
size_t text_utf8_decode(const char *bytes, size_t length, uint32_t *character);
/* The string inside an element or attribute of XML; control characters are left out. */
void text_append_xml(Text *text, const char *string);
/* JSON string literal with quotes, escapes, invalid UTF-8 replaced by U+FFFD. */
void text_json_string(Text *text, const char *string, size_t length);

/* The candidate nearest to `word` by edit distance (transpositions count one),
 * ignoring case and '-'/'_', or NULL when none is near enough to be a guess. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);
/* "a, b or c" from the list. */
char *text_join_or(Arena *arena, const char *const *items, size_t count);
/* Shortest decimal text that reads back as the same double (always with '.', 'e', "nan" or "inf"). */
void text_real(Text *text, double value);
#endif
