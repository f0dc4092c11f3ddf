/* What is wrong with nests that go through rows in another order than it is written (verify_loops.h): several iterations of the loop around a row in one
 * pass along it, or a block of the row through all of that loop; or in no order, for an extremum. */
#include <string.h>

#include "compiler/lower/verify_loops.h"

const char *lower_along_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    const Block *body = &nest->stmt->body;
    const Stmt *only = body->statements.count == 1 ? body->statements.items[0] : NULL;
    if (nest->form != FORM_LOOPS || count < 2 || only == NULL || nest->along != only || only->kind != STMT_ASSIGN || only->target->kind != EXPR_ELEMENT)
        return "rows are added to what is no row";
    const Loop *row = nest_innermost(nest), *around = row - 1;
    if (!loop_may(around, LOOP_ACCUMULATES) || loop_may(row, LOOP_ACCUMULATES) || !loop_may(row, LOOP_PARALLEL)) return "rows that are added do not accumulate";
    const bool gaps = !row->interval || !around->interval || row->index->filters.count > 0 || around->index->filters.count > 0;
    return gaps || verify_bounds_mention(row->index, around->index->var) ? "rows that are added are not alike" : NULL;
}

typedef struct Returning { const Var *row, *around; bool moves; } Returning;

static bool subscripts_mention(const Expr *element, const Var *var) {
    bool mention = false;
    for (size_t d = 0; d < element->arguments.count; d++) mention |= lower_expr_mentions(element->arguments.items[d], var);
    return mention;
}

static void find_moving(void *data, const Expr *expr) {
    Returning *returning = data;
    returning->moves |= expr->kind == EXPR_ELEMENT && subscripts_mention(expr, returning->row) && subscripts_mention(expr, returning->around);
}

const char *lower_blocked_fault(const Nest *nest) {
    if (nest->form != FORM_LOOPS || nest->loops.count < 2 || nest->along || nest->edges || nest->usual) return "a nest is blocked that has no plain row";
    const Loop *row = nest_innermost(nest), *around = row - 1;
    if (!row->interval || nest->has_filters || !loop_may(row, LOOP_PARALLEL)) return "blocks of a row depend on each other";
    if (verify_bounds_mention(row->index, around->index->var) || verify_bounds_mention(around->index, row->index->var)) return "a row that is blocked changes";
    Returning returning = {row->index->var, around->index->var, false};
    lower_walk_block(&(Walk){find_moving, NULL, &returning}, &nest->stmt->body);
    return returning.moves ? "a row that is blocked moves on" : NULL;
}

typedef struct Divisor { const Nest *nest; const Expr *quotient; bool found, changes; } Divisor;

static void find_quotient(void *data, const Expr *expr) {
    Divisor *divisor = data;
    divisor->found |= expr == divisor->quotient;
}

static void find_change(void *data, const Expr *expr) {
    Divisor *divisor = data;
    const Block *body = &divisor->nest->stmt->body;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) divisor->changes = true;
    if (expr->kind == EXPR_VAR) divisor->changes |= lower_block_writes(body, expr->var) > 0 || verify_is_local_of(body, expr->var) || expr->var == nest_innermost(divisor->nest)->index->var;
}

const char *lower_quotient_fault(const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    const Expr *quotient = nest->quotient;
    if (nest->form != FORM_LOOPS || !loop->interval || loop->index->filters.count > 0 || loop->steps || nest->edges || nest->usual || nest->along || nest->blocked)
        return "a loop goes in stretches that is no plain one";
    if (quotient->kind != EXPR_BINARY || (quotient->op != OP_DIV && quotient->op != OP_MOD) || quotient->type->kind != TYPE_INTEGER || quotient->left->kind != EXPR_VAR ||
        quotient->left->var != loop->index->var)
        return "stretches are of something else than quotients of the index";
    Divisor divisor = {nest, quotient, false, false};
    for (size_t i = 0; i < nest->stmt->body.statements.count && !divisor.found; i++) {
        const Stmt *stmt = nest->stmt->body.statements.items[i];
        if (stmt->kind != STMT_ASSIGN) break;
        lower_walk_expr(&(Walk){find_quotient, NULL, &divisor}, stmt->target);
        lower_walk_expr(&(Walk){find_quotient, NULL, &divisor}, stmt->value);
    }
    lower_walk_expr(&(Walk){find_change, NULL, &divisor}, quotient->right);
    return !divisor.found ? "not every round computes the quotient" : divisor.changes ? "a divisor changes within a stretch" : NULL;
}

const char *lower_extremum_fault(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    const size_t count = body->statements.count;
    const Stmt *last = count > 0 ? body->statements.items[count - 1] : NULL;
    if (nest->loops.count != 1 || !nest->loops.items[0].interval || nest->has_filters) return "an extremum is taken in loops with gaps";
    if (nest->extremum != last || last->kind != STMT_ASSIGN || last->target->kind != EXPR_VAR || last->value->kind != EXPR_MATH || strncmp(last->value->math, "fm", 2) != 0 ||
        strlen(last->value->math) != 4 || last->value->arguments.items[0]->var != last->target->var)
        return "an extremum is none";
    for (size_t i = 0; i < count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt != last && (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !verify_is_local_of(body, stmt->target->var))) return "a loop does more than take an extremum";
        if (lower_expr_mentions(stmt == last ? last->value->arguments.items[1] : stmt->value, last->target->var)) return "an extremum is asked for while it is taken";
    }
    return NULL;
}
