/* Where index mapping functions and assignments of a mapping file end; what is between is read by func_parse.c.
 *
 * A function's body is either braced or indented: it ends at the matching '}', or
 * before the first line that is neither blank, nor a comment, nor indented deeper than its
 * `def`. Brackets are counted, so that a header or an assignment may span lines. */
#include "compiler/mapping/map_parse.h"
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

static void read_item(const MapContext *context, MapLexer *lexer, Span start) {
    uint32_t end = (uint32_t)(lexer->cursor - lexer->source->text);
    func_parse_item(context->arena, lexer->source, lexer->diags, start.start, end, &context->file->functions);
}

void map_read_function(const MapContext *context, MapLexer *lexer, Span keyword) {
    const char *text = lexer->source->text;
    size_t outer = indentation(lexer, text + keyword.start);
    const char *at = skip_logical_line(text + keyword.end);
    if (*at == '\n') { /* a brace may also open the next line */
        const char *next = at + strspn(at, " \t\r\n");
        if (*next == '{') at = next;
    }
    lexer->cursor = *at == '{' ? skip_braced(at) : skip_indented(at, outer);
    read_item(context, lexer, keyword);
    if (lexer->cursor[strspn(lexer->cursor, " \t")] == ';') lexer->cursor += strspn(lexer->cursor, " \t") + 1;
}

bool map_read_assignment(const MapContext *context, MapLexer *lexer, Span name) {
    const char *text = lexer->source->text;
    const char *at = skip_blanks(text + name.end);
    if (*at != '=') return false;
    lexer->cursor = skip_logical_line(at);
    read_item(context, lexer, name);
    return true;
}
