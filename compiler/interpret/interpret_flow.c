/* The Computation section. A step runs for all active LPUs of its LPS in lockstep:
 *   call      the stage runs in each LPU, in LPU order; then its reductions combine
 *   space     the child LPUs of all active LPUs run the body
 *   if        the LPUs whose condition holds run the body
 *   repeat    each LPU has its own range or condition; a round runs for those not yet through
 *   repeat foreach sub-partition   round k is the k-th sub-part of each active LPU
 *   epoch     the body, then the versions that the active LPUs hold advance
 * Lists of LPUs are in LPU order: parents in order, children row-major. */
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <string.h>

static void run_steps(Machine *m, const StepVec *steps, LpuList lpus);

static LpuList list_new(size_t capacity) {
    return (LpuList){hp5_alloc((int64_t)(sizeof(Lpu *) * (capacity + 1)), "the list of LPUs"), 0};
}

/* An expression of the flow, for one LPU. */
static Value eval_for(Machine *m, Lpu *lpu, const Expr *e) {
    size_t mark = m->top;
    m->lpu = lpu;
    Value value = eval(m, e);
    m->lpu = NULL;
    m->top = mark;
    return value;
}

/* ---- Stage calls ----------------------------------------------------------------- */

static void bind_arguments(Machine *m, const Step *step, Frame *frame) {
    const Body *body = &step->stage->body;
    for (size_t i = 0; i < body->params.count; i++) {
        const Var *param = body->params.items[i];
        const StageArg *argument = &step->arguments.items[i];
        if (argument->var != NULL && argument->var->kind == VAR_GLOBAL) {
            frame->bound[param->id] = argument->var;
            if (!var_is_array(argument->var))
                frame->address[param->id] = scalar_instance(m, argument->var, step->span)->data;
            continue;
        }
        Value value = argument->var != NULL ? (Value){.integer = m->execution->partition[argument->var->id]}
                                            : eval(m, argument->constant);
        frame->bound[param->id] = param;
        memory_store(m, frame->address[param->id], param->type, value, step->span);
    }
}

static void run_stage(Machine *m, const Step *step, Lpu *lpu) {
    size_t mark = m->top;
    Frame frame = memory_push_frame(m, &step->stage->body, true);
    m->lpu = lpu;
    bind_arguments(m, step, &frame);
    m->frame = &frame;
    reductions_begin_lpu(m);
    footprint_begin(m, step);
    run_block(m, &step->stage->body.block);
    footprint_end(m, step);
    reductions_end_lpu(m);
    m->frame = NULL;
    m->lpu = NULL;
    m->top = mark;
}

static void run_call(Machine *m, const Step *step, LpuList lpus) {
    Execution *x = m->execution;
    x->serial++;
    x->many = lpus.count > 1;
    x->call = step;
    reductions_begin(m, lpus);
    for (size_t i = 0; i < lpus.count; i++) run_stage(m, step, lpus.items[i]);
    reductions_finish(m, lpus);
    x->call = NULL;
    x->many = false;
}

/* ---- Entering LPSes ------------------------------------------------------------------ */

static void run_inside(Machine *m, const Step *step, LpuList inside) {
    holders_enter(m, inside);
    run_steps(m, &step->body, inside);
    holders_leave(m, inside, step->span);
}

static void run_space(Machine *m, const Step *step, LpuList lpus) {
    LpuList inside = spaces_below(m, lpus, step->space);
    run_inside(m, step, inside);
    hp5_free(inside.items);
}

static bool dimension_descends(const Lps *sub, int d) {
    if (!sub->ordered) return false;
    for (size_t i = 0; i < sub->vars.count; i++)
        if (sub->vars.items[i].dims[d].order == ORDER_DESCENDS) return true;
    return false;
}

/* The k-th of an LPU's sub-parts: row-major, with the dimensions that descend reversed. */
static Lpu *sub_part(LpuList parts, const Lps *sub, size_t k) {
    const Lpu *last = parts.items[parts.count - 1];
    int64_t rest = (int64_t)k, position = 0, weight = 1;
    for (int d = sub->dims - 1; d >= 0; d--) {
        int64_t extent = last->coordinates[d] + 1, coordinate = rest % extent;
        rest /= extent;
        if (dimension_descends(sub, d)) coordinate = extent - 1 - coordinate;
        position += coordinate * weight;
        weight *= extent;
    }
    return parts.items[position];
}

static void run_repeat_sub(Machine *m, const Step *step, LpuList lpus) {
    const Lps *lps = step->space->parent;
    size_t slot = 0;
    while (slot < lps->children.count && lps->children.items[slot] != step->space) slot++;
    LpuList inside = list_new(lpus.count);
    for (size_t k = 0;; k++) {
        inside.count = 0;
        for (size_t i = 0; i < lpus.count; i++) {
            LpuList parts = lpus.items[i]->below[slot];
            if (k < parts.count) inside.items[inside.count++] = sub_part(parts, step->space, k);
        }
        if (inside.count == 0) break;
        run_inside(m, step, inside);
    }
    hp5_free(inside.items);
}

/* ---- Conditions and repetition ------------------------------------------------------------ */

static LpuList select_lpus(Machine *m, const Expr *condition, LpuList lpus) {
    LpuList chosen = list_new(lpus.count);
    for (size_t i = 0; i < lpus.count; i++)
        if (eval_for(m, lpus.items[i], condition).integer) chosen.items[chosen.count++] = lpus.items[i];
    return chosen;
}

static void run_if(Machine *m, const Step *step, LpuList lpus) {
    LpuList chosen = select_lpus(m, step->condition, lpus);
    run_steps(m, &step->body, chosen);
    hp5_free(chosen.items);
}

static void run_repeat_while(Machine *m, const Step *step, LpuList lpus) {
    LpuList active = select_lpus(m, step->condition, lpus);
    while (active.count > 0) {
        run_steps(m, &step->body, active);
        LpuList next = select_lpus(m, step->condition, active);
        hp5_free(active.items);
        active = next;
    }
    hp5_free(active.items);
}

typedef struct Rounds {
    int64_t value, step, left;
} Rounds;

static Rounds rounds_of(Machine *m, const Step *step, Lpu *lpu) {
    Value range = eval_for(m, lpu, step->range);
    Rounds rounds = {.step = step->step != NULL ? eval_for(m, lpu, step->step).integer : 1};
    rounds.left = sequence_count(m, range.range.min, range.range.max, rounds.step, &rounds.value, step->span);
    return rounds;
}

/* LPUs that share an instance of the variable must agree on its value in each round. */
static void set_repeat_variable(Machine *m, const Step *step, Lpu *lpu, int64_t value) {
    Execution *x = m->execution;
    m->lpu = lpu;
    ScalarInstance *instance = scalar_instance(m, step->var, step->span);
    int64_t present = memory_load(m, instance->data, step->var->type, step->var->name, step->span).integer;
    if (instance->serial == x->serial && instance->writer != lpu && present != value)
        machine_fail(
            m, step->span,
            "%s and %s share the Repeat variable '%s' but have the values %lld and %lld in one round",
            lpu_name(m, instance->writer), lpu_name(m, lpu), step->var->name, (long long)present,
            (long long)value);
    instance->serial = x->serial;
    instance->writer = lpu;
    memory_store(m, instance->data, step->var->type, (Value){.integer = value}, step->span);
    m->lpu = NULL;
}

static void run_repeat_for(Machine *m, const Step *step, LpuList lpus) {
    Rounds *rounds = hp5_alloc((int64_t)(sizeof *rounds * (lpus.count + 1)), "Repeat");
    for (size_t i = 0; i < lpus.count; i++) rounds[i] = rounds_of(m, step, lpus.items[i]);
    LpuList active = list_new(lpus.count);
    for (;;) {
        active.count = 0;
        m->execution->serial++;
        for (size_t i = 0; i < lpus.count; i++) {
            if (rounds[i].left == 0) continue;
            set_repeat_variable(m, step, lpus.items[i], rounds[i].value);
            active.items[active.count++] = lpus.items[i];
            if (--rounds[i].left > 0) rounds[i].value += rounds[i].step;
        }
        if (active.count == 0) break;
        run_steps(m, &step->body, active);
    }
    hp5_free(active.items);
    hp5_free(rounds);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void run_step(Machine *m, const Step *step, LpuList lpus) {
    switch (step->kind) {
    case STEP_CALL: run_call(m, step, lpus); break;
    case STEP_SPACE: run_space(m, step, lpus); break;
    case STEP_IF: run_if(m, step, lpus); break;
    case STEP_REPEAT_FOR: run_repeat_for(m, step, lpus); break;
    case STEP_REPEAT_WHILE: run_repeat_while(m, step, lpus); break;
    case STEP_REPEAT_SUB: run_repeat_sub(m, step, lpus); break;
    case STEP_EPOCH:
        run_steps(m, &step->body, lpus);
        holders_advance(m, lpus, &step->advances);
        break;
    }
}

static void run_steps(Machine *m, const StepVec *steps, LpuList lpus) {
    for (size_t i = 0; i < steps->count && lpus.count > 0; i++) run_step(m, steps->items[i], lpus);
}

void run_flow(Machine *m) {
    LpuList root = {&m->execution->root, 1};
    m->frame = NULL;
    run_steps(m, &m->execution->task->flow, root);
}
