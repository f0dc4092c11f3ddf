/* Constructors of expressions and statements: one for each action of hp5.y. They
 * compute spans, decode literals and check what the grammar alone cannot say (what
 * may stand left of '=', how deep a tree may be). Every error leaves a usable tree. */
#include "compiler/syntax/parse.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Depth ---------------------------------------------------------------------- */

void syntax_too_deep(Parse *p, Span span) {
    if (p->too_deep) return;
    p->too_deep = true;
    Diag *d = diag_error(p->diags, E_TOO_DEEP, span, "nested too deeply: more than %d levels", NESTING_LIMIT);
    diag_help(d, "split it up, or move the inner part into a function");
}

/* Sets the depth of `e` above its parts; a tree that is too deep becomes AST_ERROR. */
static AstExpr *deepen(Parse *p, AstExpr *e, const AstExpr *a, const AstExpr *b) {
    uint32_t below = a ? a->depth : 0;
    if (b && b->depth > below) below = b->depth;
    e->depth = below + 1;
    if (e->depth <= NESTING_LIMIT) return e;
    syntax_too_deep(p, e->span);
    AstExpr *error = ARENA_NEW(p->arena, AstExpr);
    error->kind = AST_ERROR;
    error->span = e->span;
    error->depth = 1;
    return error;
}

static AstExpr *new_expr(Parse *p, AstExprKind kind, Span span) {
    AstExpr *e = ARENA_NEW(p->arena, AstExpr);
    e->kind = kind;
    e->span = span;
    e->depth = 1;
    return e;
}

static Name name_of(Parse *p, Token token) { return (Name){token_slice(p, token), token.span}; }

static uint32_t deepest(const AstExprVec *all) {
    uint32_t depth = 0;
    for (size_t i = 0; all && i < all->count; i++)
        if (all->items[i]->depth > depth) depth = all->items[i]->depth;
    return depth;
}

/* ---- Lists ---------------------------------------------------------------------- */

AstExprVec *ast_add_expr(Parse *p, AstExprVec *all, AstExpr *one) {
    if (!all) all = ARENA_NEW(p->arena, AstExprVec);
    vec_push(p->arena, all, one);
    return all;
}

AstStmtVec *ast_add_stmt(Parse *p, AstStmtVec *all, AstStmt *one) {
    if (!all) all = ARENA_NEW(p->arena, AstStmtVec);
    vec_push(p->arena, all, one);
    return all;
}

NamedArgVec *ast_add_named_arg(Parse *p, NamedArgVec *all, AstNamedArg *one) {
    if (!all) all = ARENA_NEW(p->arena, NamedArgVec);
    vec_push(p->arena, all, *one);
    return all;
}

IndexRangeVec *ast_add_index_range(Parse *p, IndexRangeVec *all, AstIndexRange *one) {
    if (!all) all = ARENA_NEW(p->arena, IndexRangeVec);
    vec_push(p->arena, all, *one);
    return all;
}

/* ---- Leaves --------------------------------------------------------------------- */

static void decode_text(Parse *p, AstExpr *e, Token token) {
    const char *text = p->source->text + token.span.start + 1;
    size_t length = token.span.end - token.span.start - 1;
    char quote = text[-1];
    /* An unterminated literal lacks its closing quote. */
    bool escaped = length >= 2 && text[length - 2] == '\\' && !(length >= 3 && text[length - 3] == '\\');
    if (length > 0 && text[length - 1] == quote && !escaped) length--;
    char *decoded = arena_alloc(p->arena, length + 1);
    e->text_length = lex_decode(text, length, decoded);
    e->text = decoded;
}

AstExpr *ast_literal(Parse *p, Token token) {
    AstExpr *e = new_expr(p, AST_ERROR, token.span);
    char *slice = token_slice(p, token);
    e->text = slice;
    e->text_length = strlen(slice);
    switch (token.kind) {
    case HP5_INTEGER:
        e->kind = AST_INTEGER;
        e->integer = (int64_t)strtoull(slice, NULL, slice[0] == '0' && (slice[1] | 32) == 'x' ? 16 : 10);
        break;
    case HP5_REAL:
        e->kind = AST_REAL;
        e->real = strtod(slice, NULL);
        break;
    case HP5_CHARACTER:
        e->kind = AST_CHARACTER;
        decode_text(p, e, token);
        e->integer = (unsigned char)e->text[0];
        break;
    case HP5_STRING:
        e->kind = AST_STRING;
        decode_text(p, e, token);
        break;
    case HP5_BOOLEAN:
        e->kind = AST_BOOLEAN;
        e->integer = slice[0] == 't' || slice[0] == 'T';
        break;
    default: break;
    }
    return e;
}

AstExpr *ast_name(Parse *p, Token token) {
    AstExpr *e = new_expr(p, AST_NAME, token.span);
    e->name = name_of(p, token);
    return e;
}

AstExpr *ast_all(Parse *p, Token ellipsis) { return new_expr(p, AST_ALL, ellipsis.span); }

AstExpr *ast_space_argument(Parse *p, Token space, Token lps, Token name) {
    AstExpr *e = new_expr(p, AST_SPACE_ARG, span_join(space.span, name.span));
    e->name = name_of(p, lps);
    e->left = ast_name(p, name);
    e->depth = 2;
    return e;
}

/* ---- Trees ---------------------------------------------------------------------- */

static bool is_dimension(const char *name) {
    return strncmp(name, "dimension", 9) == 0 && strspn(name + 9, "0123456789") == strlen(name + 9);
}

/* x.dimension1.length is x.dimension1.range.length; the formatter prints it so. */
static AstExpr *with_range(Parse *p, AstExpr *left, Token dot) {
    AstExpr *e = new_expr(p, AST_FIELD, left->span);
    e->operator_span = dot.span;
    e->left = left;
    e->name = (Name){"range", left->span};
    return deepen(p, e, left, NULL);
}

AstExpr *ast_field(Parse *p, AstExpr *left, Token dot, Token name) {
    bool length = left->kind == AST_FIELD && is_dimension(left->name.text) && strcmp(token_slice(p, name), "length") == 0;
    if (length) left = with_range(p, left, dot);
    AstExpr *e = new_expr(p, AST_FIELD, span_join(left->span, name.span));
    e->operator_span = dot.span;
    e->left = left;
    e->name = name_of(p, name);
    return deepen(p, e, left, NULL);
}

AstExpr *ast_index(Parse *p, AstExpr *left, AstExpr *index, Token close) {
    AstExpr *e = new_expr(p, AST_INDEX, span_join(left->span, close.span));
    e->left = left;
    e->right = index;
    return deepen(p, e, left, index);
}

AstExpr *ast_call(Parse *p, Token name, AstExprVec *arguments, Token close) {
    AstExpr *e = new_expr(p, AST_CALL, span_join(name.span, close.span));
    e->name = name_of(p, name);
    if (arguments) e->arguments = *arguments;
    AstExpr below = {.depth = deepest(arguments)};
    return deepen(p, e, &below, NULL);
}

AstExpr *ast_conversion(Parse *p, Token type, Token precision, AstExpr *operand, Token close) {
    AstExprVec *arguments = ast_add_expr(p, NULL, operand);
    AstExpr *e = ast_call(p, type, arguments, close);
    if (precision.span.end == 0) return e;
    e->name.span = span_join(type.span, precision.span);
    e->name.text = p->source->text[precision.span.start] == 's' ? "Real single-precision" : "Real double-precision";
    return e;
}

AstExpr *ast_unary(Parse *p, Operator op, Token token, AstExpr *operand) {
    AstExpr *e = new_expr(p, AST_UNARY, span_join(token.span, operand->span));
    e->operator_span = token.span;
    e->op = op;
    e->left = operand;
    return deepen(p, e, operand, NULL);
}

AstExpr *ast_pair(Parse *p, AstExprKind kind, AstExpr *left, Token token, AstExpr *right) {
    AstExpr *e = new_expr(p, kind, span_join(left->span, right->span));
    e->operator_span = token.span;
    e->left = left;
    e->right = right;
    return deepen(p, e, left, right);
}

AstExpr *ast_binary(Parse *p, Operator op, AstExpr *left, Token token, AstExpr *right) {
    AstExpr *e = ast_pair(p, AST_BINARY, left, token, right);
    e->op = op;
    return e;
}

AstExpr *ast_assign(Parse *p, AstExpr *left, Token token, AstExpr *right) {
    const AstExpr *place = left->kind == AST_AT ? left->left : left;
    bool assignable = place->kind == AST_NAME || place->kind == AST_FIELD || place->kind == AST_INDEX ||
                      place->kind == AST_ERROR;
    if (!assignable || left->parenthesised) {
        Diag *d = diag_error(p->diags, E_NOT_ASSIGNABLE, left->span, "nothing can be assigned to %s",
                             left->kind == AST_CALL ? "the result of a call" : "this expression");
        int operator_line, line, column;
        source_position(p->source, left->operator_span.start, &operator_line, &column);
        source_position(p->source, left->right ? left->right->span.start : 0, &line, &column);
        if (left->kind == AST_BINARY && !left->parenthesised && line > operator_line)
            diag_help(d, "line %d ends with '%s', so its expression goes on in line %d", operator_line,
                      operator_text(left->op), line);
        else diag_help(d, "'=' assigns to a variable, field or element; '==' compares");
    }
    return ast_pair(p, AST_ASSIGN, left, token, right);
}

AstExpr *ast_at(Parse *p, AstExpr *left, Token at, Token lag, Token close) {
    AstExpr *e = new_expr(p, AST_AT, span_join(left->span, close.span));
    e->operator_span = at.span;
    e->left = left;
    if (lag.kind) e->integer = ast_literal(p, lag)->integer;
    return deepen(p, e, left, NULL);
}

AstExpr *ast_parenthesised(Parse *p, Token open, AstExpr *inside, Token close) {
    (void)p;
    inside->parenthesised = true;
    inside->span = span_join(open.span, close.span);
    return inside;
}

AstExpr *ast_bracketed(Parse *p, Token open, AstExpr *inside, Token close) {
    inside->span = span_join(open.span, close.span);
    if (inside->kind == AST_RANGE && !inside->bracketed && !inside->parenthesised) {
        inside->bracketed = true;
    } else if (inside->kind != AST_ERROR) {
        Diag *d =
            diag_error(p->diags, E_BRACKETS_WITHOUT_RANGE, inside->span, "these brackets hold no range");
        diag_help(d, "a range is written [first...last]; an expression is grouped with ( )");
    }
    return inside;
}

AstNamedArg *ast_named_arg(Parse *p, Token name, AstExprVec *values) {
    AstNamedArg *a = ARENA_NEW(p->arena, AstNamedArg);
    a->name = name_of(p, name);
    a->values = *values;
    a->span = span_join(name.span, vec_last(values)->span);
    return a;
}

static AstExpr *with_named(Parse *p, AstExpr *e, NamedArgVec *arguments) {
    uint32_t depth = 0;
    if (arguments) {
        e->named.items = arguments->items;
        e->named.count = arguments->count;
        e->named.capacity = arguments->capacity;
        for (size_t i = 0; i < arguments->count; i++) {
            uint32_t d = deepest(&arguments->items[i].values);
            if (d > depth) depth = d;
        }
    }
    AstExpr below = {.depth = depth};
    return deepen(p, e, &below, NULL);
}

/* new Range(min: a, max: b) is [a...b]; NULL when it has other parts, which the checker reports. */
static AstExpr *new_range(Parse *p, Token start, const AstType *type, const NamedArgVec *arguments, Token close) {
    if (type->kind != AST_TYPE_BASIC || type->basic != BASIC_RANGE || !arguments || arguments->count != 2) return NULL;
    size_t min = strcmp(arguments->items[0].name.text, "max") == 0, max = 1 - min;
    bool named = strcmp(arguments->items[min].name.text, "min") == 0 && strcmp(arguments->items[max].name.text, "max") == 0;
    if (!named) return NULL;
    AstExpr *e = ast_pair(p, AST_RANGE, arguments->items[min].values.items[0], start, arguments->items[max].values.items[0]);
    e->span = span_join(start.span, close.span);
    e->bracketed = true;
    return e;
}

AstExpr *ast_new(Parse *p, Token start, AstType *type, NamedArgVec *arguments, Token close) {
    AstExpr *range = new_range(p, start, type, arguments, close);
    if (range) return range;
    Span end = close.kind ? close.span : type->span;
    AstExpr *e = new_expr(p, AST_NEW, span_join(start.span, end));
    bool environment = type->kind == AST_TYPE_NAMED && strcmp(type->name.text, "TaskEnvironment") == 0;
    e->type = environment ? NULL : type;
    return with_named(p, e, arguments);
}

AstExpr *ast_execute(Parse *p, Token start, NamedArgVec *arguments, Token close) {
    return with_named(p, new_expr(p, AST_EXECUTE, span_join(start.span, close.span)), arguments);
}

/* ---- Statements ------------------------------------------------------------------- */

static uint32_t block_depth(const AstBlock *block) {
    uint32_t depth = 0;
    for (size_t i = 0; block && i < block->statements.count; i++)
        if (block->statements.items[i]->depth > depth) depth = block->statements.items[i]->depth;
    return depth;
}

static AstStmt *new_stmt(Parse *p, AstStmtKind kind, Span span) {
    AstStmt *s = ARENA_NEW(p->arena, AstStmt);
    s->kind = kind;
    s->span = span;
    s->depth = 1;
    return s;
}

/* Sets the depth of `s` from its blocks; too deep ones become AST_STMT_ERROR. */
static AstStmt *deepen_stmt(Parse *p, AstStmt *s) {
    uint32_t body = block_depth(&s->body), otherwise = block_depth(s->otherwise);
    s->depth = 1 + (body > otherwise ? body : otherwise);
    if (s->depth <= NESTING_LIMIT) return s;
    syntax_too_deep(p, s->span);
    return new_stmt(p, AST_STMT_ERROR, s->span);
}

AstBlock *ast_block(Parse *p, Token open, AstStmtVec *statements, Token close) {
    AstBlock *block = ARENA_NEW(p->arena, AstBlock);
    if (statements) block->statements = *statements;
    block->span = span_join(open.span, close.span);
    block->braced = true;
    return block;
}

AstBlock *ast_single(Parse *p, AstStmt *statement) {
    AstBlock *block = ARENA_NEW(p->arena, AstBlock);
    vec_push(p->arena, &block->statements, statement);
    block->span = statement->span;
    return block;
}

AstBlock *ast_open_code(Parse *p, Token after, AstStmtVec *statements) {
    AstBlock *block = ARENA_NEW(p->arena, AstBlock);
    block->span = (Span){after.span.end, after.span.end};
    if (!statements) return block;
    block->statements = *statements;
    block->span = span_join(statements->items[0]->span, vec_last(statements)->span);
    return block;
}

static AstExpr *check_condition(Parse *p, AstExpr *condition) {
    if (condition->kind != AST_ASSIGN) return condition;
    Diag *d = diag_error(p->diags, E_ASSIGNMENT_AS_CONDITION, condition->operator_span,
                         "'=' assigns; a condition compares");
    diag_help(d, "write '==' to compare");
    return condition;
}

AstStmt *ast_expr_stmt(Parse *p, AstExpr *expr) {
    AstStmt *s = new_stmt(p, AST_EXPR_STMT, expr->span);
    s->expr = expr;
    return s;
}

AstStmt *ast_if(Parse *p, Token start, AstExpr *condition, AstBlock *then, AstBlock *otherwise) {
    AstStmt *s = new_stmt(p, AST_IF, span_join(start.span, otherwise ? otherwise->span : then->span));
    s->expr = check_condition(p, condition);
    s->body = *then;
    s->otherwise = otherwise;
    return deepen_stmt(p, s);
}

AstStmt *ast_parallel(Parse *p, Token start, AstBlock *body, IndexRangeVec *ranges) {
    AstStmt *s = new_stmt(p, AST_PARALLEL, span_join(start.span, vec_last(ranges).span));
    s->body = *body;
    s->ranges.items = ranges->items;
    s->ranges.count = ranges->count;
    s->ranges.capacity = ranges->capacity;
    return deepen_stmt(p, s);
}

AstStmt *ast_sequence(Parse *p, Token start, AstBlock *body, Token index, AstExpr *range, AstExpr *step) {
    AstStmt *s = new_stmt(p, AST_SEQUENCE, span_join(start.span, step ? step->span : range->span));
    NameVec *indices = ast_add_name(p, NULL, index);
    vec_push(p->arena, &s->ranges, *ast_index_range(p, indices, range, NULL));
    s->body = *body;
    s->step = step;
    return deepen_stmt(p, s);
}

AstStmt *ast_while(Parse *p, Token start, AstBlock *body, AstExpr *condition) {
    AstStmt *s = new_stmt(p, AST_WHILE, span_join(start.span, condition->span));
    s->body = *body;
    s->expr = check_condition(p, condition);
    return deepen_stmt(p, s);
}

AstStmt *ast_return(Parse *p, Token start, AstExpr *value) {
    AstStmt *s = new_stmt(p, AST_RETURN, value ? span_join(start.span, value->span) : start.span);
    s->expr = value;
    return s;
}

AstStmt *ast_reduce(Parse *p, Token start, AstExpr *target, AstExpr *op, AstExpr *value, Token close) {
    AstStmt *s = new_stmt(p, AST_REDUCE, span_join(start.span, close.span));
    s->target = target;
    s->reduce_op = op;
    s->expr = value;
    return s;
}

AstStmt *ast_broken_stmt(Parse *p, Token token) { return new_stmt(p, AST_STMT_ERROR, token.span); }

AstIndexRange *ast_index_range(Parse *p, NameVec *indices, AstExpr *domain, AstExpr *restriction) {
    AstIndexRange *r = ARENA_NEW(p->arena, AstIndexRange);
    r->indices = *indices;
    r->domain = domain;
    r->restriction = restriction ? check_condition(p, restriction) : NULL;
    r->span = span_join(indices->items[0].span, restriction ? restriction->span : domain->span);
    return r;
}

/* ---- Foreign code ------------------------------------------------------------------- */

AstExtern *ast_extern_new(Parse *p) { return ARENA_NEW(p->arena, AstExtern); }

static void report_twice(Parse *p, Span span, Span first, const char *what) {
    Diag *d = diag_error(p->diags, E_EXTERN_INCOMPLETE, span, "an @Extern block has one %s", what);
    diag_note(d, first, "the first one is here");
}

AstExtern *ast_extern_language(Parse *p, AstExtern *e, Token string) {
    if (e->language.text) report_twice(p, string.span, e->language.span, "language");
    else e->language = (Name){ast_literal(p, string)->text, string.span};
    return e;
}

static void append_words(Parse *p, NameVec *all, const NameVec *more) {
    for (size_t i = 0; i < more->count; i++) vec_push(p->arena, all, more->items[i]);
}

AstExtern *ast_extern_includes(Parse *p, AstExtern *e, NameVec *words) {
    append_words(p, &e->includes, words);
    return e;
}

AstExtern *ast_extern_libraries(Parse *p, AstExtern *e, NameVec *words) {
    append_words(p, &e->libraries, words);
    return e;
}

AstExtern *ast_extern_code(Parse *p, AstExtern *e, Token code) {
    if (e->code) {
        report_twice(p, code.span, e->code_span, "piece of code");
        return e;
    }
    const char *text = p->source->text;
    uint32_t end = code.span.end;
    if (end >= code.span.start + 4 && text[end - 1] == '$' && text[end - 2] == '}') end -= 2;
    e->code_span = (Span){code.span.start + 2, end};
    e->code_length = end - code.span.start - 2;
    e->code = arena_copy(p->arena, text + e->code_span.start, e->code_length);
    return e;
}

/* What could not be parsed may have been the language or the code: neither is missed then. */
AstExtern *ast_extern_broken(Parse *p, AstExtern *e) {
    (void)p;
    if (!e->language.text) e->language.text = "";
    if (!e->code) e->code = "";
    return e;
}

AstStmt *ast_extern(Parse *p, Token start, AstExtern *external, Token close) {
    AstStmt *s = new_stmt(p, AST_EXTERN, span_join(start.span, close.span));
    s->external = external;
    const char *missing = !external->language.text ? "language" : !external->code ? "code" : NULL;
    if (missing) {
        Diag *d =
            diag_error(p->diags, E_EXTERN_INCOMPLETE, start.span, "this @Extern block has no %s", missing);
        diag_help(d, "write @Extern { @Language \"C\" ${ … }$ }");
    }
    return s;
}
