/* Loops over what two or more indices have been made one of:
 *
 *     do {
 *         base = pair / h * 2 * h + pair % h
 *         …
 *     } for pair in [0...n - 1]
 *
 * A division takes longer than most that stands beside it, and C compilers see no neighbours behind it. From one multiple of h to the next the quotient stays, and the remainder is the index
 * less that multiple: so such a loop may go in stretches, of which each has one division. Needed is a divisor that does not change in the loop, and a quotient or remainder that each
 * round comes to, so that what is divided by zero is told where the program would. */
#include "compiler/lower/passes.h"

typedef struct Stays { const Nest *nest; bool holds, named; } Stays;

static void check_stays(void *data, const Expr *expr) {
    Stays *stays = data;
    const Block *body = &stays->nest->stmt->body;
    switch (expr->kind) {
    case EXPR_INTEGER:
    case EXPR_UNARY: return;
    case EXPR_BINARY: stays->holds &= expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL; return;
    case EXPR_VAR:
        stays->named = true;
        stays->holds &= expr->var != nest_innermost(stays->nest)->index->var && expr->lag == 0 && !lower_is_local_of(body, expr->var) && lower_block_writes(body, expr->var) == 0;
        return;
    default: stays->holds = false;
    }
}

/* index / divisor or index % divisor. */
static bool is_division(const Nest *nest, const Expr *expr) {
    if (expr->kind != EXPR_BINARY || (expr->op != OP_DIV && expr->op != OP_MOD) || expr->type->kind != TYPE_INTEGER) return false;
    if (expr->left->kind != EXPR_VAR || expr->left->var != nest_innermost(nest)->index->var || expr->right->kind == EXPR_INTEGER) return false;
    Stays stays = {nest, true, false};
    lower_walk_expr(&(Walk){check_stays, NULL, &stays}, expr->right);
    return stays.holds && stays.named;
}

/* The first one that is always computed. */
static const Expr *always_in(const Nest *nest, const Expr *expr) {
    if (expr == NULL || expr->kind == EXPR_CALL) return NULL;
    if (is_division(nest, expr)) return expr;
    const bool maybe = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    const Expr *found = always_in(nest, expr->left);
    if (found == NULL && !maybe) found = always_in(nest, expr->right);
    for (size_t i = 0; i < expr->arguments.count && found == NULL; i++) found = always_in(nest, expr->arguments.items[i]);
    return found;
}

const Expr *lower_quotient(const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    if (nest->form != FORM_LOOPS || !loop->interval || loop->steps != NULL || loop->index->filters.count > 0 || loop->other_dimension >= 0) return NULL;
    for (size_t i = 0; i < nest->stmt->body.statements.count; i++) {
        const Stmt *stmt = nest->stmt->body.statements.items[i];
        if (stmt->kind != STMT_ASSIGN) return NULL;
        const Expr *found = always_in(nest, stmt->target);
        if (found == NULL) found = always_in(nest, stmt->value);
        if (found != NULL) return found;
    }
    return NULL;
}
