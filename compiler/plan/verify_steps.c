/* Every transfer between address spaces is a step on every path from who writes to who reads: behind the writer a note that there is
 * something to move, behind that, where the elements come by way of their home, the transfer that brings them there, and then
 * its own step, in front of the reader. */
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"
#include <string.h>

typedef struct Told { /* on the way from the writer */
    uint64_t noted;   /* Spaces, by Lps.id, in whose LPUs there is a note */
    bool ready;       /* the elements are where the transfer takes them from */
    bool gone;        /* all of the array has been written anew */
    bool away;        /* the LPU that lies in one address space with all in it, and in which they were written, has been left */
    bool left;        /* the visit of the LPU in which they were written has ended */
    bool watched;     /* what is merged later is something else */
    uint64_t others;  /* writers, by number, of the array: what they have written may not have come to the writer */
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
    if (other->inspection != NULL && transfer->inspection == NULL) return false;
    if (other->from != transfer->from || other->to != transfer->to || !has_writer(other, stepping->writer)) return false;
    for (int d = 0; d < transfer->region->rank && !move_goes_home(stepping->graph->task, transfer); d++) {
        const RegionDim *dim = &other->region->dims[d];
        if (region_rank(dim) < 3 && !region_dim_equal(dim, &transfer->region->dims[d])) return false;
    }
    return true;
}

static bool has_note(const Told *told, const Transfer *transfer) { return (told->noted >> transfer->within->id & 1) != 0; }

static uint64_t bit_of_writer(int number) { return number >= 0 ? UINT64_C(1) << number % 64 : 0; }

/* It moves all that the other would, of what the writer of that number has written: that one finds nothing new then. */
static bool moves_for(const Transfer *transfer, const Transfer *other, int number) {
    bool found = false;
    if (transfer->partial || transfer->from != other->from || transfer->to != other->to || transfer->within != other->within) return false;
    if (transfer->inspection != NULL && other->inspection == NULL) return false;
    for (int d = 0; d < transfer->region->rank; d++)
        if (region_rank(&transfer->region->dims[d]) < 3 && !region_dim_equal(&transfer->region->dims[d], &other->region->dims[d])) return false;
    for (size_t w = 0; w < transfer->writers.count; w++) found = found || transfer->writers.items[w] == number;
    return found;
}

/* On some way from the point to the writer, something is new for the transfer. */
static bool stays_new(const Stepping *stepping, size_t at, const Transfer *later, int number, bool *seen) {
    const Graph *graph = stepping->graph;
    for (size_t i = 0; i < graph->points.items[at].next.count; i++) {
        const Edge *edge = &graph->points.items[at].next.items[i];
        const Point *to = &graph->points.items[edge->to];
        if (edge->visit != NULL || seen[edge->to]) continue;
        seen[edge->to] = true;
        if (to->step == stepping->writer && !to->done) return true;
        const PlanStep *step = to->done ? NULL : to->step;
        if (step != NULL && step->kind == PLAN_MOVE && moves_for(step->transfer, later, number)) continue;
        if (step != NULL && step->kind == PLAN_RENEW && step->array->var == later->var && step->lps == later->within) continue;
        if (stays_new(stepping, edge->to, later, number, seen)) return true;
    }
    return false;
}

/* The writers whose elements may not have come to the writer, and would come over what it writes. */
static uint64_t others_away(const Stepping *stepping) {
    const Transfer *transfer = stepping->transfer;
    const Graph *graph = stepping->graph;
    bool *seen = ARENA_ARRAY(graph->arena, bool, graph->points.count);
    uint64_t away = 0;
    for (size_t t = 0; t < graph->task->transfers.count; t++) {
        const Transfer *later = graph->task->transfers.items[t];
        if (later->var != transfer->var || later->from != transfer->to || later->to != transfer->from) continue;
        for (size_t w = 0; w < later->writers.count; w++) {
            const int number = later->writers.items[w];
            memset(seen, 0, sizeof *seen * graph->points.count);
            for (size_t p = 0; p < graph->points.count && number != stepping->number; p++) {
                const Point *point = &graph->points.items[p];
                const bool told = point->step != NULL && !point->done && point->step->kind == PLAN_WROTE && point->step->writer == number && point->step->lps == later->within;
                if (told && stays_new(stepping, p, later, number, seen)) away |= bit_of_writer(number);
            }
        }
    }
    return away;
}

static bool brings_from(const Transfer *transfer, uint64_t writers) {
    for (size_t w = 0; w < transfer->writers.count; w++)
        if ((writers & bit_of_writer(transfer->writers.items[w])) != 0) return true;
    return false;
}

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
    if (step->kind == PLAN_WROTE && comes_back(stepping, step->writer)) told->others |= bit_of_writer(step->writer);
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
        if (touch->var != transfer->var || (touch->write && reader->step->kind != PLAN_EPOCH)) continue;
        if (verify_held(stepping->graph, reader, touch) != transfer->from) return false;
        here = true;
    }
    return here && transfer->from != transfer->to;
}

/* The point where the transfer must have happened: its reader; or one that brings others' elements for that, if there are any. */
static bool is_needed_at(const Stepping *stepping, const Point *point, const Told *told) {
    const Transfer *transfer = stepping->transfer, *other = point->step != NULL && point->step->kind == PLAN_MOVE ? point->step->transfer : NULL;
    if (point->done) return false;
    if (stepping->way) return other != NULL && brings_from(other, told->others) && other->before == transfer->before && other->from == transfer->to && other->to == transfer->from;
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
            go(&stepping, p, (Told){.ready = is_ready(&stepping, &graph->points.items[p]), .away = away, .others = others_away(&stepping)});
}

void verify_steps(Graph *graph) {
    for (size_t p = 0; p < graph->points.count; p++) {
        const PlanStep *step = graph->points.items[p].step;
        if (step != NULL && step->kind == PLAN_MOVE && !graph->points.items[p].done && step->transfer->from != step->transfer->to) verify_turns(graph, p, step->transfer);
    }
    for (size_t t = 0; t < graph->task->transfers.count; t++) {
        const Transfer *transfer = graph->task->transfers.items[t];
        if (transfer->within != NULL && !lps_is_within(transfer->within, transfer->to->store))
            internal_error("plan", "%s moves in Space %s, and lies in the LPUs of Space %s", transfer->var->name, transfer->within->name, transfer->to->store->name);
        for (size_t a = 0; transfer->within != NULL && !is_merged(transfer) && a < transfer->after.count; a++)
            check_steps(graph, transfer, transfer->after.items[a], transfer->writers.items[a]);
    }
}

/* One LPU decides for all. */
static bool is_uniform(const TaskPlan *task, const PlanStep *control) {
    if (control->kind == PLAN_LPUS) return true;
    if (control->kind == PLAN_SUB_PARTS || control->kind == PLAN_GUARD) return false;
    return move_decides_for_all(task, control->lps);
}

bool verify_all_run(const Graph *graph, const Point *point) {
    for (size_t around = point->within; around != 0; around = graph->points.items[around].within)
        if (!is_uniform(graph->task, graph->points.items[around].step)) return false;
    return true;
}

/* The highest Space whose LPUs have the same leaders: above the segments those in one PPU have one. */
static const Lps *top_led(const TaskPlan *task, const Lps *lps) {
    lps = lps_proper(lps);
    while (lps->parent != NULL && !hold_is_local(task, lps) && task->spaces[lps->id].level == task->spaces[lps->parent->id].level) lps = lps_proper(lps->parent);
    return lps;
}

bool verify_is_one_leader(const TaskPlan *task, const Holding *a, const Holding *b) {
    return a == b || (a->kind == HELD_STAGED && b->kind == HELD_STAGED && a->store == b->store && top_led(task, a->lps) == top_led(task, b->lps));
}
