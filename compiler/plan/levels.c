/* Which PPS runs which LPS: the task's LPS tree, resolved against mapping file and machine. */
#include "compiler/plan/levels.h"
#include "compiler/plan/inspect.h"
#include <string.h>

static MappingTree *tree_of(Arena *arena, const Program *program, const Task *task) {
    MappingTree *tree = ARENA_NEW(arena, MappingTree);
    MappingLps *lpses = ARENA_ARRAY(arena, MappingLps, task->spaces.count);
    for (size_t i = 0; i < task->spaces.count; i++) {
        const Lps *lps = task->spaces.items[i];
        lpses[i] = (MappingLps){.name = lps->name,
                                .parent = lps->parent == NULL ? -1 : lps->parent->id,
                                .un_partitioned = lps->dims == 0,
                                .dims = lps->dims,
                                .dynamic = lps->dynamic,
                                .is_sub_partition = lps->sub_partition,
                                .span = lps->span};
    }
    *tree = (MappingTree){
        .task = task->name, .source = program->source, .lpses = lpses, .count = task->spaces.count};
    return tree;
}

/* ---- PPUs of the lowest level ------------------------------------------------------------------------ */
/* How many PPUs of the lowest level one PPU of `level` holds (-1: the whole machine). */
static int64_t lowest_in(const MachineModel *model, int level) {
    int64_t count = 1;
    for (int l = level + 1; l < (int)model->spaces.count; l++) count *= model->spaces.items[l].count;
    return count;
}

static bool is_lowest(const MappingTree *tree, size_t lps) {
    for (size_t i = 0; i < tree->count; i++)
        if (tree->lpses[i].parent == (int)lps && !tree->lpses[i].is_sub_partition) return false;
    return !tree->lpses[lps].is_sub_partition;
}

/* The hull of what the lowest LPSes take: the task's threads run there. */
static void take_ppus(Arena *arena, TaskPlan *plan) {
    const ResolvedMapping *mapping = plan->mapping;
    int64_t *begin = ARENA_ARRAY(arena, int64_t, mapping->count),
            *last = ARENA_ARRAY(arena, int64_t, mapping->count);
    plan->ppu_first = INT64_MAX;
    plan->ppu_end = 0;
    for (size_t i = 0; i < mapping->count; i++) { /* where its first and its last PPU begin */
        const MappedLps *lps = &mapping->lpses[i];
        int parent = mapping->tree->lpses[i].parent;
        int64_t each = lowest_in(mapping->model, lps->level);
        begin[i] = (parent < 0 ? 0 : begin[parent]) + lps->first * each;
        last[i] = (parent < 0 ? 0 : last[parent]) + (lps->first + lps->ppus - 1) * each;
        if (!is_lowest(mapping->tree, i)) continue;
        if (begin[i] < plan->ppu_first) plan->ppu_first = begin[i];
        if (last[i] + each > plan->ppu_end) plan->ppu_end = last[i] + each;
    }
}

/* ---- LPUs in blocks ----------------------------------------------------------------------------------- */
static bool has_padding(const Lps *lps) {
    for (size_t v = 0; v < lps->vars.count; v++)
        for (int d = 0; d < lps->dims && var_is_array(lps->vars.items[v].var); d++) {
            const DimPartition *dim = &lps->vars.items[v].dims[d];
            if (dim->function != PART_REPLICATED && (dim->padding_front != NULL || dim->padding_back != NULL)) return true;
        }
    return false;
}

/* Where neighbours exchange padding the shape of what a PPU has matters; in one dimension runs are the best shape. */
static bool goes_in_blocks(const TaskPlan *task, size_t i) {
    const Lps *lps = task->task->spaces.items[i];
    const ResolvedMapping *mapping = task->mapping;
    if (lps->dims < 2 || lps->dynamic || lps->sub_partition || mapping->lpses[i].function != NULL) return false;
    return mapping->lpses[i].level != mapping->lpses[lps->parent->id].level && has_padding(lps);
}

bool move_takes_some(const TaskPlan *task, const Lps *lps) {
    if (hold_is_local(task, lps->parent) || lps->sub_partition) return false;
    const int above = task->mapping->lpses[lps->parent->id].level, level = task->mapping->lpses[lps->id].level;
    return task->spaces[lps->id].ppus > 1 || (hold_is_local(task, lps) && model_ppus_between(task->mapping->model, above, level) > 1);
}

const Lps *move_teller(const TaskPlan *task, const Lps *lps, const Lps *home) {
    const Lps *found = NULL;
    for (; lps != home && lps->parent != NULL; lps = lps->parent)
        if (move_takes_some(task, lps)) found = found == NULL ? lps : found;
    return found;
}

/* What follows from the mapping: waits of crews, what is held where, what moves. */
static void plan_under_mapping(Arena *arena, Plan *plan, TaskPlan *task) {
    const bool spreads = task->mapping->segments > 1, on_card = mapping_on_card(task->mapping);
    if (!spreads) plan_crews(arena, plan, task);
    if (!plan->options.moves && !spreads) return;
    if (!spreads) {
        plan_hold(arena, task);
        plan_transfer(arena, task);
        plan_serve(arena, plan, task);
        return;
    }
    plan_spread(arena, plan, task);
    plan_crews(arena, plan, task);
    plan_overlap(task);
    if (!on_card) plan_reads(arena, task); /* cards have indices as they are */
    plan_gaps(arena, task);
}

ResolvedMapping *plan_mapping_ahead(Arena *arena, const Program *program, Task *task, PlanOptions options) {
    if (options.machine == NULL) return NULL;
    Diags *quiet = diags_new(arena, program->source);
    return mapping_resolve(arena, options.mapping, options.machine, tree_of(arena, program, task), quiet);
}

/* LPUs that work in the parts of others go to the same PPUs, where the mapping does not say otherwise. */
static void place_guests(TaskPlan *task) {
    for (size_t i = 1; i < task->mapping->count; i++) {
        LpsPlan *space = &task->spaces[i];
        for (size_t v = 0; v < space->lps->vars.count && space->placed_as == NULL; v++) {
            if (space->stored[v] != STORED_AT_HOME) continue;
            const Lps *home = task->arrays[plan_array_index(task, space->lps->vars.items[v].var)].home;
            if (!mapping_is_alike(task->mapping, (int)i, home->id)) continue;
            space->placed_as = home;
            space->blocks = task->spaces[home->id].blocks;
        }
    }
}

bool plan_levels(Arena *arena, Plan *plan, const MappingFile *file, const Machine *machine, Diags *diags) {
    size_t errors = diags_error_count(diags);
    for (size_t t = 0; t < plan->tasks.count; t++) {
        TaskPlan *task = plan->tasks.items[t];
        const MappingTree *tree = tree_of(arena, plan->program, task->task);
        task->mapping = mapping_resolve(arena, file, machine, tree, diags);
        if (task->mapping == NULL) continue;
        take_ppus(arena, task);
        for (size_t l = 0; l < task->mapping->model->spaces.count; l++) {
            const MachineSpace *space = &task->mapping->model->spaces.items[l];
            vec_push(arena, &task->levels, ((MachineLevel){space->name, space->count, (int)l == model_segment_level(task->mapping->model), (space->flags & FLAG_UNIT) != 0}));
        }
        for (size_t i = 0; i < task->mapping->count; i++) {
            task->spaces[i].ppus = (int)task->mapping->lpses[i].ppus;
            task->spaces[i].level_name = task->mapping->lpses[i].level_name;
            task->spaces[i].level = task->mapping->lpses[i].level;
            task->spaces[i].first = (int)task->mapping->lpses[i].first;
            task->spaces[i].blocks = goes_in_blocks(task, i);
        }
        place_guests(task);
        plan_remark_mapping(arena, plan, task, diags);
        if (!plan_arrange(arena, task, diags)) continue;
        plan_under_mapping(arena, plan, task);
        plan_omit_waits(plan, task);
    }
    return diags_error_count(diags) == errors;
}
