/* What moves of a region is evaluated when it moves: it is what a step has written if nothing that the region names has changed since then. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

typedef struct Way { /* back from where it moves */
    const Graph *graph;
    const Transfer *transfer, *other;
    const PlanStep *writer;
    const RegionDim *dim;
    bool *seen; /* by point, and again where something has changed */
} Way;

/* The step at the point gives something that the dimension names another value. */
static bool changes(const Way *way, const Point *point) {
    if (point->step == NULL || way->dim->kind == REGION_PART) return false;
    if (point->step->source != NULL && point->step->source->kind == STEP_REPEAT_FOR && point->step->kind != PLAN_COUNT && region_dim_names(way->dim, point->step->source->var)) return true;
    for (size_t i = 0; i < point->touches.count; i++)
        if (point->touches.items[i].write && region_dim_names(way->dim, point->touches.items[i].var)) return true;
    return false;
}

/* Behind that nothing is left of what was written before. */
static bool moves(const Way *way, const Point *point) {
    if (point->step == NULL || point->done || point->step->kind != PLAN_MOVE) return false;
    const Transfer *found = point->step->transfer, *transfer = way->transfer;
    const bool as_much = found->from == transfer->from && found->to == transfer->to && found->within == transfer->within && move_follows(found, way->writer) && region_is_all(found->region);
    return as_much || found == transfer || found == way->other;
}

static bool was_other(const Way *way, size_t at, bool changed) {
    for (size_t i = 0; i < way->graph->points.items[at].last.count; i++) {
        const Edge *edge = &way->graph->points.items[at].last.items[i];
        const Point *point = &way->graph->points.items[edge->to];
        if (edge->visit != NULL || moves(way, point)) continue;
        const bool then = changed || changes(way, point);
        if (then && point->step == way->writer && !point->done) return true;
        if (way->seen[2 * edge->to + then]) continue;
        way->seen[2 * edge->to + then] = true;
        if (was_other(way, edge->to, then)) return true;
    }
    return false;
}

bool verify_still_names(const Graph *graph, size_t at, const Transfer *transfer, const Transfer *other, const PlanStep *writer, const RegionDim *dim) {
    const Way way = {graph, transfer, other, writer, dim, ARENA_ARRAY(graph->arena, bool, 2 * graph->points.count)};
    return !was_other(&way, at, false);
}
