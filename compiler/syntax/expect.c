/* What could stand here: the list of expected tokens in words. The parser is asked
 * about every kind of token; families (the starts of an expression, operators, …) are
 * named as one. At most six items. */
#include "compiler/syntax/parse.h"
#include <string.h>

enum { EXPECTED_LIMIT = 6 };

/* A family is named when the parser accepts all its marks; then all its kinds are
 * taken off the list. */
typedef struct Family {
    const char *name;
    int marks[4];
    int kinds[24];
} Family;
static const Family families[] = {
    {"an expression",
     {HP5_LPAREN, HP5_MINUS, HP5_INTEGER},
     {HP5_NAME, HP5_INTEGER, HP5_REAL, HP5_CHARACTER, HP5_STRING, HP5_BOOLEAN, HP5_LPAREN, HP5_LBRACKET,
      HP5_MINUS, HP5_NOT, HP5_NEW, HP5_EXECUTE, HP5_INTEGER_TYPE, HP5_REAL_TYPE}},
    {"an operator",
     {HP5_PLUS, HP5_STAR},
     {HP5_OR,    HP5_AND,  HP5_PIPE,  HP5_CARET,   HP5_AMPERSAND, HP5_EQ,  HP5_NE,    HP5_LT,
      HP5_GT,    HP5_LE,   HP5_GE,    HP5_IN,      HP5_ELLIPSIS,  HP5_SHL, HP5_SHR,   HP5_PLUS,
      HP5_MINUS, HP5_STAR, HP5_SLASH, HP5_PERCENT, HP5_POWER,     HP5_AT,  HP5_ASSIGN}},
    {"an operator",
     {HP5_AND, HP5_EQ},
     {HP5_OR, HP5_AND, HP5_PIPE, HP5_CARET, HP5_AMPERSAND, HP5_EQ, HP5_NE, HP5_LT, HP5_GT, HP5_LE, HP5_GE,
      HP5_IN, HP5_ASSIGN}},
    {"a statement",
     {HP5_NAME, HP5_DO, HP5_RETURN},
     {HP5_NAME, HP5_IF, HP5_DO, HP5_RETURN, HP5_REDUCE, HP5_EXTERN, HP5_EXECUTE}},
    {"a step of the computation",
     {HP5_NAME, HP5_REPEAT, HP5_EPOCH},
     {HP5_NAME, HP5_SPACE, HP5_REPEAT, HP5_IF, HP5_WHERE, HP5_EPOCH}},
    {"a section",
     {HP5_DEFINE, HP5_STAGES, HP5_PROGRAM},
     {HP5_DEFINE, HP5_ENVIRONMENT, HP5_INITIALIZE, HP5_STAGES, HP5_COMPUTATION, HP5_PARTITION, HP5_PROGRAM,
      HP5_TASK, HP5_TYPE, HP5_FUNCTION}},
    {"a section",
     {HP5_DEFINE, HP5_STAGES},
     {HP5_DEFINE, HP5_ENVIRONMENT, HP5_INITIALIZE, HP5_STAGES, HP5_COMPUTATION, HP5_PARTITION}},
    {"a type",
     {HP5_INTEGER_TYPE, HP5_REAL_TYPE},
     {HP5_INTEGER_TYPE, HP5_REAL_TYPE, HP5_CHARACTER_TYPE, HP5_BOOLEAN_TYPE, HP5_STRING_TYPE, HP5_RANGE_TYPE,
      HP5_NAME, HP5_ARRAY, HP5_DIMENSIONALITY, HP5_LIST}},
};

static const Family *accepted_family(const bool *accepted, const Family *family) {
    for (int i = 0; i < 4 && family->marks[i]; i++)
        if (!accepted[family->marks[i]]) return NULL;
    return family;
}

/* "'}' (to close the '{' at line 3)" for the bracket that is still open. */
static const char *closing_text(Driver *d, int kind) {
    Token open;
    const char *text = token_text(kind);
    if (!stack_open_bracket(d->parser, &open)) return arena_printf(d->p->arena, "'%s'", text);
    int line, column;
    source_position(d->p->source, open.span.start, &line, &column);
    return arena_printf(d->p->arena, "'%s' (to close the '%c' at line %d)", text,
                        d->p->source->text[open.span.start], line);
}

static const char *item_text(Driver *d, int kind) {
    if (kind == 0) return "the end of the file";
    if (kind == HP5_RPAREN || kind == HP5_RBRACKET || kind == HP5_RBRACE) return closing_text(d, kind);
    bool named = kind == HP5_NAME || kind == HP5_DIMENSIONALITY || kind == HP5_INTEGER || kind == HP5_REAL ||
                 kind == HP5_CHARACTER || kind == HP5_STRING || kind == HP5_BOOLEAN || kind == HP5_WORD;
    return named ? token_text(kind) : arena_printf(d->p->arena, "'%s'", token_text(kind));
}

char *expected_tokens(Driver *d) {
    bool accepted[KIND_LIMIT] = {false};
    size_t depth = stack_depth(d->parser);
    for (int kind = 0; kind < KIND_LIMIT; kind++) {
        const char *name = token_kind_name(kind);
        if (kind > 0 && strcmp(name, "END") == 0) continue;
        accepted[kind] = stack_accepts(d->parser, depth, &kind, 1);
    }
    const char *items[EXPECTED_LIMIT];
    size_t count = 0;
    /* After a whole place or value, '.' '[' '(' continue it: too obvious to list. */
    if (accepted[HP5_PLUS] && accepted[HP5_STAR]) {
        accepted[HP5_DOT] = accepted[HP5_LPAREN] = false;
        if (!accepted[HP5_INTEGER]) accepted[HP5_LBRACKET] = false;
    }
    static const int closing[] = {HP5_RPAREN, HP5_RBRACKET, HP5_RBRACE};
    bool is_closing[3];
    for (int i = 0; i < 3; i++) {
        is_closing[i] = accepted[closing[i]];
        accepted[closing[i]] = false;
    }
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        const Family *family = accepted_family(accepted, &families[f]);
        if (!family || count == EXPECTED_LIMIT) continue;
        items[count++] = family->name;
        for (int i = 0; i < 24 && family->kinds[i]; i++) accepted[family->kinds[i]] = false;
    }
    for (int i = 0; i < 3; i++)
        if (is_closing[i] && count < EXPECTED_LIMIT) items[count++] = item_text(d, closing[i]);
    for (int kind = 1; kind < KIND_LIMIT && count < EXPECTED_LIMIT; kind++)
        if (accepted[kind]) items[count++] = item_text(d, kind);
    if (accepted[0] && count < EXPECTED_LIMIT) items[count++] = item_text(d, 0);
    return text_join_or(d->p->arena, items, count);
}
