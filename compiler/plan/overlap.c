/* Messages that travel together, and while LPUs run.
 *
 * Moves that follow each other are waited for together, where none takes what another one brings.
 *
 * Padding that comes from other address spaces is waited for in the visit of the array's LPUs that follows, also in the next round of a
 * Repeat, by those LPUs alone that get some of it. That is so where nothing comes between the exchange and that visit, whose LPUs read
 * their copies and nobody else's.
 *
 * An LPU that gets some may still run the iterations of its first stage that need none of it: that stage opens the visit, where nothing but
 * epochs that exchange the array's two versions comes before it (messages then bring both versions the same elements). Which
 * iterations these are, lowering and the runtime say (lower/border.c, runtime/move/sweep.c).
 *
 * Needs: the steps as they are printed, and levels. Gives: PlanStep.begins, ends, later, settles, opens, opening; StageUse.coming. */
#include "compiler/check/walk.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

/* ---- Moves together --------------------------------------------------------------------------------------- */

/* Inspectors look at what has come before. */
static bool may_wait(const PlanStep *step) { return step->kind == PLAN_MOVE && step->transfer->inspection == NULL; }

/* What one brings the other one does not take. */
static bool are_apart(const PlanStep *a, const PlanStep *b) {
    const Transfer *one = a->transfer, *other = b->transfer;
    return a->lps == b->lps && (one->var != other->var || (one->from == other->from && one->to == other->to));
}

static size_t count_together(const PlanStepVec *steps, size_t first) {
    size_t end = first;
    for (; end < steps->count && may_wait(steps->items[end]); end++)
        for (size_t i = first; i < end; i++)
            if (!are_apart(steps->items[i], steps->items[end])) return end - first;
    return end - first;
}

static void join_moves(const PlanStepVec *steps) {
    for (size_t i = 0, count; i < steps->count; i += count > 0 ? count : 1) {
        count = count_together(steps, i);
        for (size_t j = 0; j < count && count > 1; j++) steps->items[i + j]->begins = true;
        if (count > 1) steps->items[i + count - 1]->ends = true;
    }
}

/* ---- Padding and LPUs ------------------------------------------------------------------------------------- */

/* The first thing that a step does is to visit LPUs of `home`: that visit, else NULL. On the way there are visits and rounds alone. */
static PlanStep *first_visit(const TaskPlan *task, PlanStep *step, const Lps *home) {
    bool visits = step->kind == PLAN_LPUS && !step->dynamic && task->spaces[step->lps->id].limit == 0 && step->later == NULL;
    if (visits && step->lps == home) return step;
    if (step->later != NULL || step->settles != NULL || step->body.count == 0 || (!visits && step->kind != PLAN_REPEAT_FOR)) return NULL;
    return first_visit(task, step->body.items[0], home);
}

/* ---- An LPU's first stage ----------------------------------------------------------------------------------- */

typedef struct Naming { const Var *var; bool found; } Naming;

static bool find_name(Expr *expr, void *data) {
    Naming *naming = data;
    naming->found |= expr->var == naming->var && expr->kind != EXPR_DIM_RANGE;
    return true;
}

static bool names(const Expr *expr, const ArrayPlan *array) {
    Naming naming = {array->var, false};
    walk_expr((Expr *)expr, find_name, &naming);
    return naming.found;
}

static bool may_come_before(const PlanStep *step, const ArrayPlan *array) {
    if (step->kind != PLAN_EPOCH || step->shared) return false;
    return step->array != array || (step->rotates && plan_versions(array) == 2 && step->takes.count == 0);
}

/* The stage that runs first in each visit, if any does: a loop of no rounds on the way to it has nothing behind it. */
static PlanStep *first_stage(const PlanStepVec *steps, const Lps *lps, const ArrayPlan *array) {
    size_t i = 0;
    while (i < steps->count && may_come_before(steps->items[i], array)) i++;
    PlanStep *step = i < steps->count ? steps->items[i] : NULL;
    if (step == NULL || step->lps != lps || step->waits != NULL) return NULL;
    if (step->kind == PLAN_STAGE) return step;
    const bool rounds = step->kind == PLAN_REPEAT_FOR && i + 1 == steps->count && !names(step->source->range, array) && !names(step->source->step, array);
    return rounds ? first_stage(&step->body, lps, array) : NULL;
}

static void find_opening(PlanStep *visit, const PlanStep *exchange) {
    PlanStep *stage = first_stage(&visit->body, visit->lps, exchange->array);
    if (stage == NULL || (stage->use->coming != NULL && stage->use->coming != exchange->array->var)) return;
    stage->use->coming = exchange->array->var;
    visit->opening = stage;
    stage->opens = visit;
}

/* ---- Exchanges ---------------------------------------------------------------------------------------------- */

static bool crosses_segments(const TaskPlan *task, const PlanStep *step) {
    return step->kind == PLAN_EXCHANGE && !hold_is_local(task, step->lps) && !hold_divides_home(task, step->array);
}

/* Whether the exchange may be waited for in the step that comes next. */
static bool start_before(const TaskPlan *task, PlanStep *exchange, PlanStep *next) {
    if (exchange->kind != PLAN_EXCHANGE) return false;
    const Lps *padded = exchange->array->kept != NULL ? exchange->array->kept : exchange->array->home;
    PlanStep *visit = crosses_segments(task, exchange) && exchange->later == NULL && next->settles == NULL ? first_visit(task, next, padded) : NULL;
    if (visit == NULL) return false;
    visit->later = exchange->later = next->settles = exchange;
    find_opening(visit, exchange);
    return true;
}

static void look_at(const TaskPlan *task, PlanStep *repeat) {
    bool rounds = repeat->kind == PLAN_REPEAT_FOR || repeat->kind == PLAN_REPEAT_WHILE;
    if (!rounds || repeat->body.count < 2 || repeat->settles != NULL) return;
    PlanStep *last = repeat->body.items[repeat->body.count - 1];
    if (start_before(task, last, repeat->body.items[0])) repeat->settles = last;
}

static void look_into(const TaskPlan *task, const PlanStepVec *steps) {
    join_moves(steps);
    for (size_t i = 0; i < steps->count; i++) {
        const bool on_card = mapping_on_card(task->mapping); /* its crews wait for messages all together */
        if (!on_card) look_at(task, steps->items[i]);
        if (!on_card && i + 1 < steps->count) start_before(task, steps->items[i], steps->items[i + 1]);
        look_into(task, &steps->items[i]->body);
    }
}

void plan_overlap(TaskPlan *task) { look_into(task, &task->flow); }
