/* The program's steps become plan steps: entering a Space becomes a loop over this thread's LPUs, with
 * the filling and handing back of copies, exchanges of padding, epochs and reductions where the language
 * puts them. Whether they can stay there is decided by split.c; barriers come last (place.c). */
#include "compiler/plan/internal.h"

PlanStep *plan_step_new(Planner *planner, PlanStepKind kind, const Step *source, Lps *lps) {
    PlanStep *step = ARENA_NEW(planner->arena, PlanStep);
    step->kind = kind;
    step->source = source;
    step->lps = lps;
    step->reduce = step->exchange = step->call_id = -1;
    return step;
}

static void flow_of(Planner *planner, const StepVec *steps, PlanStepVec *out);

static bool touches_array(const Planner *planner, const PlanStepVec *steps, const Var *var, bool written) {
    AccessVec accesses = {0};
    for (size_t i = 0; i < steps->count; i++) plan_step_accesses(planner, steps->items[i], &accesses);
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.items[i].var == var && (!written || accesses.items[i].write)) return true;
    return false;
}

/* ---- Calls -------------------------------------------------------------------------------------- */
static int reduce_site(Planner *planner, const StageUse *use, const Step *call, Formal *formal, Lps *target) {
    if (formal->site >= 0) return formal->site;
    ReducePlan site = {.from = (Lps *)use->lps,
                       .to = target,
                       .target = formal->actual,
                       .op = formal->op,
                       .value_type = formal->value_type,
                       .span = call->span,
                       .reduced = formal->reduced};
    vec_push(planner->arena, &planner->task->reductions, site);
    return formal->site = (int)planner->task->reductions.count - 1;
}

static Lps *reduction_space(const Step *call, const Formal *formal) {
    const VarVec *params = &call->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == formal->var && call->arguments.items[i].reduction_space != NULL)
            return call->arguments.items[i].reduction_space;
    return formal->actual->home != NULL ? formal->actual->home : call->lps;
}

static void call_of(Planner *planner, const Step *call, PlanStepVec *out) {
    PlanStep *stage = plan_step_new(planner, PLAN_STAGE, call, call->lps);
    stage->use = plan_use_of(planner, call);
    stage->call_id = (int)planner->task->call_sites.count;
    int line, column;
    source_position(planner->plan->program->source, call->span.start, &line, &column);
    vec_push(planner->arena, &planner->task->call_sites,
             arena_printf(planner->arena, "%s in Space %s (line %d)", call->stage->body.name, call->lps->name,
                          line));
    vec_push(planner->arena, out, stage);
    for (size_t i = 0; i < stage->use->formals.count; i++) {
        Formal *formal = &stage->use->formals.items[i];
        if (formal->kind != FORMAL_PARTIAL) continue;
        PlanStep *reduce = plan_step_new(planner, PLAN_REDUCE, call, reduction_space(call, formal));
        reduce->waits = reduce->lps;
        reduce->reduce = reduce_site(planner, stage->use, call, formal, reduce->lps);
        reduce->why =
            arena_printf(planner->arena, "%s is complete when every LPU of Space %s has added its part",
                         formal->actual->name, call->lps->name);
        vec_push(planner->arena, out, reduce);
    }
}

/* ---- Epochs ------------------------------------------------------------------------------------------ */
/* Loops over LPUs from `from` (the current LPS) down to `to`; returns the innermost body. */
static PlanStepVec *descend(Planner *planner, const Step *source, const Lps *from, Lps *to,
                            PlanStepVec *out) {
    if (to == from) return out;
    PlanStepVec *outer = descend(planner, source, from, to->parent, out);
    PlanStep *lpus = plan_step_new(planner, PLAN_LPUS, source, to);
    vec_push(planner->arena, outer, lpus);
    return &lpus->body;
}

/* Several LPUs of `lps` may hold one element of the store that they work on. */
static bool holders_share(const Planner *planner, const ArrayPlan *array, const Lps *lps) {
    const Lps *base = plan_store_level(planner->task, array->var, lps);
    for (; lps != base; lps = lps->parent) {
        const LpsVar *entry = lps_find_var(lps, array->var);
        for (int d = 0; d < lps->dims && !lps->sub_partition; d++)
            if (entry == NULL || entry->dims[d].function == PART_REPLICATED) return true;
    }
    return false;
}

/* from: the LPS in which `out` stands. */
static void advance_array(Planner *planner, const Step *step, Lps *from, ArrayPlan *array, bool rotates, PlanStepVec *out) {
    Lps *at = from;
    Lps *store = plan_epoch_is_of_copies(planner, array, step) ? array->kept : array->home;
    if (!lps_is_within(at, store)) at = store; /* its copies lie below */
    PlanStepVec *inner = descend(planner, step, from, at, out);
    PlanStep *epoch = plan_step_new(planner, PLAN_EPOCH, step, at);
    epoch->array = array;
    epoch->rotates = rotates;
    epoch->waits = at;
    if (rotates) epoch->takes = plan_epoch_takes(planner, array, step);
    epoch->why = arena_printf(planner->arena,
                              rotates ? "the versions of %s change places"
                                             : "each version of %s takes the content of the next newer one",
                              array->var->name);
    vec_push(planner->arena, inner, epoch);
    epoch->shared = !rotates && holders_share(planner, array, at);
    /* With two versions it makes no difference how often the older one takes the current content. */
    if (!epoch->shared || array->var->versions == 2) return;
    PlanStep *close = plan_step_new(planner, PLAN_EPOCH_CLOSE, step, at);
    close->array = array;
    close->waits = at;
    vec_push(planner->arena, inner, close);
}

/* Those arrays of the Epoch that it advances for LPUs of `from`: whose buffers change places, or all others. */
static void advance_arrays(Planner *planner, const Step *epoch, Lps *from, bool rotates, PlanStepVec *out) {
    for (size_t i = 0; i < epoch->advances.count; i++) {
        ArrayPlan *array = plan_array(planner->task, epoch->advances.items[i]);
        if (array == NULL || plan_epoch_space(array, epoch) != from) continue;
        if (plan_epoch_rotates(planner, array, epoch) == rotates) advance_array(planner, epoch, from, array, rotates, out);
    }
}

/* ---- Spaces --------------------------------------------------------------------------------------- */
static void copies_of(Planner *planner, const Step *step, Lps *lps, PlanStepKind kind,
                      const PlanStepVec *body, PlanStepVec *out) {
    LpsPlan *space = &planner->task->spaces[lps->id];
    for (size_t i = 0; i < lps->vars.count; i++) {
        ArrayPlan *array = plan_array(planner->task, lps->vars.items[i].var);
        if (array == NULL || space->stored[i] != STORED_COPY || array->kept == lps ||
            !touches_array(planner, body, array->var, false))
            continue;
        PlanStep *copy = plan_step_new(planner, kind, step, lps);
        copy->array = array;
        copy->unchanged = kind == PLAN_COPY_OUT && !touches_array(planner, body, array->var, true);
        vec_push(planner->arena, out, copy);
    }
}

static int exchange_site(Planner *planner, Lps *lps, ArrayPlan *array) {
    TaskPlan *task = planner->task;
    for (size_t i = 0; i < task->exchanges.count; i++)
        if (task->exchanges.items[i].lps == lps && task->exchanges.items[i].array == array) return (int)i;
    vec_push(planner->arena, &task->exchanges, ((ExchangePlan){lps, array}));
    return (int)task->exchanges.count - 1;
}

static void exchanges_of(Planner *planner, const Step *step, Lps *lps, const PlanStepVec *body,
                         PlanStepVec *out) {
    for (int i = 0; i < planner->task->array_count; i++) {
        ArrayPlan *array = &planner->task->arrays[i];
        const int slot = plan_view_slot(lps, array->var);
        const bool guest = slot >= 0 && planner->task->spaces[lps->id].stored[slot] == STORED_AT_HOME;
        const bool above = array->home->parent != NULL && lps_is_within(array->home, lps) && lps_lists_padded(lps, array->var);
        if (!guest && !above && array->kept != lps) continue;
        if (!touches_array(planner, body, array->var, true)) continue;
        PlanStep *exchange = plan_step_new(planner, PLAN_EXCHANGE, step, lps->parent);
        exchange->array = array;
        exchange->exchange = exchange_site(planner, guest ? array->home : lps, array);
        exchange->why =
            arena_printf(planner->arena, "Space %s is left: neighbours' padding of %s takes the new values",
                         lps->name, array->var->name);
        vec_push(planner->arena, out, exchange);
    }
}

/* No stage called by `steps` writes the scalar, and there are no reductions and no other steps. */
static bool calls_leave_alone(const Planner *planner, const StepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind != STEP_CALL) return false;
        const StageUse *use = plan_use_of(planner, step);
        for (size_t f = 0; f < use->formals.count; f++) {
            const Formal *formal = &use->formals.items[f];
            if (formal->kind == FORMAL_PARTIAL) return false;
            if (formal->kind == FORMAL_PLACE && plan_actual(use, formal, step) == var) return false;
        }
    }
    return true;
}

/* The value is the same before the space's arrays are filled as after, and after the calls of `steps`. */
static bool known_on_entry(const Planner *planner, const StepVec *steps, const Expr *expr) {
    if (expr == NULL) return true;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL) return false;
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_GLOBAL && !calls_leave_alone(planner, steps, expr->var)) return false;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!known_on_entry(planner, steps, expr->arguments.items[i])) return false;
    return known_on_entry(planner, steps, expr->left) && known_on_entry(planner, steps, expr->right);
}

/* The condition under which an LPU does anything at all in the space (Where my turn has come { … }), or NULL: an LPU
 * that does nothing needs no copies. */
const Step *plan_turn_of(const Planner *planner, const Step *step) {
    if (step->kind != STEP_SPACE || step->body.count != 1) return NULL;
    const Step *only = step->body.items[0];
    bool fits = only->kind == STEP_IF && calls_leave_alone(planner, &only->body, NULL) &&
                known_on_entry(planner, &only->body, only->condition);
    return fits ? only : NULL;
}

static void space_of(Planner *planner, const Step *step, PlanStepVec *out) {
    Lps *lps = step->space;
    planner->task->spaces[lps->id].used = true;
    PlanStepVec body = {0}, fill = {0};
    flow_of(planner, &step->body, &body);
    copies_of(planner, step, lps, PLAN_COPY_IN, &body, &fill);
    if (step->kind == STEP_REPEAT_SUB) {
        PlanStep *parts = plan_step_new(planner, PLAN_SUB_PARTS, step, lps);
        for (size_t i = 0; i < fill.count; i++) vec_push(planner->arena, &parts->body, fill.items[i]);
        for (size_t i = 0; i < body.count; i++) vec_push(planner->arena, &parts->body, body.items[i]);
        copies_of(planner, step, lps, PLAN_COPY_OUT, &body, &parts->body);
        vec_push(planner->arena, out, parts);
        return;
    }
    const Step *turn = plan_turn_of(planner, step);
    if (turn != NULL && fill.count > 0) {
        PlanStep *guard = plan_step_new(planner, PLAN_IF, turn, lps);
        guard->body = fill;
        fill = (PlanStepVec){0};
        vec_push(planner->arena, &fill, guard);
    }
    if (fill.count > 0) { /* all copies are filled before any LPU goes on: overlaps must not see new values */
        PlanStep *filling = plan_step_new(planner, PLAN_LPUS, step, lps);
        filling->body = fill;
        vec_push(planner->arena, out, filling);
    }
    PlanStep *lpus = plan_step_new(planner, PLAN_LPUS, step, lps);
    lpus->body = body;
    copies_of(planner, step, lps, PLAN_COPY_OUT, &body, turn != NULL ? &body.items[0]->body : &lpus->body);
    const Step *epoch = step->body.count == 1 && step->body.items[0]->kind == STEP_EPOCH ? step->body.items[0] : NULL;
    if (epoch != NULL) advance_arrays(planner, epoch, lps->parent, true, out);
    vec_push(planner->arena, out, lpus);
    if (epoch != NULL) advance_arrays(planner, epoch, lps->parent, false, out);
    exchanges_of(planner, step, lps, &body, out);
}

static void epoch_of(Planner *planner, const Step *step, PlanStepVec *out) {
    advance_arrays(planner, step, step->lps, true, out);
    flow_of(planner, &step->body, out);
    advance_arrays(planner, step, step->lps, false, out);
    for (size_t i = 0; i < step->advances.count; i++) {
        Var *var = step->advances.items[i];
        if (plan_array(planner->task, var) != NULL) continue;
        Lps *at = lps_is_within(var->home, step->lps) ? var->home : step->lps; /* every instance below */
        PlanStepVec *inner = descend(planner, step, step->lps, at, out);
        PlanStep *scalar = plan_step_new(planner, PLAN_ADVANCE_SCALAR, step, at);
        scalar->scalar = var;
        vec_push(planner->arena, inner, scalar);
    }
}

static bool expr_reads(const Planner *planner, const Expr *expr, const Var *var) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].var == var && uses.items[i].read) return true;
    return false;
}

/* Somebody asks for the value of a Repeat variable that threads share. */
static bool is_read(const Planner *planner, const StepVec *steps, const Var *var) {
    if (var->environment) return true;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        const StageUse *use = step->kind == STEP_CALL ? plan_use_of(planner, step) : NULL;
        for (size_t f = 0; use != NULL && f < use->formals.count; f++)
            if (plan_actual(use, &use->formals.items[f], step) == var) return true;
        if (expr_reads(planner, step->condition, var) || expr_reads(planner, step->range, var) || expr_reads(planner, step->step, var)) return true;
        if (is_read(planner, &step->body, var)) return true;
    }
    return false;
}

static void controlled(Planner *planner, PlanStepKind kind, const Step *step, PlanStepVec *out) {
    PlanStep *control = plan_step_new(planner, kind, step, step->lps);
    control->private_counter = kind == PLAN_REPEAT_FOR && plan_scalar_is_private(planner->task, step->var);
    if (kind == PLAN_REPEAT_FOR && !control->private_counter && is_read(planner, &planner->task->task->flow, step->var)) {
        PlanStep *count = plan_step_new(planner, PLAN_COUNT, step, step->lps);
        count->scalar = step->var;
        vec_push(planner->arena, &control->body, count);
    }
    flow_of(planner, &step->body, &control->body);
    vec_push(planner->arena, out, control);
}

static void flow_of(Planner *planner, const StepVec *steps, PlanStepVec *out) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        switch (step->kind) {
        case STEP_SPACE:
        case STEP_REPEAT_SUB: space_of(planner, step, out); break;
        case STEP_CALL: call_of(planner, step, out); break;
        case STEP_REPEAT_FOR: controlled(planner, PLAN_REPEAT_FOR, step, out); break;
        case STEP_REPEAT_WHILE: controlled(planner, PLAN_REPEAT_WHILE, step, out); break;
        case STEP_IF: controlled(planner, PLAN_IF, step, out); break;
        case STEP_EPOCH: epoch_of(planner, step, out); break;
        }
    }
}

void plan_flow(Planner *planner) { flow_of(planner, &planner->task->task->flow, &planner->task->flow); }
