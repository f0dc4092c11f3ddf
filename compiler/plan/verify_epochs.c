/* Epochs of LPUs that several address spaces run, and others do not: each of those advances all that it has of the LPU, and knows nothing of others. Where
 * somebody outside has elements of the array, too, the Epoch takes and gives them all in one place inside: what others have written must have come there
 * in front of it, and whoever has older versions outside gets them from there. Which place that is follows from what the plan moves. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* Of those who have the array's elements, some do not run an LPU of the Space. */
static bool some_are_left_out(const TaskPlan *task, const Lps *lps) {
    for (; lps->parent != NULL; lps = lps->parent)
        if (move_takes_some(task, lps)) return true;
    return false;
}

/* Two LPUs of the Space may have an element in common, in the store; of one LPU's sub-partitions one address space has all. */
static bool lpus_meet(const Var *var, const Lps *lps, const Lps *store) {
    if (lps->sub_partition) lps = lps->parent;
    for (; lps != store && lps->parent != NULL; lps = lps->parent) {
        int divided = 0;
        for (size_t i = 0; i < lps->vars.count; i++)
            for (int d = 0; d < lps->dims; d++) divided += lps->vars.items[i].var == var && lps->vars.items[i].dims[d].function != PART_REPLICATED;
        if (divided < lps->dims) return true;
    }
    return false;
}

static const Lps *store_of(const Point *point, const Var *var) {
    for (size_t i = 0; i < point->touches.count; i++)
        if (point->touches.items[i].var == var) return point->touches.items[i].store;
    return NULL;
}

static bool is_place(const Holding *holding, const Var *var, const Lps *store) {
    return holding->var == var && holding->store == store && holding->kind != HELD_ITEM && holding->kind != HELD_COPY;
}

static bool is_inside(const Graph *graph, const Holding *holding, const PlanStep *step) { return lps_is_within(hold_around(graph->task, holding), step->lps); }

/* Where the plan moves what the Epoch has advanced from, or moves to what it is about to; NULL: nothing moves. */
static const Holding *moved_with(const Graph *graph, const PlanStep *step) {
    const Holding *found = NULL, *outside = NULL;
    for (size_t t = 0; t < graph->task->transfers.count; t++) {
        const Transfer *transfer = graph->task->transfers.items[t];
        if (transfer->var != step->array->var || transfer->step != NULL) continue;
        const Holding *at = move_follows(transfer, step) ? transfer->from : transfer->before == step ? transfer->to : NULL;
        if (at != NULL) *(is_inside(graph, at, step) ? &found : &outside) = at;
    }
    return found != NULL ? found : outside;
}

/* The home, if it is inside; else where the Epoch's own steps write. */
static const Holding *lies_inside(const Graph *graph, const PlanStep *step, const Lps *store) {
    const Var *var = step->array->var;
    const Holding *found = NULL, *home = hold_home(graph->task, var, store);
    if (home != NULL && is_inside(graph, home, step)) return home;
    for (size_t h = 0; h < graph->task->holdings.count; h++) {
        const Holding *holding = graph->task->holdings.items[h];
        const bool parts = holding->kind == HELD_PARTS || holding->kind == HELD_STAGED || holding->kind == HELD_WHOLE || holding->kind == HELD_HOME;
        if (!parts || !is_place(holding, var, store) || !is_inside(graph, holding, step)) continue;
        if (found == NULL || found->kind == HELD_STAGED || lps_proper(holding->lps) == lps_proper(step->lps)) found = holding;
    }
    return found;
}

/* It has all elements of the other one. */
static bool takes_all(const Region *take, const Region *read) {
    for (int d = 0; d < read->rank; d++)
        if (take->dims[d].kind != REGION_PART && !region_dim_equal(&take->dims[d], &read->dims[d])) return false;
    return take->var == read->var;
}

/* Where buffers change places before an Epoch, what its stages read at current has the content of the version before. */
static void check_takes(const Graph *graph, const PlanStep *step) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        if (point->step == NULL || point->done || point->step->kind != PLAN_STAGE || !verify_is_in(graph, point->step, step->source)) continue;
        if (footprint_reads_own_current(graph->arena, point->step->source, step->array->var)) continue;
        const RegionVec reads = footprint_of_reads(graph->arena, point->step->source);
        for (size_t r = 0; r < reads.count; r++) {
            const Region *region = reads.items[r];
            bool taken = region->lag > 0 || region->var != step->array->var;
            for (size_t t = 0; t < step->takes.count && !taken; t++) taken = takes_all(step->takes.items[t], region);
            if (!taken) verify_fail(graph, point, "it reads %s at current, and its versions have changed places in front of it", region->var->name);
        }
    }
}

static bool same_elements(const Region *a, const Region *b) {
    bool same = a->var == b->var && a->lps == b->lps;
    for (int d = 0; d < a->rank && same; d++) same = region_dim_equal(&a->dims[d], &b->dims[d]);
    return same;
}

/* Where the oldest version lies in the memory of the current one, who reads elements of it writes these, and nobody else has them. */
static void check_oldest(const Graph *graph, const Point *point) {
    const RegionVec *touched = &point->step->regions;
    for (size_t r = 0; r < touched->count; r++) {
        const Region *read = touched->items[r];
        if (read->write || read->lag == 0 || read->lag < plan_versions(&graph->task->arrays[plan_array_index(graph->task, read->var)])) continue;
        bool written = false;
        for (size_t w = 0; w < touched->count; w++) written = written || (touched->items[w]->write && same_elements(read, touched->items[w]));
        if (!written) verify_fail(graph, point, "it reads the oldest version of %s in the memory of the current one, and does not write it there", read->var->name);
    }
}

static bool is_written_within(const Graph *graph, const Lps *lps, const Var *var) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const PlanStep *step = graph->points.items[p].step;
        if (step == NULL || step->kind != PLAN_STAGE || !lps_is_within(step->lps, lps)) continue;
        for (size_t r = 0; r < step->regions.count; r++)
            if (step->regions.items[r]->write && step->regions.items[r]->var == var) return true;
    }
    return false;
}

/* Padded parts of LPUs that write the array lie in one store. */
static bool parts_overlap(const Graph *graph, const Lps *lps, const Var *var) {
    const int slot = plan_view_slot(lps, var);
    return slot >= 0 && graph->task->spaces[lps->id].stored[slot] == STORED_IN_PLACE && lps_lists_padded(lps, var) && is_written_within(graph, lps, var);
}

/* There, LPUs touch nothing of others at current, and no Epoch goes on for one of them alone. */
static void check_overlaps(const Graph *graph, const Point *point) {
    const RegionVec *touched = &point->step->regions;
    if (point->step->kind == PLAN_EPOCH && parts_overlap(graph, point->step->lps, point->step->array->var))
        verify_fail(graph, point, "padded parts of %s overlap, and it advances one after the other", point->step->array->var->name);
    for (size_t r = 0; r < touched->count; r++) {
        const Region *region = touched->items[r];
        const LpsVar *entry = lps_find_var(region->lps, region->var);
        if (region->lag > 0 || !parts_overlap(graph, region->lps, region->var)) continue;
        for (int d = 0; d < region->lps->dims; d++)
            if (partition_is_padded(&entry->dims[d]) && !region->dims[entry->dims[d].array_dimension].own)
                verify_fail(graph, point, "it touches elements of %s that another LPU may write meanwhile", region->var->name);
    }
}

void verify_rotations(const Graph *graph) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        if (point->step != NULL && !point->done && (point->step->kind == PLAN_STAGE || point->step->kind == PLAN_EPOCH)) check_overlaps(graph, point);
        if (point->step != NULL && !point->done && point->step->kind == PLAN_STAGE) check_oldest(graph, point);
        if (point->step != NULL && !point->done && point->step->kind == PLAN_EPOCH && point->step->rotates) check_takes(graph, point->step);
    }
}

const Holding *verify_advanced(const Graph *graph, const Point *point) {
    const PlanStep *step = point->step;
    const Var *var = step->array->var;
    const Lps *store = store_of(point, var);
    const bool apart = !step->rotates && !hold_is_local(graph->task, step->lps) && some_are_left_out(graph->task, step->lps);
    bool meet = apart && lpus_meet(var, step->lps, store), heard = false;
    for (size_t h = 0; apart && h < graph->task->holdings.count; h++) {
        const Holding *holding = graph->task->holdings.items[h];
        heard = heard || (is_place(holding, var, store) && (meet || !is_inside(graph, holding, step)));
    }
    if (!heard) return NULL;
    const Holding *moved = moved_with(graph, step);
    if (moved != NULL && (meet || !is_inside(graph, moved, step)))
        verify_fail(graph, point, "versions of %s that it advances in LPUs of Space %s move from where others have advanced them", var->name, step->lps->name);
    return meet ? NULL : moved != NULL ? moved : lies_inside(graph, step, store);
}
