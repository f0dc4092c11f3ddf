/* What moves. The flow is walked with, for each holding, the list of what it does not have fresh: which step wrote it, where.
 * A step that touches a region of a holding which is not fresh needs a Transfer from where it was written. It moves what was
 * written or what is needed, whichever is less; what has moved is fresh until somebody writes it again. Loops are walked until another
 * round finds nothing else.
 *
 * Copies, padding and results of reductions have steps of their own in the flow; each is a Transfer, too.
 *
 * Needs: holdings. Gives: TaskPlan.transfers, in the order of the steps that need them; serve.c makes a list of them. Breaks: nothing. */
#include "compiler/plan/inspect.h"

/* ---- What is not fresh ------------------------------------------------------------------------------------------ */
typedef struct Stale {
    const Holding *from;
    const Region *region;
    const PlanStep *writer; /* NULL: the start */
    RegionVec have;         /* of it, what has moved already */
    bool by_home;           /* written elsewhere: `from` is the home, which must have it first */
    bool begun;             /* some of it has moved, and what it moved to may have been written since */
    int visit;              /* in which it was written, of an LPU that lies in one segment with all in it, or whose leader wrote it; 0: none */
    const Holding *leader;  /* what that leader touches; NULL: the other kind of visit */
} Stale;
typedef VEC(Stale) StaleVec;

typedef struct Mover {
    Arena *arena;
    TaskPlan *task;
    StaleVec *stale; /* by Holding.id */
    PlanStep *step;
    bool again; /* in another round of some loop than the first */
    bool some;  /* some LPUs may not run the step that others run */
    int visit, visits; /* the one at hand of an LPU that lies in one segment, 0: none; so far */
    int *led;          /* by Lps.id: the one at hand of an LPU of the Space, 0: none */
} Mover;

/* Names nothing that changes from one round to the next. */
static bool stays(const Mover *mover, const Region *region) {
    for (int d = 0; d < region->rank; d++) {
        const RegionDim *dim = &region->dims[d];
        if (dim->kind == REGION_INDIRECT && (!stays(mover, dim->values) || mover->task->arrays[plan_array_index(mover->task, dim->values->var)].written))
            return false;
        if ((dim->low != NULL && dim->low->kind != EXPR_INTEGER) || (dim->high != NULL && dim->high->kind != EXPR_INTEGER)) return false;
    }
    return true;
}

/* … and what of it is touched in the holding does not change either. */
static bool stays_in(const Mover *mover, const Holding *holding, const Region *region) {
    if (!stays(mover, region)) return false;
    return holding->inspection == NULL || !inspect_region(region) || inspect_is_steady(mover->task, holding->inspection);
}

static const Holding *home_of(const Mover *mover, const Holding *holding) {
    return var_is_array(holding->var) ? hold_home(mover->task, holding->var, holding->store) : NULL;
}

static TransferKind kind_of(const Holding *from, const Holding *to) {
    if (from->kind == HELD_ITEM || to->kind == HELD_ITEM) return TRANSFER_FILE;
    if (!var_is_array(from->var)) return TRANSFER_SCALAR;
    if (to->kind == HELD_STAGED) return TRANSFER_GATHER;
    if (to->shared) return TRANSFER_REPLICATE;
    return from->kind == HELD_STAGED ? TRANSFER_SCATTER : TRANSFER_REPARTITION;
}

static void add_writer(Mover *mover, Transfer *transfer, const PlanStep *writer) {
    if (!move_follows(transfer, writer)) vec_push(mover->arena, &transfer->after, writer);
}

static Transfer *transfer_new(Mover *mover, Transfer what) {
    Transfer *transfer = ARENA_NEW(mover->arena, Transfer);
    *transfer = what;
    transfer->versions = var_is_array(what.var) ? plan_versions(&mover->task->arrays[plan_array_index(mover->task, what.var)]) : 1;
    vec_push(mover->arena, &mover->task->transfers, transfer);
    return transfer;
}

static Transfer *move(Mover *mover, const Stale *stale, const Holding *to, const Region *region, const Region *needed) {
    for (size_t i = 0; i < mover->task->transfers.count; i++) {
        Transfer *known = mover->task->transfers.items[i];
        bool same = known->step == NULL && known->from == stale->from && known->to == to && known->before == mover->step;
        if (!same || inspect_region(known->needed) != inspect_region(needed) || !region_same_elements(known->region, region)) continue;
        add_writer(mover, known, stale->writer);
        if (!region_same_elements(known->needed, needed)) known->needed = known->region; /* of all that is needed */
        return known;
    }
    Transfer what = {.kind = kind_of(stale->from, to), .var = to->var, .from = stale->from, .to = to,
                     .region = region, .needed = needed, .before = mover->step};
    Transfer *transfer = transfer_new(mover, what);
    add_writer(mover, transfer, stale->writer);
    return transfer;
}

/* Parts are read from the environment once, as wholes. */
static bool holding_is_home(const Holding *holding, const Stale *entry) {
    return entry->from->kind == HELD_ITEM && (holding->kind == HELD_PARTS || holding->kind == HELD_HOME || holding->kind == HELD_WHOLE);
}

static const Region *moved_region(Mover *mover, const Stale *entry, const Holding *holding, const Region *needed) {
    const Region *moved = region_both(mover->arena, entry->region, needed, holding->inspection != NULL);
    const Holding *other = holding->kind == HELD_ITEM ? entry->from : holding;
    bool all = holding_is_home(holding, entry) || (holding->kind == HELD_ITEM && region_is_all(moved));
    if (!all) return moved;
    RegionKind kind = other->kind == HELD_WHOLE ? REGION_WHOLE : other->kind == HELD_HOME && holding->kind == HELD_ITEM ? REGION_OWN : REGION_PART;
    return move_whole(mover->arena, holding->var, other->lps, kind);
}

/* A sub-partition's leader is that of the LPU. */
static bool is_one_place(const Holding *a, const Holding *b) {
    return a->kind == HELD_STAGED && b->kind == HELD_STAGED && lps_proper(a->lps) == lps_proper(b->lps);
}

static int visit_of(const Mover *mover, const Holding *leader) { return leader == NULL ? mover->visit : mover->led[lps_proper(leader->lps)->id]; }

/* What was written in the visit at hand lies where the reader looks for it, and what moves for the reader moves in front of the visit. What
 * moves inside visits goes home first: others' elements that come from there would come over it. */
static bool is_here(const Mover *mover, const Stale *entry, const Holding *reader) {
    if (entry->visit == 0 || entry->visit != visit_of(mover, entry->leader)) return false;
    if (entry->leader == NULL) return true;
    const Holding *home = home_of(mover, entry->leader);
    return is_one_place(entry->leader, reader) && home != NULL && !move_is_inside(mover->task, lps_proper(entry->leader->lps), entry->leader, home);
}

/* What others have written goes home, as they have written it: from then on the home has the newest of all elements. `own`: also what
 * one LPU of it has written for those that have the same. */
static void bring_home(Mover *mover, const Holding *home, const Holding *reader, bool own) {
    StaleVec *stale = &mover->stale[home->id];
    size_t kept = 0;
    for (size_t i = 0; i < stale->count; i++) {
        const Stale *known = &stale->items[i];
        if (known->from->kind == HELD_ITEM || (known->from == home && !own) || is_here(mover, known, reader)) stale->items[kept++] = *known;
        else move(mover, known, home, known->region, known->region);
    }
    stale->count = kept;
}

static void freshen(Mover *mover, const Holding *holding, const Region *needed) {
    StaleVec *stale = &mover->stale[holding->id];
    size_t kept = 0;
    if (holding == home_of(mover, holding)) bring_home(mover, holding, holding, true);
    for (size_t i = 0; i < stale->count; i++) {
        Stale *entry = &stale->items[i];
        if (is_here(mover, entry, holding)) {
            stale->items[kept++] = *entry;
            continue;
        }
        if (entry->by_home || entry->begun) bring_home(mover, entry->from, holding, false);
        const Region *moved = moved_region(mover, entry, holding, needed);
        Transfer *transfer = region_is_among(&entry->have, moved) ? NULL : move(mover, entry, holding, moved, needed);
        if (moved == entry->region || holding_is_home(holding, entry) || holding->kind == HELD_ITEM) continue;
        if (transfer != NULL) transfer->less = true;
        if (transfer != NULL && !stays_in(mover, holding, moved)) transfer->partial = true;
        if (stays_in(mover, holding, moved) && !region_is_among(&entry->have, moved)) vec_push(mover->arena, &entry->have, (Region *)moved);
        entry->begun = entry->from->kind != HELD_ITEM;
        stale->items[kept++] = *entry;
    }
    stale->count = kept;
}

static void add_stale(Mover *mover, const Holding *holding, const Holding *from, const Holding *written, const Region *region, bool by_home) {
    StaleVec *stale = &mover->stale[holding->id];
    const Holding *leader = written->kind == HELD_STAGED ? written : NULL;
    const int visit = var_is_array(holding->var) ? visit_of(mover, leader) : 0; /* what is told of scalars is told behind it, and moves from there */
    size_t kept = 0;
    for (size_t i = 0; i < stale->count; i++) {
        Stale *known = &stale->items[i];
        bool again = known->writer == mover->step && known->from == from, same = again && known->visit == visit;
        if (again && !same && !stays(mover, known->region)) known->region = move_whole(mover->arena, holding->var, from->lps, REGION_PART);
        bool equal = same && region_equal(known->region, region);
        /* it has not moved since the last round, where it was another region, perhaps */
        if (same && !equal && region_is_all(known->region)) region = known->region;
        if (equal && !stays(mover, region)) region = move_whole(mover->arena, holding->var, from->lps, REGION_PART);
        if (!same || !(equal || region_is_all(region))) stale->items[kept++] = *known;
    }
    stale->count = kept;
    vec_push(mover->arena, stale, ((Stale){.from = from, .region = region, .writer = mover->step, .by_home = by_home, .visit = visit, .leader = leader}));
}

/* Nobody takes an older version from there. */
static bool needs_current_alone(const Mover *mover, const Holding *holding) {
    if (holding->kind == HELD_ITEM) return true;
    for (size_t i = 0; i < holding->regions.count; i++)
        if (holding->regions.items[i]->lag > 0 || holding->regions.items[i]->write) return false;
    return holding != home_of(mover, holding);
}

/* The step, an Epoch, leaves what the holding has as it should be. */
static bool stays_fresh(const Mover *mover, const Holding *written, const Holding *holding) {
    if (mover->step == NULL || mover->step->kind != PLAN_EPOCH) return false;
    return needs_current_alone(mover, holding) || (holding == written && !holding->padded && !mover->some);
}

/* Whoever else has the variable does not have it fresh now. What is written elsewhere than at home comes by way of the home. */
static void spoil(Mover *mover, const Holding *written, const Region *region) {
    const Holding *home = written->kind == HELD_ITEM ? NULL : home_of(mover, written);
    const bool told = mover->step != NULL && (mover->step->everywhere || move_is_told(mover->task, mover->step, written)); /* who has it in the same store has it fresh */
    if (written->kind == HELD_COPY) return; /* their own steps hand copies back */
    for (size_t h = 0; h < mover->task->holdings.count; h++) {
        const Holding *holding = mover->task->holdings.items[h];
        if (holding->var != written->var || holding->store != written->store) continue;
        if (holding->kind == HELD_COPY || (holding == written && !holding->shared && !holding->padded)) continue;
        if (stays_fresh(mover, written, holding) || (told && holding->kind != HELD_ITEM && !holding->padded)) continue;
        bool by_home = home != NULL && home != written && holding != home;
        add_stale(mover, holding, by_home ? home : written, written, region, by_home);
    }
}

/* The step writes all of the array anew, in every LPU; or it fills a copy. */
static bool renews(const Mover *mover, const Holding *holding) {
    if (mover->step->kind == PLAN_COPY_IN && holding->kind == HELD_STAGED && holding->store == mover->step->lps) return true;
    if (mover->some || holding->shared || holding->var->versions > 1 || mover->step->kind != PLAN_STAGE) return false;
    for (size_t i = 0; i < mover->step->regions.count; i++)
        if (mover->step->regions.items[i]->var == holding->var && mover->step->regions.items[i]->overwritten) return true;
    return false;
}

/* What has been written before is of no use to anybody. */
static void renew(Mover *mover, const Var *var, const Lps *store) {
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        if (mover->task->holdings.items[h]->var == var && mover->task->holdings.items[h]->store == store) mover->stale[h].count = 0;
    for (size_t i = 0; i < mover->step->renews.count; i++)
        if (mover->step->renews.items[i] == var) return;
    vec_push(mover->arena, &mover->step->renews, var);
}

/* ---- Regions that name what changes ----------------------------------------------------------------------------------- */

/* The variable gets another value: what was written at the old one lies anywhere now. */
static void change(Mover *mover, const Var *var) {
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        for (size_t i = 0; i < mover->stale[h].count; i++) {
            Stale *entry = &mover->stale[h].items[i];
            RegionVec have = {0};
            for (size_t r = 0; r < entry->have.count; r++)
                if (!region_names(entry->have.items[r], var)) vec_push(mover->arena, &have, entry->have.items[r]);
            entry->have = have;
            if (!region_names(entry->region, var)) continue;
            Region *wider = ARENA_NEW(mover->arena, Region);
            *wider = *entry->region;
            for (int d = 0; d < wider->rank; d++)
                if (region_dim_names(&wider->dims[d], var)) wider->dims[d] = (RegionDim){.kind = REGION_PART};
            entry->region = wider;
        }
}

static void change_written(Mover *mover, const PlanStep *step) {
    if (step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_COUNT) change(mover, step->source->var);
    if (step->kind == PLAN_LOCKSTEP && step->source->kind == STEP_REPEAT_FOR) change(mover, step->source->var);
    if (step->kind == PLAN_REDUCE) change(mover, mover->task->reductions.items[step->reduce].target);
    if (step->kind == PLAN_ADVANCE_SCALAR) change(mover, step->scalar);
    for (size_t i = 0; step->kind == PLAN_STAGE && i < step->use->formals.count; i++) {
        const Formal *formal = &step->use->formals.items[i];
        const Var *actual = formal->kind == FORMAL_PLACE || (formal->kind == FORMAL_VIEW && formal->written) ? plan_actual(step->use, formal, step->source) : NULL;
        if (actual != NULL) change(mover, actual);
    }
}

static bool is_scratch(const Mover *mover, const Var *var) { return var_is_array(var) && plan_array(mover->task, var)->scratch; }

static void freshen_touch(void *data, const MoveTouch *touch) { /* also to write: who writes a part keeps the rest */
    Mover *mover = data;
    if (is_scratch(mover, touch->var)) return;
    const Holding *holding = hold_touched(mover->task, touch);
    if (touch->write && mover->step->everywhere && holding != home_of(mover, holding)) return; /* each has as much of the rest as before */
    if (renews(mover, holding)) renew(mover, holding->var, holding->store);
    else freshen(mover, holding, touch->region);
}

static void spoil_touch(void *data, const MoveTouch *touch) {
    Mover *mover = data;
    if (touch->write && !is_scratch(mover, touch->var)) spoil(mover, hold_touched(mover->task, touch), touch->region);
}

static void move_touched(Mover *mover, PlanStep *step) {
    mover->step = step;
    move_touches(mover->arena, mover->task, step, freshen_touch, mover);
    move_touches(mover->arena, mover->task, step, spoil_touch, mover);
}

/* ---- Steps that move by themselves ---------------------------------------------------------------------------------- */
static Transfer *transfer_of(const Mover *mover, const PlanStep *step) {
    for (size_t i = 0; i < mover->task->transfers.count; i++)
        if (mover->task->transfers.items[i]->step == step) return mover->task->transfers.items[i];
    return NULL;
}

/* Padding goes from home to home: what others have written comes there first, and whoever else has padding has an old one then. */
static void move_padding(Mover *mover, PlanStep *step) {
    const TaskPlan *task = mover->task;
    const Var *var = step->array->var;
    const Holding *home = hold_home(task, var, step->array->home);
    if (home == NULL || !hold_divides_home(task, step->array)) return;
    const Region *all = move_whole(mover->arena, var, home->lps, REGION_PART);
    mover->step = step;
    freshen(mover, home, all);
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *other = task->holdings.items[h];
        if (other->var == var && other != home && other->store == home->store && other->kind != HELD_ITEM) add_stale(mover, other, home, home, all, false);
    }
}

/* What is advanced by all who have it in the Epoch's LPUs moves from there to who has it elsewhere; what these have written comes before. */
static void move_epoch(Mover *mover, PlanStep *step) {
    const TaskPlan *task = mover->task;
    const Var *var = step->array->var;
    const Holding *base = hold_epoch_is_heard(task, step) ? hold_advanced(task, step) : NULL;
    if (base == NULL) return;
    const Region *all = move_all_versions(mover->arena, var, base->lps);
    const Holding *home = home_of(mover, base);
    mover->step = step;
    freshen(mover, base, all);
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *other = task->holdings.items[h];
        bool there = other->var == var && other->store == base->store && other->kind != HELD_COPY;
        if (!there || lps_is_within(hold_around(task, other), step->lps) || needs_current_alone(mover, other)) continue;
        bool by_home = home != base && other != home;
        add_stale(mover, other, by_home ? home : base, base, all, by_home);
    }
}

static void move_step(Mover *mover, const PlanStep *step) {
    TaskPlan *task = mover->task;
    Transfer what = {.before = step, .step = step};
    if (transfer_of(mover, step) != NULL) return;
    if (step->kind == PLAN_COPY_IN || (step->kind == PLAN_COPY_OUT && !step->unchanged)) {
        bool fills = step->kind == PLAN_COPY_IN;
        const Holding *copy = hold_find(task, step->array->var, step->lps, false), *above = hold_above(task, step->array->var, step->lps);
        what.kind = fills ? TRANSFER_FILL : TRANSFER_HAND_BACK;
        what.from = fills ? above : copy;
        what.to = fills ? copy : above;
        what.region = move_whole(mover->arena, step->array->var, step->lps, fills ? REGION_PART : REGION_OWN);
    } else if (step->kind == PLAN_EXCHANGE) {
        what.kind = TRANSFER_HALO;
        what.from = what.to = hold_home(task, step->array->var, step->array->kept != NULL ? step->array->kept : step->array->home);
        what.region = move_whole(mover->arena, step->array->var, task->exchanges.items[step->exchange].lps, REGION_PART);
    } else if (step->kind == PLAN_REDUCE) {
        const ReducePlan *reduce = &task->reductions.items[step->reduce];
        what.kind = TRANSFER_REDUCE;
        what.to = hold_find(task, reduce->target, reduce->to, false);
        what.region = move_whole(mover->arena, reduce->target, reduce->to, REGION_WHOLE);
        what.partials = reduce->from;
    } else return;
    what.var = what.region->var;
    transfer_new(mover, what);
}

/* ---- Along the flow ----------------------------------------------------------------------------------------------------- */
static StaleVec *copy_state(Mover *mover) {
    StaleVec *copy = ARENA_ARRAY(mover->arena, StaleVec, mover->task->holdings.count + 1);
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        for (size_t i = 0; i < mover->stale[h].count; i++) vec_push(mover->arena, &copy[h], mover->stale[h].items[i]);
    return copy;
}

/* What is stale on one of two ways here; fresh is only what is fresh on both. */
static void join_state(Mover *mover, const StaleVec *other) {
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        for (size_t i = 0; i < other[h].count; i++) {
            const Stale *there = &other[h].items[i];
            Stale *here = NULL;
            for (size_t j = 0; j < mover->stale[h].count && here == NULL; j++) {
                Stale *known = &mover->stale[h].items[j];
                bool same = known->from == there->from && known->writer == there->writer && known->visit == there->visit;
                if (same && (region_equal(known->region, there->region) || region_is_all(known->region))) here = known;
            }
            if (here == NULL) {
                vec_push(mover->arena, &mover->stale[h], *there);
                continue;
            }
            RegionVec have = {0};
            for (size_t r = 0; r < here->have.count; r++)
                if (region_is_among(&there->have, here->have.items[r])) vec_push(mover->arena, &have, here->have.items[r]);
            here->have = have;
            here->begun = here->begun || there->begun;
        }
}

/* All that is stale in the one state is so in the other, in whichever visit it was written. */
static bool has_all(const Mover *mover, const StaleVec *state, const StaleVec *other) {
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        for (size_t i = 0; i < other[h].count; i++) {
            const Stale *there = &other[h].items[i];
            bool found = false;
            for (size_t j = 0; j < state[h].count && !found; j++) {
                const Stale *here = &state[h].items[j];
                found = here->from == there->from && here->writer == there->writer && here->by_home == there->by_home && here->begun == there->begun &&
                        here->have.count == there->have.count && region_equal(here->region, there->region);
            }
            if (!found) return false;
        }
    return true;
}

static void walk(Mover *mover, const PlanStepVec *steps);

/* One round, and what the loop's condition asks for after it. */
static void walk_round(Mover *mover, PlanStep *step, bool loop) {
    change_written(mover, step);
    walk(mover, &step->body);
    if (loop && step->source->kind == STEP_REPEAT_WHILE) move_touched(mover, step);
}

/* Of LPUs that lie in one segment each, with all in them. */
static bool is_visit(const TaskPlan *task, const PlanStep *step) {
    return step->kind == PLAN_LPUS && hold_is_local(task, step->lps) && !hold_is_local(task, step->lps->parent);
}

static void walk_step(Mover *mover, PlanStep *step) {
    move_touched(mover, step);
    if (step->kind == PLAN_EXCHANGE) move_padding(mover, step);
    if (step->kind == PLAN_EPOCH) move_epoch(mover, step);
    move_step(mover, step);
    bool optional = step->kind == PLAN_IF || step->kind == PLAN_GUARD;
    bool loop = step->kind == PLAN_REPEAT_FOR || step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_SUB_PARTS ||
                (step->kind == PLAN_LOCKSTEP && step->source->kind != STEP_IF);
    if (!optional && !loop) {
        const bool visits = step->kind == PLAN_LPUS;
        const int outer = mover->visit, led = visits ? mover->led[step->lps->id] : 0;
        if (is_visit(mover->task, step)) mover->visit = ++mover->visits;
        if (visits) mover->led[step->lps->id] = ++mover->visits;
        change_written(mover, step);
        walk(mover, &step->body);
        mover->visit = outer;
        if (visits) mover->led[step->lps->id] = led;
        return;
    }
    bool some = mover->some;
    const StaleVec *without = copy_state(mover), *before; /* the body may not run at all */
    enum { MOST_ROUNDS = 6 };
    mover->some = some || step->kind == PLAN_SUB_PARTS || step->kind == PLAN_GUARD || !move_decides_for_all(mover->task, step->lps);
    walk_round(mover, step, loop);
    if (loop && !mover->again) {
        mover->again = true; /* what one round leaves meets the next; loops inside have met themselves already */
        int rounds = 1;
        do {
            before = copy_state(mover);
            walk_round(mover, step, loop);
            join_state(mover, before);
        } while (++rounds < MOST_ROUNDS && !(has_all(mover, mover->stale, before) && has_all(mover, before, mover->stale)));
        mover->again = false;
    }
    join_state(mover, without);
    mover->some = some;
}

static void walk(Mover *mover, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) walk_step(mover, steps->items[i]);
}

/* What the flow leaves. What has never come from the environment is nobody's newer. */
static void note_old(const Mover *mover) {
    for (size_t h = 0; h < mover->task->holdings.count; h++)
        for (size_t i = 0; i < mover->stale[h].count; i++)
            mover->task->holdings.items[h]->old = mover->task->holdings.items[h]->old || mover->stale[h].items[i].from->kind != HELD_ITEM;
}

static bool is_given(const TaskPlan *task, const Holding *item, const Holding *home) {
    bool given = false;
    for (size_t i = 0; i < task->transfers.count; i++) {
        const Transfer *known = task->transfers.items[i];
        given = given || (known->from == item && known->to == home && region_is_all(known->region));
    }
    return given;
}

/* What answers for an array in the end has what the environment gave, too, where the steps that write it anew may not have run. */
static void keep_given(Mover *mover, const Holding *item) {
    const Holding *home = hold_home(mover->task, item->var, item->store);
    if (home == NULL || is_given(mover->task, item, home)) return;
    for (size_t i = 0; mover->stale[item->id].count > 0 && i < mover->stale[home->id].count; i++) {
        if (mover->stale[home->id].items[i].from != item) continue;
        const Region *all = move_whole(mover->arena, item->var, home->lps, home->kind == HELD_WHOLE ? REGION_WHOLE : REGION_PART);
        move(mover, &mover->stale[home->id].items[i], home, all, all);
    }
}

void plan_transfer(Arena *arena, TaskPlan *task) {
    Mover mover = {.arena = arena, .task = task, .stale = ARENA_ARRAY(arena, StaleVec, task->holdings.count + 1),
                   .led = ARENA_ARRAY(arena, int, task->task->spaces.count + 1)};
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *item = task->holdings.items[h];
        if (item->kind == HELD_ITEM && item->var->link != LINK_CREATE)
            spoil(&mover, item, move_whole(arena, item->var, item->lps, REGION_WHOLE));
    }
    walk(&mover, &task->flow);
    mover.step = NULL;
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *item = task->holdings.items[h];
        if (item->kind != HELD_ITEM) continue;
        keep_given(&mover, item);
        freshen(&mover, item, move_whole(arena, item->var, item->lps, REGION_WHOLE));
    }
    note_old(&mover);
}
