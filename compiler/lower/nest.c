/* Builds loop nests. Read lower_nest from the end: loops as written, what the body allows (legal.c), then the one form that
 * fits, which may put the loops in another order. */
#include "compiler/lower/nest.h"

#include "compiler/lower/classes.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

const Formal *lower_formal(const StageUse *use, const Var *var) {
    for (size_t i = 0; use && i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return &use->formals.items[i];
    return NULL;
}

/* ---- Loops as written ---------------------------------------------------------------------- */
static Loop make_loop(const StageUse *use, const LoopIndex *index) {
    Loop loop = {.index = index, .domain_var = index->domain_var, .dimension = index->dimension,
                 .other_dimension = index->domain_var ? index->other_dimension : -1, .interval = true};
    const Expr *range = index->domain_range;
    if (!loop.domain_var && range->kind == EXPR_DIM_RANGE && range->local) {
        loop.domain_var = range->var;
        loop.dimension = range->dimension;
    }
    const Formal *formal = loop.domain_var ? lower_formal(use, loop.domain_var) : NULL;
    if (formal) {
        loop.interval = formal->interval[loop.dimension] || formal->whole[loop.dimension];
        if (loop.other_dimension >= 0)
            loop.interval &= formal->interval[loop.other_dimension] || formal->whole[loop.other_dimension];
    }
    return loop;
}

Loop lower_loop(Arena *arena, const StageUse *use, const Stmt *stmt, size_t number) {
    Loop loop = make_loop(use, &stmt->indices.items[number]);
    if (!use || !use->tables) lower_find_places(arena, use, stmt, &loop);
    return loop;
}

/* ---- Reductions --------------------------------------------------------------------------------- */
static void find_targets(Arena *arena, Reduction *reduction, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) continue;
        bool known = stmt->kind != STMT_REDUCE;
        for (size_t r = 0; r < reduction->targets.count && !known; r++)
            known = reduction->targets.items[r]->target->var == stmt->target->var;
        if (!known) vec_push(arena, &reduction->targets, stmt);
        find_targets(arena, reduction, &stmt->body);
        if (stmt->otherwise) find_targets(arena, reduction, stmt->otherwise);
    }
}

/* Integers wrap, extrema do not depend on an order, and of equal ones the one with the smallest index counts. */
bool lower_reduces_in_any_order(ReduceOp op, const Type *value_type) {
    return !type_is_real(value_type) || (op != REDUCE_SUM && op != REDUCE_PRODUCT);
}

static bool is_any_order(const StageUse *use, const Reduction *reduction) {
    for (size_t i = 0; i < reduction->targets.count; i++) {
        const Formal *formal = lower_formal(use, reduction->targets.items[i]->target->var);
        if (!formal || !lower_reduces_in_any_order(formal->op, formal->value_type)) return false;
    }
    return true;
}

static bool try_reduction(Arena *arena, const StageUse *use, Nest *nest) {
    Reduction reduction = {.any_order = false};
    find_targets(arena, &reduction, &nest->stmt->body);
    if (reduction.targets.count == 0) return false;
    reduction.any_order = is_any_order(use, &reduction);
    nest->form = FORM_REDUCTION;
    nest->reduction = reduction;
    return true;
}

/* ---- Unit stride innermost ---------------------------------------------------------------------- */
/* Elements that are stored matter more than those that are loaded: where the innermost loop scatters the target, the loop
 * over which the target moves by one is worth moving innermost although it gathers. */
static bool scatters(const StageUse *use, const Nest *nest, const Stmt *assign) {
    const int dimension = lower_plain_dimension(nest, assign->target, nest_innermost(nest)->index->var);
    return dimension >= 0 && dimension != lower_fastest_dimension(use, assign->target);
}

/* Moves the loop innermost over which the target and every element (or, with `gather`, the target) move by one, when it is
 * not there already. Loops over which the target accumulates keep their order among themselves. False: there is none. */
static bool move_innermost(const StageUse *use, Nest *nest, const Stmt *assign, bool gather) {
    size_t count = nest->loops.count;
    for (size_t at = count; at-- > 0;) {
        Loop loop = nest->loops.items[at];
        int target_dimension = lower_plain_dimension(nest, assign->target, loop.index->var);
        bool unit = target_dimension == lower_fastest_dimension(use, assign->target) && (gather || loop_may(&loop, LOOP_UNIT_STRIDE));
        if (!unit || !loop.interval) continue;
        if (at + 1 == count || !loop_may(&loop, LOOP_RECTANGULAR)) return true;
        for (size_t i = at; i + 1 < count; i++) nest->loops.items[i] = nest->loops.items[i + 1];
        nest->loops.items[count - 1] = loop;
        nest->reordered = true;
        return true;
    }
    return false;
}

static void move_unit_stride_innermost(const StageUse *use, Nest *nest, const Stmt *assign) {
    if (!move_innermost(use, nest, assign, false) && scatters(use, nest, assign)) move_innermost(use, nest, assign, true);
}

/* ---- Sums of elements ------------------------------------------------------------------------------ */
/* Sums of one element after the other wait for each addition; sums of several elements at a time do not. */
static bool can_run_abreast(const Nest *nest) {
    const Loop *elements = &nest->loops.items[nest->loops.count - 2];
    return !nest->has_filters && (elements->interval || elements->other_dimension < 0) && loop_may(elements, LOOP_PARALLEL) &&
           !lower_bounds_mention(nest_innermost(nest)->index, elements->index->var);
}

/* Single precision Integers are stored narrower than they are computed: only Reals accumulate in registers as stored. */
static bool try_sum(Nest *nest, const Stmt *assign) {
    const Loop *innermost = nest_innermost(nest);
    bool sums = loop_may(innermost, LOOP_ACCUMULATES) && innermost->interval && nest->loops.count > 1 &&
                lower_expr_mentions(assign->value, assign->target->var) && !lower_expr_has_effect(assign->target) &&
                type_is_real(assign->target->type) && !lower_filters_mention(nest, assign->target->var);
    if (!sums) return false;
    nest->form = FORM_SUM;
    nest->sum = (ElementSum){.assign = assign, .abreast = can_run_abreast(nest)};
    return true;
}

/* ---- Chains ------------------------------------------------------------------------------------------ */
static bool try_chain(Nest *nest) {
    const Block *body = &nest->stmt->body;
    if (nest->loops.count != 1 || !nest->loops.items[0].interval || nest->has_filters || body->statements.count != 1) return false;
    const Stmt *stmt = body->statements.items[0];
    bool chain = stmt->kind == STMT_ASSIGN && stmt->accumulate != ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR &&
                 type_is_real(stmt->target->type) && body->locals.count == 0 && lower_short_rounds(nest->stmt) == 0;
    if (chain) nest->form = FORM_CHAIN;
    return chain;
}

static bool try_extremum(Nest *nest) {
    const Stmt *extremum = lower_extremum(nest);
    if (!extremum) return false;
    nest->form = FORM_EXTREMUM;
    nest->extremum = extremum;
    return true;
}

/* ---- All together -------------------------------------------------------------------------------------- */
/* The form of a nest whose body is one assignment of an element, of which nothing else is touched. */
static bool try_assignment(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign) {
    if (type_is_real(assign->target->type) && !nest->has_filters && lower_find_product(arena, use, nest, assign)) return true;
    if (lower_find_window(arena, use, nest, assign)) return true;
    if (!nest->has_filters) move_unit_stride_innermost(use, nest, assign);
    if (!try_sum(nest, assign)) return false;
    lower_find_turned(arena, use, nest);
    return true;
}

static bool try_carry(Arena *arena, const StageUse *use, Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    if (innermost->interval && (loop_may(innermost, LOOP_PARALLEL) || loop_may(innermost, LOOP_TOGETHER))) return false;
    const Carry *carry = lower_carry(arena, use, nest);
    if (!carry) return false;
    nest->form = FORM_CARRY;
    nest->carry = carry;
    return true;
}

static bool try_cut(const StageUse *use, Nest *nest) {
    if (loop_may(nest_innermost(nest), LOOP_PARALLEL)) return false;
    const Expr *cut = lower_cut(use, nest);
    if (!cut) return false;
    nest->form = FORM_CUT;
    nest->cut = cut;
    return true;
}

Nest *lower_nest(Arena *arena, const StageUse *use, const Stmt *stmt) {
    Nest *nest = ARENA_NEW(arena, Nest);
    nest->stmt = stmt;
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const Loop loop = lower_loop(arena, use, stmt, i);
        vec_push(arena, &nest->loops, loop);
        nest->has_filters |= loop.index->filters.count > 0;
    }
    const Stmt *assign = lower_single_assignment(nest);
    if (assign && !lower_only_touches_target(use, nest, assign)) assign = NULL;
    lower_find_legal(use, nest, assign);
    bool found = try_reduction(arena, use, nest) || (assign && try_assignment(arena, use, nest, assign));
    if (nest->form == FORM_REDUCTION) lower_find_reducing_lanes(arena, use, nest);
    lower_find_together(use, nest);
    if (!found) found = lower_find_lanes(arena, use, nest) || try_cut(use, nest) || try_chain(nest) || try_extremum(nest) || try_carry(arena, use, nest) || lower_find_apart(use, nest);
    if (!found) nest->edges = lower_edges(arena, use, nest);
    for (size_t l = 0; l < nest->loops.count; l++)
        if (nest->loops.items[l].interval) nest->loops.items[l].steps = lower_steps(arena, nest, &nest->loops.items[l]);
    nest->whole = lower_whole(arena, use, nest);
    nest->choices = lower_choices(arena, use, nest);
    if (!found && !nest->edges && (!nest->choices || nest->choices->asked.count == 0) && lower_quotient(nest) == NULL) nest->wraps = lower_wraps(arena, use, nest);
    if (nest->wraps) return nest;
    if (!found && !nest->edges && !nest->choices) nest->usual = lower_usual(arena, use, nest);
    if (!found && assign && !nest->edges && !nest->choices && !nest->usual) nest->along = lower_along(use, nest, assign);
    if (!found && !nest->edges && !nest->choices && !nest->usual && !nest->along) nest->quotient = lower_quotient(nest);
    nest->blocked = nest->quotient == NULL && !found && !nest->edges && !nest->choices && !nest->usual && !nest->along && lower_is_blocked(use, nest);
    if (!found && !nest->edges && !nest->choices && !nest->usual && !nest->along && !nest->blocked) nest->spaced = lower_spaced(arena, use, nest);
    return nest;
}
