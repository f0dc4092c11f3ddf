/* What goes home is named by notes (PLAN_WROTE), in LPUs in which the transfer happens: all that a step may have written there. Where such an LPU has in it several
 * of those in which the step runs, and a condition there keeps some of them from running it, or where its elements can be told in those alone, the
 * note names others as well. These go home, too: who has them must have them as new as the home, in all LPUs. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* There is a first round, as literals say. */
static bool has_rounds(const PlanStep *step) {
    const Expr *range = step->kind == PLAN_REPEAT_FOR && step->source->step == NULL ? step->source->range : NULL;
    if (range == NULL || range->kind != EXPR_RANGE || range->left == NULL || range->right == NULL) return false;
    return range->left->kind == EXPR_INTEGER && range->right->kind == EXPR_INTEGER && range->left->integer <= range->right->integer;
}

size_t verify_enter(const Graph *graph, const Edge *edge) {
    const Point *to = &graph->points.items[edge->to];
    const bool before = to->step != NULL && to->done && !edge->round && to->next.count > 1 && has_rounds(to->step);
    return before ? to->next.items[0].to : edge->to;
}

/* All LPUs run what is in it, or sub-partitions all of them. */
static bool runs_all(const PlanStep *step) {
    return has_rounds(step) || step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS || (step->kind == PLAN_GUARD && step->source->kind == STEP_REPEAT_SUB);
}

static bool is_around(const Graph *graph, size_t around, const Point *point) {
    for (size_t at = point->within; at != 0; at = graph->points.items[at].within)
        if (at == around) return true;
    return false;
}

/* Some LPUs do not run the writer, perhaps, and it is noted all the same: a condition or a loop is around it, and not around the note. */
static bool may_not_run(const Graph *graph, const Point *writer, const Point *note) {
    for (size_t around = writer->within; around != 0 && !is_around(graph, around, note); around = graph->points.items[around].within)
        if (!runs_all(graph->points.items[around].step)) return true;
    return false;
}

static bool can_tell(const Graph *graph, const TellingPlace *place, const Expr *end) { return end != NULL && move_can_tell(graph->task, place, end); }

bool verify_moves_untold(const Graph *graph, const PlanStep *step, int d) {
    if (step->kind != PLAN_MOVE || step->transfer->inspection != NULL || move_goes_home(graph->task, step->transfer)) return false;
    const RegionDim *dim = &step->transfer->region->dims[d];
    const TellingPlace place = {step, NULL};
    return !can_tell(graph, &place, dim->low) && !can_tell(graph, &place, dim->high);
}

/* The note says of the dimension what the step has written there; an end of the part need not be told. */
static bool says(const Graph *graph, const Note *note, const RegionDim *dim) {
    const TellingPlace place = {note->step, note->writer};
    if (region_rank(dim) == 3) return true;
    if (dim->low == NULL && dim->high == NULL) return false;
    return (dim->low == NULL || can_tell(graph, &place, dim->low)) && (dim->high == NULL || can_tell(graph, &place, dim->high));
}

bool verify_is_as_noted(const Graph *graph, const Note *note, const RegionDim *moved, int d) {
    return note->region != NULL && says(graph, note, &note->region->dims[d]) && region_dim_is_within(&note->region->dims[d], moved);
}

static bool says_all(const Graph *graph, const Note *note, const Var *var) {
    for (size_t i = 0; note->writer->kind == PLAN_STAGE && i < note->writer->regions.count; i++) {
        const Region *region = note->writer->regions.items[i];
        for (int d = 0; d < region->rank; d++)
            if (region->write && region->var == var && !says(graph, note, &region->dims[d])) return false;
    }
    return true;
}

Note verify_note_beside(const Graph *graph, const Transfer *transfer, size_t after) {
    Note note = {.writer = transfer->after.items[after]};
    const Point *writer = NULL, *at = NULL;
    if (note.writer == NULL || transfer->within == NULL || !move_goes_home(graph->task, transfer) || verify_is_one_leader(graph->task, transfer->from, transfer->to)) return note;
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        if (point->step == NULL || point->done) continue;
        if (point->step == note.writer) writer = point;
        if (point->step->kind == PLAN_WROTE && point->step->writer == transfer->writers.items[after] && point->step->lps == transfer->within) at = point;
    }
    if (writer == NULL || at == NULL) return note;
    note.step = at->step;
    if (!may_not_run(graph, writer, at) && says_all(graph, &note, transfer->var)) note.step = NULL;
    return note;
}
