/* Rows that are added to a row: sums like
 *
 *     do { y[j] = y[j] + a[i][j] * x[i] } for i, j in a
 *
 * whose innermost loop goes along a row of the target, and the loop around it accumulates. Several iterations of that one may be done in
 * one pass along the row: the target's elements are read and written once for all of them, and as many rows come from memory side by
 * side. Each element still accumulates in ascending order. */
#include "compiler/lower/passes.h"

/* So many rows at a time are about what processors fetch ahead: of two arrays. */
enum { MOST_ROWS = 2 };

typedef struct Rows { const StageUse *use; const Nest *nest; const Stmt *assign; size_t count; bool fits; } Rows;

static void count_row(void *data, const Expr *expr) {
    Rows *rows = data;
    if (expr->kind == EXPR_CALL) rows->fits = false; /* it costs more than its arguments' way */
    if (expr->kind == EXPR_ELEMENT && expr->var != rows->assign->target->var && lower_expr_mentions(expr, nest_innermost(rows->nest)->index->var)) rows->count++;
}

const Stmt *lower_along(const StageUse *use, const Nest *nest, const Stmt *assign) {
    const size_t count = nest->loops.count;
    if (nest->form != FORM_LOOPS || count < 2 || !type_is_real(assign->target->type) || assign->target->kind != EXPR_ELEMENT) return NULL;
    const Loop *row = nest_innermost(nest), *around = &nest->loops.items[count - 2];
    const bool free = row->interval && around->interval && row->index->filters.count == 0 && around->index->filters.count == 0;
    if (!free || !loop_may(row, LOOP_PARALLEL) || !loop_may(row, LOOP_UNIT_STRIDE) || loop_may(row, LOOP_ACCUMULATES) || !loop_may(around, LOOP_ACCUMULATES)) return NULL;
    if (lower_bounds_mention(row->index, around->index->var) || lower_expr_has_effect(assign->target)) return NULL;
    if (!lower_expr_mentions(assign->value, assign->target->var)) return NULL;
    Rows rows = {use, nest, assign, 0, true};
    lower_walk_expr(&(Walk){count_row, NULL, &rows}, assign->value);
    return rows.fits && rows.count > 0 && rows.count <= MOST_ROWS ? assign : NULL;
}
