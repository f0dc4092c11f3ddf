/* Every value that a step needs where it runs has moved there. From each step that writes a variable all paths are followed; on
 * the way transfers happen, and where a step asks for the variable in another holding (or in one that several segments have), a
 * chain of them must have brought what the one has written of what the other needs. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* What a step has written and a transfer would move. */
typedef struct Load {
    const Transfer *transfer;
    const PlanStep *writer;
    Note note; /* of what the step has written, and of others beside that, perhaps */
} Load;

typedef struct Seen { /* a way to a point */
    uint64_t moved;   /* which of the transfers have happened since the write, */
    uint64_t done;    /* for which of them the step that needs it has come, */
    uint64_t late;    /* and for which only after the step has written once more: elsewhere, perhaps */
    uint64_t reached; /* in which holdings what was written of the load's elements has arrived, by Holding.id modulo 64 */
    bool waiting;     /* the load is there, and has not moved */
    bool again;       /* the step has */
    bool inside;      /* of the visit, by one address space, in which the step wrote: what moves for readers there moves in front of it */
    bool own;         /* of the visit of the LPU in which the step wrote */
    bool merged;      /* whoever has the elements in the holding where they were written has the same since then */
    bool told;        /* whoever has them in that store, for whatever reason */
    uint64_t watched; /* in LPUs of which Spaces (Lps.id modulo 64) what the variable holds has been remembered since the write: what is merged there later is not that */
} Seen;
typedef VEC(Seen) SeenVec;

typedef struct Track {
    Graph *graph;
    const Var *var;
    const PlanStep *writer; /* NULL: the environment, at the start */
    const Region *written;  /* NULL: all of it */
    const Holding *at;
    const Holding *copies;   /* where that is as new: what is handed back stays in the copies */
    VEC(const Transfer *) transfers; /* of the variable, after the writer */
    VEC(Load) others;        /* of the variable, of the same elements perhaps, after whatever step */
    const Load *load;        /* that must not move over what the writer has written; NULL: what steps need is looked at */
    SeenVec *seen;
    bool alike;                      /* all LPUs run the writer */
} Track;

/* Of what no formula tells, that moves which the reader's indices name; or the whole dimension. */
static bool is_found(const Transfer *transfer, const RegionDim *dim) { return transfer->inspection != NULL && region_rank(dim) == 1; }
static bool moves_whole(const Transfer *transfer, const RegionDim *dim) { return region_rank(dim) == 3 || (transfer->inspection == NULL && region_rank(dim) == 1); }

/* It moves what has been written of `needed`, as far as the dimension tells. */
static bool covers_dim(const Track *track, const Transfer *transfer, int d, const Region *needed, const PlanStep *reader, bool again) {
    const RegionDim *dim = &transfer->region->dims[d];
    if (region_rank(dim) == 3) return true;
    bool as_written = !is_found(transfer, dim) && track->written != NULL && region_dim_is_within(&track->written->dims[d], dim) && (!again || moves_whole(transfer, dim) || verify_stays(dim) || verify_is_constant(track->graph, dim));
    return as_written || (needed != NULL && region_dim_is_within(&needed->dims[d], dim) && (transfer->before == reader || verify_is_constant(track->graph, dim)));
}

static bool covers(const Track *track, const Transfer *transfer, const Region *needed, const PlanStep *reader, bool again) {
    for (int d = 0; d < transfer->region->rank; d++)
        if (!covers_dim(track, transfer, d, needed, reader, again)) return false;
    return true;
}

/* All address spaces run the writer: who has the elements in that store has what it has written. */
static bool all_write(const Track *track, const Holding *holding) {
    return track->writer != NULL && track->writer->everywhere && holding->store == track->at->store && holding->kind != HELD_ITEM && holding->kind != HELD_COPY;
}

static bool was_written_at(const Track *track, const Holding *holding, const Seen *seen) {
    if (holding == track->at || holding == track->copies || all_write(track, holding)) return true;
    return seen->told && holding->store == track->at->store && holding->kind != HELD_ITEM && holding->kind != HELD_COPY && !holding->padded;
}

/* Whoever else has elements of what the task leaves is not asked for them: its home answers for the array. */
static bool is_asked(const Track *track, const Transfer *transfer) {
    if (transfer->to->kind != HELD_ITEM || hold_owner(track->graph->task, track->var) == NULL) return true;
    return transfer->from == hold_home(track->graph->task, track->var, track->at->store);
}

static bool arrives(const Track *track, const Holding *to, const Region *needed, const PlanStep *reader, const Seen *seen) {
    bool reached[64] = {false}, more = true;
    while (more) {
        more = false;
        for (size_t t = 0; t < track->transfers.count; t++) {
            const Transfer *transfer = track->transfers.items[t];
            bool at_start = reader == NULL && transfer->from->kind == HELD_ITEM; /* in the end it is there, whoever has read it first */
            bool moved = at_start || transfer->within == NULL || (seen->moved >> t & 1) != 0;
            bool done = at_start || (seen->done >> t & 1) != 0, happened = moved && (done || (seen->late >> t & 1) != 0 || transfer->before == reader);
            bool from = was_written_at(track, transfer->from, seen);
            for (size_t s = 0; s < track->transfers.count; s++) from = from || (reached[s] && track->transfers.items[s]->to == transfer->from);
            if (reached[t] || !happened || !from || !is_asked(track, transfer) || !covers(track, transfer, needed, reader, seen->again && !done)) continue;
            reached[t] = more = true;
            if (transfer->to == to) return true;
        }
    }
    return false;
}

bool verify_advances_for_all(const TaskPlan *task, const PlanStep *step) { return step != NULL && step->kind == PLAN_EPOCH && !hold_is_local(task, step->lps); }

/* Whoever has the elements in the holding that the step writes has the same afterwards. */
static bool reaches_all(const TaskPlan *task, const PlanStep *step) {
    return verify_advances_for_all(task, step) || (step != NULL && step->kind == PLAN_EXCHANGE);
}

/* What moves between the two stays where it is: a sub-partition's leader is that of the LPU. */
static bool is_one_place(const Holding *a, const Holding *b) {
    return a->kind == HELD_STAGED && b->kind == HELD_STAGED && lps_proper(a->lps) == lps_proper(b->lps);
}

static void need(const Track *track, const Point *point, const Holding *to, const Region *needed, const Seen *seen) {
    if (to == NULL || to->store != track->at->store) return; /* what moves between two stores has a step of its own (verify_moves.c) */
    if (all_write(track, to) || (to != track->at && was_written_at(track, to, seen))) return;
    if ((to == track->at && (!verify_have_same(track->graph->task, to) || reaches_all(track->graph->task, track->writer)) && !to->padded) || to->kind == HELD_COPY) return;
    if (to == track->at && seen->told) return;
    const Seen early = {.moved = UINT64_MAX, .done = seen->done, .late = seen->late, .again = seen->again}; /* in front of a visit it moves too early for rounds in there, which merge it */
    if (to == track->at && seen->merged && arrives(track, to, needed, point->step, &early)) return;
    if (seen->own && is_one_place(to, track->at)) return; /* visits are cut where an LPU needs what another one has written */
    if (arrives(track, to, needed, point->step, seen)) return;
    Text region = {0};
    if (needed != NULL) region_print(needed, track->var->name, &region);
    verify_fail(track->graph, point, "it needs %s, and what %s has written has not moved there", region.data != NULL ? region.data : track->var->name,
                track->writer == NULL ? "the environment" : track->writer->use != NULL ? track->writer->use->what : "another step");
}

/* ---- Steps that overwrite ------------------------------------------------------------------------------------------ */
/* Every LPU runs the step, and writes all that it has of the variable before it reads any of it; or it fills the copy in which the value is. */
static bool overwrites(const Track *track, const Point *point) {
    const Graph *graph = track->graph;
    if (point->step == NULL || point->done || !var_is_array(track->var)) return false;
    if (point->step->kind == PLAN_COPY_IN) return point->step->array->var == track->var && point->step->lps == track->at->store;
    if (point->step->kind != PLAN_STAGE || track->var->versions > 1) return false;
    const Holding *at = hold_find(graph->task, track->var, point->step->use->lps, false);
    if (at == NULL || verify_have_same(graph->task, at) || at->store != track->at->store) return false;
    return verify_all_run(graph, point) && footprint_overwrites(point->step->source, track->var);
}

/* ---- What overtakes ------------------------------------------------------------------------------------------------ */
/* What `writer` has written, and nothing beside it: that was newer where it ran. */
static bool is_of(const Track *track, const Transfer *transfer, const PlanStep *writer) {
    if (transfer->to == hold_home(track->graph->task, transfer->var, track->at->store)) return true;
    for (size_t i = 0; writer != NULL && i < writer->regions.count; i++) {
        const Region *written = writer->regions.items[i];
        bool same = written->write && written->var == transfer->var;
        for (int d = 0; same && d < written->rank; d++)
            same = region_rank(&written->dims[d]) == 3 || region_dim_equal(&written->dims[d], &transfer->region->dims[d]);
        if (same) return true;
    }
    return false;
}

static bool has_writer(const Transfer *transfer, const PlanStep *writer) {
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] == writer) return true;
    return false;
}

/* The dimension is all that the writer writes of the variable there, whenever it does, or has written by the time when `other` moves. */
static bool is_all_written(const Track *track, size_t at, const Transfer *other, const Load *load, int d) {
    const PlanStep *writer = load->writer;
    const RegionDim *dim = &other->region->dims[d];
    bool all = writer != NULL && writer->kind == PLAN_STAGE && !other->less;
    for (size_t i = 0; all && i < writer->regions.count; i++) {
        const Region *region = writer->regions.items[i];
        all = !region->write || region->var != track->var || region_dim_equal(&region->dims[d], dim);
    }
    return all && (verify_stays(dim) || verify_still_names(track->graph, at, load->transfer, other, writer, dim));
}

/* When `other` has happened at the point, what the writer has written need not move with the transfer any more: all that goes home between
 * the same places goes at once, box by box; of the rest, what has the same elements, or all that the writer wrote. */
static bool moves_for(const Track *track, size_t at, const Transfer *other, const Load *load) {
    const Transfer *transfer = load->transfer;
    if (other->from != transfer->from || other->to != transfer->to || other->within != transfer->within || !has_writer(other, load->writer)) return false;
    bool all = transfer->to == hold_home(track->graph->task, transfer->var, track->at->store);
    for (int d = 0; !all && d < transfer->region->rank; d++) {
        const RegionDim *dim = &other->region->dims[d];
        if (moves_whole(other, dim) || region_dim_equal(dim, &transfer->region->dims[d])) continue;
        if (!is_all_written(track, at, other, load, d)) return false;
    }
    return true;
}

/* In front of the step; or it is a step of its own. */
static bool happens_at(const Transfer *transfer, const PlanStep *step) {
    if (step == NULL) return false;
    return transfer->within != NULL ? step->kind == PLAN_MOVE && step->transfer == transfer : step == transfer->before;
}

/* A transfer that does so happens there. */
static bool moves_at(const Track *track, size_t at, const Load *load) {
    const PlanStep *step = track->graph->points.items[at].step;
    for (size_t t = 0; t < track->graph->task->transfers.count; t++) {
        const Transfer *other = track->graph->task->transfers.items[t];
        if (happens_at(other, step) && other->var == track->var && other->step == NULL && moves_for(track, at, other, load)) return true;
    }
    return false;
}

/* A visit of LPUs that lie in one address space each, and of no more above. */
static bool is_visit(const Graph *graph, const PlanStep *step) {
    return step != NULL && step->kind == PLAN_LPUS && hold_is_local(graph->task, step->lps) && !hold_is_local(graph->task, step->lps->parent);
}

static bool is_in_visit(const Graph *graph, size_t point) {
    for (size_t around = graph->points.items[point].within; around != 0; around = graph->points.items[around].within)
        if (is_visit(graph, graph->points.items[around].step)) return true;
    return false;
}

/* From there on the transfer has something to move. */
static bool is_source(const Load *load, const PlanStep *step) { return step != NULL && (step == load->writer || step == load->note.step); }

/* The writer may have run in front of the point, and nothing has moved since then. `inside`: of the visit, by one address space, that the point is
 * in; where that wrote in it before, the newest lies in the same memory. */
static bool is_waiting(const Track *track, const Load *load, size_t at, bool inside, bool *seen) {
    const Point *points = track->graph->points.items;
    const bool moves = !points[at].done && moves_at(track, at, load);
    if (seen[at] || moves || overwrites(track, &points[at])) return false;
    seen[at] = true;
    inside = inside && (points[at].done || !is_visit(track->graph, points[at].step));
    for (size_t i = 0; i < points[at].last.count; i++) {
        const Edge *edge = &points[at].last.items[i];
        if (edge->visit != NULL) continue;
        if (!inside && !points[edge->to].done && is_source(load, points[edge->to].step)) return true;
        if (is_waiting(track, load, edge->to, inside, seen)) return true;
    }
    return false;
}

/* What Epochs advance is older, there and at home alike. */
static Note note_of(const Track *track, const Transfer *transfer, size_t after) {
    return track->writer->kind == PLAN_EPOCH ? (Note){.writer = transfer->after.items[after]} : verify_note_beside(track->graph, transfer, after);
}

/* Each region that the note names by itself: it goes home in boxes. */
static void note_loads(Track *track, Load load) {
    const bool stage = load.note.step != NULL && load.writer->kind == PLAN_STAGE;
    for (size_t i = 0; stage && i < load.writer->regions.count; i++) {
        load.note.region = load.writer->regions.items[i];
        if (load.note.region->write && load.note.region->var == track->var) vec_push(track->graph->arena, &track->others, load);
    }
    if (!stage) vec_push(track->graph->arena, &track->others, load);
}

/* Transfers of the variable that may bring what was older. What the environment has moves once, before anything is written. */
static void note_others(Track *track) {
    const Graph *graph = track->graph;
    for (size_t t = 0; track->writer != NULL && t < graph->task->transfers.count; t++) {
        const Transfer *transfer = graph->task->transfers.items[t];
        if (transfer->var != track->var || transfer->step != NULL || transfer->from->kind == HELD_ITEM || !verify_may_overlap(transfer->region, track->written)) continue;
        if (transfer->from->store != track->at->store) continue;
        for (size_t a = 0; a < transfer->after.count; a++) note_loads(track, (Load){transfer, transfer->after.items[a], note_of(track, transfer, a)});
    }
}

/* The same for all that are one place. */
static uint64_t bit_of(const Track *track, const Holding *holding) {
    if (holding == NULL) return 0;
    for (size_t h = 0; h < (size_t)holding->id; h++) {
        const Holding *other = track->graph->task->holdings.items[h];
        if (other->var == holding->var && other->store == holding->store && is_one_place(other, holding)) return UINT64_C(1) << h % 64;
    }
    return UINT64_C(1) << holding->id % 64;
}

/* The transfer at the point moves what has been written of the load's elements: all that the note may name. */
static bool brings(const Track *track, const Point *point, const Transfer *transfer, const Seen *seen) {
    const Load *load = track->load;
    bool all = true;
    if (load->note.step == NULL) return covers(track, transfer, load->transfer->region, load->transfer->before, seen->again);
    for (int d = 0; all && d < transfer->region->rank; d++) {
        const RegionDim *dim = &transfer->region->dims[d];
        const bool as_noted = verify_is_as_noted(track->graph, &load->note, dim, d) && (transfer->before == load->writer || verify_is_constant(track->graph, dim));
        all = as_noted || verify_moves_untold(track->graph, point->step, d) || covers_dim(track, transfer, d, NULL, NULL, seen->again);
    }
    return all;
}

/* What moves there takes on what has been written from wherever that has arrived. */
static void move_on(const Track *track, const Point *point, Seen *seen) {
    uint64_t last = 0;
    while (last != seen->reached) {
        last = seen->reached;
        for (size_t t = 0; t < track->transfers.count; t++) {
            const Transfer *transfer = track->transfers.items[t];
            bool moves = happens_at(transfer, point->step) && (seen->reached & bit_of(track, transfer->from)) != 0;
            if (moves && brings(track, point, transfer, seen)) seen->reached |= bit_of(track, transfer->to);
        }
    }
}

/* Of older versions, which Epochs write in all that leaders in one PPU have. */
static bool stays_with_leaders(const TaskPlan *task, const Transfer *transfer) {
    return transfer->region->lag > 0 && transfer->from != transfer->to && verify_is_one_leader(task, transfer->from, transfer->to);
}

/* What moves comes from where the newest is known: else it would bring older elements over newer ones, which may lie in the same store. */
static void check_order(const Track *track, const Point *point, const Seen *seen) {
    const Transfer *transfer = track->load->transfer;
    if ((transfer->from != transfer->to && is_one_place(transfer->from, transfer->to)) || stays_with_leaders(track->graph->task, transfer)) return;
    if ((seen->reached & bit_of(track, transfer->from)) != 0) return;
    Text region = {0};
    region_print(transfer->region, track->var->name, &region);
    verify_fail(track->graph, point, "in front of it %s moves over what %s has written, from where that has not moved", region.data,
                track->writer == NULL ? "the environment" : track->writer->use != NULL ? track->writer->use->what : "another step");
}

/* All address spaces that run the LPU hear of what has changed in the elements that they have. */
static void merge_on(const Track *track, const PlanStep *step, Seen *seen) {
    const bool there = (step->kind == PLAN_WATCH || step->kind == PLAN_MERGE) && step->array->var == track->var;
    const uint64_t in = there ? UINT64_C(1) << step->lps->id % 64 : 0;
    if (step->kind == PLAN_WATCH) seen->watched |= in;
    if ((seen->watched & in) != 0) return;
    for (size_t h = 0; there && h < track->graph->task->holdings.count; h++)
        if (verify_is_merged_in(track->graph->task, step, track->graph->task->holdings.items[h], track->var, track->at->store))
            seen->reached |= bit_of(track, track->graph->task->holdings.items[h]);
    seen->merged = seen->merged || verify_is_merged_for_all(track->graph->task, step, track->at);
    seen->told = seen->told || (there && step->kind == PLAN_MERGE && step->lps == track->at->store && track->var->versions == 1 && !track->at->padded);
}

static void keep_newer(const Track *track, const Point *point, Seen *seen) {
    const Load *load = track->load;
    if (point->done || point == track->graph->points.items) return;
    move_on(track, point, seen);
    if (point->step != NULL) merge_on(track, point->step, seen);
    if (happens_at(load->transfer, point->step) && seen->waiting) check_order(track, point, seen);
    seen->waiting = seen->waiting && !moves_at(track, (size_t)(point - track->graph->points.items), load);
    const bool starts = load->note.step == NULL ? load->writer == point->step && !is_of(track, load->transfer, point->step) : load->note.step == point->step;
    seen->waiting = seen->waiting || starts;
}

/* An Epoch changes older versions alone, and where all LPUs run it, everywhere in that Space alike. */
static bool epoch_spares(const Track *track, const Point *point, const Touch *touch, const Region *needed) {
    if (track->writer == NULL || track->writer->kind != PLAN_EPOCH) return false;
    const Holding *held = verify_held(track->graph, point, touch);
    if (track->alike && held == track->at) return true;
    if (held != NULL && verify_advances_for_all(track->graph->task, track->writer) && lps_is_within(hold_around(track->graph->task, held), track->writer->lps)) return true;
    return needed != NULL && needed->lag == 0 && !touch->write;
}

/* Of an exchange only padding is new, and what an Epoch has advanced is older. */
static bool is_for_environment(const PlanStep *writer) { return writer == NULL || (writer->kind != PLAN_EPOCH && writer->kind != PLAN_EXCHANGE); }

/* All write it, and each has as much of what is left as before. */
static bool keeps_the_rest(const Point *point, const Region *region) { return region->write && point->step->everywhere; }

static void meet(const Track *track, const Point *point, const Seen *seen) {
    const bool at_end = point->step == NULL && point != track->graph->points.items;
    if (at_end && is_for_environment(track->writer)) need(track, point, hold_item(track->graph->task, track->var), NULL, seen);
    if (at_end && track->writer == NULL && hold_owner(track->graph->task, track->var) != NULL)
        need(track, point, hold_home(track->graph->task, track->var, track->at->store), NULL, seen);
    for (size_t i = 0; i < point->apart.count; i++)
        if (point->apart.items[i].var == track->var && !point->apart.items[i].write && !epoch_spares(track, point, &point->apart.items[i], NULL))
            need(track, point, verify_held(track->graph, point, &point->apart.items[i]), NULL, seen);
    for (size_t i = 0; i < point->touches.count; i++) {
        const Touch *touch = &point->touches.items[i];
        if (touch->var != track->var || !verify_is_tracked(track->graph, point, touch)) continue;
        bool alike = touch->write && !var_is_array(touch->var) && point->step->kind == PLAN_STAGE && move_runs_everywhere(track->graph->task, point->step);
        if (alike) continue; /* all write the scalar, whatever it was */
        RegionVec regions = verify_regions_at(track->graph, point, touch);
        if (regions.count == 0 && !epoch_spares(track, point, touch, NULL)) need(track, point, verify_held(track->graph, point, touch), NULL, seen);
        for (size_t r = 0; r < regions.count; r++)
            if (!keeps_the_rest(point, regions.items[r]) && !epoch_spares(track, point, touch, regions.items[r])) need(track, point, verify_held(track->graph, point, touch), regions.items[r], seen);
    }
}

/* Whatever is missing behind the one way is missing behind the other: nothing more has happened. */
static bool lacks_as_much(const Track *track, const Seen *a, const Seen *b) {
    if (a->inside != b->inside || a->own != b->own || a->watched != b->watched || a->merged != b->merged || a->told != b->told) return false;
    if (track->load != NULL) return a->reached == b->reached && a->waiting == b->waiting && a->again == b->again;
    return ((a->moved & ~b->moved) | (a->done & ~b->done)) == 0 && ((a->done | a->late) & ~(b->done | b->late)) == 0 && a->again >= b->again;
}

static bool note_seen(Track *track, size_t point, const Seen *seen) {
    SeenVec *known = &track->seen[point];
    for (size_t i = 0; i < known->count; i++)
        if (lacks_as_much(track, &known->items[i], seen)) return false;
    size_t kept = 0;
    for (size_t i = 0; i < known->count; i++)
        if (!lacks_as_much(track, seen, &known->items[i])) known->items[kept++] = known->items[i];
    known->count = kept;
    vec_push(track->graph->arena, known, *seen);
    return true;
}

/* A visit of LPUs of the Space in which the writer runs, sub-partitions and all. */
static bool is_own_visit(const Track *track, const PlanStep *step) {
    const PlanStep *writer = track->writer;
    return step != NULL && writer != NULL && step->kind == PLAN_LPUS && step->lps == lps_proper(writer->use != NULL ? writer->use->lps : writer->lps);
}

/* Depth first: flows are short, and so are the ways that differ in what has moved. */
static void follow(Track *track, size_t start, bool waiting) {
    typedef struct Way {
        size_t point;
        Seen seen;
    } Way;
    VEC(Way) ways = {0};
    vec_push(track->graph->arena, &ways, ((Way){start, {.reached = bit_of(track, track->at) | bit_of(track, track->copies), .waiting = waiting,
                                                           .own = start != 0, .inside = var_is_array(track->var) && start != 0 && is_in_visit(track->graph, start)}}));
    track->seen = ARENA_ARRAY(track->graph->arena, SeenVec, track->graph->points.count);
    bool first = true;
    while (ways.count > 0) {
        Way way = ways.items[--ways.count];
        const Point *point = &track->graph->points.items[way.point];
        if (!first && overwrites(track, point)) continue; /* the value is gone */
        way.seen.inside = way.seen.inside && !(point->done && is_visit(track->graph, point->step));
        way.seen.own = way.seen.own && !(point->done && is_own_visit(track, point->step));
        const bool here = first || way.seen.inside;
        if (!here && track->load == NULL) meet(track, point, &way.seen);
        if (!here && track->load != NULL) keep_newer(track, point, &way.seen);
        const bool happens = !here && track->load == NULL && point->step != NULL && !point->done;
        if (happens) merge_on(track, point->step, &way.seen);
        for (size_t t = 0; happens && t < track->transfers.count; t++) {
            if (happens_at(track->transfers.items[t], point->step)) way.seen.moved |= UINT64_C(1) << t;
            if (track->transfers.items[t]->before == point->step) *(way.seen.again ? &way.seen.late : &way.seen.done) |= UINT64_C(1) << t;
        }
        if (!first && way.point == start) way.seen.again = true;
        first = false;
        for (size_t i = 0; i < point->next.count; i++) {
            const size_t to = track->load != NULL && track->load->note.step != NULL ? verify_enter(track->graph, &point->next.items[i]) : point->next.items[i].to;
            if (point->next.items[i].visit == NULL && note_seen(track, to, &way.seen)) vec_push(track->graph->arena, &ways, ((Way){to, way.seen}));
        }
    }
}

static void check_loads(Track *track, size_t start) {
    note_others(track);
    for (size_t i = 0; i < track->others.count; i++) {
        track->load = &track->others.items[i];
        bool *seen = ARENA_ARRAY(track->graph->arena, bool, track->graph->points.count);
        follow(track, start, is_waiting(track, track->load, start, is_in_visit(track->graph, start), seen));
    }
}

static void check_written(Graph *graph, size_t start, const Var *var, const Holding *at, const Region *written) {
    if (at == NULL || at->kind == HELD_COPY || verify_is_scratch(graph, start, var)) return;
    Track track = {.graph = graph, .var = var, .writer = graph->points.items[start].step, .written = written, .at = at};
    if (start != 0 && track.writer->kind == PLAN_COPY_OUT) track.copies = hold_find(graph->task, var, track.writer->lps, false);
    bool others = at->padded || verify_have_same(graph->task, at);
    for (size_t h = 0; h < graph->task->holdings.count; h++) {
        const Holding *other = graph->task->holdings.items[h];
        others = others || (other->var == var && other->store == at->store && other != at);
    }
    if (!others) return;
    for (size_t t = 0; t < graph->task->transfers.count; t++) {
        const Transfer *transfer = graph->task->transfers.items[t];
        bool same = transfer->var == var && transfer->step == NULL && transfer->to->store == at->store;
        for (size_t a = 0; same && a < transfer->after.count; a++)
            if (transfer->after.items[a] == track.writer && track.transfers.count < 64) vec_push(graph->arena, &track.transfers, transfer);
    }
    track.alike = !at->padded && start != 0 && verify_all_run(graph, &graph->points.items[start]);
    bool all_get = reaches_all(graph->task, track.writer) || (start != 0 && track.writer->kind == PLAN_EPOCH && track.alike);
    bool merges = verify_have_same(graph->task, at) && var_is_array(var) && start != 0 && !all_get;
    if (merges && (at->kind == HELD_PARTS || at->kind == HELD_TOUCHED || at->kind == HELD_STAGED)) verify_merges(graph, start, at);
    follow(&track, start, false);
    if (start == 0 || !track.writer->everywhere) check_loads(&track, start); /* else what moves is new, wherever from */
}

void verify_transfers(Graph *graph) {
    for (int i = 0; i < graph->task->array_count; i++) {
        const Var *var = graph->task->arrays[i].var;
        if (var->environment && var->link != LINK_CREATE) check_written(graph, 0, var, hold_item(graph->task, var), NULL);
    }
    for (size_t p = 0; p < graph->points.count; p++) {
        for (size_t t = 0; t < graph->points.items[p].apart.count; t++) {
            const Touch touch = graph->points.items[p].apart.items[t];
            if (touch.write) check_written(graph, p, touch.var, verify_held(graph, &graph->points.items[p], &touch), NULL);
        }
        for (size_t t = 0; t < graph->points.items[p].touches.count; t++) {
            const Point *point = &graph->points.items[p];
            const Touch touch = point->touches.items[t];
            if (!touch.write || !verify_is_tracked(graph, point, &touch)) continue;
            const Holding *at = verify_held(graph, point, &touch);
            bool by_region = point->step->kind == PLAN_STAGE && var_is_array(touch.var);
            bool alike = point->step->kind == PLAN_STAGE && !var_is_array(touch.var) && move_runs_everywhere(graph->task, point->step);
            const bool epoch = point->step->kind == PLAN_EPOCH;
            if (!by_region && !alike) check_written(graph, p, touch.var, at, epoch ? verify_all_of(graph, &touch) : NULL);
            for (size_t r = 0; by_region && r < point->step->regions.count; r++) {
                const Region *region = point->step->regions.items[r];
                if (region->var == touch.var && region->write) check_written(graph, p, touch.var, at, region);
            }
        }
    }
}
