/* Windows that slide along: sums like
 *
 *     do { y[i][j] = y[i][j] + w[p][q] * x[i + p][j + q] } for i, j in y; p, q in w
 *
 * in which an element is found by an index of the target and one that it accumulates over, added up. Neighbours of a row of the
 * target accumulate side by side, while the window, which is small as a rule, is walked through for all of them at once. Where a window of
 * one loop ends at the side of the array (`t in w and t <= i`), it is ragged: neighbours have most of it in common. Other sums are no
 * windows: a product of matrices walks through whole rows, and wants them in another order. */
#include "compiler/lower/passes.h"

/* Whether the expression grows by one with the index. */
static bool moves_by_one(const Expr *expr, const Var *var) {
    if (expr->kind == EXPR_VAR) return expr->var == var;
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return false;
    if (!lower_expr_mentions(expr->right, var)) return moves_by_one(expr->left, var);
    return expr->op == OP_ADD && !lower_expr_mentions(expr->left, var) && moves_by_one(expr->right, var);
}

typedef struct Window { const StageUse *use; const Nest *nest; const Var *index; bool fits, slides; } Window;

/* Whether the expression names an index of a loop over which the target accumulates, or of one along which it moves. */
static bool names_loop(const Nest *nest, const Expr *expr, bool accumulates) {
    for (size_t l = 0; l < nest->loops.count; l++)
        if (loop_may(&nest->loops.items[l], LOOP_ACCUMULATES) == accumulates && lower_expr_mentions(expr, nest->loops.items[l].index->var)) return true;
    return false;
}

/* Of every element that moves with the index, neighbours stand side by side. */
static void check_element(void *data, const Expr *expr) {
    Window *window = data;
    if (expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_FIELD) window->fits = false;
    if (expr->kind != EXPR_ELEMENT) return;
    const int fastest = lower_fastest_dimension(window->use, expr);
    for (size_t d = 0; d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        window->slides |= names_loop(window->nest, subscript, true) && names_loop(window->nest, subscript, false);
        window->fits &= !lower_expr_mentions(subscript, window->index) || ((int)d == fastest && moves_by_one(subscript, window->index));
    }
}

/* The one loop that accumulates: its bounds name the row's index. */
static bool is_ragged(const Nest *nest, size_t along, size_t accumulated) {
    const Loop *last = nest_innermost(nest);
    return accumulated == 1 && loop_may(last, LOOP_ACCUMULATES) && lower_bounds_mention(last->index, nest->loops.items[along].index->var);
}

/* Bounds may name indices of loops that go round all this, and those loops stay where they are. */
static bool loops_fit(const Nest *nest, size_t along, bool ragged) {
    bool last = false, ordered = true;
    for (size_t l = 0; l < nest->loops.count; l++) {
        const Loop *loop = &nest->loops.items[l];
        if (loop_may(loop, LOOP_ACCUMULATES) && (!loop->interval || !(ragged || loop_may(loop, LOOP_RECTANGULAR)))) return false;
        if (last && !loop_may(loop, LOOP_ACCUMULATES)) ordered = false;
        last |= l == along || loop_may(loop, LOOP_ACCUMULATES);
        if (l < along && loop_may(loop, LOOP_ACCUMULATES)) ordered = false;
    }
    bool rectangular = true;
    for (size_t l = 0; l < nest->loops.count; l++) rectangular &= loop_may(&nest->loops.items[l], LOOP_RECTANGULAR);
    const Loop *loop = &nest->loops.items[along];
    return (ordered || rectangular) && loop->interval && loop_may(loop, LOOP_PARALLEL);
}

/* Loops around, then the one along the row, then those that accumulate: in the order written. */
static void put_in_order(Arena *arena, Nest *nest, size_t along) {
    const size_t count = nest->loops.count;
    Loop *sorted = ARENA_ARRAY(arena, Loop, count);
    size_t at = 0;
    for (int turn = 0; turn < 3; turn++)
        for (size_t l = 0; l < count; l++) {
            const Loop *loop = &nest->loops.items[l];
            const int turn_of = l == along ? 1 : loop_may(loop, LOOP_ACCUMULATES) ? 2 : 0;
            if (turn_of != turn) continue;
            nest->reordered |= at != l;
            sorted[at++] = *loop;
        }
    nest->loops.items = sorted;
}

bool lower_find_window(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign) {
    const size_t count = nest->loops.count;
    size_t along = count, accumulated = 0;
    if (nest->has_filters || !type_is_real(assign->target->type) || !lower_expr_mentions(assign->value, assign->target->var)) return false;
    for (size_t l = 0; l < count; l++) {
        const Loop *loop = &nest->loops.items[l];
        accumulated += loop_may(loop, LOOP_ACCUMULATES);
        if (lower_plain_dimension(nest, assign->target, loop->index->var) == lower_fastest_dimension(use, assign->target)) along = l;
    }
    if (along == count || accumulated == 0 || lower_expr_has_effect(assign->target)) return false;
    const bool ragged = is_ragged(nest, along, accumulated);
    if (!loops_fit(nest, along, ragged)) return false;
    Window window = {use, nest, nest->loops.items[along].index->var, true, false};
    lower_walk_expr(&(Walk){check_element, NULL, &window}, assign->target);
    lower_walk_expr(&(Walk){check_element, NULL, &window}, assign->value);
    if (!window.fits || !window.slides) return false;
    put_in_order(arena, nest, along);
    nest->form = FORM_SUM;
    nest->sum = (ElementSum){.assign = assign, .window = accumulated, .ragged = ragged};
    return true;
}
