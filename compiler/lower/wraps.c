/* Neighbours on a ring:
 *
 *     do {
 *         above = (i + rows - 1) % rows
 *         left = (j + columns - 1) % columns
 *         right = (j + 1) % columns
 *         u[i][j] = 0.25 * (v[above][j] + … + v[i][left] + v[i][right])
 *     } for i, j in u
 *
 * A division takes longer than all that stands beside it, and C compilers see no neighbours behind it. The remainder of a sum moves by one with the innermost index, from one multiple
 * of the divisor to the next: so the loop goes in pieces, of which each has one division for each remainder, and what does not move with the index is divided in front of it.
 *
 * Needed are divisors that do not change in the loop, and that each round comes to the division, so that what is divided by zero is told where the program would. (Plain quotients and
 * remainders of the index itself: quotients.c.) */
#include "compiler/lower/passes.h"

enum { MOST_WRAPS = 8 };

typedef struct Search { Arena *arena; const Nest *nest; Wraps *wraps; } Search;

static void add(Search *search, ExprVec *wraps, const Expr *expr) {
    for (size_t i = 0; i < wraps->count; i++)
        if (lower_expr_equal(wraps->items[i], expr)) return;
    if (wraps->count < MOST_WRAPS) vec_push(search->arena, wraps, (Expr *)expr);
}

static void look_at(Search *search, const Expr *expr) {
    const Nest *nest = search->nest;
    const bool divides = (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER && expr->right->kind != EXPR_INTEGER && lower_is_offset(nest, expr->right);
    if (!divides) return;
    if (lower_is_offset(nest, expr->left)) add(search, &search->wraps->fixed, expr);
    else if (expr->op == OP_MOD && lower_moves_by_one(nest, expr->left)) add(search, &search->wraps->moving, expr);
}

/* What is computed whenever the expression is. */
static void look_into(Search *search, const Expr *expr) {
    if (expr == NULL || expr->kind == EXPR_CALL) return;
    if (expr->kind == EXPR_BINARY) look_at(search, expr);
    look_into(search, expr->left);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) look_into(search, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) look_into(search, expr->arguments.items[i]);
}

const Wraps *lower_wraps(Arena *arena, const StageUse *use, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    if (!use || nest->form != FORM_LOOPS || !loop_may(loop, LOOP_PARALLEL) || !loop->interval || loop->steps != NULL || loop->other_dimension >= 0 || nest->has_filters) return NULL;
    Search search = {arena, nest, ARENA_NEW(arena, Wraps)};
    for (size_t i = 0; i < nest->stmt->body.statements.count; i++) {
        const Stmt *stmt = nest->stmt->body.statements.items[i];
        if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF) return NULL;
        look_into(&search, stmt->target);
        look_into(&search, stmt->value);
    }
    return search.wraps->moving.count + search.wraps->fixed.count > 0 ? search.wraps : NULL;
}
