/* Between the rules of the lexer (hp5.re) and what they do about literals (lex_literals.c) and mistakes (lex_mistakes.c). Each
 * lex_… is called when a rule has matched: what it matched lies between start and cursor. */
#ifndef HP5_SYNTAX_LEXER_H
#define HP5_SYNTAX_LEXER_H
#include "compiler/syntax/parse.h"

typedef struct Lexer {
    Parse *p;
    const char *start, *cursor, *marker, *context, *limit; /* limit: the sentinel */
    bool first_on_line;                          /* no token since the last newline */
    bool blank_line;                             /* no token or comment since the last newline */
    bool after_error;                            /* the next token follows something reported */
} Lexer;

static inline Span lexer_span(const Lexer *x) {
    const char *base = x->p->source->text;
    return (Span){(uint32_t)(x->start - base), (uint32_t)(x->cursor - base)};
}

static inline void emit(Lexer *x, int kind) {
    Token token = {lexer_span(x), (uint16_t)kind, x->first_on_line, x->after_error};
    vec_push(x->p->arena, &x->p->tokens, token);
    x->first_on_line = x->blank_line = x->after_error = false;
}

/* ---- lex_literals.c: one token each; what is wrong with it is reported ---- */
void lex_string(Lexer *x);
void lex_unterminated_string(Lexer *x);
/* 'a' is a character; 'word' is most probably meant as a string and passed on as one. */
void lex_character(Lexer *x);
void lex_unterminated_character(Lexer *x);
void lex_integer(Lexer *x);
void lex_real(Lexer *x);
void lex_bad_number(Lexer *x, int kind);
void lex_dimensionality(Lexer *x);

/* ---- lex_mistakes.c ---- */
/* Takes the rest of a word that has letters outside ASCII; false when it has none. */
bool take_foreign_word(Lexer *x, const char *from);
void lex_foreign_name(Lexer *x);
void lex_bad_character(Lexer *x);
void lex_bad_annotation(Lexer *x);
/* A hyphenated keyword in the wrong case: reported, and taken as the keyword. */
void lex_wrong_case(Lexer *x, int kind);
#endif
