/* Messages that travel while LPUs run: padding that comes from other address spaces at the end of a round of a Repeat is waited for in
 * the next round, by those LPUs alone that get some of it. That is so where nothing comes between the exchange and the next visit
 * of the array's LPUs, which read their copies and nobody else's.
 *
 * Needs: the steps as they are printed, and levels. Gives: PlanStep.later, settles. */
#include "compiler/plan/moves.h"

/* The first thing that a step does is to visit LPUs of `home`: that visit, else NULL. On the way there are visits and rounds alone. */
static PlanStep *first_visit(const TaskPlan *task, PlanStep *step, const Lps *home) {
    bool visits = step->kind == PLAN_LPUS && !step->dynamic && task->spaces[step->lps->id].limit == 0 && step->later == NULL;
    if (visits && step->lps == home) return step;
    if (step->later != NULL || step->settles != NULL || step->body.count == 0 || (!visits && step->kind != PLAN_REPEAT_FOR)) return NULL;
    return first_visit(task, step->body.items[0], home);
}

static bool crosses_segments(const TaskPlan *task, const PlanStep *step) {
    return step->kind == PLAN_EXCHANGE && !hold_is_local(task, step->lps);
}

static void look_at(const TaskPlan *task, PlanStep *repeat) {
    bool rounds = repeat->kind == PLAN_REPEAT_FOR || repeat->kind == PLAN_REPEAT_WHILE;
    if (!rounds || repeat->body.count < 2 || repeat->settles != NULL) return;
    PlanStep *exchange = repeat->body.items[repeat->body.count - 1], *top = repeat->body.items[0];
    PlanStep *visit = crosses_segments(task, exchange) && top->settles == NULL ? first_visit(task, top, exchange->array->home) : NULL;
    if (visit == NULL) return;
    visit->later = exchange->later = exchange;
    top->settles = repeat->settles = exchange;
}

static void look_into(const TaskPlan *task, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        look_at(task, steps->items[i]);
        look_into(task, &steps->items[i]->body);
    }
}

void plan_overlap(TaskPlan *task) { look_into(task, &task->flow); }
