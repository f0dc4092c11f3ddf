/* The table of tokens: what each is called in the grammar and in messages. */
#include "compiler/syntax/parse.h"
#include <string.h>

typedef struct Word {
    const char *name, *text;
    bool keyword;
} Word;

static const Word words[] = {
#define KEYWORD(name, text) [HP5_##name] = {#name, text, true},
#define MARK(name, text) [HP5_##name] = {#name, text, false},
#define CLASS(name, text) [HP5_##name] = {#name, text, false},
#include "compiler/syntax/tokens.def"
#undef KEYWORD
#undef MARK
#undef CLASS
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

const char *token_text(int kind) {
    const char *text = kind > 0 && kind < WORD_COUNT ? words[kind].text : NULL;
    return text ? text : "end of file";
}

const char *token_kind_name(int kind) {
    const char *name = kind > 0 && kind < WORD_COUNT ? words[kind].name : NULL;
    return name ? name : "END";
}

bool token_is_keyword(int kind) { return kind > 0 && kind < WORD_COUNT && words[kind].keyword; }

int token_keyword_of(const char *text) {
    for (int kind = 1; kind < WORD_COUNT; kind++)
        if (words[kind].keyword && strcmp(words[kind].text, text) == 0) return kind;
    return 0;
}

char *token_slice(Parse *p, Token token) {
    return arena_copy(p->arena, p->source->text + token.span.start, token.span.end - token.span.start);
}

const char *operator_text(Operator op) {
    static const char *const texts[] = {
        [OP_OR] = "or",   [OP_AND] = "and", [OP_BITOR] = "|", [OP_BITXOR] = "^", [OP_BITAND] = "&",
        [OP_EQ] = "==",   [OP_NE] = "!=",   [OP_LT] = "<",    [OP_GT] = ">",     [OP_LE] = "<=",
        [OP_GE] = ">=",   [OP_SHL] = "<<",  [OP_SHR] = ">>",  [OP_ADD] = "+",    [OP_SUB] = "-",
        [OP_MUL] = "*",   [OP_DIV] = "/",   [OP_MOD] = "%",   [OP_POW] = "**",   [OP_NEG] = "-",
        [OP_NOT] = "not",
    };
    return texts[op];
}
