/* The driver of the parser: lexes the whole source, then feeds one token after the
 * other. It asks before each token whether the parser would take it (stack_accepts
 * replays the reductions on the side), so the grammar never sees an error: what does
 * not fit goes to driver_recover (recover.c). */
#include "compiler/syntax/parse.h"
#include <stdlib.h>

static bool opens(int kind) { return kind == HP5_LPAREN || kind == HP5_LBRACKET || kind == HP5_LBRACE; }
static bool closes(int kind) { return kind == HP5_RPAREN || kind == HP5_RBRACKET || kind == HP5_RBRACE; }

/* Later passes recurse over the tree, so a source that nests brackets without end is
 * refused at the bracket that is one too many. */
static bool check_nesting(Parse *p) {
    int level = 0;
    for (size_t i = 0; i < p->tokens.count; i++) {
        Token t = p->tokens.items[i];
        if (opens(t.kind) && ++level > NESTING_LIMIT) {
            syntax_too_deep(p, t.span);
            return false;
        }
        if (closes(t.kind) && level > 0) level--;
    }
    return true;
}

static void feed_all(Driver *d) {
    while (!d->stop) {
        bool contextual = driver_is_name(d);
        if (contextual) {
            d->p->tokens.items[d->next].kind = HP5_NAME;
            vec_push(d->p->arena, &d->p->ast->names, d->p->tokens.items[d->next].span.start);
        }
        Token t = d->p->tokens.items[d->next];
        int kind = t.kind;
        if (kind == HP5_SEMICOLON && driver_skip_semicolon(d)) continue;
        if (t.after_error && driver_pass_over(d)) continue;
        if (!stack_accepts(d->parser, stack_depth(d->parser), &kind, 1)) {
            driver_recover(d);
            continue;
        }
        if (kind == HP5_NAME && !contextual && driver_guess_early(d)) continue;
        Hp5Parser(d->parser, kind, t);
        d->next++;
        if (kind == 0) return;
    }
}

static void *allocate(size_t size) { return malloc(size); }

Ast *syntax_parse(Arena *arena, Source *source, Diags *diags) {
    Ast *ast = ARENA_NEW(arena, Ast);
    ast->source = source;
    Parse p = {.arena = arena, .source = source, .diags = diags, .ast = ast};
    if (!lex_source(&p) || !check_nesting(&p)) return ast;
    Driver d = {.p = &p, .parser = Hp5ParserAlloc(allocate, &p)};
    if (!d.parser) arena_out_of_memory();
    feed_all(&d);
    Hp5ParserFree(d.parser, free);
    return ast;
}
