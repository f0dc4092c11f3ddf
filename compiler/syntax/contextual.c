/* Words that are keywords in one place and names everywhere else: `step` behind the range of a loop, `at` before
 * `(current)`, `Format` behind the type of an array. The lexer calls all of them keywords; here the parser is asked which of
 * both fits, with the token behind it.
 *
 * Other keywords are keywords everywhere. Those that begin a section or a part, and `Space` and `Repeat`, are where the parser
 * finds its way again after an error; types and the words that begin or join statements and expressions would leave
 * programs with two readings. Behind a '.' every word is a name: args.in. And so is, where it fits, a keyword of which an error has said that it cannot be one. */
#include "compiler/syntax/parse.h"
#include <string.h>

static bool is_contextual(int kind) {
    switch (kind) {
    case HP5_WHERE:
    case HP5_EPOCH:
    case HP5_REDUCTION:
    case HP5_ARRAY:
    case HP5_LIST:
    case HP5_FORMAT:
    case HP5_STEP:
    case HP5_AT:
    case HP5_CURRENT:
    case HP5_FOREACH:
    case HP5_DIVIDES:
    case HP5_PARTITIONS:
    case HP5_REPLICATED:
    case HP5_PADDING:
    case HP5_ORDERED:
    case HP5_UNORDERED:
    case HP5_ASCENDS:
    case HP5_DESCENDS:
    case HP5_DYNAMIC:
    case HP5_LINK:
    case HP5_CREATE:
    case HP5_LINK_OR_CREATE:
    case HP5_OF:
    case HP5_SEQUENCE: return true;
    default: return false;
    }
}

/* No name has a hyphen: link-or-create, sub-partition; nor is a mark one: '&&' is the keyword `and`. */
static bool is_a_word(const Parse *p, Token t) {
    const char *text = p->source->text + t.span.start;
    return text[0] >= 'A' && memchr(text, '-', t.span.end - t.span.start) == NULL && text[0] != '|';
}

bool token_may_be_name(const Parse *p, Token t) { return t.kind == HP5_NAME || (is_contextual(t.kind) && is_a_word(p, t)); }

/* Whether the parser takes `kind` and then the token behind, as whatever that may be. */
static bool takes(const Driver *d, int kind, Token behind) {
    int kinds[2] = {kind, behind.kind};
    size_t depth = stack_depth(d->parser);
    if (stack_accepts(d->parser, depth, kinds, 2)) return true;
    kinds[1] = HP5_NAME;
    return token_may_be_name(d->p, behind) && stack_accepts(d->parser, depth, kinds, 2);
}

bool driver_is_name(const Driver *d) {
    const TokenVec *tokens = &d->p->tokens;
    Token t = tokens->items[d->next];
    if (!token_is_keyword(t.kind) || !is_a_word(d->p, t)) return false;
    Token behind = tokens->items[d->next + 1];
    if (d->next > 0 && tokens->items[d->next - 1].kind == HP5_DOT) return takes(d, HP5_NAME, behind);
    if (t.kind == HP5_PADDING && behind.kind == HP5_LPAREN) return false; /* recover.c knows what is wrong with it */
    if ((t.kind == HP5_ARRAY || t.kind == HP5_LIST) && behind.kind == HP5_OF) return false;
    /* `y = new` and, on the next line, `x = y`: what is made has parentheses. */
    bool makes = t.kind == HP5_NEW && (behind.kind != HP5_NAME || tokens->items[d->next + 2].kind == HP5_LPAREN);
    if (t.kind == HP5_NEW && !makes && d->is_named[t.kind]) return takes(d, HP5_NAME, behind);
    /* `step [` is the start of an assignment: a step is a number. */
    bool element = t.kind == HP5_STEP && behind.kind == HP5_LBRACKET;
    return (is_contextual(t.kind) || d->is_named[t.kind]) && (element || !takes(d, t.kind, behind)) && takes(d, HP5_NAME, behind);
}
