/* See truncated.h. */
#include "compiler/lower/truncated.h"

#include "compiler/lower/walk_bodies.h"

typedef struct Truncated { Arena *arena; LoweredBody *code; bool changed; } Truncated;

static bool holds_truncated(const LoweredBody *code, const Var *var) {
    if ((var->kind == VAR_PARAM && !code->use) || var->kind == VAR_COORDINATOR) return true;
    for (size_t i = 0; i < code->truncated.count; i++)
        if (code->truncated.items[i] == var) return true;
    return false;
}

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
        return root && (!code || holds_truncated(code, root));
    }
    default: return false;
    }
}

static void note(Truncated *truncated, Var *var) {
    if (!var || holds_truncated(truncated->code, var)) return;
    vec_push(truncated->arena, &truncated->code->truncated, var);
    truncated->changed = true;
}

static void note_references(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note(data, lower_place_root(expr->arguments.items[i]));
}

static bool gives_truncated(const Truncated *truncated, const Expr *value) {
    if (value->kind != EXPR_NEW_STRUCT) return value->type->kind == TYPE_STRUCT || lower_may_be_truncated(truncated->code, value);
    for (size_t i = 0; i < value->arguments.count; i++)
        if (value->arguments.items[i] && gives_truncated(truncated, value->arguments.items[i])) return true;
    return false;
}

static void note_assignment(void *data, const Stmt *stmt) {
    const Truncated *truncated = data;
    if (stmt->kind == STMT_ASSIGN && gives_truncated(truncated, stmt->value)) note(data, lower_place_root(stmt->target));
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) note(data, stmt->external->uses.items[i]);
}

void lower_find_truncated(Arena *arena, LoweredBody *code) {
    Truncated truncated = {arena, code, true};
    const Walk walk = {note_references, note_assignment, &truncated};
    while (truncated.changed) {
        truncated.changed = false;
        lower_walk_block(&walk, &code->body->block);
    }
}
