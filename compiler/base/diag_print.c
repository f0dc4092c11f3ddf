/* Printing diagnostics: sorted by position, as text with the source line and a
 * caret, or as JSON lines.
 *
 * A source line is shown as cells of known width: tabs become blanks up to the
 * next multiple of four, wide characters take two columns, and what a terminal
 * would interpret (control bytes, invalid UTF-8) is replaced. Of a very long line
 * only a window around the caret is shown. */
#include "compiler/base/diag.h"
#include "compiler/base/diag_internal.h"
#include <stdlib.h>
#include <string.h>

enum { TAB_WIDTH = 4, LONGEST_LINE = 160, WINDOW_BEFORE = 60, WINDOW_COLUMNS = 120 };

static const char *const severity_words[] = {"error", "warning", "remark"};
static const char *const severity_colors[] = {"\033[1;31m", "\033[1;35m", "\033[1;34m"};
static const char *const bold = "\033[1m", *const green = "\033[1;32m", *const cyan = "\033[1;36m";

static void set_color(Text *out, DiagStyle style, const char *color) {
    if (style.color) text_append(out, color);
}

static void end_color(Text *out, DiagStyle style) {
    if (style.color) text_append(out, "\033[0m");
}

/* ---- Characters -------------------------------------------------------------------- */

static int columns_of(uint32_t c) {
    bool combining =
        (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F);
    if (combining) return 0;
    bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1F64F) ||
                (c >= 0x1F900 && c <= 0x1F9FF) || (c >= 0x20000 && c <= 0x3FFFD);
    return wide ? 2 : 1;
}

/* Appends one character as a terminal may see it. */
static void append_character(Text *out, const char *bytes, size_t size, uint32_t c) {
    bool control =
        c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    if (control || c == 0xFFFD) text_append(out, "\xEF\xBF\xBD");
    else text_append_n(out, bytes, size);
}

/* Message texts quote what the user wrote; newlines in them are ours. */
static void append_safe(Text *out, const char *string) {
    size_t length = strlen(string);
    for (size_t i = 0; i < length;) {
        uint32_t c;
        size_t size = text_utf8_decode(string + i, length - i, &c);
        if (c == '\n') text_append(out, "\n         ");
        else append_character(out, string + i, size, c);
        i += size;
    }
}

/* ---- The source line and the caret ------------------------------------------------------ */

/* The part of a line to show, and the part of it to mark; byte offsets in the line. */
typedef struct Excerpt {
    const char *line;
    size_t start, end;       /* shown */
    size_t mark, mark_end;   /* marked; mark may equal end (past the last character) */
    bool cut_start, cut_end; /* something is left out there */
} Excerpt;

static bool continues_character(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

static Excerpt make_excerpt(const char *line, size_t length, size_t mark, size_t mark_end) {
    Excerpt e = {.line = line, .start = 0, .end = length, .mark = mark, .mark_end = mark_end};
    if (length > LONGEST_LINE) {
        if (mark > WINDOW_BEFORE) e.start = mark - WINDOW_BEFORE;
        while (e.start < mark && continues_character(line[e.start])) e.start++;
        if (length - e.start > WINDOW_COLUMNS) e.end = e.start + WINDOW_COLUMNS;
        while (e.end < length && continues_character(line[e.end])) e.end++;
        e.cut_start = e.start > 0;
        e.cut_end = e.end < length;
        if (e.mark_end > e.end) e.mark_end = e.end;
    }
    return e;
}

/* Appends the shown part to `out` and a marked blank line to `marks`. */
static void draw_excerpt(const Excerpt *e, Text *out, Text *marks) {
    const char *dots = "...";
    int column = 0;
    bool first = true;
    if (e->cut_start) text_append(out, dots), text_append(marks, "   ");
    for (size_t at = e->start; at < e->end;) {
        uint32_t c;
        size_t size = text_utf8_decode(e->line + at, e->end - at, &c);
        int width = c == '\t' ? TAB_WIDTH - column % TAB_WIDTH : columns_of(c);
        if (c == '\t') text_indent(out, width);
        else append_character(out, e->line + at, size, c);
        bool starts = at <= e->mark && e->mark < at + size;
        bool marked = starts || (at > e->mark && at < e->mark_end);
        for (int i = 0; i < width; i++) {
            text_char(marks, !marked ? ' ' : first ? '^' : '~');
            if (marked) first = false;
        }
        column += width;
        at += size;
    }
    if (e->cut_end) text_append(out, dots);
    if (first) text_char(marks, '^'); /* past the last character */
}

static void trim_end(Text *text) {
    while (text->length > 0 && text->data[text->length - 1] == ' ') text->data[--text->length] = '\0';
}

/* Marks the first line of the span; a longer span says where it ends. */
static void print_excerpt(Text *out, DiagStyle style, Source *source, Span span, const char *label) {
    int line, column, last_line, last_column;
    source_position(source, span.start, &line, &column);
    source_position(source, span.end > span.start ? span.end - 1 : span.end, &last_line, &last_column);
    size_t length;
    const char *text = source_line(source, line, &length);
    size_t start = span.start - (size_t)(text - source->text), end = start + (span.end - span.start);
    if (start > length) start = length; /* on the newline itself */
    if (end > length) end = length;
    Excerpt excerpt = make_excerpt(text, length, start, end);
    Text shown = {0}, marks = {0};
    draw_excerpt(&excerpt, &shown, &marks);
    trim_end(&shown);
    trim_end(&marks);
    text_printf(out, "%5d |%s%s\n      | ", line, shown.length ? " " : "", shown.length ? shown.data : "");
    set_color(out, style, green);
    text_append_n(out, marks.data, marks.length);
    if (last_line > line) text_printf(out, "... to line %d", last_line);
    if (label) text_char(out, ' '), append_safe(out, label);
    end_color(out, style);
    text_char(out, '\n');
    text_free(&shown);
    text_free(&marks);
}

/* ---- One message as text ------------------------------------------------------------------ */

static void print_location(Text *out, DiagStyle style, Source *source, Span span) {
    set_color(out, style, bold);
    if (source) {
        int line, column;
        source_position(source, span.start, &line, &column);
        append_safe(out, source->name);
        text_printf(out, ":%d:%d:", line, column);
    } else {
        text_append(out, "hp5c:");
    }
    end_color(out, style);
    text_char(out, ' ');
}

static void print_as_text(const Diag *diag, Text *out, DiagStyle style) {
    print_location(out, style, diag->source, diag->span);
    set_color(out, style, severity_colors[diag->severity]);
    text_printf(out, "%s:", severity_words[diag->severity]);
    end_color(out, style);
    text_char(out, ' ');
    set_color(out, style, bold);
    append_safe(out, diag->message);
    end_color(out, style);
    text_printf(out, " [%s]\n", diag_code_text(diag->code));
    if (diag->source) print_excerpt(out, style, diag->source, diag->span, diag->label);
    for (size_t i = 0; i < diag->helps.count; i++) {
        text_append(out, "   ");
        set_color(out, style, cyan);
        text_append(out, "help:");
        end_color(out, style);
        text_char(out, ' ');
        append_safe(out, diag->helps.items[i]);
        text_char(out, '\n');
    }
    for (size_t i = 0; i < diag->notes.count; i++) {
        const DiagNote *note = &diag->notes.items[i];
        print_location(out, style, note->source, note->span);
        set_color(out, style, cyan);
        text_append(out, "note:");
        end_color(out, style);
        text_char(out, ' ');
        append_safe(out, note->message);
        text_char(out, '\n');
        if (note->source) print_excerpt(out, style, note->source, note->span, NULL);
    }
}

/* ---- One message as JSON ---------------------------------------------------------------------- */

static void json_key(Text *out, const char *key) { text_printf(out, "\"%s\":", key); }

static void json_text(Text *out, const char *key, const char *value) {
    json_key(out, key);
    if (value) text_json_string(out, value, strlen(value));
    else text_append(out, "null");
    text_char(out, ',');
}

/* The five keys of a position, all null when there is none. */
static void json_position(Text *out, Source *source, Span span) {
    json_text(out, "file", source ? source->name : NULL);
    if (!source) {
        text_append(out, "\"line\":null,\"column\":null,\"endLine\":null,\"endColumn\":null");
        return;
    }
    int line, column, end_line, end_column;
    source_position(source, span.start, &line, &column);
    source_position(source, span.end, &end_line, &end_column);
    text_printf(out, "\"line\":%d,\"column\":%d,\"endLine\":%d,\"endColumn\":%d", line, column, end_line,
                end_column);
}

static void print_as_json(const Diag *diag, Text *out) {
    text_char(out, '{');
    json_text(out, "severity", severity_words[diag->severity]);
    json_text(out, "code", diag_code_text(diag->code));
    json_text(out, "message", diag->message);
    json_position(out, diag->source, diag->span);
    text_char(out, ',');
    json_text(out, "label", diag->label);
    json_key(out, "help");
    text_char(out, '[');
    for (size_t i = 0; i < diag->helps.count; i++) {
        if (i > 0) text_char(out, ',');
        text_json_string(out, diag->helps.items[i], strlen(diag->helps.items[i]));
    }
    text_append(out, "],\"notes\":[");
    for (size_t i = 0; i < diag->notes.count; i++) {
        const DiagNote *note = &diag->notes.items[i];
        text_append(out, i > 0 ? ",{" : "{");
        json_text(out, "message", note->message);
        json_position(out, note->source, note->span);
        text_char(out, '}');
    }
    text_append(out, "]}\n");
}

/* ---- All messages ----------------------------------------------------------------------------- */

/* A message with the order in which it was reported, which settles ties. */
typedef struct Ranked {
    const Diag *diag;
    size_t order;
} Ranked;

static int compare(size_t a, size_t b) { return (a > b) - (a < b); }

static int by_position(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    int result = (a->diag->source != NULL) - (b->diag->source != NULL);
    if (result == 0 && a->diag->source) {
        result = compare(a->diag->source_order, b->diag->source_order);
        if (result == 0) result = compare(a->diag->span.start, b->diag->span.start);
    }
    return result != 0 ? result : compare(a->order, b->order);
}

static void print_hidden_count(Text *out, DiagStyle style, size_t hidden) {
    if (hidden == 0) return;
    char line[80];
    snprintf(line, sizeof line, "%zu more error%s not shown", hidden, hidden == 1 ? " is" : "s are");
    if (!style.json) {
        text_printf(out, "%s\n", line);
        return;
    }
    text_char(out, '{');
    json_text(out, "severity", "error");
    json_text(out, "code", NULL);
    json_text(out, "message", line);
    json_position(out, NULL, (Span){0, 0});
    text_append(out, ",\"label\":null,\"help\":[],\"notes\":[]}\n");
}

void diags_to_text(Diags *diags, Text *out, DiagStyle style) {
    size_t count = diags->items.count, shown_errors = 0;
    Ranked *ranked = ARENA_ARRAY(diags->arena, Ranked, count);
    for (size_t i = 0; i < count; i++) ranked[i] = (Ranked){diags->items.items[i], i};
    if (count > 1) qsort(ranked, count, sizeof *ranked, by_position);
    for (size_t i = 0; i < count; i++) {
        const Diag *diag = ranked[i].diag;
        if (diag->severity == DIAG_REMARK && !style.remarks) continue;
        if (diag->severity == DIAG_ERROR && ++shown_errors > DIAG_MAX_ERRORS) continue;
        if (style.json) print_as_json(diag, out);
        else print_as_text(diag, out, style);
    }
    print_hidden_count(out, style, diags->errors > DIAG_MAX_ERRORS ? diags->errors - DIAG_MAX_ERRORS : 0);
}

void diags_print(Diags *diags, FILE *out, DiagStyle style) {
    Text text = {0};
    diags_to_text(diags, &text, style);
    if (text.length > 0) fwrite(text.data, 1, text.length, out);
    fflush(out);
    text_free(&text);
}
