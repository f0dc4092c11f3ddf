/* Every transfer between address spaces is a step on every path from who writes to who reads: behind the writer a note that there is
 * something to move, behind that, where the elements come by way of their home, the transfer that brings them there, and then
 * its own step, in front of the reader. Where it moves in turn of one LPU what all of them have, it finds nothing newer there. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

typedef struct Told { /* on the way from the writer */
    uint64_t noted;   /* Spaces, by Lps.id, in whose LPUs there is a note */
    bool ready;       /* the elements are where the transfer takes them from */
    bool gone;        /* all of the array has been written anew */
    bool away;        /* the LPU that lies in one address space with all in it, and in which they were written, has been left */
    bool left;        /* the visit of the LPU in which they were written has ended */
    bool watched;     /* what is merged later is something else */
    bool others;      /* somebody else may have written of the array what has not come to the writer */
} Told;
typedef VEC(Told) ToldVec;

typedef struct Stepping {
    Graph *graph;
    const Transfer *transfer;
    const PlanStep *writer;
    int number;
    bool way;       /* it goes home to be newest there when others come from there (makes_way) */
    ToldVec *known; /* by point */
} Stepping;

/* All who have the elements have merged them: that is two other steps. */
static bool is_merged(const Transfer *transfer) { return transfer->from == transfer->to && !transfer->from->padded; }

static bool has_writer(const Transfer *transfer, const PlanStep *writer) {
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] == writer) return true;
    return false;
}

/* It brings what the writer has written to where the transfer takes it from. */
static bool feeds(const Stepping *stepping, const Transfer *other) {
    return other->within != NULL && !is_merged(other) && other->to == stepping->transfer->from && other->from != other->to && has_writer(other, stepping->writer);
}

/* The writer runs where the transfer takes the elements from, or nobody needs to bring them there. */
static bool is_ready(const Stepping *stepping, const Point *point) {
    const TaskPlan *task = stepping->graph->task;
    bool fed = false;
    for (size_t i = 0; i < point->touches.count + point->apart.count; i++) {
        const Touch *touch = i < point->touches.count ? &point->touches.items[i] : &point->apart.items[i - point->touches.count];
        if (touch->var == stepping->transfer->var && touch->write && verify_held(stepping->graph, point, touch) == stepping->transfer->from) return true;
    }
    for (size_t t = 0; t < task->transfers.count; t++) fed = fed || feeds(stepping, task->transfers.items[t]);
    return !fed;
}

/* It moves all that the transfer would. */
static bool moves_all(const Stepping *stepping, const Transfer *other) {
    const Transfer *transfer = stepping->transfer;
    if (other == transfer) return true;
    if (other->from != transfer->from || other->to != transfer->to || !has_writer(other, stepping->writer)) return false;
    for (int d = 0; d < transfer->region->rank && !move_goes_home(stepping->graph->task, transfer); d++) {
        const RegionDim *dim = &other->region->dims[d];
        if (region_rank(dim) < 3 && !region_dim_equal(dim, &transfer->region->dims[d])) return false;
    }
    return true;
}

static bool has_note(const Told *told, const Transfer *transfer) { return (told->noted >> transfer->within->id & 1) != 0; }

/* What the writer of that number has written may come from where the transfer takes elements to where it takes them from. */
static bool comes_back(const Stepping *stepping, int writer) {
    const Transfer *transfer = stepping->transfer;
    for (size_t t = 0; t < stepping->graph->task->transfers.count && writer != stepping->number; t++) {
        const Transfer *other = stepping->graph->task->transfers.items[t];
        if (other->var != transfer->var || other->from != transfer->to || other->to != transfer->from) continue;
        for (size_t w = 0; w < other->writers.count; w++)
            if (other->writers.items[w] == writer) return true;
    }
    return false;
}

/* What the step does to `told`; whether it ends the search there. */
static bool pass(const Stepping *stepping, const PlanStep *step, Told *told) {
    const Transfer *transfer = stepping->transfer;
    told->gone = told->gone || hold_is_renewed(stepping->graph->task, step, transfer->var, transfer->to->store);
    if (step->kind == PLAN_WATCH && step->array->var == transfer->var) told->watched = true;
    if (!told->watched && verify_is_merged_in(stepping->graph->task, step, transfer->to, transfer->var, transfer->to->store)) return true;
    if (told->gone && step->kind == PLAN_RENEW && step->array->var == transfer->var && step->lps == transfer->within) return true;
    if (step->kind == PLAN_WROTE && step->writer == stepping->number) told->noted |= UINT64_C(1) << step->lps->id;
    told->others = told->others || (step->kind == PLAN_WROTE && comes_back(stepping, step->writer));
    if (step->kind != PLAN_MOVE || !has_note(told, step->transfer)) return step == stepping->writer;
    if (told->ready && moves_all(stepping, step->transfer)) return true;
    told->ready = told->ready || feeds(stepping, step->transfer);
    return false;
}

__attribute__((noreturn)) static void missing(const Stepping *stepping, const Point *point, const Told *told) {
    Text what = {0};
    region_print(stepping->transfer->region, stepping->transfer->var->name, &what);
    verify_fail(stepping->graph, point, "it needs %s, which %s has written, and %s in between", what.data,
                stepping->writer->use != NULL ? stepping->writer->use->what : "another step",
                !has_note(told, stepping->transfer) ? "nobody says so" : !told->ready ? "it has not moved home" : "it is not moved");
}

/* The transfer happens there, for what the writer has written. */
static bool is_move(const Stepping *stepping, const Point *point, const Told *told) {
    return point->step != NULL && point->step->kind == PLAN_MOVE && point->step->transfer == stepping->transfer && has_note(told, stepping->transfer);
}

__attribute__((noreturn)) static void old(const Stepping *stepping, const Point *point) {
    Text what = {0};
    region_print(stepping->transfer->region, stepping->transfer->var->name, &what);
    verify_fail(stepping->graph, point, "it moves %s, which %s has written, and all of which has been written anew since then", what.data,
                stepping->writer->use != NULL ? stepping->writer->use->what : "another step");
}

/* All that one address space has of an array in place lies in one store. */
static bool is_in_place(const Holding *holding) { return holding->kind == HELD_PARTS || holding->kind == HELD_TOUCHED || holding->kind == HELD_WHOLE; }

/* There; or in copies, and the writer has handed them back to there. */
static bool lies_in_store(const Stepping *stepping, const Holding *from) {
    return is_in_place(from) || (from->kind == HELD_COPY && stepping->writer->kind == PLAN_COPY_OUT);
}

/* The reader has what it needs where the writer has left it: the elements go home only because others come from there in front of the
 * same step, over whatever is older by then. */
static bool makes_way(const Stepping *stepping, const Point *reader) {
    const Transfer *transfer = stepping->transfer;
    const size_t own = reader->touches.count;
    bool here = false;
    for (size_t i = 0; i < own + reader->apart.count; i++) {
        const Touch *touch = i < own ? &reader->touches.items[i] : &reader->apart.items[i - own];
        if (touch->var != transfer->var || touch->write) continue;
        if (verify_held(stepping->graph, reader, touch) != transfer->from) return false;
        here = true;
    }
    return here && transfer->from != transfer->to;
}

/* The writer has read what it writes: others' elements had come to it before. */
static bool reads_what_it_writes(const PlanStep *writer, const Var *var) {
    for (size_t w = 0; w < writer->regions.count; w++) {
        const Region *written = writer->regions.items[w];
        bool read = !written->write || written->var != var;
        for (size_t r = 0; r < writer->regions.count && !read; r++) {
            const Region *region = writer->regions.items[r];
            bool covers = !region->write && region->var == var && region->lag == 0 && region->lps == written->lps;
            for (int d = 0; d < region->rank && covers; d++) covers = region_rank(&region->dims[d]) == 3 || region_dim_equal(&region->dims[d], &written->dims[d]);
            read = covers;
        }
        if (!read) return false;
    }
    return writer->kind == PLAN_STAGE;
}

/* The point where the transfer must have happened: its reader; or one that brings others' elements for that, if there are any. */
static bool is_needed_at(const Stepping *stepping, const Point *point, const Told *told) {
    const Transfer *transfer = stepping->transfer, *other = point->step != NULL && point->step->kind == PLAN_MOVE ? point->step->transfer : NULL;
    if (point->done) return false;
    if (stepping->way) return told->others && other != NULL && other->before == transfer->before && other->from == transfer->to && other->to == transfer->from;
    return point->step == transfer->before;
}

static const Lps *space_of(const PlanStep *step) { return lps_proper(step->use != NULL ? step->use->lps : step->lps); }

/* In one visit of an LPU nobody needs what another LPU has written in its own: visits are cut there (split.c). */
static bool is_same_visit(const Stepping *stepping, const Told *told) {
    const PlanStep *reader = stepping->transfer->before;
    return !told->left && reader != NULL && space_of(reader) == space_of(stepping->writer);
}

static bool needs_no_transfer(const Stepping *stepping, const Told *told) {
    return is_same_visit(stepping, told) || (!told->away && lies_in_store(stepping, stepping->transfer->from) && is_in_place(stepping->transfer->to));
}

/* Behind all LPUs of a Space that lie in one address space each, and no more above. */
static bool leaves_address_space(const Stepping *stepping, const Point *point) {
    const PlanStep *step = point->step;
    return step != NULL && point->done && step->kind == PLAN_LPUS && hold_is_local(stepping->graph->task, step->lps) &&
           !hold_is_local(stepping->graph->task, step->lps->parent);
}

static bool leaves_visit(const Stepping *stepping, const Point *point) {
    return point->step != NULL && point->done && point->step->kind == PLAN_LPUS && point->step->lps == space_of(stepping->writer);
}

static bool is_new(const Stepping *stepping, size_t point, const Told *told) {
    ToldVec *known = &stepping->known[point];
    for (size_t i = 0; i < known->count; i++)
        if (known->items[i].noted == told->noted && known->items[i].ready == told->ready && known->items[i].gone == told->gone && known->items[i].away == told->away && known->items[i].left == told->left && known->items[i].watched == told->watched && known->items[i].others == told->others) return false;
    vec_push(stepping->graph->arena, known, *told);
    return true;
}

/* Where a round over sub-partitions above the segments begins or ends: what was noted in their LPUs is of another one. Where they have no element in
 * common, nobody else needs it. */
static void leave_round(const Stepping *stepping, const Point *point, Told *told) {
    const Task *task = stepping->graph->task->task;
    const Lps *rounds = point->step != NULL && point->step->kind == PLAN_SUB_PARTS ? point->step->source->space : NULL;
    const Var *var = stepping->transfer->var;
    if (rounds == NULL || !point->done || hold_is_local(stepping->graph->task, rounds) || !verify_rounds_have_same(rounds, var)) return;
    if (lps_is_within(stepping->transfer->to->store, rounds)) return; /* each has a store of its own */
    for (size_t i = 0; i < task->spaces.count; i++)
        if (lps_is_within(task->spaces.items[i], rounds)) told->noted &= ~(UINT64_C(1) << task->spaces.items[i]->id);
}

static void go(const Stepping *stepping, size_t at, Told told) {
    const Graph *graph = stepping->graph;
    for (size_t i = 0; i < graph->points.items[at].next.count; i++) {
        const Edge *edge = &graph->points.items[at].next.items[i];
        const Point *to = &graph->points.items[edge->to];
        Told then = told;
        if (edge->visit != NULL) continue;
        then.away = then.away || leaves_address_space(stepping, to);
        then.left = then.left || leaves_visit(stepping, to);
        leave_round(stepping, to, &then);
        if (!to->done && then.gone && is_move(stepping, to, &then)) old(stepping, to);
        if (is_needed_at(stepping, to, &then) && !then.gone && !needs_no_transfer(stepping, &then)) missing(stepping, to, &then);
        if (!to->done && to->step != NULL && pass(stepping, to->step, &then)) continue;
        if (is_new(stepping, edge->to, &then)) go(stepping, edge->to, then);
    }
}

static void check_steps(Graph *graph, const Transfer *transfer, const PlanStep *writer, int number) {
    Stepping stepping = {.graph = graph, .transfer = transfer, .writer = writer, .number = number};
    stepping.known = ARENA_ARRAY(graph->arena, ToldVec, graph->points.count);
    for (size_t p = 0; transfer->before != NULL && p < graph->points.count && !stepping.way; p++)
        if (graph->points.items[p].step == transfer->before && !graph->points.items[p].done) stepping.way = makes_way(&stepping, &graph->points.items[p]);
    const bool away = writer != NULL && !hold_is_local(graph->task, writer->use != NULL ? writer->use->lps : writer->lps);
    for (size_t p = 0; writer != NULL && p < graph->points.count; p++)
        if (graph->points.items[p].step == writer && !graph->points.items[p].done)
            go(&stepping, p, (Told){.ready = is_ready(&stepping, &graph->points.items[p]), .away = away, .others = !reads_what_it_writes(writer, transfer->var)});
}

/* ---- LPUs in turn ------------------------------------------------------------------------------------------------------ */
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
        for (size_t i = 0; i < point->touches.count + point->apart.count; i++) {
            const Touch *touch = i < point->touches.count ? &point->touches.items[i] : &point->apart.items[i - point->touches.count];
            const Holding *written = touch->write && touch->var == transfer->var ? verify_held(graph, point, touch) : NULL;
            if (written == NULL || written->kind == HELD_COPY || written->store != transfer->from->store) continue;
            *several = *several || (first != NULL && written != first);
            *from = *from || written == transfer->from;
            first = written;
        }
    }
}

/* What moves for all LPUs in front of what one of them does leaves alone what those before have done: either they write one place, or what
 * moves goes home from where none of them writes, and did so before the first one needed any of it. */
static void check_turns(const Graph *graph, size_t point, const Transfer *transfer) {
    for (size_t around = graph->points.items[point].within; around != 0; around = graph->points.items[around].within) {
        const PlanStep *visit = graph->points.items[around].step;
        bool several = false, from = false;
        if (visit->kind != PLAN_LPUS || visit->lps == transfer->within || !lps_is_within(visit->lps, transfer->within)) continue;
        if (lps_is_single_in(visit->lps, transfer->within)) continue;
        look_for_writes(graph, around, transfer, &several, &from);
        if (several && (from || !move_goes_home(graph->task, transfer)))
            verify_fail(graph, &graph->points.items[point], "%s moves for all LPUs of Space %s, in turn of one that may come after another one has written it", transfer->var->name,
                        visit->lps->name);
    }
}

void verify_steps(Graph *graph) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const PlanStep *step = graph->points.items[p].step;
        if (step != NULL && step->kind == PLAN_MOVE && !graph->points.items[p].done && step->transfer->from != step->transfer->to) check_turns(graph, p, step->transfer);
    }
    for (size_t t = 0; t < graph->task->transfers.count; t++) {
        const Transfer *transfer = graph->task->transfers.items[t];
        if (transfer->within != NULL && !lps_is_within(transfer->within, transfer->to->store))
            internal_error("plan", "%s moves in Space %s, and lies in the LPUs of Space %s", transfer->var->name, transfer->within->name, transfer->to->store->name);
        for (size_t a = 0; transfer->within != NULL && !is_merged(transfer) && a < transfer->after.count; a++)
            check_steps(graph, transfer, transfer->after.items[a], transfer->writers.items[a]);
    }
}
