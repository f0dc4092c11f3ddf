/* What moves of a region is evaluated when it moves: it is what a step has written if nothing that the region names has changed since then. */
#include "compiler/check/walk.h"
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

/* Two bounds that are literals, the first below the second. */
static bool lies_below(const Expr *a, const Expr *b) {
    return a != NULL && b != NULL && a->kind == EXPR_INTEGER && b->kind == EXPR_INTEGER && a->integer < b->integer;
}

bool verify_may_overlap(const Region *a, const Region *b) {
    for (int d = 0; b != NULL && d < a->rank; d++) {
        const RegionDim *one = &a->dims[d], *other = &b->dims[d];
        const Expr *one_end = one->kind == REGION_POINT ? one->low : one->high, *other_end = other->kind == REGION_POINT ? other->low : other->high;
        if (lies_below(one_end, other->low) || lies_below(other_end, one->low)) return false;
    }
    return true;
}

static bool note_change(Expr *expr, void *data) {
    bool *stays = data;
    if (expr->kind == EXPR_DIM_RANGE) return false; /* of an array, whose ranges stay */
    *stays = *stays && (expr->kind == EXPR_INTEGER || expr->kind == EXPR_UNARY || expr->kind == EXPR_BINARY || expr->kind == EXPR_LPU_ID || expr->kind == EXPR_RANGE_PART);
    return *stays;
}

/* The same in one LPU whenever it is evaluated. */
static bool stays(const Expr *bound) {
    bool all = true;
    if (bound != NULL) walk_expr((Expr *)bound, note_change, &all);
    return all;
}

bool verify_stays(const RegionDim *dim) { return dim->kind != REGION_INDIRECT && stays(dim->low) && stays(dim->high); }

/* The bound names nothing but numbers, ranges of whole arrays and scalars that no step changes. */
typedef struct Bound { const Graph *graph; bool constant; } Bound;

static bool is_changed(const Graph *graph, const Var *var) {
    for (size_t i = 0; i < graph->points.count; i++) {
        const Point *point = &graph->points.items[i];
        if (point->step != NULL && point->step->source != NULL && point->step->source->kind == STEP_REPEAT_FOR && point->step->source->var == var) return true;
        for (size_t t = 0; t < point->touches.count; t++)
            if (point->touches.items[t].write && point->touches.items[t].var == var) return true;
    }
    return false;
}

static bool note_changes(Expr *expr, void *data) {
    Bound *bound = data;
    if (expr->kind == EXPR_DIM_RANGE) bound->constant = bound->constant && !expr->local;
    if (expr->kind == EXPR_DIM_RANGE) return false;
    const bool number = expr->kind == EXPR_INTEGER || expr->kind == EXPR_UNARY || expr->kind == EXPR_BINARY || expr->kind == EXPR_RANGE_PART;
    bound->constant = bound->constant && (number || (expr->kind == EXPR_VAR && expr->var->kind == VAR_GLOBAL && !is_changed(bound->graph, expr->var)));
    return bound->constant;
}

static bool is_constant_bound(const Graph *graph, const Expr *expr) {
    Bound bound = {graph, true};
    if (expr != NULL) walk_expr((Expr *)expr, note_changes, &bound);
    return bound.constant;
}

bool verify_is_constant(const Graph *graph, const RegionDim *dim) {
    if (dim->kind == REGION_INDIRECT) {
        for (int i = 0; i < graph->task->array_count; i++)
            if (graph->task->arrays[i].var == dim->values->var && graph->task->arrays[i].written) return false;
        for (int d = 0; d < dim->values->rank; d++)
            if (!verify_is_constant(graph, &dim->values->dims[d])) return false;
        return true;
    }
    return is_constant_bound(graph, dim->low) && is_constant_bound(graph, dim->high);
}
