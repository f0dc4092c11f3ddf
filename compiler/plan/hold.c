/* Where data live under the mapping in hand. In one address space: the array as a whole, copies of padded parts, or padded parts
 * that are the array (storage.c has decided that). Over several address spaces (segments): each has the parts of its own LPUs;
 * what LPUs read of an array that their Space does not divide, as much of it as their stages touch; and above the
 * segments, for a stage that runs once, what it touches, at the leader of its LPU.
 *
 * Where the LPUs of a Space above the segments have copies, a copy is a store as the array's is, for all that is in its LPU: each
 * segment that runs the LPU holds some of it. The leader fills it from what lies around it, and hands it back; what others need of it
 * comes from there, or from who has written it. So it is with padded parts that are the array, but that nobody fills them: their padding comes
 * from home to home. Nothing else moves between two stores.
 *
 * Needs: flow, storage and footprints; the resolved mapping. Gives: TaskPlan.holdings, one for each place in which some step touches a
 * variable. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

bool hold_is_local(const TaskPlan *task, const Lps *lps) {
    if (task->mapping == NULL || task->mapping->segments <= 1) return true;
    return task->mapping->lpses[lps->id].level >= model_segment_level(task->mapping->model);
}

/* The highest Space around `lps`, or itself, whose LPUs lie in one segment each. */
static const Lps *top_local(const TaskPlan *task, const Lps *lps) {
    while (lps->parent != NULL && hold_is_local(task, lps->parent)) lps = lps->parent;
    return lps;
}

/* LPUs in different segments may have the same elements of what they hold: some Space on the way down from the store does not divide it. */
static bool is_shared(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store) {
    for (const Lps *at = lps; at != store && at->parent != NULL; at = at->parent) {
        if (hold_is_local(task, at->parent) || at->dims == 0) continue;
        const LpsVar *entry = var_is_array(var) ? lps_find_var(at, var) : NULL;
        if (entry == NULL) return true;
        for (int d = 0; d < at->dims; d++)
            if (entry->dims[d].function == PART_REPLICATED) return true;
    }
    return false;
}

/* Different leaders have copies of the same elements: some Space on the way down from the store does not divide the array. */
static bool leaders_share(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store) {
    for (const Lps *at = lps; at != store && at->parent != NULL; at = at->parent) {
        const LpsVar *entry = lps_find_var(at, var);
        for (int d = 0; d < at->dims && task->spaces[at->id].ppus > 1; d++)
            if (entry == NULL || entry->dims[d].function == PART_REPLICATED) return true;
    }
    return false;
}

static Holding place_of_array(const TaskPlan *task, const Var *var, const Lps *lps, bool everyone) {
    const Lps *store = plan_store_level(task, var, lps);
    const LpsPlan *space = &task->spaces[store->id];
    if (store->parent != NULL && hold_is_local(task, store))
        return (Holding){.var = var, .lps = store, .store = store, .kind = space->stored[plan_view_slot(store, var)] == STORED_HOME ? HELD_HOME : HELD_COPY};
    if (!hold_is_local(task, lps))
        return (Holding){.var = var, .lps = lps, .store = store, .kind = everyone ? HELD_EVERYWHERE : HELD_STAGED, .shared = everyone || leaders_share(task, var, lps, store)};
    const Lps *top = top_local(task, lps), *found = NULL;
    for (const Lps *at = lps; at != NULL && hold_is_local(task, at); at = at->parent)
        if (plan_view_slot(at, var) >= 0 || at->parent == NULL) found = at;
    if (found == NULL) return (Holding){.var = var, .lps = top, .store = store, .kind = HELD_TOUCHED, .shared = true};
    if (found->parent == NULL) return (Holding){.var = var, .lps = found, .store = store, .kind = HELD_WHOLE};
    const bool padded = plan_array(task, var)->overlaps && lps_lists_padded(found, var);
    return (Holding){.var = var, .lps = found, .store = store, .kind = HELD_PARTS, .shared = is_shared(task, var, found, store), .padded = padded};
}

static Holding place_of_scalar(const TaskPlan *task, const Var *var) {
    const Lps *home = var->home != NULL ? var->home : task->task->spaces.items[0];
    bool everywhere = !hold_is_local(task, home);
    return (Holding){.var = var, .lps = home, .kind = everywhere ? HELD_EVERYWHERE : HELD_SCALAR, .shared = everywhere};
}

/* Where copies of LPUs of `lps` come from. What lies above the segments is held in the parts that are copied: nobody has more of it. Of
 * copies above the segments, too, the leader has it, who fills them. */
static Holding place_above(const TaskPlan *task, const Var *var, const Lps *lps) {
    const Lps *store = plan_store_level(task, var, lps->parent);
    if (hold_is_local(task, lps->parent)) return place_of_array(task, var, lps->parent, false);
    if (!hold_is_local(task, lps))
        return (Holding){.var = var, .lps = lps, .store = store, .kind = HELD_STAGED, .shared = leaders_share(task, var, lps, store), .padded = true};
    return (Holding){.var = var, .lps = lps, .store = store, .kind = HELD_PARTS, .shared = is_shared(task, var, lps, store), .padded = true};
}

/* The highest Space whose LPUs have the same leaders: those in one PPU have one. */
static const Lps *top_led(const TaskPlan *task, const Lps *lps) {
    while (lps->parent != NULL && task->spaces[lps->id].level == task->spaces[lps->parent->id].level) lps = lps->parent;
    return lps;
}

bool hold_is_one_leader(const TaskPlan *task, const Holding *a, const Holding *b) {
    return a == b || (a->kind == HELD_STAGED && b->kind == HELD_STAGED && a->store == b->store && top_led(task, a->lps) == top_led(task, b->lps));
}

static Holding *find(const TaskPlan *task, Holding place) {
    for (size_t i = 0; i < task->holdings.count; i++) {
        Holding *known = task->holdings.items[i];
        if (known->var == place.var && known->lps == place.lps && known->store == place.store && known->kind == place.kind) return known;
    }
    return NULL;
}

static Holding place_of(const TaskPlan *task, const MoveTouch *touch) {
    if (!var_is_array(touch->var)) return place_of_scalar(task, touch->var);
    return touch->copies != NULL ? place_above(task, touch->var, touch->copies) : place_of_array(task, touch->var, touch->lps, touch->everyone);
}

Holding *hold_touched(const TaskPlan *task, const MoveTouch *touch) { return find(task, place_of(task, touch)); }

Holding *hold_above(const TaskPlan *task, const Var *var, const Lps *lps) { return find(task, place_above(task, var, lps)); }

Holding *hold_find(const TaskPlan *task, const Var *var, const Lps *lps, bool everyone) {
    return hold_touched(task, &(MoveTouch){.var = var, .lps = lps, .everyone = everyone});
}

Holding *hold_item(const TaskPlan *task, const Var *var) {
    for (size_t i = 0; i < task->holdings.count; i++)
        if (task->holdings.items[i]->var == var && task->holdings.items[i]->kind == HELD_ITEM) return task->holdings.items[i];
    return NULL;
}

/* How well it serves as home: elements that one process alone has, of all that are written, are best; where a stage above the
 * segments runs comes last. */
static int fitness(const Holding *holding) {
    switch (holding->kind) {
    case HELD_PARTS:
    case HELD_HOME:
    case HELD_WHOLE: return holding->shared ? 3 : 4;
    case HELD_STAGED: return 2;
    case HELD_COPY:
    case HELD_TOUCHED: return 1;
    case HELD_EVERYWHERE: return holding->written > 0 && var_is_array(holding->var) ? 2 : 0; /* stages write it there that all segments run */
    default: return 0;
    }
}

const Home *hold_chosen(const TaskPlan *task, const Var *var, const Lps *store) {
    for (size_t i = 0; i < task->homes.count; i++)
        if (task->homes.items[i].place.var == var && task->homes.items[i].place.store == store) return &task->homes.items[i];
    return NULL;
}

const Holding *hold_home(const TaskPlan *task, const Var *var, const Lps *store) {
    const Holding *home = NULL;
    const Home *chosen = hold_chosen(task, var, store);
    if (chosen != NULL) return find(task, chosen->place);
    for (size_t h = task->holdings.count; h-- > 0;) {
        const Holding *holding = task->holdings.items[h];
        if (holding->var != var || holding->store != store || fitness(holding) == 0) continue;
        const int better = home == NULL ? 1 : fitness(holding) - fitness(home);
        if (better > 0 || (better == 0 && holding->written > home->written)) home = holding; /* it is there that the task leaves it */
    }
    return home;
}

/* All that is written anywhere has room there: parts have it, and what one leader in each LPU has whose stages touch all of its part. */
static bool has_room(const Holding *holding) {
    if (holding->kind != HELD_STAGED) return fitness(holding) > 2;
    bool all = false;
    for (size_t i = 0; i < holding->regions.count; i++) all = all || region_is_all(holding->regions.items[i]);
    return all && !holding->shared && !holding->padded && !holding->lps->sub_partition;
}

void hold_homes(Arena *arena, const TaskPlan *task, const Var *var, const Lps *store, bool inside, HomeVec *out) {
    const Holding *home = hold_home(task, var, store);
    if (home == NULL) return;
    vec_push(arena, out, ((Home){*home, inside}));
    for (int fit = fitness(home); fit >= 2; fit--)
        for (size_t h = task->holdings.count; h-- > 0;) {
            const Holding *holding = task->holdings.items[h];
            bool there = holding->var == var && holding->store == store && holding != home;
            if (there && fitness(holding) == fit && has_room(holding)) vec_push(arena, out, ((Home){*holding, inside}));
        }
}

/* Different LPUs of the Space may have the same elements. Sub-partitions of one LPU are run by the same segments. */
static bool lpus_share(const Var *var, const Lps *lps, const Lps *store) {
    for (const Lps *at = lps; at != store && at->parent != NULL; at = at->parent) {
        const LpsVar *entry = lps_find_var(at, var);
        for (int d = 0; d < at->dims && !(at == lps && at->sub_partition); d++)
            if (entry == NULL || entry->dims[d].function == PART_REPLICATED) return true;
    }
    return false;
}

static bool is_in_epoch(const TaskPlan *task, const PlanStep *step, const Holding *holding) {
    const Var *var = step->array->var;
    return holding->var == var && holding->store == plan_store_level(task, var, step->lps) && lps_is_within(hold_around(task, holding), step->lps);
}

bool hold_epoch_is_heard(const TaskPlan *task, const PlanStep *step) {
    if (step->kind != PLAN_EPOCH || step->rotates || hold_is_local(task, step->lps)) return false;
    const Var *var = step->array->var;
    if (move_teller(task, step->lps, task->task->spaces.items[0]) == NULL) return false;
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *holding = task->holdings.items[h];
        bool there = holding->var == var && holding->kind != HELD_ITEM && holding->kind != HELD_COPY && holding->store == plan_store_level(task, var, step->lps);
        if (there && (!is_in_epoch(task, step, holding) || lpus_share(var, step->lps, holding->store))) return true;
    }
    return false;
}

const Holding *hold_advanced(const TaskPlan *task, const PlanStep *step) {
    const Var *var = step->array->var;
    const Lps *store = plan_store_level(task, var, step->lps);
    const Holding *best = hold_home(task, var, store);
    if (lpus_share(var, step->lps, store)) return NULL;
    if (best != NULL && is_in_epoch(task, step, best)) return best;
    best = NULL;
    for (size_t h = task->holdings.count; h-- > 0;) {
        const Holding *holding = task->holdings.items[h];
        if (fitness(holding) < 2 || !is_in_epoch(task, step, holding)) continue;
        const bool own = lps_proper(holding->lps) == lps_proper(step->lps); /* where the Epoch's steps write: nothing need come there */
        if (best == NULL || fitness(holding) > fitness(best) || (own && fitness(holding) == fitness(best))) best = holding;
    }
    return best;
}

bool hold_divides_home(const TaskPlan *task, const ArrayPlan *array) { return array->home->parent != NULL && !hold_is_local(task, array->home); }

const Lps *hold_around(const TaskPlan *task, const Holding *holding) {
    bool copied = holding->kind == HELD_PARTS || holding->kind == HELD_STAGED;
    return copied && holding->store != plan_store_level(task, holding->var, holding->lps) ? holding->lps->parent : holding->lps;
}

bool hold_is_renewed(const TaskPlan *task, const PlanStep *step, const Var *var, const Lps *store) {
    for (size_t i = 0; i < step->renews.count; i++)
        if (step->renews.items[i] == var) return plan_store_level(task, var, step->use != NULL ? step->use->lps : step->lps) == store;
    return false;
}

const Lps *hold_owner(const TaskPlan *task, const Var *var) {
    const Holding *home = hold_home(task, var, plan_array(task, var)->home);
    return home == NULL || !task->arrays[plan_array_index(task, var)].written ? NULL : home->lps;
}

static Holding *add(Arena *arena, TaskPlan *task, Holding place) {
    Holding *holding = ARENA_NEW(arena, Holding);
    *holding = place;
    holding->id = (int)task->holdings.count;
    vec_push(arena, &task->holdings, holding);
    return holding;
}

typedef struct Hold {
    Arena *arena;
    TaskPlan *task;
    int writes; /* so far */
} Hold;

static void hold_region(Hold *hold, Holding *holding, const Region *region) {
    for (size_t i = 0; i < holding->regions.count; i++)
        if (region_equal(holding->regions.items[i], region)) return;
    vec_push(hold->arena, &holding->regions, (Region *)region);
}

static void hold_touch(void *data, const MoveTouch *touch) {
    Hold *hold = data;
    Holding *holding = hold_touched(hold->task, touch);
    if (holding == NULL) holding = add(hold->arena, hold->task, place_of(hold->task, touch));
    hold_region(hold, holding, touch->region);
    if (touch->write) holding->written = ++hold->writes;
}

/* Epochs that advance what several segments have: all versions of it. */
static void hold_epochs(Hold *hold, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const Holding *base = hold_epoch_is_heard(hold->task, step) ? hold_advanced(hold->task, step) : NULL;
        if (base != NULL) hold_region(hold, hold->task->holdings.items[base->id], move_all_versions(hold->arena, base->var, base->lps));
        hold_epochs(hold, &step->body);
    }
}

static void hold_steps(Hold *hold, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        move_touches(hold->arena, hold->task, steps->items[i], hold_touch, hold);
        hold_steps(hold, &steps->items[i]->body);
    }
}

void plan_hold(Arena *arena, TaskPlan *task) {
    Hold hold = {arena, task, 0};
    for (int i = 0; i < task->array_count; i++)
        if (task->arrays[i].var->environment)
            add(arena, task, (Holding){.var = task->arrays[i].var, .lps = task->task->spaces.items[0], .store = task->arrays[i].home, .kind = HELD_ITEM});
    hold_steps(&hold, &task->flow);
    hold_epochs(&hold, &task->flow);
}
