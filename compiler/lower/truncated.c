/* See truncated.h. */
#include "compiler/lower/truncated.h"

#include "compiler/lower/kinds_held.h"
#include "compiler/lower/walk_bodies.h"

/* What leaves the other operand as it is. */
static bool is_neutral(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer >= -1 && expr->integer <= 1; }

bool lower_may_be_truncated(const LoweredBody *code, const Expr *expr) {
    if (expr->type->kind != TYPE_INTEGER) return false;
    switch (expr->kind) {
    case EXPR_CONVERT: return type_is_real(expr->left->type) || lower_may_be_truncated(code, expr->left);
    case EXPR_CALL: return true;
    case EXPR_UNARY: return lower_may_be_truncated(code, expr->left);
    case EXPR_BINARY:
        return (is_neutral(expr->right) && lower_may_be_truncated(code, expr->left)) || (is_neutral(expr->left) && lower_may_be_truncated(code, expr->right));
    case EXPR_MATH:
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (lower_may_be_truncated(code, expr->arguments.items[i])) return true;
        return false;
    case EXPR_VAR: case EXPR_ELEMENT: case EXPR_FIELD: case EXPR_AT_INDEX: {
        const Var *root = lower_place_root(expr);
        return root && (!code || lower_holds(code, &code->truncated, root));
    }
    default: return false;
    }
}

/* An Integer that is one, or a record that has one. */
static bool gives_truncated(const LoweredBody *code, const Expr *value) {
    if (value->kind != EXPR_NEW_STRUCT) return value->type->kind == TYPE_STRUCT || lower_may_be_truncated(code, value);
    for (size_t i = 0; i < value->arguments.count; i++)
        if (value->arguments.items[i] && gives_truncated(code, value->arguments.items[i])) return true;
    return false;
}

void lower_find_truncated(Arena *arena, LoweredBody *code) { lower_find_holders(arena, code, &code->truncated, gives_truncated); }
