/* plan_verify: a plan keeps what the program means, whatever the passes were thinking (verify.h says how).
 *
 * Waits. Two accesses of one element must not run at the same time, and the later one must come later, unless one thread makes
 * both. Which LPUs can meet at an element is read off the tree of Spaces; where two can that different threads may run, a wait
 * of the group that contains them must stand on every path from the one to the other. (That one thread makes both is enough where threads run
 * LPUs; of crews verify_crews.c asks for more.)
 *
 * Needs: a finished plan. Gives: nothing, or the end of the compiler. */
#include "compiler/plan/verify.h"
#include <stdarg.h>

static const char *name_of(const Graph *graph, const Point *point) {
    static const char *const kinds[] = {
        [PLAN_LPUS] = "a visit", [PLAN_SUB_PARTS] = "a walk over sub-partitions", [PLAN_REPEAT_FOR] = "a loop", [PLAN_COUNT] = "a counter's update",
        [PLAN_REPEAT_WHILE] = "a loop", [PLAN_IF] = "a condition", [PLAN_LOCKSTEP] = "rounds in lockstep", [PLAN_AGREE] = "an agreement",
        [PLAN_GUARD] = "a turn", [PLAN_EPOCH] = "an epoch", [PLAN_EPOCH_CLOSE] = "the end of an epoch", [PLAN_ADVANCE_SCALAR] = "an epoch",
        [PLAN_PROVIDE] = "memory", [PLAN_COLLECT] = "memory", [PLAN_COPY_IN] = "filling a copy", [PLAN_COPY_OUT] = "handing a copy back",
        [PLAN_SYNC] = "a wait", [PLAN_EXCHANGE] = "an exchange", [PLAN_REDUCE] = "a reduction", [PLAN_STAGE] = "a stage",
        [PLAN_WATCH] = "what is watched", [PLAN_MERGE] = "what is merged", [PLAN_TELL] = "a scalar for all", [PLAN_RENEW] = "a note of what is old", [PLAN_WROTE] = "a note of what is written", [PLAN_MOVE] = "a movement"};
    if (point->step == NULL) return "the end";
    return point->step->kind == PLAN_STAGE ? graph->task->call_sites.items[point->step->call_id] : kinds[point->step->kind];
}

void verify_fail(const Graph *graph, const Point *point, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *what = arena_vprintf(graph->arena, format, args);
    va_end(args);
    internal_error("plan", "task \"%s\", %s: %s", graph->task->task->name, name_of(graph, point), what);
}

/* ---- Shape ------------------------------------------------------------------------------------------------ */
static void check_step(const PlanStep *step, const Lps *lps) {
    const char *at = lps->name;
    switch (step->kind) {
    case PLAN_LPUS:
        if (step->dynamic && step->waits != lps) internal_error("plan", "LPUs of Space %s go to whoever is free, and nobody waits for the others", step->lps->name);
        /* fall through */
    case PLAN_SUB_PARTS:
        if (step->lps->parent != lps) internal_error("plan", "Space %s is entered from Space %s", step->lps->name, at);
        break;
    case PLAN_STAGE:
        if (step->use->lps != lps) internal_error("plan", "stage %s stands in Space %s", step->use->symbol, at);
        break;
    case PLAN_REDUCE:
        if (step->lps != lps && !(lps->sub_partition && step->lps == lps->parent))
            internal_error("plan", "a reduction to Space %s ends in Space %s", step->lps->name, at);
        break;
    case PLAN_SYNC:
        if (!lps_is_within(step->lps, lps)) internal_error("plan", "a barrier of Space %s stands in Space %s", step->lps->name, at);
        break;
    case PLAN_EXCHANGE:
        if (step->lps != lps) internal_error("plan", "an exchange of Space %s stands in Space %s", step->lps->name, at);
        break;
    case PLAN_LOCKSTEP: {
        const PlanStep *agree = step->body.count == 0 ? NULL : step->body.items[0];
        bool agrees = agree != NULL && agree->kind == PLAN_AGREE && agree->lockstep == step && agree->waits == lps;
        if (step->source->kind != STEP_IF && !agrees)
            internal_error("plan", "LPUs of Space %s run rounds together, and nobody asks whether there is another one", step->space->name);
        break;
    }
    default: break;
    }
}

/* The Space in which the body of `step`, a step in `lps`, stands. */
static const Lps *inside(const PlanStep *step, const Lps *lps) {
    if (step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS) return step->lps;
    return step->kind == PLAN_GUARD && step->source->kind == STEP_REPEAT_SUB ? step->source->space : lps;
}

static void check_shape(const PlanStepVec *steps, const Lps *lps) {
    for (size_t i = 0; i < steps->count; i++) {
        check_step(steps->items[i], lps);
        check_shape(&steps->items[i]->body, inside(steps->items[i], lps));
    }
}

/* ---- Who can meet ------------------------------------------------------------------------------------------- */
/* Two LPUs of `lps` in one LPU above may both have some element of `var`. */
static bool parts_meet(const Lps *lps, const Var *var) {
    if (lps->dims == 0 || lps->sub_partition) return false; /* one LPU; or one after the other, by one thread */
    const LpsVar *entry = var_is_array(var) ? lps_find_var(lps, var) : NULL;
    if (entry == NULL) return true;
    for (int d = 0; d < lps->dims; d++) {
        const DimPartition *dim = &entry->dims[d];
        const Expr *paddings[] = {dim->padding_front, dim->padding_back};
        if (dim->function == PART_REPLICATED) return true;
        for (int p = 0; p < 2; p++)
            if (paddings[p] != NULL && !(paddings[p]->kind == EXPR_INTEGER && paddings[p]->integer == 0)) return true;
    }
    return false;
}

const Lps *verify_leader(const Lps *lps) {
    bool same = lps->parent != NULL && (lps->sub_partition || (lps->dims == 0 && !lps->dynamic));
    return same ? verify_leader(lps->parent) : lps;
}

static bool conflict(const Touch *a, const Touch *b) {
    return a->var == b->var && a->store == b->store && a->partial == b->partial && (a->write || b->write);
}

/* Below it LPUs of two accesses can be different ones that have the same element: the highest such Space, or NULL where one thread
 * makes both. */
static const Lps *meeting_place(const Touch *a, const Touch *b) {
    if (!conflict(a, b)) return NULL;
    if ((a->neighbours && lps_is_within(b->lps, a->lps)) || (b->neighbours && lps_is_within(a->lps, b->lps))) return NULL;
    const Lps *both = a->lps;
    while (!lps_is_within(b->lps, both)) both = both->parent;
    const Lps *place = NULL;
    for (const Lps *lps = both; lps != a->store && lps->parent != NULL && lps->parent != a->store->parent; lps = lps->parent)
        if (!a->partial && parts_meet(lps, a->var)) place = lps->parent;
    if (place != NULL) return place;
    return verify_leader(a->lps) == verify_leader(b->lps) && !a->everyone && !b->everyone ? NULL : both;
}

bool verify_leader_makes_both(const Touch *a, const Touch *b) { return conflict(a, b) && meeting_place(a, b) == NULL; }

/* Under every mapping one thread runs an LPU of the only lowest Space. */
static bool has_one_thread(const Graph *graph, const Lps *lps) {
    for (size_t i = 0; i < graph->task->task->spaces.count; i++) {
        const Lps *other = graph->task->task->spaces.items[i];
        if (!other->sub_partition && !lps_is_within(lps, other)) return false;
    }
    return true;
}

/* ---- Waits ---------------------------------------------------------------------------------------------------- */
static void check_pair(const Graph *graph, const Point *from, const Touch *first, const Point *to, const Lps *group) {
    for (size_t i = 0; i < to->touches.count; i++) {
        const Touch *second = &to->touches.items[i];
        if (meeting_place(first, second) == group)
            verify_fail(graph, to, "it %s %s%s, which %s %s, and no wait of Space %s stands between them", second->write ? "writes" : "reads",
                        second->partial ? "parts of the result " : "", second->var->name, name_of(graph, from), first->write ? "wrote" : "read", group->name);
    }
}

/* Goes wherever no wait of `group` stops it; places are kept apart by whether a loop around the start has begun another round on
 * the way: within one round the step itself runs once. */
static void check_from(Graph *graph, size_t start, const Touch *first, const Lps *group) {
    size_t head = 0, tail = 0;
    graph->marked++;
    graph->queue[tail++] = 2 * start;
    while (head < tail) {
        size_t state = graph->queue[head++];
        const Point *at = &graph->points.items[state / 2];
        if (head > 1 && (state / 2 != start || state % 2 == 1)) check_pair(graph, &graph->points.items[start], first, at, group);
        if (at->waits != NULL && lps_is_within(group, at->waits)) continue;
        for (size_t i = 0; i < at->next.count; i++) {
            const Edge *edge = &at->next.items[i];
            if (edge->visit != NULL && (group == edge->visit || !lps_is_within(edge->visit, group))) continue; /* its own LPU only */
            bool again = edge->round && edge->to <= start && start <= state / 2; /* points of a loop stand together */
            size_t next = 2 * edge->to + (state % 2 == 1 || again);
            if (graph->mark[next] == graph->marked) continue;
            graph->mark[next] = graph->marked;
            graph->queue[tail++] = next;
        }
    }
}

static void check_waits(Graph *graph) {
    for (size_t p = 0; p < graph->points.count; p++)
        for (size_t t = 0; t < graph->points.items[p].touches.count; t++) {
            const Touch *touch = &graph->points.items[p].touches.items[t];
            const bool several = touch->store == verify_home(graph, touch->var) && verify_is_home_of_several(graph, touch->var);
            const Lps *end = several ? touch->store->parent : touch->store;
            for (const Lps *group = touch->lps; group != NULL; group = group == end ? NULL : group->parent)
                if (!has_one_thread(graph, group)) check_from(graph, p, touch, group);
        }
}

void plan_verify(const Plan *plan) {
    for (size_t i = 0; i < plan->tasks.count; i++) {
        Arena *arena = arena_new();
        const TaskPlan *task = plan->tasks.items[i];
        check_shape(&task->flow, task->task->spaces.items[0]);
        Graph *graph = verify_graph(arena, task);
        check_waits(graph);
        verify_crews(graph);
        verify_moves(graph);
        verify_rotations(graph);
        if (task->holdings.count > 0) verify_transfers(graph);
        verify_steps(graph);
        verify_reads(graph);
        verify_told(graph);
        arena_free(arena);
    }
}
