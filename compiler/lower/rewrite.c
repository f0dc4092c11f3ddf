/* Expressions with others in the place of some of theirs. See rewrite.h. */
#include "compiler/lower/rewrite.h"

#include "compiler/base/diag.h"

static Expr *with_parts(Rewriting *rewriting, Expr *expr) {
    Expr *left = lower_rewritten(rewriting, expr->left), *right = lower_rewritten(rewriting, expr->right);
    ExprVec arguments = {0};
    bool same = left == expr->left && right == expr->right;
    for (size_t i = 0; i < expr->arguments.count; i++) {
        vec_push(rewriting->arena, &arguments, lower_rewritten(rewriting, expr->arguments.items[i]));
        same = same && arguments.items[i] == expr->arguments.items[i];
    }
    if (same) return expr;
    Expr *copy = ARENA_NEW(rewriting->arena, Expr);
    *copy = *expr;
    copy->left = left;
    copy->right = right;
    copy->arguments = arguments;
    return copy;
}

Expr *lower_rewritten(Rewriting *rewriting, Expr *expr) {
    if (expr == NULL) return NULL;
    for (size_t i = 0; i < rewriting->done.count; i++)
        if (rewriting->done.items[i].expr == expr) return rewriting->done.items[i].as;
    Expr *as = rewriting->replace(rewriting->data, expr);
    if (as == NULL) as = with_parts(rewriting, expr);
    if (as != expr) vec_push(rewriting->arena, &rewriting->done, ((Rewritten){expr, as}));
    return as;
}

void lower_rewrite_stmt(Rewriting *rewriting, Stmt *stmt) {
    rewriting->done.count = 0;
    stmt->value = lower_rewritten(rewriting, stmt->value);
    stmt->target = lower_rewritten(rewriting, stmt->target);
    stmt->factor_a = lower_rewritten(rewriting, stmt->factor_a);
    stmt->factor_b = lower_rewritten(rewriting, stmt->factor_b);
    stmt->step = lower_rewritten(rewriting, stmt->step);
}

/* ---- New ones ---------------------------------------------------------------------------------------------- */

Type *lower_integer_type(const Program *program) {
    for (size_t i = 0; i < program->types.count; i++)
        if (program->types.items[i]->kind == TYPE_INTEGER && !program->types.items[i]->stored_single) return program->types.items[i];
    internal_error("lower", "a program has no Integers");
}

static Expr *new_value(Arena *arena, const Program *program, ExprKind kind, Type *type, Span span) {
    Expr *expr = ARENA_NEW(arena, Expr);
    *expr = (Expr){.kind = kind, .type = type->kind == TYPE_INTEGER ? lower_integer_type(program) : type, .span = span};
    return expr;
}

Expr *lower_name_of(Arena *arena, const Program *program, Var *var, Span span) {
    Expr *expr = new_value(arena, program, EXPR_VAR, var->type, span);
    expr->var = var;
    return expr;
}

Expr *lower_zero_of(Arena *arena, const Program *program, Type *type, Span span) {
    switch (type->kind) {
    case TYPE_INTEGER: return new_value(arena, program, EXPR_INTEGER, type, span);
    case TYPE_REAL_SINGLE: case TYPE_REAL_DOUBLE: return new_value(arena, program, EXPR_REAL, type, span);
    case TYPE_BOOLEAN: return new_value(arena, program, EXPR_BOOLEAN, type, span);
    case TYPE_CHARACTER: return new_value(arena, program, EXPR_CHARACTER, type, span);
    case TYPE_STATIC_ARRAY: return new_value(arena, program, EXPR_NEW_ARRAY, type, span);
    default: break;
    }
    Expr *record = new_value(arena, program, EXPR_NEW_STRUCT, type, span);
    for (size_t f = 0; f < type->fields.count; f++) vec_push(arena, &record->arguments, NULL);
    return record;
}
