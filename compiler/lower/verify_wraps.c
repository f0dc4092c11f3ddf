/* Whether a loop that goes in pieces, in which remainders move with the index, may do so (wraps.c). */
#include "compiler/lower/passes.h"
#include "compiler/lower/verify_loops.h"

typedef struct Look { const Nest *nest; const Expr *wrap; bool found, changes; } Look;

static void find_change(void *data, const Expr *expr) {
    Look *look = data;
    const Block *body = &look->nest->stmt->body;
    look->changes |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
    look->changes |= expr->kind == EXPR_VAR && (expr->var == nest_innermost(look->nest)->index->var || verify_is_local_of(body, expr->var) || lower_block_writes(body, expr->var) > 0);
}

static bool changes(Look *look, const Expr *expr) {
    look->changes = false;
    lower_walk_expr(&(Walk){find_change, NULL, look}, expr);
    return look->changes;
}

/* What the body's local gets, once in each round and nowhere else. */
static const Expr *only_value(const Look *look, const Var *var) {
    const Block *body = &look->nest->stmt->body;
    const Expr *value = NULL;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && stmt->target->var == var) value = stmt->value;
    }
    return verify_is_local_of(body, var) && lower_block_writes(body, var) == 1 ? value : NULL;
}

/* The index plus and minus what does not change; or a local that is. */
static bool moves_by_one(Look *look, const Expr *expr) {
    if (expr->kind == EXPR_VAR && expr->var == nest_innermost(look->nest)->index->var) return true;
    if (expr->kind == EXPR_VAR) {
        const Expr *value = only_value(look, expr->var);
        return value != NULL && value->type == expr->type && moves_by_one(look, value);
    }
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return false;
    if (moves_by_one(look, expr->left)) return !changes(look, expr->right);
    return expr->op == OP_ADD && !changes(look, expr->left) && moves_by_one(look, expr->right);
}

static void find_wrap(Look *look, const Expr *expr) {
    if (expr == NULL) return;
    look->found |= lower_expr_equal(expr, look->wrap);
    find_wrap(look, expr->left);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) find_wrap(look, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find_wrap(look, expr->arguments.items[i]);
}

static const char *fault_of(const Nest *nest, const Expr *wrap, bool moving) {
    Look look = {.nest = nest, .wrap = wrap};
    if (wrap->kind != EXPR_BINARY || (wrap->op != OP_MOD && (moving || wrap->op != OP_DIV)) || changes(&look, wrap->right)) return "a divisor changes within a piece";
    if (moving ? !moves_by_one(&look, wrap->left) : changes(&look, wrap->left)) return "a remainder does not move as its piece does";
    for (size_t i = 0; i < nest->stmt->body.statements.count; i++) {
        const Stmt *stmt = nest->stmt->body.statements.items[i];
        find_wrap(&look, stmt->target);
        find_wrap(&look, stmt->value);
    }
    return look.found ? NULL : "not every round computes the remainder";
}

const char *lower_wraps_fault(const Nest *nest) {
    if (!loop_may(nest_innermost(nest), LOOP_PARALLEL)) return "pieces in vectors are of a loop whose rounds meet";
    const char *fault = NULL;
    for (size_t i = 0; i < nest->wraps->moving.count && !fault; i++) fault = fault_of(nest, nest->wraps->moving.items[i], true);
    for (size_t i = 0; i < nest->wraps->fixed.count && !fault; i++) fault = fault_of(nest, nest->wraps->fixed.items[i], false);
    return fault;
}
