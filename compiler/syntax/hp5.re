/* The lexer: the whole source becomes an array of tokens before parsing starts.
 *
 * How to read it: lex_source at the end is the entry; lex_token holds the rules, one
 * re2c block for the language; the list of file names after @Includes and @Libraries
 * has a block of its own, because `sys/time.h` is one word there.
 *
 * The text ends with a NUL sentinel, so there is no refill. Text with NUL bytes or bad
 * UTF-8 is refused before lexing: no rule has to think of them. Every lexical error is
 * reported here and still yields the token that was most probably meant, so that the
 * parser has nothing more to say about it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/syntax/parse.h"

typedef struct Lexer {
    Parse *p;
    const char *start, *cursor, *marker, *context, *limit; /* limit: the sentinel */
    bool first_on_line;                          /* no token since the last newline */
    bool blank_line;                             /* no token or comment since the last newline */
    bool after_error;                            /* the next token follows something reported */
} Lexer;

static Span lexer_span(const Lexer *x) {
    const char *base = x->p->source->text;
    return (Span){(uint32_t)(x->start - base), (uint32_t)(x->cursor - base)};
}

static void emit(Lexer *x, int kind) {
    Token token = {lexer_span(x), (uint16_t)kind, x->first_on_line, x->after_error};
    vec_push(x->p->arena, &x->p->tokens, token);
    x->first_on_line = x->blank_line = x->after_error = false;
}

static void record_comment(Lexer *x, bool block) {
    AstComment comment = {lexer_span(x), block, x->blank_line};
    vec_push(x->p->arena, &x->p->ast->comments, comment);
    x->blank_line = false;
}

/* ---- Literals --------------------------------------------------------------------- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Decodes one escape after its backslash into *value; returns the bytes it takes, 0 when
 * it is none that C knows. */
static size_t decode_escape(const char *text, size_t length, char *value) {
    static const char letters[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    if (length == 0) return 0;
    const char *known = memchr(letters, text[0], sizeof letters - 1);
    if (known) {
        *value = values[known - letters];
        return 1;
    }
    size_t used = 0;
    int number = 0;
    if (text[0] == 'x') {
        for (used = 1; used < length && used < 3 && hex_digit(text[used]) >= 0; used++)
            number = number * 16 + hex_digit(text[used]);
        if (used == 1) return 0;
    } else {
        for (; used < length && used < 3 && text[used] >= '0' && text[used] <= '7'; used++)
            number = number * 8 + (text[used] - '0');
        if (used == 0 || number > 255) return 0;
    }
    *value = (char)(unsigned char)number;
    return used;
}

size_t lex_decode(const char *inside, size_t length, char *out) {
    size_t count = 0;
    for (size_t i = 0; i < length;) {
        char c = inside[i++];
        if (c == '\\') {
            size_t used = decode_escape(inside + i, length - i, &c);
            if (used == 0 && i < length) c = inside[i++]; /* reported by the lexer */
            i += used;
        }
        out[count++] = c;
    }
    return count;
}

/* Reports the escapes that C does not know in the literal that was just scanned. */
static void check_escapes(Lexer *x) {
    for (const char *c = x->start + 1; c < x->cursor; c++) {
        char value;
        if (*c != '\\') continue;
        size_t used = decode_escape(c + 1, (size_t)(x->cursor - c - 1), &value);
        if (used == 0) {
            uint32_t at = (uint32_t)(c - x->p->source->text), character;
            size_t size = text_utf8_decode(c + 1, (size_t)(x->cursor - c - 1), &character);
            Diag *d = diag_error(x->p->diags, E_UNKNOWN_ESCAPE, (Span){at, at + 1 + (uint32_t)size},
                                 "unknown escape '\\%.*s'", (int)size, c + 1);
            diag_help(d, "the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" \\?, \\ooo and \\xhh; write '\\\\' for a backslash");
            used = size;
        }
        c += used;
    }
}

static void lex_string(Lexer *x) {
    check_escapes(x);
    emit(x, HP5_STRING);
}

static void lex_unterminated_string(Lexer *x) {
    Diag *d = diag_error(x->p->diags, E_UNTERMINATED_STRING, lexer_span(x), "this string has no closing '\"' on its line");
    diag_help(d, "close it with '\"'; write '\\n' for a line break inside a string");
    emit(x, HP5_STRING);
}

/* 'a' is a character; 'word' is most probably meant as a string and passed on as one. */
static void lex_character(Lexer *x) {
    check_escapes(x);
    size_t length = (size_t)(x->cursor - x->start) - 2;
    char *decoded = arena_alloc(x->p->arena, length + 1);
    size_t count = lex_decode(x->start + 1, length, decoded);
    if (count == 1) {
        emit(x, HP5_CHARACTER);
        return;
    }
    Diag *d;
    if (count == 0) {
        d = diag_error(x->p->diags, E_BAD_CHARACTER_LITERAL, lexer_span(x), "'' holds no character");
        diag_help(d, "write ' ' for a space, '\\0' for the character 0");
    } else {
        d = diag_error(x->p->diags, E_BAD_CHARACTER_LITERAL, lexer_span(x), "a character literal holds one character, not %zu", count);
        diag_help(d, "a string stands in double quotes: \"%.*s\"", (int)length, x->start + 1);
    }
    emit(x, count == 0 ? HP5_CHARACTER : HP5_STRING);
}

static void lex_unterminated_character(Lexer *x) {
    Diag *d = diag_error(x->p->diags, E_BAD_CHARACTER_LITERAL, lexer_span(x), "this character literal has no closing quote");
    diag_help(d, "write one character between quotes, as in 'a'");
    emit(x, HP5_CHARACTER);
}

static void lex_integer(Lexer *x) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(x->start, &end, x->start[0] == '0' && (x->start[1] | 32) == 'x' ? 16 : 10);
    /* -9223372036854775808 is an Integer although its digits alone are none. */
    const TokenVec *t = &x->p->tokens;
    bool negated = t->count > 0 && t->items[t->count - 1].kind == HP5_MINUS && value == 1ull << 63;
    if (errno == ERANGE || (value > INT64_MAX && !negated)) {
        Diag *d = diag_error(x->p->diags, E_INTEGER_TOO_LARGE, lexer_span(x), "the integer %.*s does not fit in 64 bits",
                             (int)(x->cursor - x->start), x->start);
        diag_help(d, "the largest Integer is 9223372036854775807");
    }
    emit(x, HP5_INTEGER);
}

static void lex_real(Lexer *x) {
    errno = 0;
    double value = strtod(x->start, NULL);
    if (errno == ERANGE && value > 1) {
        Diag *d = diag_error(x->p->diags, E_REAL_TOO_LARGE, lexer_span(x), "the real number %.*s is too large",
                             (int)(x->cursor - x->start), x->start);
        diag_help(d, "the largest Real double-precision is about 1.797e308");
    }
    emit(x, HP5_REAL);
}

static void lex_bad_number(Lexer *x, int kind) {
    int length = (int)(x->cursor - x->start);
    Diag *d = diag_error(x->p->diags, E_BAD_NUMBER, lexer_span(x), "'%.*s' is not a number", length, x->start);
    if (x->cursor[-1] == '.') diag_help(d, "a real number has digits after its point: %.*s0", length, x->start);
    else if ((x->start[1] | 32) == 'x') diag_help(d, "a hexadecimal number is 0x followed by digits 0-9 and a-f");
    else if (x->cursor[-1] == 'D') diag_help(d, "a dimensionality has a small letter: %.*sd", length - 1, x->start);
    else diag_help(d, "a name starts with a letter or '_'; a number is written 42, 0x2a, 1.5 or 2e-3");
    emit(x, kind);
}

static void lex_dimensionality(Lexer *x) {
    long rank = strtol(x->start, NULL, 10);
    if (rank < 1 || rank > 16) {
        Diag *d = diag_error(x->p->diags, E_BAD_DIMENSIONALITY, lexer_span(x), "%.*s is no number of dimensions",
                             (int)(x->cursor - x->start), x->start);
        diag_help(d, "write 1d, 2d, 3d … up to 16d");
    }
    emit(x, HP5_DIMENSIONALITY);
}

/* ---- Characters that are not HP5 ---------------------------------------------------- */

/* Whether a character outside ASCII is most probably a letter of a name. */
static bool is_foreign_letter(uint32_t c) {
    return c >= 0xC0 && c != 0xD7 && c != 0xF7 && !(c >= 0x2000 && c < 0x2C00) && !(c >= 0x3000 && c < 0x3040) && c != 0xFEFF;
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Takes the rest of a word that has letters outside ASCII; false when it has none. */
static bool take_foreign_word(Lexer *x, const char *from) {
    bool foreign = false;
    for (x->cursor = from;;) {
        uint32_t c;
        size_t size = text_utf8_decode(x->cursor, (size_t)(x->limit - x->cursor), &c);
        if (size == 0) return foreign;
        if (c >= 0x80 && is_foreign_letter(c)) foreign = true;
        else if (c >= 0x80 || !is_name_byte((char)c)) return foreign;
        x->cursor += size;
    }
}

static void lex_foreign_name(Lexer *x) {
    Diag *d = diag_error(x->p->diags, E_FOREIGN_NAME, lexer_span(x), "the name '%.*s' has letters outside ASCII",
                         (int)(x->cursor - x->start), x->start);
    diag_help(d, "names are made of the letters a-z and A-Z, digits and '_'");
    emit(x, HP5_NAME);
}

/* Characters that word processors and other keyboards put in the place of plain ones,
 * and the token that they are taken for. */
static const struct LookAlike { uint32_t character; const char *plain; int kind; } look_alikes[] = {
    {0x2018, "'", 0}, {0x2019, "'", 0}, {'`', "'", 0}, {0x201C, "\"", 0}, {0x201D, "\"", 0}, {0x201E, "\"", 0},
    {0x00AB, "\"", 0}, {0x00BB, "\"", 0}, {0x2212, "-", HP5_MINUS}, {0x2013, "-", HP5_MINUS},
    {0x2014, "-", HP5_MINUS}, {0x00D7, "*", HP5_STAR}, {0x00B7, "*", HP5_STAR}, {0x2026, "...", HP5_ELLIPSIS},
    {0x2264, "<=", HP5_LE}, {0x2265, ">=", HP5_GE}, {0x2260, "!=", HP5_NE}, {0x00A0, " ", 0}, {0x3000, " ", 0},
};

/* Goes on after a reported character: a curly string is taken as a string, '#' as the
 * start of a comment, a look-alike as what it looks like. */
static void resume_after(Lexer *x, uint32_t c, const struct LookAlike *like) {
    if (like && like->kind) {
        emit(x, like->kind);
        return;
    }
    if (like && like->plain[0] == ' ') return;
    if (like && like->plain[0] == '"') {
        const char *body = x->cursor, *line_end = body + strcspn(body, "\n");
        for (x->cursor = body; x->cursor < line_end;) {
            uint32_t close;
            x->cursor += text_utf8_decode(x->cursor, (size_t)(line_end - x->cursor), &close);
            if (close == '"' || close == 0x201C || close == 0x201D || close == 0x00BB) {
                emit(x, HP5_STRING);
                return;
            }
        }
        x->cursor = body;
    }
    if (c == '#') x->cursor += strcspn(x->cursor, "\n");
    x->after_error = true;
}

static void lex_bad_character(Lexer *x) {
    uint32_t c;
    size_t size = text_utf8_decode(x->start, (size_t)(x->limit - x->start), &c);
    x->cursor = x->start + size;
    Diag *d;
    if (c < 0x20 || c == 0x7F || (c >= 0x80 && c < 0xA1) || c == 0xFEFF || (c >= 0x2000 && c < 0x2010))
        d = diag_error(x->p->diags, E_BAD_CHARACTER, lexer_span(x), "unexpected invisible character U+%04X", (unsigned)c);
    else
        d = diag_error(x->p->diags, E_BAD_CHARACTER, lexer_span(x), "unexpected character '%.*s'", (int)size, x->start);
    const struct LookAlike *like = NULL;
    for (size_t i = 0; i < sizeof look_alikes / sizeof look_alikes[0]; i++)
        if (look_alikes[i].character == c) like = &look_alikes[i];
    const char *plain = like ? like->plain : NULL;
    if (c == '\\') diag_help(d, "a backslash may only stand at the end of a line, where it is white space");
    else if (c == '#') diag_help(d, "a comment starts with '//' or stands between '/*' and '*/'");
    else if (c == '?') diag_help(d, "HP5 has no operator '?'; write if (condition) { … } else { … }");
    else if (c == '~') diag_help(d, "HP5 has no operator '~'");
    else if (plain && plain[0] == ' ') diag_help(d, "replace it with a plain space");
    else if (plain) diag_help(d, "write the plain '%s'", plain);
    else diag_help(d, "remove it");
    resume_after(x, c, like);
}

static void lex_bad_annotation(Lexer *x) {
    static const char *const words[] = {"@Extern", "@Language", "@Includes", "@Libraries"};
    static const int kinds[] = {HP5_EXTERN, HP5_LANGUAGE, HP5_INCLUDES, HP5_LIBRARIES};
    char *word = arena_copy(x->p->arena, x->start, (size_t)(x->cursor - x->start));
    Diag *d = diag_error(x->p->diags, E_MISSPELT_KEYWORD, lexer_span(x), "'%s' is not a keyword", word);
    const char *near = text_nearest(word, words, 4);
    for (size_t i = 0; !near && strlen(word) > 3 && i < 4; i++)
        if (strncmp(word, words[i], strlen(word)) == 0) near = words[i];
    if (near) diag_help(d, "did you mean '%s'?", near);
    else diag_help(d, "the words with '@' are @Extern, @Language, @Includes and @Libraries");
    if (!near) x->after_error = true;
    for (size_t i = 0; near && i < 4; i++)
        if (near == words[i]) emit(x, kinds[i]);
}

/* A hyphenated keyword in the wrong case: reported, and taken as the keyword. */
static void lex_wrong_case(Lexer *x, int kind) {
    Diag *d = diag_error(x->p->diags, E_MISSPELT_KEYWORD, lexer_span(x), "'%.*s' is not a keyword",
                         (int)(x->cursor - x->start), x->start);
    diag_help(d, "did you mean '%s'?", token_text(kind));
    emit(x, kind);
}

/* ---- Comments and foreign code -------------------------------------------------------- */

/* From the opening two characters to `close`; what is missing is reported. */
static bool scan_to(Lexer *x, const char *close) {
    const char *found = strstr(x->cursor, close);
    x->cursor = found ? found + 2 : x->limit;
    return found != NULL;
}

static void lex_block_comment(Lexer *x) {
    const char *after = x->cursor;
    bool closed = scan_to(x, "*/");
    record_comment(x, true);
    if (closed) return;
    x->cursor = after;
    Diag *d = diag_error(x->p->diags, E_UNTERMINATED_COMMENT, lexer_span(x), "this comment is never closed");
    diag_help(d, "close it with '*/'");
    x->cursor = x->limit;
    x->after_error = true;
}

static void lex_code(Lexer *x) {
    const char *after = x->cursor;
    if (!scan_to(x, "}$")) {
        x->cursor = after;
        Diag *d = diag_error(x->p->diags, E_UNTERMINATED_CODE, lexer_span(x), "this block of foreign code is never closed");
        diag_help(d, "close it with '}$'");
        x->cursor = x->limit;
        emit(x, HP5_CODE);
        x->after_error = true;
        return;
    }
    emit(x, HP5_CODE);
}

/*!re2c
    re2c:api:style = free-form;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = x->cursor;
    re2c:define:YYMARKER = x->marker;
    re2c:define:YYCTXMARKER = x->context;
    re2c:yyfill:enable = 0;
    re2c:eof = -1;

    end      = "\x00";
    space    = [ \t\r\f\v];
    digit    = [0-9];
    letter   = [A-Za-z_];
    name     = letter (letter | digit)*;
    exponent = [eE] [+-]? digit+;
    inside_s = [^"\\\n\x00] | "\\" [^\n\x00];
    inside_c = [^'\\\n\x00] | "\\" [^\n\x00];
*/

/* After @Includes or @Libraries: '{', words and commas, '}'. Stops before anything else. */
static void lex_file_names(Lexer *x) {
    bool open = false;
    for (;;) {
        x->start = x->cursor;
        /*!re2c
        space+            { continue; }
        "\n"              { x->first_on_line = x->blank_line = true; continue; }
        "//" [^\n\x00]*   { record_comment(x, false); continue; }
        "{"               { if (open) { x->cursor = x->start; return; } open = true; emit(x, HP5_LBRACE); continue; }
        "}"               { if (open) emit(x, HP5_RBRACE); else x->cursor = x->start; return; }
        ","               { if (!open) { x->cursor = x->start; return; } emit(x, HP5_COMMA); continue; }
        "\"" inside_s* "\"" { if (!open) { x->cursor = x->start; return; } lex_string(x); continue; }
        [A-Za-z0-9_<./] [A-Za-z0-9_.+/>\-]* { if (!open) { x->cursor = x->start; return; } emit(x, HP5_WORD); continue; }
        *                 { x->cursor = x->start; return; }
        */
    }
}

/* One token or one piece of white space; false at the end of the source. */
static bool lex_token(Lexer *x) {
    x->start = x->cursor;
    /*!re2c
    end               { x->cursor = x->start; return false; }
    space+            { return true; }
    "\n"              { x->first_on_line = x->blank_line = true; return true; }
    "\\" space* / "\n"  { return true; }
    "//" [^\n\x00]*   { record_comment(x, false); return true; }
    "/*"              { lex_block_comment(x); return true; }
    "${"              { lex_code(x); return true; }

    "Program"         { emit(x, HP5_PROGRAM); return true; }
    "Task"            { emit(x, HP5_TASK); return true; }
    "Type" | "Class"  { emit(x, HP5_TYPE); return true; }
    "Function"        { emit(x, HP5_FUNCTION); return true; }
    "Define"          { emit(x, HP5_DEFINE); return true; }
    "Environment"     { emit(x, HP5_ENVIRONMENT); return true; }
    "Initialize"      { emit(x, HP5_INITIALIZE); return true; }
    "Stages"          { emit(x, HP5_STAGES); return true; }
    "Computation"     { emit(x, HP5_COMPUTATION); return true; }
    "Partition"       { emit(x, HP5_PARTITION); return true; }
    "Space"           { emit(x, HP5_SPACE); return true; }
    "Repeat"          { emit(x, HP5_REPEAT); return true; }
    "Where"           { emit(x, HP5_WHERE); return true; }
    "Epoch"           { emit(x, HP5_EPOCH); return true; }
    "Sub-partition"   { emit(x, HP5_SUB_PARTITION_HEAD); return true; }
    "Reduction"       { emit(x, HP5_REDUCTION); return true; }
    "Array"           { emit(x, HP5_ARRAY); return true; }
    "List"            { emit(x, HP5_LIST); return true; }
    "Integer"         { emit(x, HP5_INTEGER_TYPE); return true; }
    "Real"            { emit(x, HP5_REAL_TYPE); return true; }
    "Character"       { emit(x, HP5_CHARACTER_TYPE); return true; }
    "Boolean"         { emit(x, HP5_BOOLEAN_TYPE); return true; }
    "String"          { emit(x, HP5_STRING_TYPE); return true; }
    "Range"           { emit(x, HP5_RANGE_TYPE); return true; }
    "Format"          { emit(x, HP5_FORMAT); return true; }
    "single-precision" { emit(x, HP5_SINGLE); return true; }
    "double-precision" { emit(x, HP5_DOUBLE); return true; }
    "do"              { emit(x, HP5_DO); return true; }
    "for"             { emit(x, HP5_FOR); return true; }
    "in"              { emit(x, HP5_IN); return true; }
    "and" | "&&"      { emit(x, HP5_AND); return true; }
    "or" | "||"       { emit(x, HP5_OR); return true; }
    "not" | "!"       { emit(x, HP5_NOT); return true; }
    "if" | "If"       { emit(x, HP5_IF); return true; }
    "else"            { emit(x, HP5_ELSE); return true; }
    "while"           { emit(x, HP5_WHILE); return true; }
    "step"            { emit(x, HP5_STEP); return true; }
    "at"              { emit(x, HP5_AT); return true; }
    "current"         { emit(x, HP5_CURRENT); return true; }
    "return"          { emit(x, HP5_RETURN); return true; }
    "reduce"          { emit(x, HP5_REDUCE); return true; }
    "new"             { emit(x, HP5_NEW); return true; }
    "execute"         { emit(x, HP5_EXECUTE); return true; }
    "foreach"         { emit(x, HP5_FOREACH); return true; }
    "divides"         { emit(x, HP5_DIVIDES); return true; }
    "partitions"      { emit(x, HP5_PARTITIONS); return true; }
    "sub-partitions"  { emit(x, HP5_SUB_PARTITIONS); return true; }
    "sub-partition"   { emit(x, HP5_SUB_PARTITION); return true; }
    "replicated"      { emit(x, HP5_REPLICATED); return true; }
    "padding"         { emit(x, HP5_PADDING); return true; }
    "ordered"         { emit(x, HP5_ORDERED); return true; }
    "unordered"       { emit(x, HP5_UNORDERED); return true; }
    "ascends"         { emit(x, HP5_ASCENDS); return true; }
    "descends"        { emit(x, HP5_DESCENDS); return true; }
    "dynamic"         { emit(x, HP5_DYNAMIC); return true; }
    "un-partitioned"  { emit(x, HP5_UN_PARTITIONED); return true; }
    "relative-to"     { emit(x, HP5_RELATIVE_TO); return true; }
    "relative" (space | "\n")+ "to" / (space | "\n")+ "Space" { emit(x, HP5_RELATIVE_TO); return true; }
    "link"            { emit(x, HP5_LINK); return true; }
    "create"          { emit(x, HP5_CREATE); return true; }
    "link_or_create" | "link-or-create" { emit(x, HP5_LINK_OR_CREATE); return true; }
    "of"              { emit(x, HP5_OF); return true; }
    "sequence"        { emit(x, HP5_SEQUENCE); return true; }
    "true" | "false" | "TRUE" | "FALSE" { emit(x, HP5_BOOLEAN); return true; }

    'single-precision' { lex_wrong_case(x, HP5_SINGLE); return true; }
    'double-precision' { lex_wrong_case(x, HP5_DOUBLE); return true; }
    'sub-partition'    { lex_wrong_case(x, HP5_SUB_PARTITION_HEAD); return true; }
    'sub-partitions'   { lex_wrong_case(x, HP5_SUB_PARTITIONS); return true; }
    'un-partitioned'   { lex_wrong_case(x, HP5_UN_PARTITIONED); return true; }
    'relative-to'      { lex_wrong_case(x, HP5_RELATIVE_TO); return true; }

    "@Extern"         { emit(x, HP5_EXTERN); return true; }
    "@Language"       { emit(x, HP5_LANGUAGE); return true; }
    "@Includes"       { emit(x, HP5_INCLUDES); lex_file_names(x); return true; }
    "@Libraries"      { emit(x, HP5_LIBRARIES); lex_file_names(x); return true; }
    "@" name?         { lex_bad_annotation(x); return true; }

    "("               { emit(x, HP5_LPAREN); return true; }
    ")"               { emit(x, HP5_RPAREN); return true; }
    "["               { emit(x, HP5_LBRACKET); return true; }
    "]"               { emit(x, HP5_RBRACKET); return true; }
    "{"               { emit(x, HP5_LBRACE); return true; }
    "}"               { emit(x, HP5_RBRACE); return true; }
    ","               { emit(x, HP5_COMMA); return true; }
    ";"               { emit(x, HP5_SEMICOLON); return true; }
    ":"               { emit(x, HP5_COLON); return true; }
    "."               { emit(x, HP5_DOT); return true; }
    "..."             { emit(x, HP5_ELLIPSIS); return true; }
    "="               { emit(x, HP5_ASSIGN); return true; }
    "=="              { emit(x, HP5_EQ); return true; }
    "!="              { emit(x, HP5_NE); return true; }
    "<"               { emit(x, HP5_LT); return true; }
    ">"               { emit(x, HP5_GT); return true; }
    "<="              { emit(x, HP5_LE); return true; }
    ">="              { emit(x, HP5_GE); return true; }
    "<<"              { emit(x, HP5_SHL); return true; }
    ">>"              { emit(x, HP5_SHR); return true; }
    "+"               { emit(x, HP5_PLUS); return true; }
    "-"               { emit(x, HP5_MINUS); return true; }
    "*"               { emit(x, HP5_STAR); return true; }
    "/"               { emit(x, HP5_SLASH); return true; }
    "%"               { emit(x, HP5_PERCENT); return true; }
    "**"              { emit(x, HP5_POWER); return true; }
    "|"               { emit(x, HP5_PIPE); return true; }
    "^"               { emit(x, HP5_CARET); return true; }
    "&"               { emit(x, HP5_AMPERSAND); return true; }

    digit+ "d"        { lex_dimensionality(x); return true; }
    digit+            { lex_integer(x); return true; }
    "0" [xX] [0-9a-fA-F]+ { lex_integer(x); return true; }
    digit+ "." digit+ exponent? { lex_real(x); return true; }
    digit+ exponent   { lex_real(x); return true; }
    digit+ "." / [^.0-9A-Za-z_] { lex_bad_number(x, HP5_REAL); return true; }
    digit (digit | letter)*          { lex_bad_number(x, HP5_INTEGER); return true; }
    digit+ "." digit (digit | letter)* { lex_bad_number(x, HP5_REAL); return true; }

    "\"" inside_s* "\"" { lex_string(x); return true; }
    "\"" inside_s*    { lex_unterminated_string(x); return true; }
    "'" inside_c* "'" { lex_character(x); return true; }
    "'" inside_c*     { lex_unterminated_character(x); return true; }

    name              {
        const char *end = x->cursor;
        if ((unsigned char)*end >= 0x80 && take_foreign_word(x, end)) lex_foreign_name(x);
        else { x->cursor = end; emit(x, HP5_NAME); }
        return true;
    }
    *                 {
        if ((unsigned char)*x->start >= 0x80 && take_foreign_word(x, x->start)) lex_foreign_name(x);
        else lex_bad_character(x);
        return true;
    }
    */
}

/* Refuses what is not text, with one message. */
static bool check_encoding(Parse *p) {
    const char *text = p->source->text;
    for (size_t i = 0; i < p->source->length;) {
        if (text[i] > 0) {
            i++;
            continue;
        }
        Span at = {(uint32_t)i, (uint32_t)i + 1};
        uint32_t c;
        size_t size = text_utf8_decode(text + i, p->source->length - i, &c);
        if (text[i] == 0) {
            Diag *d = diag_error(p->diags, E_NUL_BYTE, at, "this file has a NUL byte: it is not a text file");
            diag_help(d, "if an editor wrote it as UTF-16, save it as UTF-8");
            return false;
        }
        if (size == 1) {
            Diag *d = diag_error(p->diags, E_NOT_UTF8, at, "the byte 0x%02X is not valid UTF-8", (unsigned char)text[i]);
            diag_help(d, "save the file as UTF-8");
            return false;
        }
        i += size;
    }
    return true;
}

bool lex_source(Parse *p) {
    const char *text = p->source->text;
    Lexer x = {.p = p, .cursor = text, .limit = text + p->source->length, .first_on_line = true, .blank_line = true};
    if (p->source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) x.cursor += 3;
    bool is_text = check_encoding(p);
    if (!is_text) x.cursor = x.limit;
    while (lex_token(&x)) continue;
    x.first_on_line = true;
    emit(&x, 0);
    return is_text;
}
