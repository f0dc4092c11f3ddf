/* Index mapping functions, which are recognised, reported by name, and passed over.
 *
 * A function's body is either braced or indented: it ends at the matching '}', or
 * before the first line that is neither blank, nor a comment, nor indented deeper than its
 * `def`. Brackets are counted, so that a header or an assignment may span lines. */
#include "compiler/mapping/map_parse.h"
#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static const char *line_end(const char *at) { return at + strcspn(at, "\n"); }

/* The column of `at` in its line; a tab counts as one. */
static size_t column_of(const MapLexer *lexer, const char *at) {
    size_t column = 0;
    while (at - column > lexer->source->text && at[-1 - (ptrdiff_t)column] != '\n') column++;
    return column;
}

/* The indentation of the line that `at` is in. */
static size_t indentation(const MapLexer *lexer, const char *at) {
    const char *start = at - column_of(lexer, at);
    return (size_t)(skip_blanks(start) - start);
}

/* From inside a line to the end of the logical line: brackets keep it open, a '{' outside
 * brackets ends it early. Comments do not count. */
static const char *skip_logical_line(const char *at) {
    int depth = 0;
    for (; *at; at++) {
        if (*at == '#') at = line_end(at);
        if (*at == '(' || *at == '[') depth++;
        else if (*at == ')' || *at == ']') depth--;
        else if (depth <= 0 && (*at == '\n' || *at == '{')) return at;
        if (!*at) return at;
    }
    return at;
}

static const char *skip_braced(const char *at) {
    int depth = 0;
    for (; *at; at++) {
        if (*at == '#') at = line_end(at);
        if (*at == '{') depth++;
        else if (*at == '}' && --depth == 0) return at + 1;
        if (!*at) return at;
    }
    return at;
}

static const char *skip_indented(const char *at, size_t outer) {
    while (*at) { /* at a newline, or at the end of a line */
        const char *line = *at == '\n' ? at + 1 : at;
        const char *first = skip_blanks(line);
        bool blank = *first == '\n' || *first == '\r' || *first == '#';
        if (!blank && (size_t)(first - line) <= outer) return line;
        at = skip_logical_line(first);
        if (*at == '{') at = skip_braced(at), at = line_end(at);
        if (blank && *at == '\0') return at;
    }
    return at;
}

static void report(MapLexer *lexer, Span span, const char *name, size_t length) {
    Diag *diag = diag_error(lexer->diags, E_MAPPING_FUNCTION, span,
                            "index mapping functions are not supported yet: '%.*s'", (int)length, name);
    diag_help(diag, "leave it out: LPUs then go to the PPUs in contiguous runs of equal length");
}

void map_skip_function(MapLexer *lexer, Span keyword) {
    const char *text = lexer->source->text;
    const char *name = skip_blanks(text + keyword.end);
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_') length++;
    report(lexer, (Span){keyword.start, (uint32_t)(name - text + (ptrdiff_t)length)}, name, length);
    size_t outer = indentation(lexer, text + keyword.start);
    const char *at = skip_logical_line(text + keyword.end);
    if (*at == '\n') { /* a brace may also open the next line */
        const char *next = at + strspn(at, " \t\r\n");
        if (*next == '{') at = next;
    }
    lexer->cursor = *at == '{' ? skip_braced(at) : skip_indented(at, outer);
}

bool map_skip_assignment(MapLexer *lexer, Span name) {
    const char *text = lexer->source->text;
    const char *at = skip_blanks(text + name.end);
    if (*at != '=') return false;
    report(lexer, name, text + name.start, name.end - name.start);
    at = skip_logical_line(at);
    lexer->cursor = *at == '{' ? skip_braced(at) : at;
    return true;
}
