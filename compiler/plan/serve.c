/* Transfers, when the walk along the flow knows them all: those that move the same elements for one step become one, what others move anyway
 * leaves, the rest get their numbers, and each meets the dependences of values that it serves.
 *
 * Needs: transfers. Gives: Transfer.id and serves, Dependence.transfers. Breaks: nothing; the number of a Transfer is its place. */
#include "compiler/plan/inspect.h"

bool move_follows(const Transfer *transfer, const PlanStep *writer) {
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] == writer) return true;
    return false;
}

/* The dependences of values that the Transfer serves. */
static void serve(Arena *arena, Transfer *transfer) {
    for (size_t i = 0; transfer->before != NULL && i < transfer->before->needs.count; i++) {
        Dependence *dependence = transfer->before->needs.items[i];
        if (dependence->kind != DEPENDENCE_FLOW || dependence->var != transfer->var || !move_follows(transfer, dependence->first)) continue;
        dependence->label = SERVED_BY_TRANSFER;
        vec_push(arena, &dependence->transfers, transfer);
        vec_push(arena, &transfer->serves, dependence);
    }
}

/* ---- The same elements, written by several steps -------------------------------------------------------------------- */
bool move_stands_with(const Transfer *a, const Transfer *b) {
    return move_is_own_step(a) && move_is_own_step(b) && a->from == b->from && a->to == b->to && a->before == b->before && a->kind == b->kind;
}

/* Whole parts, whichever steps have written them in whatever LPUs, and the same lines. */
static bool move_alike(const Transfer *a, const Transfer *b) {
    if (!move_stands_with(a, b) || a->region->lag != b->region->lag || inspect_region(a->needed) != inspect_region(b->needed)) return false;
    if (region_is_all(a->region) && region_is_all(b->region)) return true;
    return region_same_elements(a->region, b->region);
}

static void take_over(Arena *arena, Transfer *transfer, const Transfer *other) {
    for (size_t w = 0; w < other->after.count; w++)
        if (!move_follows(transfer, other->after.items[w])) vec_push(arena, &transfer->after, other->after.items[w]);
    transfer->less = transfer->less || other->less;
    transfer->partial = transfer->partial || other->partial;
    if (!region_same_elements(transfer->needed, other->needed)) transfer->needed = transfer->region;
}

/* What one step has written of all LPUs and another one of some moves once. */
static void join_alike(Arena *arena, TaskPlan *task) {
    TransferVec joined = {0};
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i], *known = NULL;
        for (size_t j = 0; j < joined.count && known == NULL; j++)
            if (move_alike(joined.items[j], transfer)) known = joined.items[j];
        if (known == NULL) vec_push(arena, &joined, transfer);
        else take_over(arena, known, transfer);
    }
    task->transfers.count = 0;
    for (size_t i = 0; i < joined.count; i++) task->transfers.items[task->transfers.count++] = joined.items[i];
}

static int size_of(const Region *region) {
    int size = 0;
    for (int d = 0; d < region->rank; d++) size += region_rank(&region->dims[d]);
    return size;
}

/* Among those that stand together, the larger come first: where one moves whole parts, those behind it need not. */
static void sort_by_size(TaskPlan *task) {
    for (size_t i = 1; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        size_t at = i;
        for (size_t j = i; j-- > 0;) {
            const Transfer *known = task->transfers.items[j];
            if (move_stands_with(known, transfer) && size_of(known->region) < size_of(transfer->region)) at = j;
        }
        for (size_t j = i; j > at; j--) task->transfers.items[j] = task->transfers.items[j - 1];
        task->transfers.items[at] = transfer;
    }
}

/* ---- What others move ---------------------------------------------------------------------------------------------- */
/* Of the dimension, nobody there needs anything else: what the Transfer would bring besides is of no use. */
static bool is_all_needed(const Transfer *transfer, int d) {
    for (size_t i = 0; i < transfer->to->regions.count; i++)
        if (!region_dim_equal(&transfer->to->regions.items[i]->dims[d], &transfer->needed->dims[d])) return false;
    return true;
}

/* `other` moves at the same step all that the Transfer moves; or, where nothing counts as moved behind that, all of it that is needed there. */
static bool moves_as_much(const Transfer *other, const Transfer *transfer) {
    if (other == transfer || other->step != NULL || other->from != transfer->from || other->to != transfer->to || other->before != transfer->before) return false;
    if (inspect_region(other->needed) && !inspect_region(transfer->needed)) return false;
    for (int d = 0; d < transfer->region->rank; d++) {
        const RegionDim *dim = &other->region->dims[d];
        const bool needed = region_dim_equal(dim, &transfer->needed->dims[d]) && (transfer->partial || is_all_needed(transfer, d));
        if (region_rank(dim) < 3 && !region_dim_is_within(&transfer->region->dims[d], dim) && !needed) return false;
    }
    return true;
}

/* A loop's first round may have found less to move than its second. */
static void leave_out_covered(TaskPlan *task) {
    size_t kept = 0, count = task->transfers.count;
    for (size_t i = 0; i < count; i++) {
        Transfer *transfer = task->transfers.items[i];
        for (size_t j = 0; transfer->step == NULL && j < count; j++) {
            const Transfer *other = task->transfers.items[j];
            size_t left = 0;
            if (j == i || !moves_as_much(other, transfer)) continue;
            for (size_t w = 0; w < transfer->after.count; w++)
                if (!move_follows(other, transfer->after.items[w])) transfer->after.items[left++] = transfer->after.items[w];
            transfer->after.count = left;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (task->transfers.items[i]->step != NULL || task->transfers.items[i]->after.count > 0) task->transfers.items[kept++] = task->transfers.items[i];
    task->transfers.count = kept;
}

void plan_serve(Arena *arena, Plan *plan, TaskPlan *task) {
    size_t kept = 0;
    join_alike(arena, task);
    leave_out_covered(task);
    sort_by_size(task);
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        if (transfer->step == NULL && plan->move_count++ == plan->options.omit_transfer) continue;
        transfer->id = (int)kept;
        serve(arena, transfer);
        task->transfers.items[kept++] = transfer;
    }
    task->transfers.count = kept;
}

const char *move_step_name(Arena *arena, const TaskPlan *task, const PlanStep *step) {
    if (step == NULL) return "the end";
    if (step->kind == PLAN_STAGE) return task->call_sites.items[step->call_id];
    const char *what = step->kind == PLAN_COPY_IN    ? "filling copies"
                       : step->kind == PLAN_COPY_OUT ? "handing copies back"
                       : step->kind == PLAN_EXCHANGE ? "the exchange of padding"
                       : step->kind == PLAN_REDUCE   ? "the reduction"
                       : step->kind == PLAN_EPOCH    ? "the epoch"
                       : step->kind == PLAN_IF       ? "the condition"
                                                     : "the loop's condition";
    return arena_printf(arena, "%s in Space %s", what, step->lps->name);
}
