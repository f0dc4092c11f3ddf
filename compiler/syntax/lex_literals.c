/* Literals: strings, characters and their escapes, numbers. */
#include "compiler/syntax/lexer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void lex_string(Lexer *x) {
    check_escapes(x);
    emit(x, HP5_STRING);
}

void lex_unterminated_string(Lexer *x) {
    Diag *d = diag_error(x->p->diags, E_UNTERMINATED_STRING, lexer_span(x), "this string has no closing '\"' on its line");
    diag_help(d, "close it with '\"'; write '\\n' for a line break inside a string");
    emit(x, HP5_STRING);
}

void lex_character(Lexer *x) {
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

void lex_unterminated_character(Lexer *x) {
    Diag *d = diag_error(x->p->diags, E_BAD_CHARACTER_LITERAL, lexer_span(x), "this character literal has no closing quote");
    diag_help(d, "write one character between quotes, as in 'a'");
    emit(x, HP5_CHARACTER);
}

void lex_integer(Lexer *x) {
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

void lex_real(Lexer *x) {
    errno = 0;
    double value = strtod(x->start, NULL);
    if (errno == ERANGE && value > 1) {
        Diag *d = diag_error(x->p->diags, E_REAL_TOO_LARGE, lexer_span(x), "the real number %.*s is too large",
                             (int)(x->cursor - x->start), x->start);
        diag_help(d, "the largest Real double-precision is about 1.797e308");
    }
    emit(x, HP5_REAL);
}

void lex_bad_number(Lexer *x, int kind) {
    int length = (int)(x->cursor - x->start);
    const bool of_c = (x->cursor[-1] | 32) == 'f' && strspn(x->start, "0123456789.") == (size_t)length - 1;
    Diag *d = diag_error(x->p->diags, E_BAD_NUMBER, lexer_span(x), "'%.*s' is not a number", length, x->start);
    if (x->cursor[-1] == '.') diag_help(d, "a real number has digits after its point: %.*s0", length, x->start);
    else if ((x->start[1] | 32) == 'x') diag_help(d, "a hexadecimal number is 0x followed by digits 0-9 and a-f");
    else if (x->cursor[-1] == 'D') diag_help(d, "a dimensionality has a small letter: %.*sd", length - 1, x->start);
    else if (of_c) diag_help(d, "a literal takes the type of what it meets, %.*s * x; by itself it is Real single-precision(%.*s)", length - 1, x->start, length - 1, x->start);
    else diag_help(d, "a name starts with a letter or '_'; a number is written 42, 0x2a, 1.5 or 2e-3");
    emit(x, kind);
}

void lex_dimensionality(Lexer *x) {
    long rank = strtol(x->start, NULL, 10);
    if (rank < 1 || rank > 16) {
        Diag *d = diag_error(x->p->diags, E_BAD_DIMENSIONALITY, lexer_span(x), "%.*s is no number of dimensions",
                             (int)(x->cursor - x->start), x->start);
        diag_help(d, "write 1d, 2d, 3d … up to 16d");
    }
    emit(x, HP5_DIMENSIONALITY);
}
