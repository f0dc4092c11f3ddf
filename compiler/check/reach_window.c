/* Subscripts that add two indices: the taps of a filter, x[i - t] with t over an array of weights.
 *
 * One of both moves with the LPU's part; the other, the free one, runs over something that does not know of parts: all of an array that the
 * Space does not divide, a range of numbers. How far it goes is not known, only that it goes somewhere in any run worth having: upwards
 * from 0, as indices do, unless its range says otherwise. (Ranges of literals are no windows, but distances: reach_value.c.) */
#include "compiler/check/reach.h"

static bool all_blind(Reach *reach, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++)
        if (!reach_is_blind(reach, exprs->items[i])) return false;
    return true;
}

static bool is_free(Reach *reach, const Var *index) {
    const Scope *scope = reach_scope(reach, index);
    if (scope == NULL) return false;
    reach->effort = REACH_EFFORT;
    if (scope->index == NULL) return scope->sequence->step == NULL && reach_is_blind(reach, scope->sequence->value);
    const LoopIndex *loop = scope->index;
    if (loop->other_dimension >= 0 || !all_blind(reach, &loop->lower) || !all_blind(reach, &loop->upper) || !all_blind(reach, &loop->filters))
        return false;
    if (loop->domain_var == NULL) return reach_is_blind(reach, loop->domain_range);
    const Var *array = reach_global(reach, loop->domain_var);
    return array != NULL && reach_chain(reach, array, loop->dimension < 0 ? 0 : loop->dimension)->count == 0;
}

/* A loop with steps of its own takes parts block by block, and the other index may stay in the block. */
static bool moves_by_one(const Reach *reach, const Var *index) {
    const Scope *scope = reach_scope(reach, index);
    return scope != NULL && (scope->index != NULL || scope->sequence->step == NULL);
}

/* Whether the index has values below 0 alone: [-r...-1]. */
static bool runs_below_zero(Reach *reach, const Var *index) {
    const Scope *scope = reach_scope(reach, index);
    const Expr *range = scope->index != NULL ? scope->index->domain_range : scope->sequence->value;
    if (range == NULL || range->kind != EXPR_RANGE) return false;
    const Value end = reach_value(reach, range->right);
    return end.literal && end.high <= 0;
}

bool reach_window(Reach *reach, const Value *value, Window *window) {
    const bool first = is_free(reach, value->index), second = is_free(reach, value->by);
    if (first == second || (first && value->minus)) return false;
    *window = (Window){.moves = first ? value->by : value->index, .free = first ? value->index : value->by};
    window->last = value->minus == runs_below_zero(reach, window->free);
    return moves_by_one(reach, window->moves);
}
