/* What is no HP5, and what it was most probably meant as: letters outside ASCII, characters that look like others, words with '@',
 * keywords in the wrong case. */
#include "compiler/syntax/lexer.h"
#include <string.h>

/* Whether a character outside ASCII is most probably a letter of a name. */
static bool is_foreign_letter(uint32_t c) {
    return c >= 0xC0 && c != 0xD7 && c != 0xF7 && !(c >= 0x2000 && c < 0x2C00) && !(c >= 0x3000 && c < 0x3040) && c != 0xFEFF;
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool take_foreign_word(Lexer *x, const char *from) {
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

void lex_foreign_name(Lexer *x) {
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

void lex_bad_character(Lexer *x) {
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
    else if (c == '~') diag_help(d, "HP5 has no operator '~'; write -1 - x, or x ^ mask for the bits of mask");
    else if (plain && plain[0] == ' ') diag_help(d, "replace it with a plain space");
    else if (plain) diag_help(d, "write the plain '%s'", plain);
    else diag_help(d, "remove it");
    resume_after(x, c, like);
}

void lex_bad_annotation(Lexer *x) {
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

void lex_wrong_case(Lexer *x, int kind) {
    Diag *d = diag_error(x->p->diags, E_MISSPELT_KEYWORD, lexer_span(x), "'%.*s' is not a keyword",
                         (int)(x->cursor - x->start), x->start);
    diag_help(d, "did you mean '%s'?", token_text(kind));
    emit(x, kind);
}
