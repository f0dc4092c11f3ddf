/* What programs of several processes cannot do yet, wherever they compute. Everything that a plan says moves between them but for this. */
#include <string.h>
#include "compiler/emit/backend.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

/* Not all segments that run an LPU of `above` run one of `lps` in it. */
static bool runs_in_some(const TaskPlan *task, const Lps *lps, const Lps *above) { return move_teller(task, lps, above) != NULL; }

static bool walks_sub_partitions(const Lps *lps, const Lps *above) {
    for (; lps != above && lps->parent != NULL; lps = lps->parent)
        if (lps->sub_partition) return true;
    return false;
}

/* A scalar of all segments that the stage writes in some of them, in sub-partitions above them. */
static const char *obstacle_of_scalars(Arena *arena, const TaskPlan *task, const PlanStep *step) {
    for (size_t f = 0; step->kind == PLAN_STAGE && f < step->use->formals.count; f++) {
        const Formal *formal = &step->use->formals.items[f];
        const Var *actual = formal->kind == FORMAL_PLACE ? plan_actual(step->use, formal, step->source) : NULL;
        if (actual == NULL || actual->home == NULL || !runs_in_some(task, step->use->lps, actual->home)) continue;
        if (!walks_sub_partitions(step->use->lps, actual->home)) continue;
        return arena_printf(arena, "%s, which all of them have, is written by stages of Space %s, which some of them run", actual->name, step->use->lps->name);
    }
    return NULL;
}

/* Several segments, and not all, run an Epoch's LPU, whose elements other LPUs have, too. */
static const char *obstacle_of_epoch(Arena *arena, const TaskPlan *task, const PlanStep *step) {
    if (!hold_epoch_is_heard(task, step) || hold_advanced(task, step) != NULL) return NULL;
    return arena_printf(arena, "%s, of which Epochs of Space %s advance parts that several of them have, is used by others", step->array->var->name, step->lps->name);
}

static const char *obstacle_in(Arena *arena, const TaskPlan *task, const PlanStepVec *steps) {
    const char *obstacle = NULL;
    for (size_t i = 0; i < steps->count && obstacle == NULL; i++) {
        obstacle = obstacle_of_scalars(arena, task, steps->items[i]);
        if (obstacle == NULL) obstacle = obstacle_of_epoch(arena, task, steps->items[i]);
        if (obstacle == NULL) obstacle = obstacle_in(arena, task, &steps->items[i]->body);
    }
    return obstacle;
}

/* What the task needs that programs of several processes cannot do, as the end of a sentence about them; NULL: nothing. */
static const char *obstacle_for(Arena *arena, const TaskPlan *task) {
    const char *obstacle = NULL;
    for (size_t t = 0; t < task->transfers.count && obstacle == NULL; t++) obstacle = move_obstacle(arena, task, task->transfers.items[t]);
    return obstacle != NULL ? obstacle : obstacle_in(arena, task, &task->flow);
}

/* The line that spreads the task over segments: of the first LPS that takes several PPUs in more than a segment. */
static const MappingLine *spreading_line(const ResolvedMapping *mapping) {
    int segment = model_segment_level(mapping->model);
    for (size_t i = 1; mapping->block != NULL && i < mapping->count; i++) {
        int parent = mapping->tree->lpses[i].parent;
        if (mapping->lpses[parent].level >= segment || mapping->lpses[i].ppus < 2) continue;
        for (size_t l = 0; l < mapping->block->lines.count; l++)
            if (strcmp(mapping->block->lines.items[l].lps, mapping->tree->lpses[i].name) == 0) return &mapping->block->lines.items[l];
    }
    return NULL;
}

bool segments_accept(Arena *arena, const TaskPlan *task, Diags *diags) {
    const ResolvedMapping *mapping = task->mapping;
    const char *obstacle = mapping->segments > 1 ? obstacle_for(arena, task) : NULL;
    if (obstacle == NULL) return true;
    const char *message = arena_printf(arena, "the mapping of task \"%s\" takes %lld address spaces of machine %s, and %s", mapping->task,
                                       (long long)mapping->segments, mapping->machine->name, obstacle);
    const MappingLine *line = spreading_line(mapping);
    Source *outer = diags_source(diags);
    if (line != NULL) diags_set_source(diags, mapping->file->source);
    Diag *diag = line != NULL ? diag_error(diags, E_PLAN_SEGMENTS, line->span, "%s", message)
                              : diag_error_plain(diags, E_PLAN_SEGMENTS, "%s", message);
    diags_set_source(diags, outer);
    diag_help(diag, "confine the task to one of them with `Space Root: …` in its mapping, or use a model of "
                    "a single node");
    return false;
}
