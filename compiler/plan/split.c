/* A thread runs the whole body of a Space for one LPU after the other. That is right as long as no LPU needs,
 * half-way, what other LPUs of the same visit have just computed. Where one does (a reduction's result read
 * in the same Space, a replicated array written by one LPU and read by all), the visit is cut there into
 * several, and a loop or condition around the cut moves out of the Space when all LPUs decide alike. Where
 * each LPU decides for itself, the LPUs run the rounds together (PLAN_LOCKSTEP): those that are done sit the
 * others' rounds out.
 *
 * Needs: the flow of steps.c. Gives: every pair of accesses that must synchronise above an LPS lies in
 * different visits of it, and every PLAN_REDUCE stands in the sequence of its target's LPS. */
#include "compiler/plan/internal.h"

typedef struct Cutter {
    Planner *planner;
    Lps *space; /* whose LPUs the visit runs */
    const PlanStep *visit;
    PlanStepVec *out; /* sequence of the parent LPS */
    PlanStepVec chunk;
    AccessVec chunk_accesses;
    PlanStepVec floating; /* reductions to targets above `space`, not needed yet */
} Cutter;

static void cut_visit(Planner *planner, const PlanStep *visit, PlanStepVec *out);

static bool strictly_above(const Lps *lps, const Lps *space) {
    return lps != space && lps_is_within(space, lps);
}

static bool conflict_above(const AccessVec *first, const AccessVec *second, const Lps *space) {
    for (size_t i = 0; i < first->count; i++)
        for (size_t j = 0; j < second->count; j++) {
            const Lps *group = plan_conflict(&first->items[i], &second->items[j]);
            if (group != NULL && strictly_above(group, space)) return true;
        }
    return false;
}

static bool touches(const AccessVec *accesses, const Var *var) {
    for (size_t i = 0; i < accesses->count; i++)
        if (accesses->items[i].var == var) return true;
    return false;
}

static const Var *reduce_target(const Cutter *cut, const PlanStep *reduce) {
    return cut->planner->task->reductions.items[reduce->reduce].target;
}

/* Takes reductions with targets above the Space out of `steps` (through loops and conditions). */
static void take_reductions(Cutter *cut, PlanStepVec *steps, PlanStepVec *taken) {
    PlanStepVec kept = {0};
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        if (step->kind == PLAN_REDUCE && strictly_above(step->lps, cut->space)) {
            vec_push(cut->planner->arena, taken, step);
        } else {
            take_reductions(cut, &step->body, taken);
            vec_push(cut->planner->arena, &kept, step);
        }
    }
    *steps = kept;
}

static void collect_reductions(const Cutter *cut, PlanStep *step, PlanStepVec *found) {
    if (step->kind == PLAN_REDUCE && strictly_above(step->lps, cut->space))
        vec_push(cut->planner->arena, found, step);
    for (size_t i = 0; i < step->body.count; i++) collect_reductions(cut, step->body.items[i], found);
}

/* Reductions to targets above the Space, of variables in `accesses` (NULL: of any). */
static bool has_reduction_of(const Cutter *cut, const PlanStepVec *steps, const AccessVec *accesses) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->kind == PLAN_REDUCE && strictly_above(step->lps, cut->space) &&
            (accesses == NULL || touches(accesses, reduce_target(cut, step))))
            return true;
        if (has_reduction_of(cut, &step->body, accesses)) return true;
    }
    return false;
}

/* Some stage in the step leaves a part of a new result for `target`. */
static bool reduces_into(const PlanStep *step, const Var *target) {
    for (size_t i = 0; step->kind == PLAN_STAGE && i < step->use->formals.count; i++)
        if (step->use->formals.items[i].kind == FORMAL_PARTIAL &&
            step->use->formals.items[i].actual == target)
            return true;
    for (size_t i = 0; i < step->body.count; i++)
        if (reduces_into(step->body.items[i], target)) return true;
    return false;
}

/* One stage after the other reduces into a target above the Space: the first result must be complete by then.
 */
static bool reduces_again(const Cutter *cut, const PlanStepVec *steps) {
    PlanStepVec taken = {0};
    for (size_t i = 0; i < steps->count; i++) {
        for (size_t r = 0; r < taken.count; r++)
            if (reduces_into(steps->items[i], reduce_target(cut, taken.items[r]))) return true;
        collect_reductions(cut, steps->items[i], &taken);
    }
    return false;
}

/* Accesses inside one controlled step that need other LPUs of the Space half-way. */
static bool needs_cut_inside(const Cutter *cut, const PlanStep *step) {
    AccessVec accesses = {0};
    plan_step_accesses(cut->planner, step, &accesses);
    /* A reduction starts afresh in every round: in a loop each round must be complete before the next. */
    if (step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_SUB_PARTS ||
        step->kind == PLAN_LOCKSTEP)
        return has_reduction_of(cut, &step->body, NULL) || conflict_above(&accesses, &accesses, cut->space);
    if (has_reduction_of(cut, &step->body, &accesses)) return true;
    if (step->kind != PLAN_IF) return false;
    if (reduces_again(cut, &step->body)) return true;
    AccessVec before = {0};
    plan_own_accesses(cut->planner, step, &before);
    for (size_t i = 0; i < step->body.count; i++) {
        AccessVec own = {0};
        plan_step_accesses(cut->planner, step->body.items[i], &own);
        if (conflict_above(&before, &own, cut->space) || needs_cut_inside(cut, step->body.items[i]))
            return true;
        plan_step_accesses(cut->planner, step->body.items[i], &before);
    }
    return false;
}

static void flush(Cutter *cut) {
    if (cut->chunk.count > 0) {
        PlanStep *visit = plan_step_new(cut->planner, PLAN_LPUS, cut->visit->source, cut->space);
        visit->body = cut->chunk;
        vec_push(cut->planner->arena, cut->out, visit);
    }
    cut->chunk = (PlanStepVec){0};
    cut->chunk_accesses = (AccessVec){0};
}

static void land_reductions(Cutter *cut) {
    for (size_t i = 0; i < cut->floating.count; i++)
        vec_push(cut->planner->arena, cut->out, cut->floating.items[i]);
    cut->floating = (PlanStepVec){0};
}

/* ---- Uniform control ------------------------------------------------------------------------------- */
static bool expr_is_uniform(const Planner *planner, const Expr *expr, const Lps *parent) {
    if (expr == NULL) return true;
    switch (expr->kind) {
    case EXPR_LPU_ID:
    case EXPR_ELEMENT:
    case EXPR_CALL: return false;
    case EXPR_DIM_RANGE:
        if (expr->local && !lps_is_within(parent, lps_holder(parent, expr->var))) return false;
        if (expr->local) return false;
        break;
    case EXPR_VAR:
        if (expr->var->kind == VAR_GLOBAL && !plan_scalar_is_private(planner->task, expr->var) &&
            expr->var->home != NULL && !lps_is_within(parent, expr->var->home))
            return false;
        break;
    default: break;
    }
    if (!expr_is_uniform(planner, expr->left, parent) || !expr_is_uniform(planner, expr->right, parent))
        return false;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!expr_is_uniform(planner, expr->arguments.items[i], parent)) return false;
    return true;
}

static bool control_is_uniform(const Cutter *cut, const PlanStep *step) {
    const Lps *parent = cut->space->parent;
    const Step *source = step->source;
    return expr_is_uniform(cut->planner, source->condition, parent) &&
           expr_is_uniform(cut->planner, source->range, parent) &&
           expr_is_uniform(cut->planner, source->step, parent) &&
           (step->kind != PLAN_REPEAT_FOR || step->private_counter);
}

/* Asks in every visit of the Space in `steps` whether the LPU takes part. */
static void guard_visits(Cutter *cut, const PlanStep *lockstep, PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        if (step->kind == PLAN_COUNT && step->source == lockstep->source) step->lockstep = lockstep;
        if (step->kind == PLAN_LPUS && step->lps == cut->space) {
            PlanStep *guard = plan_step_new(cut->planner, PLAN_GUARD, lockstep->source, cut->space);
            guard->lockstep = lockstep;
            guard_visits(cut, lockstep, &step->body);
            guard->body = step->body;
            step->body = (PlanStepVec){0};
            vec_push(cut->planner->arena, &step->body, guard);
        } else {
            if (step->kind == PLAN_LOCKSTEP && step->space == cut->space && step->lockstep == NULL)
                step->lockstep = lockstep;
            guard_visits(cut, lockstep, &step->body);
        }
    }
}

static void cannot_cut(const Cutter *cut, const PlanStep *step) {
    Diag *diag = diag_error(cut->planner->diags, E_PLAN_LOCKSTEP, step->source->span,
                            "LPUs of Space %s need each other's results inside this %s, but LPUs further "
                            "down decide by themselves how they run",
                            cut->space->name, step->source->kind == STEP_IF ? "condition" : "loop");
    diag_help(diag,
              "let the %s depend only on values that all LPUs of Space %s share, or leave the Space before "
              "the results are needed",
              step->source->kind == STEP_IF ? "condition" : "loop's control", cut->space->name);
}

static void hoist(Cutter *cut, PlanStep *step) {
    PlanStep inside = {
        .kind = PLAN_LPUS, .source = cut->visit->source, .lps = cut->space, .body = step->body};
    bool uniform =
        step->kind != PLAN_SUB_PARTS && step->kind != PLAN_LOCKSTEP && control_is_uniform(cut, step);
    if (!uniform && step->kind == PLAN_LOCKSTEP) {
        cannot_cut(cut, step);
        return;
    }
    PlanStep *control =
        plan_step_new(cut->planner, uniform ? step->kind : PLAN_LOCKSTEP, step->source, cut->space->parent);
    control->private_counter = step->private_counter;
    if (!uniform) {
        control->space = cut->space;
        control->number = cut->planner->lockstep_count++;
        if (step->source->kind != STEP_IF) {
            PlanStep *agree = plan_step_new(cut->planner, PLAN_AGREE, step->source, control->lps);
            agree->lockstep = control;
            agree->waits = control->lps;
            vec_push(cut->planner->arena, &control->body, agree);
        }
    }
    cut_visit(cut->planner, &inside, &control->body);
    if (!uniform) guard_visits(cut, control, &control->body);
    vec_push(cut->planner->arena, cut->out, control);
}

/* ---- Cutting ---------------------------------------------------------------------------------------------
 */
static void cut_step(Cutter *cut, PlanStep *step) {
    if (step->kind == PLAN_REDUCE && strictly_above(step->lps, cut->space)) {
        vec_push(cut->planner->arena, &cut->floating, step);
        return;
    }
    AccessVec accesses = {0};
    plan_step_accesses(cut->planner, step, &accesses);
    bool waits = false;
    for (size_t i = 0; i < cut->floating.count; i++)
        if (touches(&accesses, reduce_target(cut, cut->floating.items[i])) ||
            reduces_into(step, reduce_target(cut, cut->floating.items[i])))
            waits = true;
    bool inside = needs_cut_inside(cut, step);
    if (waits || inside || conflict_above(&cut->chunk_accesses, &accesses, cut->space)) flush(cut);
    if (waits) land_reductions(cut);
    if (inside) {
        hoist(cut, step);
        return;
    }
    take_reductions(cut, &step->body, &cut->floating);
    vec_push(cut->planner->arena, &cut->chunk, step);
    plan_step_accesses(cut->planner, step, &cut->chunk_accesses);
}

static void cut_visit(Planner *planner, const PlanStep *visit, PlanStepVec *out) {
    Cutter cut = {.planner = planner, .space = visit->lps, .visit = visit, .out = out};
    for (size_t i = 0; i < visit->body.count; i++) cut_step(&cut, visit->body.items[i]);
    flush(&cut);
    land_reductions(&cut);
}

static void split_sequence(Planner *planner, PlanStepVec *steps) {
    PlanStepVec out = {0};
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        split_sequence(planner, &step->body);
        if (step->kind == PLAN_LPUS) cut_visit(planner, step, &out);
        else vec_push(planner->arena, &out, step);
    }
    *steps = out;
}

void plan_split(Planner *planner) { split_sequence(planner, &planner->task->flow); }
