/* What is wrong with nests that go through rows in another order than it is written (verify_loops.h): several iterations of the loop around a row in one
 * pass along it, or a block of the row through all of that loop. */
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
