/* Which place is an array's home, where the fittest one (hold_home) cannot be. What is written elsewhere goes on by way of the home. If
 * writer and reader are in a visit that some segments run by themselves, or in rounds over sub-partitions above the segments, and the home
 * is in another Space, the transfer stands in front of the visit, too early (in_time.c). Another place is home then: one for which all
 * transfers of the array come in time, because it lies in the LPUs of that visit, say. Arrays do not mind each other's homes.
 *
 * So plans are made until one fits. What the passes have put into the task is taken back in between.
 *
 * Needs: flow, storage, footprints, and the resolved mapping. Gives: holdings, transfers and their steps; TaskPlan.homes. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"

typedef struct Steps {
    PlanStep *step; /* NULL: the task's flow */
    PlanStepVec steps;
} Steps;

/* What the passes change in what was there before them. */
typedef struct Before {
    VEC(Steps) bodies;
    Served *labels; /* of dependences */
} Before;

typedef struct Chooser {
    Arena *arena;
    TaskPlan *task;
    Plan *plan, trial; /* trial: leaves nothing out */
    Before before;
} Chooser;

static void note_bodies(Chooser *chooser, PlanStep *step, const PlanStepVec *steps) {
    vec_push(chooser->arena, &chooser->before.bodies, ((Steps){step, *steps}));
    for (size_t i = 0; i < steps->count; i++) note_bodies(chooser, steps->items[i], &steps->items[i]->body);
}

static void note_before(Chooser *chooser) {
    const TaskPlan *task = chooser->task;
    note_bodies(chooser, NULL, &task->flow);
    chooser->before.labels = ARENA_ARRAY(chooser->arena, Served, task->dependences.count + 1);
    for (size_t i = 0; i < task->dependences.count; i++) chooser->before.labels[i] = task->dependences.items[i]->label;
}

static void take_back(Chooser *chooser) {
    TaskPlan *task = chooser->task;
    for (size_t i = 0; i < chooser->before.bodies.count; i++) {
        const Steps *body = &chooser->before.bodies.items[i];
        if (body->step != NULL) body->step->renews.count = 0;
        *(body->step != NULL ? &body->step->body : &task->flow) = body->steps;
    }
    for (size_t i = 0; i < task->dependences.count; i++) {
        task->dependences.items[i]->label = chooser->before.labels[i];
        task->dependences.items[i]->transfers.count = 0;
    }
    task->holdings.count = task->transfers.count = 0;
}

static void make(Chooser *chooser, Plan *plan) {
    TaskPlan *task = chooser->task;
    plan_hold(chooser->arena, task);
    plan_inspect(chooser->arena, task);
    plan_transfer(chooser->arena, task);
    plan_serve(chooser->arena, plan, task);
    plan_moves(chooser->arena, plan, task);
}

static void try(Chooser *chooser) {
    chooser->trial.move_count = chooser->plan->move_count;
    make(chooser, &chooser->trial);
}

/* One that cannot happen. `like`: of its array, in its store; NULL: whichever. */
static const Transfer *find_obstacle(const Chooser *chooser, const Holding *like) {
    const TaskPlan *task = chooser->task;
    for (size_t t = 0; t < task->transfers.count; t++) {
        const Transfer *transfer = task->transfers.items[t];
        const bool fits = like == NULL || (transfer->var == like->var && transfer->to != NULL && transfer->to->store == like->store);
        if (fits && move_obstacle(chooser->arena, task, transfer) != NULL) return transfer;
    }
    return NULL;
}

/* Sub-partitions of one LPU above the segments, in which the array is touched, have elements in common: what a round writes the next one may
 * have from elsewhere than from home. */
static bool rounds_share(const TaskPlan *task, const Var *var) {
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *holding = task->holdings.items[h];
        for (const Lps *lps = holding->lps; holding->var == var && lps != NULL; lps = lps->parent) {
            if (!lps->sub_partition || hold_is_local(task, lps)) continue;
            const LpsVar *entry = lps_find_var(lps, var);
            for (int d = 0; d < lps->dims; d++)
                if (entry == NULL || entry->dims[d].function == PART_REPLICATED) return true;
        }
    }
    return false;
}

/* Padding goes from home to home by itself. */
static bool may_choose(const TaskPlan *task, const Transfer *transfer) {
    return !rounds_share(task, transfer->var) && !hold_divides_home(task, plan_array(task, transfer->var)) && hold_chosen(task, transfer->var, transfer->to->store) == NULL;
}

/* Whether another home serves the array; if so, the plan with it is the one at hand. */
static bool choose(Chooser *chooser, const Transfer *transfer) {
    TaskPlan *task = chooser->task;
    HomeVec homes = {0};
    if (!may_choose(task, transfer)) return false;
    for (int inside = 0; inside < 2; inside++) hold_homes(chooser->arena, task, transfer->var, transfer->to->store, inside, &homes);
    for (size_t i = 1; i < homes.count; i++) { /* the first is the one at hand */
        take_back(chooser);
        vec_push(chooser->arena, &task->homes, homes.items[i]);
        try(chooser);
        if (find_obstacle(chooser, &homes.items[i].place) == NULL) return true;
        task->homes.count--;
    }
    take_back(chooser);
    try(chooser);
    return false;
}

/* Whether all transfers can happen, with other homes where some cannot. */
static bool find_homes(Chooser *chooser) {
    const Transfer *obstacle = find_obstacle(chooser, NULL);
    while (obstacle != NULL && choose(chooser, obstacle)) obstacle = find_obstacle(chooser, NULL);
    return obstacle == NULL;
}

void plan_spread(Arena *arena, Plan *plan, TaskPlan *task) {
    Chooser chooser = {.arena = arena, .task = task, .plan = plan, .trial = *plan};
    chooser.trial.options.omit_transfer = -1;
    note_before(&chooser);
    plan_scratch(arena, task);
    plan_everywhere(arena, task);
    try(&chooser);
    while (!find_homes(&chooser) && plan_at_leaders(&task->flow)) { /* once more, with leaders for all stages */
        take_back(&chooser);
        task->homes.count = 0;
        try(&chooser);
    }
    if (plan->options.omit_transfer >= 0) {
        take_back(&chooser);
        make(&chooser, plan);
    } else plan->move_count = chooser.trial.move_count;
}
