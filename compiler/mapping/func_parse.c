/* Reading index mapping functions: the loop that moves tokens from lexer to parser, and the constructors
 * of the tree. One item with an error in it gives one message; its other items are read all the same. */
#include "compiler/mapping/func.grammar.h"
#include "compiler/mapping/func_parse.h"
#include <stdlib.h>
#include <string.h>

void *func_parserAlloc(void *(*allocate)(size_t), FuncContext *context);
void func_parserFree(void *parser, void (*release)(void *));
void func_parser(void *parser, int code, FuncToken token);

enum { DEEPEST = 200 }; /* open brackets: the tree is walked recursively */

static const struct TokenName {
    int code;
    const char *name;
} token_names[] = {
    {FN_NAME, "a name"}, {FN_NUMBER, "a number"}, {FN_ASSIGN, "'='"}, {FN_RETURN, "'return'"}, {FN_LPAREN, "'('"}, {FN_RPAREN, "')'"},
    {FN_LBRACKET, "'['"}, {FN_RBRACKET, "']'"}, {FN_COMMA, "','"}, {FN_COLON, "':'"}, {FN_LBRACE, "'{'"}, {FN_RBRACE, "'}'"},
    {FN_IN, "'in'"}, {FN_SEPARATOR, "the end of the line"},
};
enum { TOKEN_NAMES = sizeof token_names / sizeof token_names[0] };

/* ---- Constructors ------------------------------------------------------------------------------- */

const char *func_slice(const FuncContext *context, Span span) {
    return arena_copy(context->arena, context->source->text + span.start, span.end - span.start);
}

FuncExpr *func_new(FuncContext *context, FuncExprKind kind, Span start, Span end) {
    FuncExpr *expr = ARENA_NEW(context->arena, FuncExpr);
    expr->kind = kind;
    expr->span = span_join(start, end);
    return expr;
}

FuncExpr *func_number(FuncContext *context, Span span) {
    FuncExpr *expr = func_new(context, FUNC_NUMBER, span, span);
    for (uint32_t i = span.start; i < span.end; i++) {
        int digit = context->source->text[i] - '0';
        if (!__builtin_mul_overflow(expr->number, 10, &expr->number) && !__builtin_add_overflow(expr->number, digit, &expr->number)) continue;
        diag_error(context->diags, E_FUNC_SYNTAX, span, "the number %s is larger than 9223372036854775807", func_slice(context, span));
        break;
    }
    return expr;
}

FuncExpr *func_named(FuncContext *context, FuncExprKind kind, FuncExpr *of, Span name, Span end) {
    FuncExpr *expr = func_new(context, kind, of ? of->span : name, end);
    expr->a = of;
    expr->name = func_slice(context, name);
    expr->name_span = name;
    return expr;
}

FuncExpr *func_binary(FuncContext *context, char op, FuncExpr *a, FuncExpr *b) {
    FuncExpr *expr = func_new(context, FUNC_BINARY, a->span, b->span);
    expr->op = op;
    expr->a = a;
    expr->b = b;
    return expr;
}

FuncExpr *func_with_items(FuncContext *context, FuncExpr *expr, FuncArgVec items, Span end) {
    (void)context;
    expr->items = items;
    expr->span = span_join(expr->span, end);
    return expr;
}

void func_begin(FuncContext *context, bool is_function, Span name) {
    context->item->is_function = is_function;
    context->item->name = func_slice(context, name);
    context->item->name_span = name;
}

void func_add_stmt(FuncContext *context, const FuncToken *name, Span start, FuncExpr *expr) {
    FuncStmt stmt = {.span = span_join(start, expr->span), .expr = expr, .first = true};
    if (name) stmt.name = func_slice(context, name->span);
    for (size_t i = 0; i < context->item->body.count && stmt.name; i++)
        if (context->item->body.items[i].name && strcmp(context->item->body.items[i].name, stmt.name) == 0) stmt.first = false;
    for (size_t i = 0; i < context->item->params.count && stmt.name; i++)
        if (strcmp(context->item->params.items[i].name, stmt.name) == 0) stmt.first = false;
    vec_push(context->arena, &context->item->body, stmt);
}

void func_add_param(FuncContext *context, const FuncToken *type, Span name) {
    FuncParam param = {.name = func_slice(context, name), .span = name};
    static const char *const types[] = {"Tuple", "int", "Task", "Machine"};
    static const FuncKind kinds[] = {FUNC_TUPLE, FUNC_INT, FUNC_TASK, FUNC_SPACE};
    for (size_t i = 0; i < context->item->params.count; i++)
        if (strcmp(context->item->params.items[i].name, param.name) == 0)
            diag_error(context->diags, E_FUNC_NAME, name, "a second parameter '%s'", param.name);
    if (type) {
        param.type = func_slice(context, type->span);
        for (size_t i = 0; i < 4; i++)
            if (strcmp(types[i], param.type) == 0) param.kind = kinds[i];
        if (param.kind == FUNC_UNKNOWN) {
            Diag *diag = diag_error(context->diags, E_FUNC_TYPE, type->span, "there is no type '%s', expected %s", param.type,
                                    text_join_or(context->arena, types, 4));
            const char *near = text_nearest(param.type, types, 4);
            if (near) diag_help(diag, "did you mean '%s'?", near);
        }
    }
    vec_push(context->arena, &context->item->params, param);
}

/* ---- The loop ---------------------------------------------------------------------------------------- */

static void report_unexpected(FuncContext *context, void *parser, int code, FuncToken token) {
    const char *names[TOKEN_NAMES];
    size_t count = 0;
    bool expression = func_accepts(parser, FN_NUMBER);
    for (size_t i = 0; i < TOKEN_NAMES; i++) {
        int expected = token_names[i].code;
        bool said = expression && (expected == FN_NAME || expected == FN_LPAREN || expected == FN_SEPARATOR);
        if (said || !func_accepts(parser, expected)) continue;
        names[count++] = expression && expected == FN_NUMBER ? "an expression" : token_names[i].name;
    }
    const char *list = count > 0 ? text_join_or(context->arena, names, count) : "the end of the file";
    const char *found = code == 0 ? "the end of the text"
                        : code == FN_SEPARATOR ? "the end of the line"
                                               : arena_printf(context->arena, "'%s'", func_slice(context, token.span));
    Diag *diag = diag_error(context->diags, E_FUNC_SYNTAX, token.span, "unexpected %s, expected %s", found, list);
    if (code == FN_NAME && strcmp(func_slice(context, token.span), "if") == 0)
        diag_help(diag, "there is no 'if'; write 'condition ? this : that'");
}

/* False when something did not fit. */
static bool run_parser(FuncContext *context, FuncLexer *lexer, bool expression) {
    void *parser = func_parserAlloc(malloc, context);
    if (!parser) arena_out_of_memory();
    if (expression) func_parser(parser, FN_EVAL, (FuncToken){{0, 0}});
    bool fits = true;
    for (int code = -1; fits && code != 0;) {
        FuncToken token;
        code = func_next_token(lexer, &token);
        fits = func_accepts(parser, code);
        if (!fits) report_unexpected(context, parser, code, token);
        else if (lexer->depth > DEEPEST) {
            diag_error(context->diags, E_FUNC_SYNTAX, token.span, "brackets are nested more than %d deep", DEEPEST);
            fits = false;
        } else {
            func_parser(parser, code, token);
        }
    }
    func_parserFree(parser, free);
    return fits;
}

FuncItem *func_find(const FuncItemVec *items, const char *name) {
    for (size_t i = 0; i < items->count; i++)
        if (strcmp(items->items[i]->name, name) == 0) return items->items[i];
    return NULL;
}

static bool ends_with_return(FuncContext *context, const FuncItem *item) {
    if (!item->is_function) return true;
    if (item->body.count == 0) diag_error(context->diags, E_FUNC_SYNTAX, item->name_span, "function '%s' has no statements", item->name);
    if (item->body.count == 0) return false;
    for (size_t i = 0; i < item->body.count; i++) {
        const FuncStmt *stmt = &item->body.items[i];
        bool last = i + 1 == item->body.count;
        if ((stmt->name == NULL) == last) continue;
        if (last) diag_error(context->diags, E_FUNC_SYNTAX, item->name_span, "function '%s' does not end with 'return …'", item->name);
        else diag_error(context->diags, E_FUNC_SYNTAX, item->body.items[i + 1].span, "this comes after 'return' and is never reached");
        return false;
    }
    return true;
}

void func_parse_item(Arena *arena, Source *source, Diags *diags, uint32_t start, uint32_t end, FuncItemVec *items) {
    FuncContext context = {.arena = arena, .source = source, .diags = diags, .item = ARENA_NEW(arena, FuncItem)};
    FuncLexer lexer = {.source = source, .diags = diags, .cursor = source->text + start, .limit = source->text + end};
    if (!run_parser(&context, &lexer, false) || !ends_with_return(&context, context.item)) return;
    FuncItem *first = func_find(items, context.item->name);
    if (first) {
        Diag *diag = diag_error(diags, E_MAPPING_DUPLICATE, context.item->name_span, "'%s' is defined a second time", first->name);
        diag_note(diag, first->name_span, "the first is here");
        return;
    }
    while (end > start && strchr(" \t\r\n;", source->text[end - 1])) end--;
    context.item->span = (Span){start, end};
    vec_push(arena, items, context.item);
}

FuncExpr *func_parse_expression(Arena *arena, Source *source, Diags *diags) {
    FuncContext context = {.arena = arena, .source = source, .diags = diags, .item = ARENA_NEW(arena, FuncItem)};
    FuncLexer lexer = {.source = source, .diags = diags, .cursor = source->text, .limit = source->text + source->length};
    Source *outer = diags_source(diags);
    size_t errors = diags_error_count(diags);
    diags_set_source(diags, source);
    run_parser(&context, &lexer, true);
    diags_set_source(diags, outer);
    return diags_error_count(diags) == errors ? context.expression : NULL;
}
