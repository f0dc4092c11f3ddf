/* Whether a transfer comes in time. It stands in front of a step that all who take part run alike, and moves what has been written by then: not
 * what is written in that step and read behind it there, nor, of LPUs that are visited one after the other, what each of them has alone.
 *
 * Needs: transfers as steps of the flow. Gives: move_obstacle. Breaks: nothing. */
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

/* All address spaces that run the LPU ask for it, not its leader alone; each advances all that it has. */
static bool is_asked_by_all(const TaskPlan *task, const PlanStep *reader) {
    if (reader->kind == PLAN_EPOCH) return !hold_is_local(task, reader->lps);
    return reader->kind == PLAN_REPEAT_FOR || reader->kind == PLAN_REPEAT_WHILE || reader->kind == PLAN_IF || reader->kind == PLAN_LOCKSTEP;
}

/* Writer and reader are one process's: the leader's of an LPU, in one visit. */
static bool is_one_leader(const TaskPlan *task, const PlanStep *writer, const PlanStep *reader) {
    return lps_proper(writer->lps) == lps_proper(reader->lps) && !is_asked_by_all(task, reader) && share_visit(&task->flow, writer, reader);
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
            if (!is_one_leader(task, writer, transfer->before)) return visit;
        }
    }
    return NULL;
}

typedef struct Writers {
    Arena *arena;
    const TaskPlan *task;
    const Transfer *transfer;
    const Holding *first;
    VEC(const PlanStep *) steps;
    const PlanStep *step; /* at hand */
    bool several;
} Writers;

static void note_written(void *data, const MoveTouch *touch) {
    Writers *writers = data;
    if (!touch->write || touch->var != writers->transfer->var) return;
    const Holding *written = hold_touched(writers->task, touch);
    if (written->kind == HELD_COPY || written->store != writers->transfer->from->store) return;
    writers->several = writers->several || (writers->first != NULL && !hold_is_one_leader(writers->task, written, writers->first));
    writers->first = written;
    vec_push(writers->arena, &writers->steps, writers->step);
}

static void note_writers(Writers *writers, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        writers->step = steps->items[i];
        move_touches(writers->arena, writers->task, steps->items[i], note_written, writers);
        note_writers(writers, &steps->items[i]->body);
    }
}

/* It goes home from a place that nothing in the step writes: at once, before the first LPU's step that touches any of it, and not again. */
static bool comes_from_outside(const TaskPlan *task, const PlanStep *step, const Transfer *transfer) {
    if (!move_goes_home(task, transfer)) return false;
    for (size_t t = 0; t < task->transfers.count; t++) {
        const Transfer *other = task->transfers.items[t];
        for (size_t w = 0; other->from == transfer->from && other->to == transfer->to && w < other->after.count; w++)
            if (contains(&step->body, other->after.items[w])) return false;
    }
    return true;
}

/* Whenever the second moves among these steps, the first has moved there before. */
static bool moves_first(const PlanStepVec *steps, const Transfer *first, const Transfer *second) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->kind == PLAN_MOVE && step->transfer == first) return true;
        if (step->kind == PLAN_MOVE && step->transfer == second) return false;
        if (moves_in(&step->body, second)) return moves_first(&step->body, first, second);
    }
    return false;
}

/* What the step has written in the visit of one LPU has gone home when the transfer comes in the next one's turn. */
static bool is_home_by_then(const Writers *writers, const PlanStep *visit, const PlanStep *writer) {
    const Transfer *transfer = writers->transfer;
    for (size_t t = 0; t < writers->task->transfers.count; t++) {
        const Transfer *other = writers->task->transfers.items[t];
        const bool brings = other->var == transfer->var && other->to == transfer->from && hold_is_one_leader(writers->task, other->from, writers->first);
        if (brings && move_follows(other, writer) && moves_first(&visit->body, other, transfer)) return true;
    }
    return false;
}

/* What one LPU has written is said to be new in front of the next one's step, and has not gone home by then: the transfer would bring what was there before. */
static bool comes_late(const Writers *writers, const PlanStep *visit) {
    const Transfer *transfer = writers->transfer;
    bool told = false;
    if (writers->first == NULL || hold_is_one_leader(writers->task, writers->first, transfer->from) || move_goes_home(writers->task, transfer)) return false;
    for (size_t w = 0; w < transfer->after.count; w++) told = told || contains(&visit->body, transfer->after.items[w]);
    for (size_t w = 0; w < writers->steps.count && told; w++)
        if (!is_home_by_then(writers, visit, writers->steps.items[w])) return true;
    return false;
}

/* A visit of one LPU after the other in which the transfer moves the elements of all of them each time. Where two divisions of such an
 * LPU are written, one of them may have old elements of those before. */
static const PlanStep *visits_around(Arena *arena, const TaskPlan *task, const PlanStepVec *steps, const Transfer *transfer) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (!moves_in(&step->body, transfer)) continue;
        bool visits = step->kind == PLAN_LPUS && step->lps != transfer->within && lps_is_within(step->lps, transfer->within) &&
                      !lps_is_single_in(step->lps, transfer->within);
        Writers writers = {.arena = arena, .task = task, .transfer = transfer};
        if (visits && !comes_from_outside(task, step, transfer)) note_writers(&writers, &step->body);
        if (writers.several || comes_late(&writers, step)) return step;
        const PlanStep *inner = visits_around(arena, task, &step->body, transfer);
        if (inner != NULL) return inner;
    }
    return NULL;
}

const char *move_obstacle(Arena *arena, const TaskPlan *task, const Transfer *transfer) {
    bool copies = transfer->kind == TRANSFER_FILL || transfer->kind == TRANSFER_HAND_BACK;
    if (copies || transfer->from == NULL || !var_is_array(transfer->var)) return NULL;
    if (transfer->step == NULL && transfer->within != NULL && round_between(task, &task->flow, transfer) != NULL)
        return arena_printf(arena, "elements of %s, which one round over sub-partitions above them writes, are read in a later one by others", transfer->var->name);
    const Lps *mixed = transfer->step == NULL && transfer->within != NULL ? rounds_mixed(task, transfer->var, transfer->within, transfer->to->store) : NULL;
    if (mixed != NULL)
        return arena_printf(arena, "elements of %s, which are in several of the sub-partitions of Space %s and not in all, are written in one and read in another",
                            transfer->var->name, mixed->parent->name);
    const PlanStep *visit = transfer->from != transfer->to ? visit_between(task, &task->flow, transfer) : NULL;
    if (visit == NULL && transfer->step == NULL && transfer->within != NULL) visit = visits_around(arena, task, &task->flow, transfer);
    if (visit != NULL)
        return arena_printf(arena, "elements of %s, which a step of Space %s writes, go by way of others to a step of the same visit", transfer->var->name,
                            visit->lps->name);
    for (size_t i = 0; i < transfer->writers.count; i++)
        if (transfer->writers.items[i] >= MOST_WRITERS) return arena_printf(arena, "more than %d of its steps write what others read", MOST_WRITERS);
    return NULL;
}
