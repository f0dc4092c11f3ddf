/* Inside the reader of index mapping functions: tokens, and the constructors that the grammar calls. */
#ifndef HP5_MAPPING_FUNC_PARSE_H
#define HP5_MAPPING_FUNC_PARSE_H
#include "compiler/mapping/func.h"

typedef struct FuncToken {
    Span span;
} FuncToken;

typedef struct FuncLexer {
    Source *source;
    Diags *diags;
    const char *cursor, *limit;
    int depth; /* of open brackets */
} FuncLexer;

/* The parser's %extra_context. */
typedef struct FuncContext {
    Arena *arena;
    Source *source;
    Diags *diags;
    FuncItem *item;
    FuncExpr *expression; /* of --eval */
} FuncContext;

/* The next token's code; 0 at the end. Reports and skips what is no token. */
int func_next_token(FuncLexer *lexer, FuncToken *token);
bool func_accepts(void *parser, int token);

const char *func_slice(const FuncContext *context, Span span);
FuncExpr *func_new(FuncContext *context, FuncExprKind kind, Span start, Span end);
FuncExpr *func_number(FuncContext *context, Span span);
FuncExpr *func_named(FuncContext *context, FuncExprKind kind, FuncExpr *of, Span name, Span end);
FuncExpr *func_binary(FuncContext *context, char op, FuncExpr *a, FuncExpr *b);
FuncExpr *func_with_items(FuncContext *context, FuncExpr *expr, FuncArgVec items, Span end);
void func_add_stmt(FuncContext *context, const FuncToken *name, Span start, FuncExpr *expr);
void func_add_param(FuncContext *context, const FuncToken *type, Span name);
void func_begin(FuncContext *context, bool is_function, Span name);
#endif
