/* See rounding.h. */
#include "compiler/lower/rounding.h"

#include "compiler/lower/kinds_held.h"

bool lower_may_be_product(const LoweredBody *code, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_UNARY: case EXPR_CONVERT: return lower_may_be_product(code, expr->left);
    case EXPR_BINARY: return type_is_real(expr->type) && (expr->op == OP_MUL || expr->op == OP_POW);
    case EXPR_CALL: return true;
    case EXPR_NEW_STRUCT:
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (expr->arguments.items[i] && lower_may_be_product(code, expr->arguments.items[i])) return true;
        return false;
    case EXPR_VAR: case EXPR_ELEMENT: case EXPR_FIELD: case EXPR_AT_INDEX: {
        const Var *root = lower_place_root(expr);
        return root && code && lower_holds(code, &code->products, root);
    }
    default: return false;
    }
}

void lower_find_products(Arena *arena, LoweredBody *code) { lower_find_holders(arena, code, &code->products, lower_may_be_product); }
