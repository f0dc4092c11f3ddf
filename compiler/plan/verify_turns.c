/* LPUs that run one after the other, above the processes, and a transfer that moves the elements of all of them in the turn of each: what earlier ones
 * have written must not be written over by what was there before. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

static bool is_inside(const Graph *graph, size_t point, size_t around) {
    while (point != 0 && point != around) point = graph->points.items[point].within;
    return point == around;
}

/* What the LPUs of the visit at `around` write of the transfer's array, in its store: in several places, and in that from which it moves. */
static void look_for_writes(const Graph *graph, size_t around, const Transfer *transfer, bool *several, bool *from) {
    const Holding *first = NULL;
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        if (point->step == NULL || !is_inside(graph, p, around)) continue;
        const size_t own = verify_advances_for_all(graph->task, point->step) ? 0 : point->touches.count; /* an Epoch that each address space has for itself */
        for (size_t i = 0; i < own + point->apart.count; i++) {
            const Touch *touch = i < own ? &point->touches.items[i] : &point->apart.items[i - own];
            const Holding *written = touch->write && touch->var == transfer->var ? verify_held(graph, point, touch) : NULL;
            if (written == NULL || written->kind == HELD_COPY || written->store != transfer->from->store) continue;
            *several = *several || (first != NULL && !verify_is_one_leader(graph->task, written, first));
            *from = *from || written == transfer->from;
            first = written;
        }
    }
}

/* In the visit at `around`, what somebody has written before it goes to where the transfer takes it from, one LPU after the other. */
static bool comes_in_turn(const Graph *graph, size_t around, const Transfer *transfer) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const PlanStep *step = graph->points.items[p].step;
        if (step == NULL || graph->points.items[p].done || step->kind != PLAN_MOVE || !is_inside(graph, p, around)) continue;
        const Transfer *other = step->transfer;
        if (other->var != transfer->var || other->to != transfer->from || other->from == other->to || other->within == transfer->within || !lps_is_within(other->within, transfer->within)) continue;
        for (size_t w = 0; w < graph->points.count; w++) {
            const Point *writer = &graph->points.items[w];
            if (writer->step != NULL && !writer->done && move_follows(other, writer->step) && !is_inside(graph, w, around)) return true;
        }
    }
    return false;
}

/* Some step in the visit is told of to the transfer. */
static bool is_told_in(const Graph *graph, size_t around, const Transfer *transfer) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        if (point->step != NULL && !point->done && move_follows(transfer, point->step) && is_inside(graph, p, around)) return true;
    }
    return false;
}

typedef struct Turn { /* of what one LPU of the visit at `around` writes, and a later one's transfer at `point` */
    const Graph *graph;
    size_t around, point;
    const Holding *written;
    const PlanStep *writer;
    bool *seen; /* by point, and again in the turn of a later LPU */
} Turn;

/* The transfer comes in the turn of a later LPU, and what was written has not gone to where it takes elements from. */
static bool comes_before_it_went(const Turn *turn, size_t at, bool later) {
    const Graph *graph = turn->graph;
    const Transfer *transfer = graph->points.items[turn->point].step->transfer;
    const Lps *lps = graph->points.items[turn->around].step->lps;
    for (size_t i = 0; i < graph->points.items[at].next.count; i++) {
        const Edge *edge = &graph->points.items[at].next.items[i];
        const Point *to = &graph->points.items[edge->to];
        const bool then = later || edge->visit == lps;
        if ((edge->visit != NULL && edge->visit != lps) || !is_inside(graph, edge->to, turn->around) || turn->seen[2 * edge->to + then]) continue;
        turn->seen[2 * edge->to + then] = true;
        if (then && edge->to == turn->point) return true;
        const Transfer *other = to->step != NULL && !to->done && to->step->kind == PLAN_MOVE ? to->step->transfer : NULL;
        if (other != NULL && other->to == transfer->from && verify_is_one_leader(graph->task, other->from, turn->written) && move_follows(other, turn->writer)) continue;
        if (comes_before_it_went(turn, edge->to, then)) return true;
    }
    return false;
}

/* What an LPU's step has written in the visit lies elsewhere when the transfer brings what was there before. */
static bool comes_too_early(const Graph *graph, size_t point, size_t around, const Transfer *transfer) {
    if (!is_told_in(graph, around, transfer)) return false;
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *writer = &graph->points.items[p];
        if (writer->step == NULL || writer->done || !is_inside(graph, p, around)) continue;
        for (size_t i = 0; i < writer->touches.count; i++) {
            const Touch *touch = &writer->touches.items[i];
            const Holding *written = touch->write && touch->var == transfer->var && !verify_advances_for_all(graph->task, writer->step) ? verify_held(graph, writer, touch) : NULL;
            if (written == NULL || written->kind == HELD_COPY || written->store != transfer->from->store || verify_is_one_leader(graph->task, written, transfer->from)) continue;
            Turn turn = {graph, around, point, written, writer->step, ARENA_ARRAY(graph->arena, bool, 2 * graph->points.count)};
            if (comes_before_it_went(&turn, p, false)) return true;
        }
    }
    return false;
}

/* What moves for all LPUs in front of what one of them does leaves alone what those before have done: either they write one place, or what
 * moves goes home from where none of them writes, and did so before the first one needed any of it. */
void verify_turns(const Graph *graph, size_t point, const Transfer *transfer) {
    for (size_t around = graph->points.items[point].within; around != 0; around = graph->points.items[around].within) {
        const PlanStep *visit = graph->points.items[around].step;
        bool several = false, from = false;
        if (visit->kind != PLAN_LPUS || visit->lps == transfer->within || !lps_is_within(visit->lps, transfer->within)) continue;
        if (lps_is_single_in(visit->lps, transfer->within)) continue;
        look_for_writes(graph, around, transfer, &several, &from);
        const bool early = !move_goes_home(graph->task, transfer) && (comes_in_turn(graph, around, transfer) || comes_too_early(graph, point, around, transfer));
        if (early)
            verify_fail(graph, &graph->points.items[point], "%s moves for all LPUs of Space %s, in turn of one, and what another one has written is not yet where that comes from", transfer->var->name, visit->lps->name);
        if (several && (from || !move_goes_home(graph->task, transfer)))
            verify_fail(graph, &graph->points.items[point], "%s moves for all LPUs of Space %s, in turn of one that may come after another one has written it", transfer->var->name,
                        visit->lps->name);
    }
}
