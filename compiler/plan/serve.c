/* Transfers, when the walk along the flow knows them all: what others move anyway leaves, the rest get their numbers, and each meets
 * the dependences of values that it serves.
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
    leave_out_covered(task);
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
