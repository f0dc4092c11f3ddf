/* What a point of the flow touches, for those who follow what is written: where that is held, and which elements of it. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

const Holding *verify_held(const Graph *graph, const Point *point, const Touch *touch) {
    bool copies = point->step->kind == PLAN_COPY_IN || point->step->kind == PLAN_COPY_OUT;
    if (copies && touch->write == (point->step->kind == PLAN_COPY_OUT)) return hold_above(graph->task, touch->var, point->step->lps);
    return hold_find(graph->task, touch->var, touch->lps, touch->everyone || point->step->everywhere);
}

/* In each address space alike that runs LPUs of its Space, with all that it has of them; or buffers change places. */
static bool advances_in_place(const Graph *graph, const PlanStep *step) { return step->rotates || !hold_is_local(graph->task, step->lps); }

bool verify_is_tracked(const Graph *graph, const Point *point, const Touch *touch) {
    if (point->step == NULL || touch->partial || touch->neighbours) return false;
    switch (point->step->kind) {
    case PLAN_EPOCH: return !advances_in_place(graph, point->step);
    case PLAN_STAGE:
    case PLAN_LOCKSTEP:
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE:
    case PLAN_IF:
    case PLAN_EXCHANGE:
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT: return true;
    default: return false;
    }
}

Region *verify_all_of(const Graph *graph, const Touch *touch) {
    Region *region = ARENA_NEW(graph->arena, Region);
    *region = (Region){.var = touch->var, .lps = touch->lps, .rank = touch->var->type->rank, .write = true};
    for (int d = 0; d < region->rank; d++) region->dims[d].kind = REGION_PART;
    return region;
}

/* Of the variable, as a stage, a condition or an epoch touches it; none: all of it. */
RegionVec verify_regions_at(const Graph *graph, const Point *point, const Touch *touch) {
    RegionVec found = {0};
    const PlanStep *step = point->step;
    if (!var_is_array(touch->var)) return found;
    for (size_t i = 0; step->kind == PLAN_STAGE && i < step->regions.count; i++)
        if (step->regions.items[i]->var == touch->var && step->regions.items[i]->write == touch->write) vec_push(graph->arena, &found, step->regions.items[i]);
    for (size_t i = 0; step->kind == PLAN_STAGE && found.count == 0 && i < step->regions.count; i++) /* a target counts as read here */
        if (step->regions.items[i]->var == touch->var) vec_push(graph->arena, &found, step->regions.items[i]);
    if (step->kind == PLAN_EPOCH) vec_push(graph->arena, &found, verify_all_of(graph, touch));
    const Expr *const asked[] = {step->source->condition, step->source->range, step->source->step};
    for (int e = 0; step->kind != PLAN_EPOCH && touch->everyone && e < 3; e++) {
        RegionVec regions = footprint_of_expr(graph->arena, asked[e], touch->lps);
        for (size_t i = 0; i < regions.count; i++)
            if (regions.items[i]->var == touch->var) vec_push(graph->arena, &found, regions.items[i]);
    }
    return found;
}

/* Nobody needs what the step leaves in the array: whoever reads it has written it before. */
bool verify_is_scratch(const Graph *graph, size_t start, const Var *var) {
    if (start == 0 || !var_is_array(var) || !plan_array(graph->task, var)->scratch) return false;
    for (size_t p = 0; p < graph->points.count; p++)
        for (size_t t = 0; t < graph->points.items[p].touches.count; t++) {
            const Point *point = &graph->points.items[p];
            const bool alone = point->step != NULL && point->step->kind == PLAN_STAGE && footprint_reads_own(graph->arena, point->step->source, var);
            if (point->touches.items[t].var == var && !alone) verify_fail(graph, point, "it may read what others have left in %s, which counts as of no use to anybody", var->name);
        }
    return true;
}
