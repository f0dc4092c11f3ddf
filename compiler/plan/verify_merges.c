/* What several address spaces have alike and some LPUs write: around the step that all run alike in which it is written, what was there
 * is remembered in front, and what has changed is told to all behind it. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* LPUs of the Space, in one of the Space above, may have the same elements. */
static bool may_have_same(const Lps *lps, const Var *var) {
    const DimPartition *dims = NULL;
    if (lps->dims == 0 || lps->sub_partition) return false;
    for (size_t i = 0; i < lps->vars.count; i++)
        if (lps->vars.items[i].var == var) dims = lps->vars.items[i].dims;
    for (int d = 0; d < lps->dims; d++)
        if (dims == NULL || dims[d].function == PART_REPLICATED) return true;
    return false;
}

static bool is_none(const Expr *padding) { return padding == NULL || (padding->kind == EXPR_INTEGER && padding->integer == 0); }

bool verify_rounds_have_same(const Lps *rounds, const Var *var) {
    for (int d = 0; d < rounds->dims; d++) {
        bool divides = false, several = false;
        for (size_t i = 0; i < rounds->vars.count; i++) {
            const DimPartition *dim = &rounds->vars.items[i].dims[d];
            const bool divided = dim->function != PART_REPLICATED;
            several = several || divided;
            divides = divides || (rounds->vars.items[i].var == var && divided && is_none(dim->padding_front) && is_none(dim->padding_back));
        }
        if (several && !divides) return true;
    }
    return false;
}

/* Whoever runs an LPU of `lps` runs all that is in one of `above`, at once or in turn. */
static bool has_all(const TaskPlan *task, const Lps *lps, const Lps *above) {
    if (lps_is_within(above, lps)) return true;
    bool same = !lps->dynamic && lps->parent != NULL && !hold_is_local(task, lps);
    return same && task->spaces[lps->id].level == task->spaces[lps->parent->id].level && has_all(task, lps->parent, above);
}

/* The Space in an LPU of which the step at the point stands. */
static const Lps *space_at(const Graph *graph, size_t point) {
    for (size_t at = graph->points.items[point].within; at != 0; at = graph->points.items[at].within) {
        const PlanStep *step = graph->points.items[at].step;
        if (step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS) return step->lps;
        if (step->kind == PLAN_GUARD && step->source->kind == STEP_REPEAT_SUB) return step->source->space;
    }
    return graph->task->task->spaces.items[0];
}

/* What stands behind a step, and in front of one, for what moves; or visits of LPUs for that alone. */
static bool visits_beside(const PlanStep *step) { return step->kind == PLAN_LPUS && step->beside != NULL; }
static bool is_note(const PlanStep *step) {
    return step->kind == PLAN_MERGE || step->kind == PLAN_TELL || step->kind == PLAN_WROTE || step->kind == PLAN_RENEW || visits_beside(step);
}
static bool is_about_to(const PlanStep *step) { return step->kind == PLAN_WATCH || step->kind == PLAN_MOVE || visits_beside(step); }

/* Next to the step, on one side of it, with nothing between that does anything else, stands one of that kind for the variable. */
static bool is_beside(const Graph *graph, size_t head, PlanStepKind kind, const Var *var, const Lps *lps) {
    const PlanStep *step = graph->points.items[head].step;
    const bool behind = kind != PLAN_WATCH;
    size_t at = head;
    if (behind)
        while (graph->points.items[at].step != step || !graph->points.items[at].done) at++;
    for (;;) {
        const Point *point = &graph->points.items[at];
        size_t next = SIZE_MAX, count = behind ? point->next.count : point->last.count;
        for (size_t i = 0; i < count; i++) {
            const Edge *edge = behind ? &point->next.items[i] : &point->last.items[i];
            if (edge->visit == NULL && !edge->round && !edge->skips) next = edge->to;
        }
        if (next == SIZE_MAX) return false;
        const PlanStep *other = graph->points.items[next].step;
        if (other == NULL) return false;
        if (other->kind == kind && (kind == PLAN_TELL ? other->scalar : other->array->var) == var && other->lps == lps) return true;
        if (other != step && !(behind ? is_note(other) : is_about_to(other))) return false;
        if (other->kind == PLAN_MOVE && other->transfer->var == var) return false; /* what comes there would count as changed */
        at = next;
    }
}

static void check_level(const Graph *graph, size_t point, const Var *var, const Lps *lps) {
    size_t frame = point;
    while (frame != 0 && !has_all(graph->task, space_at(graph, frame), lps)) frame = graph->points.items[frame].within;
    if (frame == 0 || !is_beside(graph, frame, PLAN_WATCH, var, lps))
        verify_fail(graph, &graph->points.items[point], "it writes %s, of which several address spaces have the same, and nobody remembers what they had", var->name);
    if (!is_beside(graph, frame, PLAN_MERGE, var, lps))
        verify_fail(graph, &graph->points.items[point], "it writes %s, of which several address spaces have the same, and they are not told", var->name);
}

bool verify_is_merged_in(const TaskPlan *task, const PlanStep *step, const Holding *holding, const Var *var, const Lps *store) {
    const bool of = step->kind == PLAN_MERGE && step->array->var == var && holding->var == var && holding->store == store;
    return of && holding->kind != HELD_COPY && holding->kind != HELD_ITEM && lps_is_within(hold_around(task, holding), step->lps);
}

bool verify_is_merged_for_all(const TaskPlan *task, const PlanStep *step, const Holding *at) {
    if (at->padded || !verify_is_merged_in(task, step, at, at->var, at->store)) return false;
    for (const Lps *lps = at->lps; lps != at->store && lps->parent != NULL; lps = lps->parent) {
        const bool same = may_have_same(lps, at->var) || (lps->sub_partition && verify_rounds_have_same(lps, at->var));
        if (same && !lps_is_within(lps->parent, step->lps)) return false;
    }
    return true;
}

bool verify_have_same(const TaskPlan *task, const Holding *at) {
    const Lps *lps = at->kind == HELD_STAGED || at->kind == HELD_PARTS ? at->lps : at->store;
    for (; lps != at->store && lps->parent != NULL; lps = lps->parent) {
        const bool apart = at->kind == HELD_STAGED ? task->spaces[lps->id].ppus > 1 : !hold_is_local(task, lps->parent);
        if (apart && may_have_same(lps, at->var)) return true;
    }
    return at->shared;
}

void verify_merges(const Graph *graph, size_t point, const Holding *at) {
    const PlanStep *step = graph->points.items[point].step;
    const Lps *lps = step->kind == PLAN_STAGE ? step->use->lps : step->lps;
    for (; lps != at->store && lps->parent != NULL; lps = lps->parent)
        if (!hold_is_local(graph->task, lps->parent) && may_have_same(lps, at->var)) check_level(graph, point, at->var, lps->parent);
}

/* Some of those address spaces that have the scalar run the step. */
static bool runs_in_some(const TaskPlan *task, const Lps *lps, const Lps *home) {
    bool some = false;
    for (; lps != home && lps->parent != NULL; lps = lps->parent) some = some || move_takes_some(task, lps);
    return some;
}

static void check_told(const Graph *graph, size_t point, const Var *var) {
    size_t frame = point;
    while (frame != 0 && !has_all(graph->task, space_at(graph, frame), var->home)) frame = graph->points.items[frame].within;
    if (frame == 0 || !is_beside(graph, frame, PLAN_TELL, var, var->home))
        verify_fail(graph, &graph->points.items[point], "it writes %s, which all address spaces have, and they are not told", var->name);
}

void verify_told(const Graph *graph) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        for (size_t t = 0; t < point->touches.count; t++) {
            const Touch *touch = &point->touches.items[t];
            bool writes = touch->write && !touch->partial && !var_is_array(touch->var) && touch->var->home != NULL;
            if (!writes || (point->step->kind != PLAN_STAGE && point->step->kind != PLAN_ADVANCE_SCALAR)) continue;
            if (runs_in_some(graph->task, touch->lps, touch->var->home)) check_told(graph, p, touch->var);
        }
    }
}
