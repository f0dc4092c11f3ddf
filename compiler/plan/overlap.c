/* Messages that travel together, and while LPUs run.
 *
 * Moves that follow each other are waited for together, where none takes what another one brings.
 *
 * Padding that comes from other address spaces at the end of a round of a Repeat is waited for in the next round, by those LPUs alone
 * that get some of it. That is so where nothing comes between the exchange and the next visit of the array's LPUs, which read their
 * copies and nobody else's.
 *
 * Needs: the steps as they are printed, and levels. Gives: PlanStep.begins, ends, later, settles. */
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

static bool crosses_segments(const TaskPlan *task, const PlanStep *step) {
    return step->kind == PLAN_EXCHANGE && !hold_is_local(task, step->lps) && !hold_divides_home(task, step->array);
}

/* A card's crews wait for messages all together. */
static void look_at(const TaskPlan *task, PlanStep *repeat) {
    bool rounds = repeat->kind == PLAN_REPEAT_FOR || repeat->kind == PLAN_REPEAT_WHILE;
    if (!rounds || repeat->body.count < 2 || repeat->settles != NULL || mapping_on_card(task->mapping)) return;
    PlanStep *exchange = repeat->body.items[repeat->body.count - 1], *top = repeat->body.items[0];
    PlanStep *visit = crosses_segments(task, exchange) && top->settles == NULL ? first_visit(task, top, exchange->array->home) : NULL;
    if (visit == NULL) return;
    visit->later = exchange->later = exchange;
    top->settles = repeat->settles = exchange;
}

static void look_into(const TaskPlan *task, const PlanStepVec *steps) {
    join_moves(steps);
    for (size_t i = 0; i < steps->count; i++) {
        look_at(task, steps->items[i]);
        look_into(task, &steps->items[i]->body);
    }
}

void plan_overlap(TaskPlan *task) { look_into(task, &task->flow); }
