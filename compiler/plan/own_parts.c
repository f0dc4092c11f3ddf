/* Padding that only older versions are read from. Where the LPUs of a Space write their own elements alone, and read in their padding what an Epoch
 * around the Space has made older, nobody changes the one or the other while the Space is visited:
 *
 *     Repeat for t in [1...steps] {
 *         Epoch { Space A { advance(u) } }        u[i][j] = … u[i - 1][j] at (current - 1) …, for i in the LPU's unpadded part
 *         listen(seen, u, t)
 *     }
 *
 * Copies of padded parts would hold what the array itself holds, so all LPUs work in that, and nothing is copied between those in one memory; to those of
 * other processes goes what they have in their padding, behind each visit. An Epoch that is all that a visit of the Space does goes around the visit; another one inside would end for each LPU by itself, while
 * others read there. Padding at current may be written by its owner meanwhile.
 *
 * Needs: a checked program. Gives: yes, or no where it cannot tell. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/internal.h"
#include "compiler/plan/parts.h"

/* ---- What lies in the unpadded part ---------------------------------------------------------------------------- */
static const DimPartition *partition_of(const Lps *lps, const Var *var, int d) {
    const LpsVar *entry = lps_find_var(lps, var);
    for (int k = 0; entry != NULL && k < lps->dims; k++)
        if (entry->dims[k].function != PART_REPLICATED && entry->dims[k].array_dimension == d) return &entry->dims[k];
    return NULL;
}

/* What the literals at the expression's end add to what stands before them. */
static const Expr *without_literals(const Expr *expr, int64_t *sum) {
    enum { MOST = 1 << 30 };
    int64_t literal;
    *sum = 0;
    for (const Expr *base; (base = expr_without_literal(expr, &literal)) != expr; expr = base) {
        if (literal > MOST || literal < -MOST || *sum > MOST || *sum < -MOST) return expr;
        *sum += literal;
    }
    return expr;
}

/* Whether the end of a span lies as far inside of the array's part as its padding goes, or inside of the part of an array that has none. */
static bool is_inside(const Task *task, const Region *region, int d, const Expr *end, bool high) {
    int64_t sum;
    if (end == NULL) return false;
    const Expr *base = without_literals(end, &sum), *range = base->left;
    if (base->kind != EXPR_RANGE_PART || base->part != (high ? RANGE_MAX : RANGE_MIN) || range->kind != EXPR_DIM_RANGE || !range->local) return false;
    const int64_t inside = high ? -sum : sum;
    if (range->var != region->var || range->dimension != d)
        return inside >= 0 && plan_in_own_part(task, region->lps, (PartDimension){region->var, d}, (PartDimension){range->var, range->dimension});
    const DimPartition *part = partition_of(region->lps, region->var, d);
    const Expr *padding = part == NULL ? NULL : high ? part->padding_back : part->padding_front;
    return padding == NULL ? inside >= 0 : padding->kind == EXPR_INTEGER && inside >= padding->integer;
}

bool region_dim_is_own(const Task *task, const Region *region, int d) {
    const RegionDim *dim = &region->dims[d];
    const PartDimension own = {region->var, d}, of = {dim->of, dim->of_dimension};
    if (dim->of != NULL && plan_in_own_part(task, region->lps, own, of)) return true;
    return dim->kind == REGION_SPAN && is_inside(task, region, d, dim->low, false) && is_inside(task, region, d, dim->high, true);
}

/* ---- Whether LPUs work in one array ------------------------------------------------------------------------------ */
/* LPUs of the Space lie in one memory each. */
static bool are_in_one_memory(const Planner *planner, const Lps *lps) {
    const ResolvedMapping *mapping = planner->mapping;
    if (mapping == NULL) return planner->plan->options.machine == NULL;
    if (mapping_on_card(mapping)) return false;
    return mapping->segments <= 1 || mapping->lpses[lps->id].level >= model_segment_level(mapping->model);
}

static bool takes_turns(const Planner *planner, const StepVec *steps, const Lps *lps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_SPACE && step->space == lps && plan_turn_of(planner, step) != NULL) return true;
        if (takes_turns(planner, &step->body, lps)) return true;
    }
    return false;
}

/* An Epoch inside the Space that is not all that a visit of it does. */
static bool advances_inside(const StepVec *steps, const Lps *lps, const Var *var, const Step *around) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        const bool alone = step->lps == lps && around != NULL && around->kind == STEP_SPACE && around->space == lps && steps->count == 1;
        if (step_advances(step, var) && lps_is_within(step->lps, lps) && !alone) return true;
        if (advances_inside(&step->body, lps, var, step)) return true;
    }
    return false;
}

Lps *plan_epoch_space(const ArrayPlan *array, const Step *epoch) {
    return array->overlaps && lps_lists_padded(epoch->lps, array->var) ? epoch->lps->parent : epoch->lps;
}

/* Of the current version, the call touches nothing of other LPUs. */
static bool keeps_to_own(Planner *planner, const Step *call, const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    const RegionVec regions = footprint_of_call(planner->arena, call);
    for (size_t r = 0; r < regions.count; r++) {
        const Region *region = regions.items[r];
        if (region->var != var || (region->lag > 0 && !region->write)) continue;
        if (region->lps != lps) return false;
        for (int k = 0; k < lps->dims; k++)
            if (partition_is_padded(&entry->dims[k]) && !region->dims[entry->dims[k].array_dimension].own) return false;
    }
    return true;
}

bool plan_keeps_to_own_parts(Planner *planner, const Lps *lps, const Var *var) {
    const StepVec *flow = &planner->task->task->flow;
    for (const Lps *at = lps->parent; at != NULL; at = at->parent)
        if (at->dims > 0 || at->sub_partition) return false;
    if (!are_in_one_memory(planner, lps) || plan_is_collected(planner, var) || takes_turns(planner, flow, lps) || plan_flow_reads(planner, flow, var)) return false;
    if (advances_inside(flow, lps, var, NULL)) return false;
    for (size_t c = 0; c < planner->calls.count; c++)
        if (lps_is_within(planner->calls.items[c]->lps, lps) && !keeps_to_own(planner, planner->calls.items[c], lps, var)) return false;
    return true;
}

void plan_own_regions(const TaskPlan *task, RegionVec *regions) {
    for (size_t r = 0; r < regions->count; r++) {
        Region *region = regions->items[r];
        const ArrayPlan *array = plan_array(task, region->var);
        if (array == NULL || !array->overlaps || region->lag > 0 || !lps_lists_padded(region->lps, region->var)) continue;
        for (int d = 0; d < region->rank; d++)
            if (region->dims[d].own) region->dims[d] = (RegionDim){.kind = REGION_OWN, .own = true};
    }
}
