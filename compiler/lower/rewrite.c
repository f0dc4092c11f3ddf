/* Expressions with others in the place of some of theirs. See rewrite.h. */
#include "compiler/lower/rewrite.h"

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
