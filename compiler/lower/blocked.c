/* Rows that loops come back to, again and again: nests like
 *
 *     do {
 *         d = place[j] - place[i]
 *         pull[i] = pull[i] + mass[j] * d / abs(d * d * d)
 *     } for j in bodies; i in pull
 *
 * whose innermost loop goes over the same elements for each iteration of the loop around it. Those of a whole row may not fit in the
 * first-level cache; those of a block of it do, which goes through all iterations of the loop around it before the next block begins. Nothing
 * passes between iterations of the innermost loop, whichever iteration of the other one they are of: each element still has its own order. */
#include "compiler/lower/passes.h"

typedef struct Row { const StageUse *use; const Nest *nest; bool found, stays; } Row;

static void look_at_element(void *data, const Expr *expr) {
    Row *row = data;
    const Var *index = nest_innermost(row->nest)->index->var, *around = (nest_innermost(row->nest) - 1)->index->var;
    if (expr->kind != EXPR_ELEMENT || !lower_expr_mentions(expr, index)) return;
    row->found = true;
    row->stays &= lower_plain_dimension(row->nest, expr, index) == lower_fastest_dimension(row->use, expr) && !lower_expr_mentions(expr, around);
}

bool lower_is_blocked(const StageUse *use, const Nest *nest) {
    if (nest->form != FORM_LOOPS || nest->loops.count < 2 || nest->has_filters) return false;
    const Loop *row = nest_innermost(nest), *around = row - 1;
    if (!row->interval || !loop_may(row, LOOP_PARALLEL) || !loop_may(row, LOOP_RECTANGULAR) || loop_may(around, LOOP_PARALLEL)) return false;
    Row look = {use, nest, false, true};
    lower_walk_block(&(Walk){look_at_element, NULL, &look}, &nest->stmt->body);
    return look.found && look.stays;
}
