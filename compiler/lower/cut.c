/* Loops in three pieces. The iterations of the innermost loop of
 *
 *     do { d[i][j] = min(d[i][j], d[i][k] + d[k][j]) } for i, j in d
 *
 * meet in one element: what the iteration of j = k writes, the others read. Those before it read none that another one writes,
 * nor do those behind it. So the loop is cut before and behind k; inside of each piece the iterations are independent, and
 * the pieces go in the order of the program. */
#include "compiler/lower/passes.h"

typedef struct Cut { const StageUse *use; const Nest *nest; const Expr *target, *at; bool fits; } Cut;

static void check_access(void *data, const Expr *expr) {
    Cut *cut = data;
    const Expr *target = cut->target;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) cut->fits = false;
    if (expr->kind != EXPR_ELEMENT || expr->var != target->var || expr->lag != target->lag) return;
    const int dimension = lower_plain_dimension(cut->nest, target, nest_innermost(cut->nest)->index->var);
    const Expr *subscript = expr->arguments.items[dimension];
    if (lower_expr_equal(subscript, target->arguments.items[dimension])) return;
    if (lower_is_fixed(cut->nest, subscript) && (!cut->at || lower_expr_equal(cut->at, subscript))) cut->at = subscript;
    else cut->fits = false;
}

/* Elements that are written stand at the loop's index itself. */
static void check_write(void *data, const Stmt *stmt) {
    Cut *cut = data;
    const Block *body = &cut->nest->stmt->body;
    const Expr *target = stmt->target;
    if (stmt->kind == STMT_IF || !cut->fits) return;
    while (stmt->kind == STMT_ASSIGN && target->kind == EXPR_FIELD) target = target->left;
    if (stmt->kind == STMT_ASSIGN && target->kind == EXPR_VAR && lower_is_local_of(body, target->var)) return;
    const Formal *formal = stmt->kind == STMT_ASSIGN && target->kind == EXPR_ELEMENT ? lower_formal(cut->use, target->var) : NULL;
    const Var *index = nest_innermost(cut->nest)->index->var;
    const int dimension = formal && formal->restricted ? lower_plain_dimension(cut->nest, target, index) : -1;
    cut->fits = dimension >= 0 && target->arguments.items[dimension]->kind == EXPR_VAR;
    if (!cut->fits) return;
    cut->target = target;
    lower_walk_block(&(Walk){check_access, NULL, cut}, body);
}

const Expr *lower_cut(const StageUse *use, const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    Cut cut = {.use = use, .nest = nest, .fits = use && innermost->interval && !nest->has_filters};
    if (cut.fits) lower_walk_block(&(Walk){NULL, check_write, &cut}, &nest->stmt->body);
    return cut.fits ? cut.at : NULL;
}
