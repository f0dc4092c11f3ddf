/* What becomes of each dependence: nothing, or a wait. The flow is walked in order with the list of accesses
 * that later ones may depend on; when an access conflicts with an earlier one across threads and nothing
 * between them has made the right group wait, a PLAN_SYNC is put before it, in the innermost sequence that
 * all threads of that group run alike. Loop bodies are walked twice, so that what one round leaves meets the
 * next; a loop in the second round of another one is walked once, for its own rounds have met already.
 *
 * A wait that is put in later, for the next round, may make an earlier one superfluous. So the flow is walked again with its
 * waits in place, waits without which every dependence is still covered leave, and the last of these walks notes the
 * Dependences and the waits that serve them.
 *
 * Needs: the flow after split.c. Gives: PLAN_SYNCs, PlanStep.serves, TaskPlan.dependences. Breaks: nothing; only adds steps. */
#include "compiler/plan/internal.h"

/* An LPU of the lowest LPS has one thread under every mapping, unless the LPS tree has another branch, whose LPSes
 * may need more threads. */
static bool has_one_thread(const Task *task, const Lps *lps) {
    for (size_t i = 0; i < task->spaces.count; i++)
        if (!task->spaces.items[i]->sub_partition && !lps_is_within(lps, task->spaces.items[i])) return false;
    return true;
}

typedef struct Waited { /* a group, and the step at which it has waited; ancestors imply descendants */
    const Lps *group;
    PlanStep *at;
} Waited;

typedef struct Pending {
    Access access;
    const PlanStep *step;
    VEC(Waited) synced; /* since then; for each group one, or two where waits are compared */
    bool forgotten;     /* another entry stands for it, too */
} Pending;
typedef VEC(size_t) PendingRefs;

typedef struct Sequence Sequence;
struct Sequence { /* the sequences around the current step, innermost first */
    Sequence *outer;
    const Lps *lps;
    PlanStep *at;          /* the step of this sequence that is being walked */
    size_t pending_before; /* accesses known when it was reached */
};

typedef struct Syncs {
    PlanStep *before;
    VEC(PlanStep *) steps;
} Syncs;

typedef struct Synchroniser {
    Planner *planner;
    bool again; /* in the second round of some loop */
    bool placed; /* the waits stand in the flow: nothing is put in, and what they serve is noted */
    VEC(Pending) pending;
    size_t floor;        /* entries from before a body that may not run are not forgotten in it, only hidden */
    PendingRefs *by_var; /* by Var.id: those of each global that are neither forgotten nor hidden, in order */
    PendingRefs hidden;  /* entries for which an equal one of the body that is walked stands until its end */
    AccessVec own;       /* of the step that is met */
    PendingRefs kept;    /* for each body around: how many groups its `floor` entries had waited for */
    VEC(Syncs)
    inserted; /* PLAN_SYNC steps to put before a step (or at the end of a loop's body: `before` is the loop)
               */
    VEC(Syncs) at_end;
} Synchroniser;

/* How many different steps have made the group wait, up to two; the first of them. */
static int waits_since(const Pending *pending, const Lps *group, PlanStep **first) {
    *first = NULL;
    for (size_t i = 0; i < pending->synced.count; i++) {
        if (!lps_is_within(group, pending->synced.items[i].group)) continue;
        if (*first != NULL && *first != pending->synced.items[i].at) return 2;
        *first = pending->synced.items[i].at;
    }
    return *first != NULL;
}

static bool satisfied(const Pending *pending, const Lps *group) {
    PlanStep *first;
    return waits_since(pending, group, &first) > 0;
}

static void mark_synced(Synchroniser *sync, const Lps *group, PlanStep *at, size_t count) {
    for (size_t i = 0; i < count && i < sync->pending.count; i++) {
        Pending *pending = &sync->pending.items[i];
        PlanStep *first;
        int waits = waits_since(pending, group, &first);
        if (!pending->forgotten && (waits == 0 || (sync->placed && waits == 1 && first != at)))
            vec_push(sync->planner->arena, &pending->synced, ((Waited){group, at}));
    }
}

static Syncs *syncs_for(Synchroniser *sync, PlanStep *step, bool end) {
    if (end) {
        for (size_t i = 0; i < sync->at_end.count; i++)
            if (sync->at_end.items[i].before == step) return &sync->at_end.items[i];
        vec_push(sync->planner->arena, &sync->at_end, ((Syncs){.before = step}));
        return &vec_last(&sync->at_end);
    }
    for (size_t i = 0; i < sync->inserted.count; i++)
        if (sync->inserted.items[i].before == step) return &sync->inserted.items[i];
    vec_push(sync->planner->arena, &sync->inserted, ((Syncs){.before = step}));
    return &vec_last(&sync->inserted);
}

static const char *reason(Synchroniser *sync, const Access *first, const Access *second, const Lps *group) {
    Arena *arena = sync->planner->arena;
    const char *did = first->write ? "wrote" : "read",
               *does = second->write ? (first->write ? "writes again" : "writes") : "reads";
    return arena_printf(
        arena, "%s %s %s, which %s %s%s", first->what, did, first->var->name, second->what, does,
        group->parent == NULL ? "" : arena_printf(arena, " in the same LPU of Space %s", group->name));
}

static void insert_sync(Synchroniser *sync, const Sequence *sequence, bool at_end, const Access *first,
                        const Access *second, const Lps *group) {
    size_t known = sync->pending.count;
    while (sequence->outer != NULL && !lps_is_within(group, sequence->lps)) {
        sequence = sequence->outer;
        known = sequence->pending_before;
        at_end = false;
    }
    Syncs *syncs = syncs_for(sync, sequence->at, at_end);
    PlanStep *step = plan_step_new(sync->planner, PLAN_SYNC, sequence->at->source, (Lps *)group);
    step->why = reason(sync, first, second, group);
    step->waits = group;
    vec_push(sync->planner->arena, &syncs->steps, step);
    mark_synced(sync, group, step, known);
}

/* An equal access of before needs nothing that this one does not need: it is forgotten; one from before a body that
 * may not run is hidden in the rest of that body. (It cannot stand for this one, for a wait that a later step asks for
 * may be put between the two.) */
static void remember(Synchroniser *sync, const Access *access, const PlanStep *step) {
    PendingRefs *of_var = &sync->by_var[access->var->id];
    size_t kept = 0;
    for (size_t i = 0; i < of_var->count; i++) {
        size_t index = of_var->items[i];
        Pending *pending = &sync->pending.items[index];
        if (!plan_same_access(&pending->access, access)) of_var->items[kept++] = index;
        else if (index >= sync->floor) pending->forgotten = true;
        else vec_push(sync->planner->arena, &sync->hidden, index);
    }
    of_var->count = kept;
    vec_push(sync->planner->arena, of_var, sync->pending.count);
    vec_push(sync->planner->arena, &sync->pending, ((Pending){.access = *access, .step = step}));
}

typedef struct Meeting {
    size_t pending;
    const Access *own;
    const Lps *group;
} Meeting;
typedef VEC(Meeting) MeetingVec;

static MeetingVec meetings(Synchroniser *sync, const AccessVec *own) {
    MeetingVec found = {0};
    for (size_t i = 0; i < own->count; i++) {
        const PendingRefs *of_var = &sync->by_var[own->items[i].var->id];
        for (size_t p = 0; p < of_var->count; p++) {
            const Pending *pending = &sync->pending.items[of_var->items[p]];
            const Lps *group = plan_conflict(&pending->access, &own->items[i]);
            if (group != NULL && (sync->placed || !satisfied(pending, group)))
                vec_push(sync->planner->arena, &found, ((Meeting){of_var->items[p], &own->items[i], group}));
        }
    }
    return found;
}

/* Which wait serves this dependence, and whether it is the only one that does. */
static void note(Synchroniser *sync, PlanStep *step, const Meeting *meeting) {
    const Pending *pending = &sync->pending.items[meeting->pending];
    Planner *planner = sync->planner;
    const Access *first = &pending->access, *second = meeting->own;
    bool alone = has_one_thread(planner->task->task, meeting->group);
    PlanStep *wait;
    int waits = waits_since(pending, meeting->group, &wait);
    if (waits == 0 && !alone) internal_error("plan", "nothing waits between %s and %s, which meet in %s", first->what, second->what, first->var->name);
    if (waits == 1 && !alone) wait->needed = true;
    DependenceKind kind = !first->write ? DEPENDENCE_ANTI : second->write ? DEPENDENCE_OUTPUT : DEPENDENCE_FLOW;
    Served label = alone ? SERVED_BY_NOTHING : SERVED_BY_WAIT;
    for (size_t i = 0; i < step->needs.count; i++) {
        const Dependence *known = step->needs.items[i];
        if (known->first == pending->step && known->var == first->var && known->kind == kind) return;
    }
    Dependence *dependence = ARENA_NEW(planner->arena, Dependence);
    *dependence = (Dependence){.kind = kind, .label = label, .var = first->var, .lag = kind == DEPENDENCE_FLOW ? second->max_lag : 0,
                               .first = pending->step, .second = step, .before = first->what, .after = second->what,
                               .group = meeting->group, .wait = alone ? NULL : wait};
    vec_push(planner->arena, &planner->task->dependences, dependence);
    vec_push(planner->arena, &step->needs, dependence);
    if (!alone) vec_push(planner->arena, &wait->serves, dependence);
}

/* Every access of `step` itself against what came before; the highest groups first, for their barriers serve the lower
 * ones, too. */
static void meet(Synchroniser *sync, const Sequence *sequence, PlanStep *step, bool at_end) {
    AccessVec *own = &sync->own;
    own->count = 0;
    plan_own_accesses(sync->planner, step, own);
    MeetingVec found = meetings(sync, own);
    for (size_t i = 1; i < found.count; i++)
        for (size_t j = i; j > 0 && found.items[j].group->id < found.items[j - 1].group->id; j--) {
            Meeting swap = found.items[j];
            found.items[j] = found.items[j - 1];
            found.items[j - 1] = swap;
        }
    for (size_t i = 0; sync->placed && i < found.count; i++) note(sync, step, &found.items[i]);
    for (size_t i = 0; !sync->placed && i < found.count; i++) {
        const Pending *pending = &sync->pending.items[found.items[i].pending];
        if (satisfied(pending, found.items[i].group)) continue;
        Access first = pending->access;
        insert_sync(sync, sequence, at_end, &first, found.items[i].own, found.items[i].group);
    }
    for (size_t i = 0; i < own->count; i++) remember(sync, &own->items[i], step);
}

static bool has_guard(const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i]->kind == PLAN_GUARD || has_guard(&steps->items[i]->body)) return true;
    return false;
}

/* Threads keep the rounds of LPUs that run them together, so these LPUs stay where they are; others of a <dynamic> Space go
 * to who is free, and threads meet before and after such a visit. */
static void find_dynamic_visits(PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        step->dynamic = step->kind == PLAN_LPUS && step->lps->dynamic && !has_guard(&step->body);
        if (step->dynamic) step->waits = step->lps->parent;
        find_dynamic_visits(&step->body);
    }
}

/* The earlier access has seen that wait; where waits are compared, another one for the same group will do as little. */
static bool stands(const Synchroniser *sync, const Pending *earlier, const Waited *waited) {
    PlanStep *first;
    int waits = waits_since(earlier, waited->group, &first);
    return waits > 1 || (waits == 1 && (!sync->placed || first == waited->at));
}

/* What has waited for the later access has waited for the earlier one, too. */
static bool stands_for(const Synchroniser *sync, const Pending *later, const Pending *earlier) {
    if (!plan_same_access(&earlier->access, &later->access)) return false;
    for (size_t i = 0; i < later->synced.count; i++)
        if (!stands(sync, earlier, &later->synced.items[i])) return false;
    return true;
}

static void forget_what_others_stand_for(Synchroniser *sync) {
    for (size_t i = sync->floor; i < sync->pending.count; i++) {
        Pending *earlier = &sync->pending.items[i];
        const PendingRefs *of_var = &sync->by_var[earlier->access.var->id];
        for (size_t r = of_var->count; r-- > 0 && of_var->items[r] > i && !earlier->forgotten;)
            earlier->forgotten = stands_for(sync, &sync->pending.items[of_var->items[r]], earlier);
    }
}

/* Entries from before what is around the body, too, are not forgotten there: those that the body has hidden come back. */
static void show_hidden(Synchroniser *sync, size_t hidden_before) {
    for (size_t i = hidden_before; i < sync->hidden.count; i++) {
        size_t index = sync->hidden.items[i];
        if (index >= sync->floor) continue;
        PendingRefs *of_var = &sync->by_var[sync->pending.items[index].access.var->id];
        vec_push(sync->planner->arena, of_var, index);
        for (size_t at = of_var->count - 1; at > 0 && of_var->items[at - 1] > index; at--) {
            of_var->items[at] = of_var->items[at - 1];
            of_var->items[at - 1] = index;
        }
    }
    sync->hidden.count = hidden_before;
}

/* Behind a body that began with entry `before` its entries stand beside those of what is around it. Of equal ones the latest
 * is enough, and nobody counts the forgotten ones of the body any more: nests of hundreds of loops keep short lists. */
static void settle(Synchroniser *sync, size_t before, size_t hidden_before) {
    forget_what_others_stand_for(sync);
    for (size_t i = sync->floor; i < sync->pending.count; i++) {
        PendingRefs *of_var = &sync->by_var[sync->pending.items[i].access.var->id];
        while (of_var->count > 0 && vec_last(of_var) >= sync->floor) of_var->count--;
    }
    show_hidden(sync, hidden_before);
    size_t end = before;
    for (size_t i = sync->floor; i < sync->pending.count; i++) {
        Pending entry = sync->pending.items[i];
        if (entry.forgotten) continue;
        size_t at = i < before ? i : end++;
        sync->pending.items[at] = entry;
        vec_push(sync->planner->arena, &sync->by_var[entry.access.var->id], at);
    }
    sync->pending.count = end;
}

static void walk(Synchroniser *sync, PlanStepVec *steps, const Lps *lps, Sequence *outer);

/* A body that may not run at all: what it has synchronised counts only inside it. */
static void walk_optional(Synchroniser *sync, PlanStep *step, Sequence *here, bool loop) {
    const Lps *lps = plan_body_space(step, here->lps);
    size_t before = sync->pending.count, outer_floor = sync->floor, hidden_before = sync->hidden.count;
    size_t kept = sync->kept.count;
    sync->floor = before;
    for (size_t i = 0; i < before; i++) vec_push(sync->planner->arena, &sync->kept, sync->pending.items[i].synced.count);
    walk(sync, &step->body, lps, here);
    bool asks_again = step->kind == PLAN_REPEAT_WHILE ||
                      (step->kind == PLAN_LOCKSTEP && step->source->kind == STEP_REPEAT_WHILE);
    if (loop && asks_again) meet(sync, here, step, true);
    if (loop && !sync->again) {
        sync->again = true;
        walk(sync, &step->body, lps, here);
        sync->again = false;
    }
    sync->floor = outer_floor;
    for (size_t i = 0; i < before; i++) sync->pending.items[i].synced.count = sync->kept.items[kept + i];
    sync->kept.count = kept;
    settle(sync, before, hidden_before);
    PlanStep *agree = step->body.count == 0 ? NULL : step->body.items[0]; /* whoever leaves such a loop has agreed to */
    if (agree != NULL && agree->kind == PLAN_AGREE) mark_synced(sync, agree->waits, agree, sync->pending.count);
}

static void waits_here(Synchroniser *sync, PlanStep *step) {
    if (step->waits != NULL) mark_synced(sync, step->waits, step, sync->pending.count);
}

static void walk_step(Synchroniser *sync, PlanStep *step, Sequence *here) {
    waits_here(sync, step);
    meet(sync, here, step, false);
    switch (step->kind) {
    case PLAN_LPUS: walk(sync, &step->body, step->lps, here); break;
    case PLAN_SUB_PARTS:
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE: walk_optional(sync, step, here, true); break;
    case PLAN_LOCKSTEP:
        if (step->source->kind == STEP_IF) walk(sync, &step->body, here->lps, here); /* all threads walk through it */
        else walk_optional(sync, step, here, true);
        break;
    case PLAN_GUARD:
    case PLAN_IF: walk_optional(sync, step, here, false); break;
    default: break;
    }
    waits_here(sync, step);
}

static void walk(Synchroniser *sync, PlanStepVec *steps, const Lps *lps, Sequence *outer) {
    Sequence here = {.outer = outer, .lps = lps};
    for (size_t i = 0; i < steps->count; i++) {
        here.at = steps->items[i];
        here.pending_before = sync->pending.count;
        walk_step(sync, steps->items[i], &here);
    }
}

/* ---- Putting the barriers in -----------------------------------------------------------------------------
 */
/* Returns the highest group that waits there. */
static const Lps *place(Synchroniser *sync, const Syncs *syncs, const Lps *waited, PlanStepVec *out) {
    const Lps *highest = waited;
    for (size_t i = 0; i < syncs->steps.count; i++) {
        PlanStep *step = syncs->steps.items[i];
        bool covered = has_one_thread(sync->planner->task->task, step->lps) ||
                       (waited != NULL && lps_is_within(step->lps, waited));
        for (size_t j = 0; j < syncs->steps.count; j++) {
            const Lps *other = syncs->steps.items[j]->lps;
            if (j != i && lps_is_within(step->lps, other) && (other != step->lps || j < i)) covered = true;
        }
        if (covered) continue;
        if (highest == NULL || lps_is_within(highest, step->lps)) highest = step->lps;
        vec_push(sync->planner->arena, out, step);
    }
    return highest;
}

/* `waited`: the group that has waited directly before the steps, or NULL. A visit of LPUs that begins right behind a
 * wait needs no other one at its beginning: whatever that would order has come before the visit. */
static void materialise(Synchroniser *sync, PlanStepVec *steps, PlanStep *loop, const Lps *waited) {
    PlanStepVec out = {0};
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        for (size_t s = 0; s < sync->inserted.count; s++)
            if (sync->inserted.items[s].before == step) waited = place(sync, &sync->inserted.items[s], waited, &out);
        materialise(sync, &step->body, step, step->kind == PLAN_LPUS ? waited : NULL);
        vec_push(sync->planner->arena, &out, step);
        waited = NULL;
    }
    for (size_t s = 0; loop != NULL && s < sync->at_end.count; s++)
        if (sync->at_end.items[s].before == loop) place(sync, &sync->at_end.items[s], NULL, &out);
    *steps = out;
}

/* ---- Waits that others make superfluous ------------------------------------------------------------------------ */
static void forget_dependences(PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        step->serves = step->needs = (DependenceVec){0};
        step->needed = false;
        forget_dependences(&step->body);
    }
}

static bool take_superfluous(PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        if (take_superfluous(&steps->items[i]->body)) return true;
        if (steps->items[i]->kind != PLAN_SYNC || steps->items[i]->needed) continue;
        for (size_t j = i + 1; j < steps->count; j++) steps->items[j - 1] = steps->items[j];
        steps->count--;
        return true;
    }
    return false;
}

static Synchroniser synchroniser(Planner *planner, bool placed) {
    return (Synchroniser){.planner = planner, .placed = placed,
                          .by_var = ARENA_ARRAY(planner->arena, PendingRefs, planner->task->task->globals.count + 1)};
}

void plan_synchronise(Planner *planner) {
    PlanStepVec *flow = &planner->task->flow;
    find_dynamic_visits(flow);
    Synchroniser sync = synchroniser(planner, false);
    walk(&sync, flow, planner->task->task->spaces.items[0], NULL);
    materialise(&sync, flow, NULL, NULL);
    do { /* two may each make the other superfluous: one leaves at a time */
        forget_dependences(flow);
        planner->task->dependences = (DependenceVec){0};
        sync = synchroniser(planner, true);
        walk(&sync, flow, planner->task->task->spaces.items[0], NULL);
    } while (take_superfluous(flow));
}

/* ---- Leaving out ------------------------------------------------------------------------------------------------- */
/* Steps that move values, or agree on them. */
static bool moves(const PlanStep *step) {
    switch (step->kind) {
    case PLAN_COPY_OUT: return !step->unchanged;
    case PLAN_COPY_IN:
    case PLAN_EXCHANGE:
    case PLAN_REDUCE:
    case PLAN_EPOCH:
    case PLAN_EPOCH_CLOSE:
    case PLAN_ADVANCE_SCALAR:
    case PLAN_COUNT:
    case PLAN_AGREE: return true;
    default: return false;
    }
}

static void omit(Planner *planner, PlanStepVec *steps) {
    const PlanOptions *options = &planner->plan->options;
    size_t kept = 0;
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        if (moves(step) && planner->plan->move_count++ == options->omit_transfer) continue;
        if (step->dynamic && planner->plan->move_count++ == options->omit_transfer) step->waits = NULL;
        omit(planner, &step->body);
        steps->items[kept++] = step;
    }
    steps->count = kept;
}

void plan_omit(Planner *planner) { omit(planner, &planner->task->flow); }

static void omit_waits(Plan *plan, PlanStepVec *steps) {
    size_t kept = 0;
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        if (step->kind == PLAN_SYNC && plan->wait_count++ == plan->options.omit_sync) continue;
        omit_waits(plan, &step->body);
        steps->items[kept++] = step;
    }
    steps->count = kept;
}

void plan_omit_waits(Plan *plan, TaskPlan *task) { omit_waits(plan, &task->flow); }
