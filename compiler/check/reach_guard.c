/* Conditions around an access: what they say about an index, or that they know of parts. */
#include "compiler/check/reach.h"

enum { FEW = 16 }; /* an index below that stays at one end of the array */

Mark reach_mark(const Reach *reach) { return (Mark){reach->guards.count, reach->scopes.count, reach->silenced, reach->branches}; }

void reach_release(Reach *reach, Mark mark) {
    reach->guards.count = mark.guards;
    reach->scopes.count = mark.scopes;
    reach->silenced = mark.silenced;
    reach->branches = mark.branches;
}

static void add_guard(Reach *reach, Guard guard) { vec_push(reach->check->arena, &reach->guards, guard); }

static void pin(Reach *reach, const Var *index) { add_guard(reach, (Guard){.index = index, .pinned = true}); }

/* index + shift is at least (`last`: at most) `bound`. False: not understood. */
static bool add_bound(Reach *reach, const Var *index, int64_t shift, bool last, Value bound, const Expr *test) {
    if (bound.kind == VALUE_END && bound.local) {
        if (bound.last != last) return false;
        int64_t inward = last ? shift - bound.low : bound.low - shift;
        add_guard(reach, (Guard){.index = index, .last = last, .array = bound.array, .dimension = bound.dimension,
                                 .inward = inward, .test = test});
        return true;
    }
    bool near_first = last && ((bound.literal && bound.high < FEW) || (bound.kind == VALUE_END && !bound.last));
    if (near_first || (!last && bound.kind == VALUE_END && bound.last)) pin(reach, index);
    return bound.kind != VALUE_UNKNOWN;
}

static Operator mirrored(Operator op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : op == OP_GE ? OP_LE : op;
}

static bool assume_comparison(Reach *reach, const Expr *test) {
    if (test->left->type->kind != TYPE_INTEGER || test->right->type->kind != TYPE_INTEGER) return false;
    Value left = reach_plain_value(reach, test->left), right = reach_plain_value(reach, test->right);
    Operator op = test->op;
    const Expr *other = test->right;
    if (left.kind != VALUE_INDEX) {
        Value swap = left;
        left = right;
        right = swap;
        op = mirrored(op);
        other = test->left;
    }
    if (left.kind != VALUE_INDEX || left.low != left.high || right.kind == VALUE_INDEX || right.low != right.high) return false;
    if (right.kind == VALUE_UNKNOWN && reach_is_blind(reach, other)) right.kind = VALUE_BLIND;
    switch (op) {
    case OP_EQ:
        if (right.kind != VALUE_BLIND && !(right.kind == VALUE_END && !right.local)) return false;
        pin(reach, left.index);
        return true;
    case OP_GT:
        right.low++, right.high++;
        return add_bound(reach, left.index, left.low, false, right, test);
    case OP_GE: return add_bound(reach, left.index, left.low, false, right, test);
    case OP_LT:
        right.low--, right.high--;
        return add_bound(reach, left.index, left.low, true, right, test);
    case OP_LE: return add_bound(reach, left.index, left.low, true, right, test);
    default: return false;
    }
}

static bool is_comparison(const Expr *test) {
    return test->kind == EXPR_BINARY && (test->op == OP_EQ || test->op == OP_LT || test->op == OP_LE || test->op == OP_GT ||
                                         test->op == OP_GE);
}

void reach_assume(Reach *reach, const Expr *test) {
    reach->effort = REACH_EFFORT;
    if (test->kind == EXPR_BINARY && test->op == OP_AND) {
        reach_assume(reach, test->left);
        reach_assume(reach, test->right);
        return;
    }
    if (is_comparison(test) && assume_comparison(reach, test)) return;
    if (!reach_is_blind(reach, test)) reach->silenced++;
}

void reach_assume_not(Reach *reach, const Expr *test) {
    reach->effort = REACH_EFFORT;
    if (!reach_is_blind(reach, test)) reach->silenced++;
}

static void assume_bound(Reach *reach, const LoopIndex *index, const Expr *bound, bool last) {
    reach->effort = REACH_EFFORT;
    Value value = reach_plain_value(reach, bound);
    if (value.kind == VALUE_UNKNOWN && reach_is_blind(reach, bound)) value.kind = VALUE_BLIND;
    if (value.kind == VALUE_INDEX) return; /* another index: as blind as it */
    if (!add_bound(reach, index->var, 0, last, value, bound)) reach->silenced++;
}

void reach_assume_bounds(Reach *reach, const LoopIndex *index) {
    for (size_t i = 0; i < index->lower.count; i++) {
        assume_bound(reach, index, index->lower.items[i], false);
        for (size_t k = 0; k < index->upper.count; k++) /* i == e became two bounds */
            if (index->upper.items[k] == index->lower.items[i]) pin(reach, index->var);
    }
    for (size_t i = 0; i < index->upper.count; i++) assume_bound(reach, index, index->upper.items[i], true);
    for (size_t i = 0; i < index->filters.count; i++) reach_assume(reach, index->filters.items[i]);
}

/* ---- What keeps an index --------------------------------------------------------------------------------- */

void reach_keep(Keepers *keepers, Keeper keeper) {
    if (keepers->count == MAX_KEEPERS) keepers->unknown = true;
    else keepers->items[keepers->count++] = keeper;
}

static void keep(Reach *reach, Keepers *keepers, const Var *array, int dimension, int64_t inward, const Expr *test) {
    array = array == NULL ? NULL : reach_global(reach, array);
    if (array == NULL) keepers->unknown = true;
    else reach_keep(keepers, (Keeper){array, dimension < 0 ? 0 : dimension, inward, test});
}

static void add_keepers(Reach *reach, Keepers *keepers, const Var *index, bool last, int64_t inward, int depth);

static void keep_by_range(Reach *reach, Keepers *keepers, const Expr *expr, bool last, int64_t inward, int depth) {
    const Expr *range = reach_range(reach, expr);
    if (range->kind == EXPR_DIM_RANGE) {
        if (range->local) keep(reach, keepers, range->var, range->dimension, inward, NULL);
        return; /* the whole range: nothing keeps it */
    }
    if (range->kind != EXPR_RANGE) {
        keepers->unknown = true;
        return;
    }
    Value end = reach_plain_value(reach, last ? range->right : range->left);
    int64_t more = last ? -end.low : end.low;
    if (end.kind == VALUE_END && end.local && end.last == last)
        keep(reach, keepers, end.array, end.dimension, inward + more, NULL);
    else if (end.kind == VALUE_INDEX && end.low == end.high)
        add_keepers(reach, keepers, end.index, last, inward + more, depth + 1);
    else if (!end.literal && (end.kind != VALUE_END || end.local)) keepers->unknown = true;
}

static void keep_by_guards(Reach *reach, Keepers *keepers, const Var *index, bool last, int64_t inward) {
    for (size_t i = 0; i < reach->guards.count; i++) {
        const Guard *guard = &reach->guards.items[i];
        if (guard->index != index) continue;
        if (guard->pinned) keepers->pinned = true;
        else if (guard->last == last) keep(reach, keepers, guard->array, guard->dimension, inward + guard->inward, guard->test);
    }
}

static void add_keepers(Reach *reach, Keepers *keepers, const Var *index, bool last, int64_t inward, int depth) {
    const Scope *scope = reach_scope(reach, index);
    if (scope == NULL || depth > 8) {
        keepers->unknown = true;
        return;
    }
    keep_by_guards(reach, keepers, index, last, inward);
    if (scope->index == NULL) {
        keep_by_range(reach, keepers, scope->sequence->value, last, inward, depth);
        return;
    }
    const LoopIndex *loop = scope->index;
    if (loop->domain_var == NULL) {
        keep_by_range(reach, keepers, loop->domain_range, last, inward, depth);
        return;
    }
    keep(reach, keepers, loop->domain_var, loop->dimension, inward, NULL);
    if (loop->other_dimension >= 0) keep(reach, keepers, loop->domain_var, loop->other_dimension, inward, NULL);
}

void reach_keepers(Reach *reach, const Var *index, bool last, Keepers *keepers) {
    add_keepers(reach, keepers, index, last, 0, 0);
}
