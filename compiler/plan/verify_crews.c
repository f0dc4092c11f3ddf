/* Waits of crews. An LPU of a Space on a card is run by a crew of threads: a lane, a warp, a block, the grid. Where verify.c is content because one leader runs two
 * steps, a crew of his runs each of them here, and the crews need not be equal: the one LPU of a Space that is not divided may have fewer threads than the LPU
 * above it. What runs in the smaller crew comes before what the larger one does later only if something of the larger one's tier at least waits between the
 * two, on every path. (From a larger crew to a smaller one the threads of the smaller one need have waited for the larger one: it does so behind what it does.)
 *
 * What waits without a word in the plan (emit/cuda, runtime/card): the crew of a stage behind it, in any case; that of a copy, a counter, an Epoch's
 * scalar in front and behind; the grid around what the host runs. Of a Space that several processes run one of them runs that, so the others do not wait there.
 *
 * Needs: the graph. Gives: nothing, or the end of the compiler. */
#include "compiler/machine/machine.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* The fewer threads, the more. */
typedef enum { TIER_GRID, TIER_BLOCK, TIER_WARP, TIER_LANE } Tier;

static Tier tier_of(const TaskPlan *task, const Lps *lps) {
    int tier = TIER_GRID;
    for (int level = 1; level <= task->mapping->lpses[lps_proper(lps)->id].level; level++)
        tier += model_is_gpu_level(task->mapping->model, level - 1);
    return (Tier)tier;
}

/* The Space whose crew, or that of the grid for it, runs the step, and waits for itself around it. */
static const Lps *runner_of(const PlanStep *step) {
    switch (step->kind) {
    case PLAN_STAGE: return step->use->lps;
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT:
    case PLAN_COUNT:
    case PLAN_ADVANCE_SCALAR: return step->lps;
    default: return NULL;
    }
}

static bool waits_in_front(const TaskPlan *task, const PlanStep *step) {
    if (step->kind != PLAN_STAGE) return runner_of(step) != NULL;
    return !model_is_gpu_level(task->mapping->model, task->mapping->lpses[lps_proper(step->use->lps)->id].compute_level);
}

typedef struct Meeting {
    const Graph *graph;
    const Point *from;
    const Touch *first;
    Tier tier; /* of the crew that may come too early */
} Meeting;

/* Threads of the Space's LPU wait for each other: all of those who have touched, and of those who will. */
static bool is_enough(const Meeting *meeting, const Lps *waits) {
    const Lps *by = meeting->first->lps;
    return waits != NULL && tier_of(meeting->graph->task, waits) <= meeting->tier && (lps_is_within(by, waits) || verify_leader(by) == verify_leader(waits));
}

/* Whether nobody gets past the point before the others have come; `in`: to what the step there touches. */
static bool is_closed(const Meeting *meeting, const Point *at, bool in) {
    const TaskPlan *task = meeting->graph->task;
    if (at->step == NULL) return false;
    const Lps *runner = runner_of(at->step);
    if (is_enough(meeting, at->waits)) return true;
    if (runner == NULL || !is_enough(meeting, runner)) return false;
    if (at->done) return task->mapping->segments == 1 || hold_is_local(task, runner);
    return in && waits_in_front(task, at->step);
}

static void check_pair(const Meeting *meeting, const Point *to) {
    for (size_t i = 0; i < to->touches.count; i++) {
        const Touch *second = &to->touches.items[i];
        if (tier_of(meeting->graph->task, second->lps) == meeting->tier && verify_leader_makes_both(meeting->first, second))
            verify_fail(meeting->graph, to, "it %s %s, which fewer threads of Space %s have %s before, and no wait of the threads of Space %s stands between them",
                        second->write ? "writes" : "reads", second->var->name, meeting->first->lps->name, meeting->first->write ? "written" : "read", second->lps->name);
    }
}

/* To the next LPU of a visit goes nothing: one leader's LPUs of one Space have no element in common that is not looked for in verify.c. */
static void check_from(Graph *graph, size_t start, const Touch *first, Tier tier) {
    const Meeting meeting = {graph, &graph->points.items[start], first, tier};
    size_t head = 0, tail = 0;
    graph->marked++;
    graph->queue[tail++] = start;
    while (head < tail) {
        const Point *at = &graph->points.items[graph->queue[head++]];
        if (head > 1) {
            if (is_closed(&meeting, at, true)) continue;
            check_pair(&meeting, at);
        }
        for (size_t i = 0; i < at->next.count; i++) {
            const Edge *edge = &at->next.items[i];
            if (edge->visit != NULL || graph->mark[edge->to] == graph->marked) continue;
            graph->mark[edge->to] = graph->marked;
            graph->queue[tail++] = edge->to;
        }
    }
}

void verify_crews(Graph *graph) {
    if (graph->task->mapping == NULL || !mapping_on_card(graph->task->mapping)) return;
    for (size_t p = 0; p < graph->points.count; p++)
        for (size_t t = 0; t < graph->points.items[p].touches.count; t++) {
            const Touch *touch = &graph->points.items[p].touches.items[t];
            if (touch->everyone || touch->partial) continue; /* its group waits */
            for (int tier = TIER_GRID; tier < (int)tier_of(graph->task, touch->lps); tier++) check_from(graph, p, touch, (Tier)tier);
        }
}
