/* Copies that LPUs keep from visit to visit. Where the padded parts of one Space cannot be the array, because stages in Root or in Spaces that are
 * divided in other ways touch it as well, its LPUs have copies. These are filled from the whole, and handed back to it, only where somebody needs
 * what the other side has written:
 *
 *     Repeat for r in [1...rounds] { Space A { Epoch { smooth(u) } } }      fill before it, padding after each visit
 *     total(u)                                                              hand back before it
 *
 * They are kept for as long as the LPU around them is visited. At each point of the flow there the whole is valid, or the copies are, or both. A loop
 * begins with the side valid that its body needs first, and so does each of its rounds; behind a condition what is valid is so whether the body has run or not.
 *
 * Needs: the flow of steps.c, in which visits of such Spaces have exchanges and no copies. Gives: the steps that fill copies and hand them back.
 * Breaks: nothing; takes out exchanges whose padding is filled before anybody reads it. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/internal.h"
#include <string.h>

/* ---- Whether ---------------------------------------------------------------------------------------------------- */

enum { COPIES = 1, WHOLE = 2 };

/* Which of the two the calls touch. */
static int sides_of(const Planner *planner, const StepVec *steps, const Var *var, const Lps *lps) {
    int sides = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        const StageUse *use = step->kind == STEP_CALL ? plan_use_of(planner, step) : NULL;
        for (size_t f = 0; use != NULL && f < use->formals.count; f++)
            if (use->formals.items[f].actual == var) sides |= lps_is_within(step->lps, lps) ? COPIES : WHOLE;
        sides |= sides_of(planner, &step->body, var, lps);
    }
    return sides;
}

bool plan_epoch_is_of_copies(const Planner *planner, const ArrayPlan *array, const Step *epoch) {
    return array->kept != NULL && (sides_of(planner, &epoch->body, array->var, array->kept) & COPIES) != 0;
}

/* Some of what the steps do with the array is done under a condition. */
static bool depends_on_condition(const Planner *planner, const StepVec *steps, const Var *var, const Lps *lps) {
    for (size_t i = 0; i < steps->count; i++) {
        const StepVec *body = &steps->items[i]->body;
        if ((steps->items[i]->kind == STEP_IF && sides_of(planner, body, var, lps) != 0) || depends_on_condition(planner, body, var, lps)) return true;
    }
    return false;
}

/* What LPUs take turns in is copied for those whose turn it is; and an Epoch around the Space is one of the copies, or of the whole, and nothing is
 * copied between what it writes and its end. */
static bool steps_allow(const Planner *planner, const StepVec *steps, const Var *var, const Lps *lps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_SPACE && step->space == lps && plan_turn_of(planner, step) != NULL) return false;
        const bool above = step_advances(step, var) && step->lps != lps && lps_is_within(lps, step->lps);
        const int sides = above ? sides_of(planner, &step->body, var, lps) : 0;
        if (sides == (COPIES | WHOLE) || (sides == COPIES && step->lps != lps->parent)) return false;
        if (above && depends_on_condition(planner, &step->body, var, lps)) return false;
        if (!steps_allow(planner, &step->body, var, lps)) return false;
    }
    return true;
}

/* The mapping wants memory back as early as may be, that of copies whenever their visit ends. */
bool plan_is_collected(const Planner *planner, const Var *var) {
    const MappingTask *block = planner->mapping == NULL ? NULL : planner->mapping->block;
    for (size_t i = 0; block != NULL && i < block->statements.count; i++)
        if (block->statements.items[i].kind == PLACE_COLLECT && strcmp(block->statements.items[i].name, var->name) == 0) return true;
    return false;
}

bool plan_may_keep(Planner *planner, const Var *var, const Lps *lps) {
    for (const Lps *at = lps; at != NULL; at = at->parent)
        if (at->dynamic || at->sub_partition || (at != lps && at->dims > 0)) return false; /* LPUs around it would decide each for itself */
    if (plan_flow_reads(planner, &planner->task->task->flow, var)) return false;
    if (planner->mapping == NULL && planner->plan->options.machine != NULL) return false;
    const ResolvedMapping *mapping = planner->mapping;
    const bool together = mapping == NULL || mapping->segments <= 1 || mapping->lpses[lps->id].level >= model_segment_level(mapping->model); /* an LPU's copy lies in one memory */
    return together && !plan_is_collected(planner, var) && steps_allow(planner, &planner->task->task->flow, var, lps);
}

/* ---- Where ------------------------------------------------------------------------------------------------------ */

typedef struct Valid {
    bool whole, copies;
} Valid;
typedef enum { THE_WHOLE, THE_COPIES } Side;

typedef struct Keeper {
    Planner *planner;
    ArrayPlan *array;
    const Step *visit; /* the program's first one of the Space */
} Keeper;

typedef struct Uses {
    bool inside, inside_writes, outside, outside_writes;
} Uses;

static Uses uses_in(const Keeper *keeper, const AccessVec *accesses) {
    Uses uses = {0};
    for (size_t i = 0; i < accesses->count; i++) {
        const Access *access = &accesses->items[i];
        if (access->var != keeper->array->var) continue;
        const bool inside = access->base == keeper->array->kept;
        uses.inside |= inside;
        uses.outside |= !inside;
        uses.inside_writes |= inside && access->write;
        uses.outside_writes |= !inside && access->write;
    }
    return uses;
}

static Uses uses_of(const Keeper *keeper, const PlanStep *step) {
    AccessVec accesses = {0};
    plan_step_accesses(keeper->planner, step, &accesses);
    return uses_in(keeper, &accesses);
}

static Uses own_uses_of(const Keeper *keeper, const PlanStep *step) {
    AccessVec accesses = {0};
    plan_own_accesses(keeper->planner, step, &accesses);
    return uses_in(keeper, &accesses);
}

/* What it does to the array is looked at step by step. */
static bool is_looked_into(const PlanStep *step, const Uses *uses) {
    const bool rounds = step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_REPEAT_WHILE;
    return (rounds && uses->inside) || (step->kind == PLAN_IF && (uses->inside || uses->outside));
}

/* What is needed first in the steps, if any does need it: without a condition, or else with one. */
static bool first_need(const Keeper *keeper, const PlanStepVec *steps, bool conditions, Side *side) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const Uses uses = uses_of(keeper, step);
        if (!uses.inside && !uses.outside) continue;
        const bool into = is_looked_into(step, &uses), asked = into && own_uses_of(keeper, step).outside;
        if (!into || asked) *side = asked || !uses.inside ? THE_WHOLE : THE_COPIES;
        if (!into || asked || ((conditions || step->kind != PLAN_IF) && first_need(keeper, &step->body, conditions, side))) return true;
    }
    return false;
}

static void ensure(const Keeper *keeper, Side side, Valid *now, PlanStepVec *out) {
    bool *valid = side == THE_WHOLE ? &now->whole : &now->copies;
    if (*valid) return;
    *valid = true;
    if (out == NULL) return;
    Lps *lps = keeper->array->kept;
    PlanStep *visit = plan_step_new(keeper->planner, PLAN_LPUS, keeper->visit, lps);
    PlanStep *copy = plan_step_new(keeper->planner, side == THE_WHOLE ? PLAN_COPY_OUT : PLAN_COPY_IN, keeper->visit, lps);
    copy->array = keeper->array;
    vec_push(keeper->planner->arena, &visit->body, copy);
    vec_push(keeper->planner->arena, out, visit);
}

static Valid both(Valid a, Valid b) { return (Valid){a.whole && b.whole, a.copies && b.copies}; }

static void walk(const Keeper *keeper, PlanStepVec *steps, Valid *now, bool inserts);

static void walk_condition(const Keeper *keeper, PlanStep *step, Valid *now, bool inserts) {
    Valid inside = *now;
    walk(keeper, &step->body, &inside, inserts);
    const Valid behind = both(*now, inside);
    if (!behind.whole && !behind.copies) ensure(keeper, now->copies ? THE_COPIES : THE_WHOLE, &inside, inserts ? &step->body : NULL);
    *now = both(*now, inside);
}

static void walk_loop(const Keeper *keeper, PlanStep *step, Side need, Valid *now, bool inserts) {
    Valid before, round;
    do { /* what holds whenever a round begins */
        before = round = *now;
        walk(keeper, &step->body, &round, false);
        ensure(keeper, need, &round, NULL);
        *now = both(before, round);
    } while (before.whole != now->whole || before.copies != now->copies);
    round = *now;
    walk(keeper, &step->body, &round, inserts);
    ensure(keeper, need, &round, inserts ? &step->body : NULL);
}

static void walk(const Keeper *keeper, PlanStepVec *steps, Valid *now, bool inserts) {
    PlanStepVec result = {0}, *out = inserts ? &result : NULL;
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        const Uses uses = uses_of(keeper, step), own = own_uses_of(keeper, step);
        const bool into = is_looked_into(step, &uses), condition = into && step->kind == PLAN_IF;
        Side need = uses.inside ? THE_COPIES : THE_WHOLE;
        if (own.outside) need = THE_WHOLE;
        else if (into && !condition && !first_need(keeper, &step->body, false, &need)) first_need(keeper, &step->body, true, &need);
        if ((uses.inside || uses.outside) && (!condition || own.outside)) ensure(keeper, need, now, out);
        if (condition) walk_condition(keeper, step, now, inserts);
        else if (into) walk_loop(keeper, step, need, now, inserts);
        else if (uses.inside) now->whole &= !uses.inside_writes;
        else now->copies &= !uses.outside_writes;
        if (inserts) vec_push(keeper->planner->arena, &result, step);
    }
    if (inserts) *steps = result;
}

/* ---- Padding that nobody reads ------------------------------------------------------------------------------------ */

typedef struct Sequence {
    const struct Sequence *outer;
    const PlanStepVec *steps;
    size_t at;
    bool again; /* rounds of a loop */
} Sequence;

/* -1: the steps may touch no copies; 0: they are filled first; 1: something may be done with them before. */
static int reads_padding(const Keeper *keeper, const PlanStepVec *steps, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const PlanStep *step = steps->items[i], *first = step->kind == PLAN_LPUS && step->body.count > 0 ? step->body.items[0] : NULL;
        const bool copies = first != NULL && first->array == keeper->array && (first->kind == PLAN_COPY_IN || first->kind == PLAN_COPY_OUT);
        if (copies && first->kind == PLAN_COPY_IN) return 0;
        if (copies) continue;
        const Uses uses = uses_of(keeper, step);
        if (is_looked_into(step, &uses) ? reads_padding(keeper, &step->body, 0, step->body.count) > 0 : uses.inside) return 1;
    }
    return -1;
}

static bool is_read(const Keeper *keeper, const Sequence *sequence) {
    for (; sequence != NULL; sequence = sequence->outer) {
        int next = reads_padding(keeper, sequence->steps, sequence->at + 1, sequence->steps->count);
        if (next >= 0) return next > 0;
        if (sequence->again && reads_padding(keeper, sequence->steps, 0, sequence->at + 1) > 0) return true;
    }
    return false;
}

static void drop_exchanges(const Keeper *keeper, PlanStepVec *steps, const Sequence *outer, bool again) {
    PlanStepVec result = {0};
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        const Sequence here = {outer, steps, i, again};
        if (step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_IF)
            drop_exchanges(keeper, &step->body, &here, step->kind != PLAN_IF);
        if (step->kind != PLAN_EXCHANGE || step->array != keeper->array || is_read(keeper, &here)) vec_push(keeper->planner->arena, &result, step);
    }
    *steps = result;
}

/* In visits of the Space around, or in Root. */
static void keep_in(const Keeper *keeper, PlanStepVec *steps, const Lps *lps) {
    if (lps == keeper->array->kept->parent) {
        Valid now = {.whole = true};
        walk(keeper, steps, &now, true);
        if (lps->parent != NULL || keeper->array->var->environment) ensure(keeper, THE_WHOLE, &now, steps);
        drop_exchanges(keeper, steps, NULL, false);
        return;
    }
    for (size_t i = 0; i < steps->count; i++) keep_in(keeper, &steps->items[i]->body, plan_body_space(steps->items[i], lps));
}

static const Step *first_visit(const StepVec *steps, const Lps *lps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        const Step *found = step->kind == STEP_SPACE && step->space == lps ? step : first_visit(&step->body, lps);
        if (found != NULL) return found;
    }
    return NULL;
}

void plan_keep(Planner *planner) {
    for (int i = 0; i < planner->task->array_count; i++) {
        ArrayPlan *array = &planner->task->arrays[i];
        if (array->kept == NULL) continue;
        const Keeper keeper = {planner, array, first_visit(&planner->task->task->flow, array->kept)};
        keep_in(&keeper, &planner->task->flow, planner->task->task->spaces.items[0]);
    }
}
