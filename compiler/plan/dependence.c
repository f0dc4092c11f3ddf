/* Which two accesses of one variable need which synchronisation.
 *
 * An element of a store can be reached by several LPUs where an LPS on the way down from the
 * store does not divide the variable (it is not listed, or replicated), or where parts overlap. Two accesses
 * need the threads of the LPU of the lowest LPS that contains both, or of the parent of the highest LPS that
 * shares the element, to wait for each other. Accesses of one LPU by its leader need nothing, but on cards (crews.c). */
#include "compiler/plan/internal.h"

/* Several LPUs of `lps` may hold the same element of `var`. */
static bool lps_shares(const Lps *lps, const Var *var) {
    if (lps->dims == 0 || lps->sub_partition) return false;
    if (!var_is_array(var)) return true;
    const LpsVar *entry = lps_find_var(lps, var);
    if (entry == NULL) return true;
    for (int d = 0; d < lps->dims; d++)
        if (entry->dims[d].function == PART_REPLICATED) return true;
    return lps_lists_padded(lps, var);
}

/* The highest LPS strictly below `base`, down to `lps`, whose LPUs may share an element; NULL when there is
 * none. Beside `base` are Spaces each of whose LPUs works in the store of one of its. */
static const Lps *highest_sharing(const Lps *base, const Lps *lps, const Var *var) {
    const Lps *found = NULL;
    for (; lps != NULL && lps != base && (base->parent == NULL || lps->parent != base->parent); lps = lps->parent)
        if (lps_shares(lps, var)) found = lps;
    return found;
}

bool plan_is_shared(const Lps *base, const Lps *lps, const Var *var) { return highest_sharing(base, lps, var) != NULL; }

/* A parent's id is less than its children's. */
static const Lps *common_ancestor(const Lps *a, const Lps *b) {
    while (a != b) {
        if (a->id > b->id) a = a->parent;
        else b = b->parent;
    }
    return b;
}

/* The leader of an LPU also runs what is in its sub-partitions, and the one LPU of an un-partitioned LPS below, which
 * goes to the first of its threads. */
const Lps *plan_led_by(const Lps *lps) {
    while (lps->parent != NULL && (lps->sub_partition || (lps->dims == 0 && !lps->dynamic))) lps = lps->parent;
    return lps;
}

const Lps *plan_conflict(const Access *first, const Access *second) {
    if (first->var != second->var || (!first->write && !second->write)) return NULL;
    if (first->base != second->base) return NULL; /* different stores: copies keep them apart */
    if ((first->neighbours && lps_is_within(second->lps, first->lps)) || (second->neighbours && lps_is_within(first->lps, second->lps))) return NULL;
    const Lps *common = common_ancestor(first->lps, second->lps);
    const Lps *sharing = highest_sharing(first->base, common, first->var);
    if (sharing != NULL) return sharing->parent;
    if (plan_led_by(first->lps) == plan_led_by(second->lps) && !first->everyone && !second->everyone) return NULL;
    return common;
}

bool plan_is_for_leader(const Access *first, const Access *second) {
    const bool conflict = first->var == second->var && first->base == second->base && (first->write || second->write);
    return conflict && plan_led_by(first->lps) == plan_led_by(second->lps) && plan_conflict(first, second) == NULL;
}

/* ---- Collecting ---------------------------------------------------------------------------------- */
static Access access_of(const Planner *planner, const Var *var, const Lps *lps, bool write, bool everyone,
                        const char *what) {
    const Lps *base = var_is_array(var)
                          ? plan_store_level(planner->task, var, lps)
                          : (var->home != NULL ? var->home : planner->task->task->spaces.items[0]);
    return (Access){.var = var, .lps = lps, .base = base, .write = write, .everyone = everyone, .what = what};
}

static bool is_tracked(const Planner *planner, const Var *var) {
    return var->kind == VAR_GLOBAL && (var_is_array(var) || !plan_scalar_is_private(planner->task, var));
}

static void call_accesses(const Planner *planner, const PlanStep *step, AccessVec *out) {
    const StageUse *use = step->use;
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        const Var *actual = plan_actual(use, formal, step->source);
        if (actual == NULL || !is_tracked(planner, actual)) continue;
        if (formal->read) {
            vec_push(planner->arena, out, access_of(planner, actual, use->lps, false, false, use->what));
            vec_last(out).max_lag = formal->max_lag;
        }
        if (formal->written)
            vec_push(planner->arena, out, access_of(planner, actual, use->lps, true, false, use->what));
    }
}

static void expr_accesses(const Planner *planner, const Expr *expr, const Lps *lps, const char *what,
                          AccessVec *out) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].read && is_tracked(planner, uses.items[i].var))
            vec_push(planner->arena, out, access_of(planner, uses.items[i].var, lps, false, true, what));
}

/* The store above a COPY level, as the copy reads and writes it. */
static Access copy_access(const Planner *planner, const PlanStep *step, bool write) {
    Access access = access_of(planner, step->array->var, step->lps, write, false,
                              write ? "handing copies back" : "filling copies");
    access.base = plan_store_level(planner->task, step->array->var, step->lps->parent);
    return access;
}

/* What deciding about a loop or condition reads, in the LPS `lps`. */
static void control_accesses(const Planner *planner, const PlanStep *step, const Lps *lps, AccessVec *out) {
    const Step *source = step->source;
    if (source->kind == STEP_REPEAT_FOR) {
        expr_accesses(planner, source->range, lps, "the loop's range", out);
        expr_accesses(planner, source->step, lps, "the loop's step", out);
    }
    expr_accesses(planner, source->condition, lps,
                  source->kind == STEP_IF ? "the condition" : "the loop's condition", out);
}

void plan_own_accesses(const Planner *planner, const PlanStep *step, AccessVec *out) {
    switch (step->kind) {
    case PLAN_STAGE: call_accesses(planner, step, out); break;
    case PLAN_LOCKSTEP: control_accesses(planner, step, step->space, out); break;
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE:
    case PLAN_IF: control_accesses(planner, step, step->lps, out); break;
    case PLAN_COPY_IN: {
        vec_push(planner->arena, out, copy_access(planner, step, false));
        Access fill = access_of(planner, step->array->var, step->lps, true, false, "filling copies");
        vec_push(planner->arena, out, fill);
        break;
    }
    case PLAN_COPY_OUT: {
        Access drain = access_of(planner, step->array->var, step->lps, false, false, "handing copies back");
        vec_push(planner->arena, out, drain);
        vec_push(planner->arena, out, copy_access(planner, step, true));
        break;
    }
    case PLAN_EXCHANGE: /* between neighbours, who wait for each other alone; what other Spaces' LPUs do with the parts comes before or after it */
        if (!plan_home_is_shared(planner->task, step->array)) break;
        vec_push(planner->arena, out, access_of(planner, step->array->var, step->array->home, plan_padding_is_shared(planner->task, step->array), true, "the exchange of padding"));
        vec_last(out).neighbours = true;
        break;
    case PLAN_EPOCH:
    case PLAN_EPOCH_CLOSE: {
        Access advance = access_of(planner, step->array->var, step->lps, true, true, "the epoch");
        vec_push(planner->arena, out, advance);
        break;
    }
    case PLAN_COUNT:
        vec_push(planner->arena, out, access_of(planner, step->scalar, step->lps, true, false, "the loop"));
        break;
    case PLAN_ADVANCE_SCALAR:
        vec_push(planner->arena, out, access_of(planner, step->scalar, step->lps, true, false, "the epoch"));
        break;
    default: break;
    }
}

bool plan_same_access(const Access *a, const Access *b) {
    return a->var == b->var && a->lps == b->lps && a->base == b->base && a->write == b->write &&
           a->everyone == b->everyone && a->neighbours == b->neighbours;
}

/* Adds an access that the set does not hold yet. */
static void plan_add_access(Arena *arena, AccessVec *accesses, const Access *access) {
    for (size_t i = accesses->count; i-- > 0;)
        if (plan_same_access(&accesses->items[i], access)) return;
    vec_push(arena, accesses, *access);
}

void plan_step_accesses(const Planner *planner, const PlanStep *step, AccessVec *out) {
    AccessVec own = {0};
    plan_own_accesses(planner, step, &own);
    for (size_t i = 0; i < own.count; i++) plan_add_access(planner->arena, out, &own.items[i]);
    for (size_t i = 0; i < step->body.count; i++) plan_step_accesses(planner, step->body.items[i], out);
}
