/* See rounding.h. */
#include "compiler/lower/rounding.h"

typedef struct Products { Arena *arena; LoweredBody *code; bool changed; } Products;

static bool holds_product(const LoweredBody *code, const Var *var) {
    if ((var->kind == VAR_PARAM && !code->use) || var->kind == VAR_COORDINATOR) return true;
    for (size_t i = 0; i < code->products.count; i++)
        if (code->products.items[i] == var) return true;
    return false;
}

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
        return root && code && holds_product(code, root);
    }
    default: return false;
    }
}

static void note(Products *products, Var *var) {
    if (!var || holds_product(products->code, var)) return;
    vec_push(products->arena, &products->code->products, var);
    products->changed = true;
}

static void note_references(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note(data, lower_place_root(expr->arguments.items[i]));
}

static void note_assignment(void *data, const Stmt *stmt) {
    Products *products = data;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && lower_may_be_product(products->code, stmt->value))
        note(products, lower_place_root(stmt->target));
}

void lower_find_products(Arena *arena, LoweredBody *code) {
    Products products = {arena, code, true};
    const Walk walk = {note_references, note_assignment, &products};
    while (products.changed) {
        products.changed = false;
        lower_walk_block(&walk, &code->body->block);
    }
}
