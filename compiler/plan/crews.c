/* Waits that cards need beside those of place.c. Two steps with one leader need none where the leader alone runs them. On a card a crew runs them, and
 * the one LPU of an un-partitioned Space may have a smaller crew than the LPU above it, whose first threads it is: what the small crew has touched, the large
 * one may touch too early, for its other threads have not been there. So in front of such a stage its crew waits. (Behind a stage its crew waits anyway, as it does
 * around whatever else touches variables: from the large crew to the small one, and inside of one, all is in order.)
 *
 * The flow is walked in order with all touches of before, each with the largest crew around it that has waited since. Loops are walked twice, as in place.c.
 *
 * Needs: the mapping, and all other steps in place. Gives: PLAN_SYNCs. Breaks: nothing; only adds steps. */
#include "compiler/machine/machine.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/internal.h"
#include "compiler/plan/moves.h"

#include <string.h>

typedef struct Crews {
    Planner planner;
    AccessVec known;       /* each once */
    VEC(signed char) wait; /* parallel: the level of the largest crew around that has waited since */
    bool again;            /* in the second round of some loop */
    PlanStepVec late;      /* stages that wait */
    PlanStepVec syncs;     /* parallel */
} Crews;

/* The card, or what is above it: 0. Then multiprocessors, warps, lanes. */
static int level_of(const TaskPlan *task, const Lps *lps) {
    int card = 0;
    while (!model_is_gpu_level(task->mapping->model, card)) card++;
    const int level = task->mapping->lpses[lps_proper(lps)->id].level - card;
    return level < 0 ? 0 : level;
}

static bool is_of_host(const TaskPlan *task, const Lps *lps) {
    return !model_is_gpu_level(task->mapping->model, task->mapping->lpses[lps_proper(lps)->id].compute_level);
}

/* Some LPUs have smaller crews than those that lead them. */
static bool has_small_crews(const TaskPlan *task) {
    for (size_t i = 0; i < task->task->spaces.count; i++) {
        const Lps *lps = task->task->spaces.items[i];
        if (level_of(task, lps) > level_of(task, plan_led_by(lps))) return true;
    }
    return false;
}

static void crew_waits(Crews *crews, const Lps *lps) {
    const int level = level_of(crews->planner.task, lps);
    for (size_t i = 0; i < crews->known.count; i++) {
        const Lps *of = crews->known.items[i].lps;
        const bool among = plan_led_by(of) == plan_led_by(lps) || lps_is_within(of, lps);
        if (among && crews->wait.items[i] > level) crews->wait.items[i] = (signed char)level;
    }
}

static void touch(Crews *crews, const Access *access) {
    const signed char level = (signed char)level_of(crews->planner.task, access->lps);
    for (size_t i = 0; i < crews->known.count; i++) {
        if (!plan_same_access(&crews->known.items[i], access)) continue;
        crews->known.items[i].what = access->what;
        crews->wait.items[i] = level;
        return;
    }
    vec_push(crews->planner.arena, &crews->known, *access);
    vec_push(crews->planner.arena, &crews->wait, level);
}

static const Access *touched_too_late(const Crews *crews, const Access *second) {
    const int level = level_of(crews->planner.task, second->lps);
    for (size_t i = 0; i < crews->known.count; i++)
        if (crews->wait.items[i] > level && plan_is_for_leader(&crews->known.items[i], second)) return &crews->known.items[i];
    return NULL;
}

static bool waits_already(const Crews *crews, const PlanStep *step) {
    for (size_t i = 0; i < crews->late.count; i++)
        if (crews->late.items[i] == step) return true;
    return false;
}

/* The stage touches what a smaller crew has touched: its own waits in front of it, if it has not been told to. */
static void meet(Crews *crews, PlanStep *step, const AccessVec *own) {
    Arena *arena = crews->planner.arena;
    for (size_t i = 0; i < own->count && !waits_already(crews, step); i++) {
        const Access *second = &own->items[i], *first = touched_too_late(crews, second);
        if (first == NULL) continue;
        PlanStep *sync = plan_step_new(&crews->planner, PLAN_SYNC, step->source, (Lps *)step->use->lps);
        sync->waits = step->use->lps;
        sync->why = arena_printf(arena, "fewer of them ran %s, which %s %s, which %s %s", first->what, first->write ? "wrote" : "read", first->var->name, second->what,
                                 second->write ? "writes" : "reads");
        vec_push(arena, &crews->late, step);
        vec_push(arena, &crews->syncs, sync);
    }
    if (waits_already(crews, step)) crew_waits(crews, step->use->lps);
}

/* The result of a reduction, which the crew of its LPU's first thread stores. */
static void result_of(const Crews *crews, const PlanStep *step, AccessVec *own) {
    const Var *var = crews->planner.task->reductions.items[step->reduce].target;
    const Lps *home = var->home != NULL ? var->home : crews->planner.task->task->spaces.items[0];
    vec_push(crews->planner.arena, own, ((Access){.var = var, .lps = step->lps, .base = home, .write = true, .what = "the reduction"}));
}

/* All threads of a crew come to the step, and wait for each other in it: in each process. */
static const Lps *waits_itself(const Crews *crews, const PlanStep *step) {
    const TaskPlan *task = crews->planner.task;
    if (step->kind == PLAN_COUNT || step->kind == PLAN_ADVANCE_SCALAR) return step->lps;
    if (step->kind != PLAN_STAGE && step->kind != PLAN_COPY_IN && step->kind != PLAN_COPY_OUT) return NULL;
    const Lps *lps = step->kind == PLAN_STAGE ? step->use->lps : step->lps;
    return task->mapping->segments == 1 || hold_is_local(task, lps) ? lps : NULL;
}

static void walk(Crews *crews, const PlanStepVec *steps);

/* Whether it runs, or how often, is not known here: what has been touched on any way counts, and the smallest crew that waits. */
static void walk_optional(Crews *crews, const PlanStep *step, bool loop) {
    for (int round = 0; round < (loop && !crews->again ? 2 : 1); round++) {
        const size_t count = crews->known.count;
        signed char *before = ARENA_ARRAY(crews->planner.arena, signed char, count + 1);
        if (count > 0) memcpy(before, crews->wait.items, count);
        const bool again = crews->again;
        crews->again = again || round == 1;
        walk(crews, &step->body);
        crews->again = again;
        for (size_t i = 0; i < count; i++)
            if (crews->wait.items[i] < before[i]) crews->wait.items[i] = before[i];
    }
}

static void walk_step(Crews *crews, PlanStep *step) {
    AccessVec own = {0};
    const Lps *itself = waits_itself(crews, step);
    if (step->waits != NULL) crew_waits(crews, step->waits);
    plan_own_accesses(&crews->planner, step, &own);
    if (step->kind == PLAN_REDUCE) result_of(crews, step, &own);
    if (step->kind == PLAN_STAGE && !is_of_host(crews->planner.task, step->use->lps)) meet(crews, step, &own);
    for (size_t i = 0; i < own.count; i++)
        if (!own.items[i].everyone) touch(crews, &own.items[i]);
    if (itself != NULL) crew_waits(crews, itself);
    switch (step->kind) {
    case PLAN_LPUS: walk(crews, &step->body); break;
    case PLAN_SUB_PARTS:
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE: walk_optional(crews, step, true); break;
    case PLAN_LOCKSTEP:
        if (step->source->kind == STEP_IF) walk(crews, &step->body);
        else walk_optional(crews, step, true);
        break;
    case PLAN_GUARD:
    case PLAN_IF: walk_optional(crews, step, false); break;
    default: break;
    }
    if (step->waits != NULL) crew_waits(crews, step->waits);
}

static void walk(Crews *crews, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) walk_step(crews, steps->items[i]);
}

static void put_in(const Crews *crews, PlanStepVec *steps) {
    PlanStepVec out = {0};
    for (size_t i = 0; i < steps->count; i++) {
        for (size_t s = 0; s < crews->late.count; s++)
            if (crews->late.items[s] == steps->items[i]) vec_push(crews->planner.arena, &out, crews->syncs.items[s]);
        put_in(crews, &steps->items[i]->body);
        vec_push(crews->planner.arena, &out, steps->items[i]);
    }
    *steps = out;
}

void plan_crews(Arena *arena, Plan *plan, TaskPlan *task) {
    Crews crews = {.planner = {.arena = arena, .plan = plan, .task = task}};
    if (!mapping_on_card(task->mapping) || !has_small_crews(task)) return;
    walk(&crews, &task->flow);
    if (crews.late.count > 0) put_in(&crews, &task->flow);
}
