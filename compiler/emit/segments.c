/* What programs of several processes cannot do yet, wherever they compute. Everything that a plan says moves between them but for this. */
#include <string.h>
#include "compiler/emit/backend.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

/* Steps are numbered in the bits of one word where programs note who has written. */
enum { MOST_WRITERS = 64 };

static bool contains(const PlanStepVec *steps, const PlanStep *step) {
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i] == step || contains(&steps->items[i]->body, step)) return true;
    return false;
}

static bool moves_in(const PlanStepVec *steps, const Transfer *transfer) {
    for (size_t i = 0; i < steps->count; i++)
        if ((steps->items[i]->kind == PLAN_MOVE && steps->items[i]->transfer == transfer) || moves_in(&steps->items[i]->body, transfer)) return true;
    return false;
}

/* A loop over sub-partitions above the segments that contains the reader and one of the writers, and the transfer stands in front of
 * it, where one round's elements do not reach the next. */
static const PlanStep *round_between(const TaskPlan *task, const PlanStepVec *steps, const Transfer *transfer) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i], *inner = round_between(task, &step->body, transfer);
        if (inner != NULL) return inner;
        if (step->kind != PLAN_SUB_PARTS || hold_is_local(task, step->source->space) || moves_in(&step->body, transfer)) continue;
        for (size_t w = 0; w < transfer->after.count; w++)
            if (contains(&step->body, transfer->before) && contains(&step->body, transfer->after.items[w])) return step;
    }
    return NULL;
}

static bool is_in(const PlanStep *step, const PlanStep *part) { return step == part || contains(&step->body, part); }

static bool is_loop(const PlanStep *step) {
    return step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_SUB_PARTS ||
           (step->kind == PLAN_LOCKSTEP && step->source->kind != STEP_IF);
}

/* Among these steps the writer comes before the reader, or in a round before it. */
static bool comes_before(const PlanStepVec *steps, const PlanStep *writer, const PlanStep *reader) {
    bool written = false;
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (is_in(step, writer) && is_in(step, reader)) return is_loop(step) || comes_before(&step->body, writer, reader);
        written = written || is_in(step, writer);
        if (is_in(step, reader)) return written;
    }
    return false;
}

/* Both run in one visit of an LPU of the writer's Space, which one process has with its sub-partitions. */
static bool share_visit(const PlanStepVec *steps, const PlanStep *writer, const PlanStep *reader) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (!is_in(step, writer) || !is_in(step, reader)) continue;
        return (step->kind == PLAN_LPUS && step->lps == lps_proper(writer->lps)) || share_visit(&step->body, writer, reader);
    }
    return false;
}

/* A visit that contains a writer and, behind it, the reader: the transfer stands in front of it, where the elements are not yet written. */
static const PlanStep *visit_between(const TaskPlan *task, const PlanStepVec *steps, const Transfer *transfer) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i], *inner = visit_between(task, &step->body, transfer);
        if (inner != NULL) return inner;
        const PlanStep *visit = step->kind == PLAN_MOVE && step->transfer == transfer ? step->beside : NULL;
        if (visit == NULL || visit->kind != PLAN_LPUS || hold_is_local(task, visit->lps) || !contains(&visit->body, transfer->before)) continue;
        for (size_t w = 0; w < transfer->after.count; w++) {
            const PlanStep *writer = transfer->after.items[w];
            if (writer == NULL || !comes_before(&visit->body, writer, transfer->before)) continue;
            if (lps_proper(writer->lps) != lps_proper(transfer->before->lps) || !share_visit(&task->flow, writer, transfer->before)) return visit;
        }
    }
    return NULL;
}

typedef struct Writers {
    const TaskPlan *task;
    const Transfer *transfer;
    const Holding *first;
    bool several;
} Writers;

static void note_written(void *data, const MoveTouch *touch) {
    Writers *writers = data;
    if (!touch->write || touch->var != writers->transfer->var) return;
    const Holding *written = hold_touched(writers->task, touch);
    if (written->kind == HELD_COPY || written->store != writers->transfer->from->store) return;
    writers->several = writers->several || (writers->first != NULL && written != writers->first);
    writers->first = written;
}

static void note_writers(Arena *arena, Writers *writers, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        move_touches(arena, writers->task, steps->items[i], note_written, writers);
        note_writers(arena, writers, &steps->items[i]->body);
    }
}

/* A visit of one LPU after the other in which the transfer moves the elements of all of them each time. Where two divisions of such an
 * LPU are written, one of them may have old elements of those before. */
static const PlanStep *visits_around(Arena *arena, const TaskPlan *task, const PlanStepVec *steps, const Transfer *transfer) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (!moves_in(&step->body, transfer)) continue;
        bool visits = step->kind == PLAN_LPUS && step->lps != transfer->within && lps_is_within(step->lps, transfer->within) &&
                      !lps_is_single_in(step->lps, transfer->within);
        Writers writers = {.task = task, .transfer = transfer};
        if (visits) note_writers(arena, &writers, &step->body);
        if (writers.several) return step;
        const PlanStep *inner = visits_around(arena, task, &step->body, transfer);
        if (inner != NULL) return inner;
    }
    return NULL;
}

/* Why the transfer cannot happen, or NULL. */
static const char *obstacle_of(Arena *arena, const TaskPlan *task, const Transfer *transfer) {
    bool copies = transfer->kind == TRANSFER_FILL || transfer->kind == TRANSFER_HAND_BACK;
    if (copies || transfer->from == NULL || !var_is_array(transfer->var)) return NULL;
    if (transfer->step == NULL && transfer->within != NULL && round_between(task, &task->flow, transfer) != NULL)
        return arena_printf(arena, "elements of %s, which one round over sub-partitions above them writes, are read in a later one by others", transfer->var->name);
    const PlanStep *visit = transfer->from != transfer->to ? visit_between(task, &task->flow, transfer) : NULL;
    if (visit == NULL && transfer->step == NULL && transfer->within != NULL) visit = visits_around(arena, task, &task->flow, transfer);
    if (visit != NULL)
        return arena_printf(arena, "elements of %s, which a step of Space %s writes, go by way of others to a step of the same visit", transfer->var->name,
                            visit->lps->name);
    for (size_t i = 0; i < transfer->writers.count; i++)
        if (transfer->writers.items[i] >= MOST_WRITERS) return arena_printf(arena, "more than %d of its steps write what others read", MOST_WRITERS);
    return NULL;
}

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
    for (size_t t = 0; t < task->transfers.count && obstacle == NULL; t++) obstacle = obstacle_of(arena, task, task->transfers.items[t]);
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
