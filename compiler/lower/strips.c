/* Groups of stages that run in strips. In
 *
 *     Space A {
 *         place(places, values, …)     do { places[i] = … values[i] … } for i in values
 *         tally(tallies, places)       do in sequence { … places[i] … } for i in places.local.dimension.range
 *     }
 *
 * nobody but these two stages touches `places`, and they hand it on element by element. So an LPU is visited strip by strip: `place` for
 * some thousand indices, `tally` for the same ones, and so on. A strip of `places` stays in the cache, and `places` has no memory. Arrays that others
 * touch, too, have memory, but come from there once for all stages, as `product` and `direction` do in
 *
 *     multiply(product, direction, …)     do { … product[i] = total } for i in product
 *     dot(Space A: r, direction, product) do { reduce(r, "sum", direction[i] * product[i]) } for i in product
 *
 * How to read it from the end: all runs of stages in the flow are tried, the longest first (find_in); of a group the loops must run over
 * parts that are alike (runs_alike), its first and its last stage must touch what another one touches (is_worth_it), and what they touch must not
 * meet what a stage touches in another strip (is_apart). */
#include "compiler/lower/strips.h"

#include "compiler/lower/passes.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"

enum { MOST_STEPS = 16, MOST_ARRAYS = 8 /* as HP5_MOST_IN_STRIPS in runtime/run/visit_strips.h */ };

/* What may be handed on of a task's arrays: by position, 0 or how many stage calls name it. */
typedef VEC(size_t) Calls;

typedef struct Group {
    Arena *arena;
    const LoweredTask *task;
    const Calls *calls;
    const PlanStepVec *steps; /* from `first` to `last` of them */
    size_t first, last;
    StripLoops loops;         /* of all its stages, in their order */
    size_t ends[MOST_STEPS];  /* by stage: how many of them it and those before it have */
    bool on_card;             /* where only what is handed on counts (emit/cuda/relays.c) */
    Strips *strips;
} Group;

static const LoweredBody *code_of(const LoweredTask *task, const StageUse *use) {
    for (size_t u = 0; u < task->plan->uses.count; u++)
        if (task->plan->uses.items[u] == use) return &task->stages.items[u]->code;
    return NULL;
}

static bool uses_array(const PlanStep *step, const Var *array) {
    for (size_t f = 0; f < step->use->formals.count; f++)
        if (step->use->formals.items[f].actual == array) return true;
    return false;
}

/* ---- Who touches an array ------------------------------------------------------------------------------------------- */
/* Something else than a stage names it. */
static bool is_named(const TaskPlan *plan, const PlanStepVec *steps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const Step *source = step->source;
        if (step->array != NULL && step->array->var == array) return true;
        if (step->kind == PLAN_EXCHANGE && plan->exchanges.items[step->exchange].array->var == array) return true;
        if (lower_expr_mentions(source->condition, array) || lower_expr_mentions(source->range, array) || lower_expr_mentions(source->step, array)) return true;
        if (is_named(plan, &step->body, array)) return true;
    }
    return false;
}

static size_t count_calls(const PlanStepVec *steps, const Var *array) {
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        count += steps->items[i]->kind == PLAN_STAGE && uses_array(steps->items[i], array);
        count += count_calls(&steps->items[i]->body, array);
    }
    return count;
}

static size_t calls_within(const PlanStepVec *steps, size_t first, size_t last, const Var *array) {
    size_t count = 0;
    for (size_t i = first; i <= last; i++) count += uses_array(steps->items[i], array);
    return count;
}

static bool asks(const Inspection *inspection, const Var *array) {
    for (size_t i = 0; inspection != NULL && i < inspection->inputs.count; i++)
        if (inspection->inputs.items[i] == array) return true;
    return false;
}

/* It goes between address spaces, or says what else does. */
static bool moves(const TaskPlan *plan, const Var *array) {
    bool found = false;
    for (size_t i = 0; i < plan->transfers.count; i++) found |= plan->transfers.items[i]->var == array || asks(plan->transfers.items[i]->inspection, array);
    for (size_t i = 0; i < plan->holdings.count; i++) found |= asks(plan->holdings.items[i]->inspection, array);
    for (int i = 0; i < plan->array_count; i++) found |= asks(plan->arrays[i].reads, array);
    return found;
}

/* Of the task alone, in one store, as it comes. */
static bool is_plain(const TaskPlan *plan, const Var *array) {
    const ArrayPlan *planned = &plan->arrays[plan_array_index(plan, array)];
    const ArrayLayout *layout = &planned->layout;
    return !array->environment && array->versions == 1 && planned->home->parent == NULL && !planned->collected && !layout->fortran && !layout->split && layout->align == 0;
}

static Calls calls_of(Arena *arena, const TaskPlan *plan) {
    Calls calls = {0};
    for (int a = 0; a < plan->array_count; a++) {
        const Var *array = plan->arrays[a].var;
        const bool fits = is_plain(plan, array) && !is_named(plan, &plan->flow, array) && !moves(plan, array);
        vec_push(arena, &calls, fits ? count_calls(&plan->flow, array) : 0);
    }
    return calls;
}

/* Nobody else than the group's stages names it. */
static bool is_own(const Group *group, int number) {
    const size_t calls = group->calls->items[number];
    return calls > 0 && calls_within(group->steps, group->first, group->last, group->task->plan->arrays[number].var) == calls;
}

/* Each stage of the group finds it so that its strip can stand in for it. */
static bool formals_fit(const Group *group, const Var *array) {
    for (size_t i = group->first; i <= group->last; i++) {
        const StageUse *use = group->steps->items[i]->use;
        for (size_t f = 0; f < use->formals.count; f++) {
            const Formal *formal = &use->formals.items[f];
            if (formal->actual != array) continue;
            if (formal->kind != FORMAL_VIEW || formal->copied || formal->max_lag > 0) return false;
            for (int d = 0; d < array->type->rank; d++)
                if (!formal->interval[d] || formal->gaps[d]) return false;
        }
    }
    return true;
}

/* ---- Arrays that are handed on ------------------------------------------------------------------------------------- */
/* The subscript is an index that runs over the LPU's part of that dimension, all of it where `all`. */
static bool runs_over_part(const Group *group, const StripLoop *loop, const Expr *subscript, bool all, PartDimension part) {
    PartDimension domain;
    return subscript->kind == EXPR_VAR && strip_domain(loop, subscript->var, all, &domain) &&
           plan_same_parts(group->task->plan->task, loop->use->lps, domain, part);
}

static bool is_index_of(const StripLoop *loop, const Var *var) {
    if (loop->stmt->kind == STMT_SEQUENCE) return var == loop->index;
    for (size_t i = 0; i < loop->stmt->indices.count; i++)
        if (loop->stmt->indices.items[i].var == var) return true;
    return false;
}

/* Each iteration assigns an element of its own, whatever happens, and together they are the LPU's part. Returns the dimension that goes
 * with the loop's outermost index; -1: it is not so. */
static int written_along(const Group *group, const StripLoop *loop, const Var *array) {
    const Stmt *found = NULL;
    int along = -1;
    for (size_t i = 0; i < loop->stmt->body.statements.count; i++) {
        const Stmt *stmt = loop->stmt->body.statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT && strip_array(loop->use, stmt->target->var) == array) found = stmt;
    }
    const size_t indices = loop->stmt->kind == STMT_SEQUENCE ? 1 : loop->stmt->indices.count;
    if (found == NULL || strip_use(loop, array).count != 1 || indices != found->target->arguments.count) return -1;
    for (size_t d = 0; d < indices; d++) {
        const Expr *subscript = found->target->arguments.items[d];
        if (!runs_over_part(group, loop, subscript, true, (PartDimension){array, (int)d}) || !is_index_of(loop, subscript->var)) return -1;
        for (size_t e = 0; e < d; e++)
            if (found->target->arguments.items[e]->var == subscript->var) return -1;
        if (subscript->var == loop->index) along = (int)d;
    }
    return along;
}

typedef struct Reading { const Group *group; const StripLoop *loop; PartDimension part; bool fits; } Reading;

/* In other dimensions than the strip's: any subscript will do where the LPU has all of them. */
static void check_reading(void *data, const Expr *expr) {
    Reading *reading = data;
    if (expr->kind != EXPR_ELEMENT || strip_array(reading->loop->use, expr->var) != reading->part.array) return;
    const Formal *formal = lower_formal(reading->loop->use, expr->var);
    for (int d = 0; d < (int)expr->arguments.count; d++)
        if (d != reading->part.dimension && !formal->whole[d])
            reading->fits &= runs_over_part(reading->group, reading->loop, expr->arguments.items[d], false, (PartDimension){reading->part.array, d});
}

static bool stays_in_strip(const Group *group, const StripLoop *loop, PartDimension part) {
    Reading reading = {group, loop, part, true};
    lower_walk_block(&(Walk){check_reading, NULL, &reading}, &loop->stmt->body);
    return reading.fits;
}

/* The first loop that touches the array writes all of it, along the dimension that is returned; -1: it is not so. That the others touch it at
 * their own index in that dimension, is_apart sees. */
static int handed_on_along(const Group *group, const Var *array) {
    int along = -1;
    for (size_t i = 0; i < group->loops.count; i++) {
        const StripLoop *loop = &group->loops.items[i];
        if (along < 0 && strip_use(loop, array).count == 0) continue;
        if (along < 0 && (along = written_along(group, loop, array)) < 0) return -1;
        if (!stays_in_strip(group, loop, (PartDimension){array, along})) return -1;
    }
    return along;
}

/* False: the array is in it with another dimension, or there is no more room. */
static bool bound(Group *group, PartDimension part) {
    Strips *strips = group->strips;
    for (size_t i = 0; i < strips->bounded.count; i++)
        if (strips->bounded.items[i].array == part.array) return strips->bounded.items[i].dimension == part.dimension;
    vec_push(group->arena, &strips->bounded, part);
    return strips->bounded.count <= MOST_ARRAYS;
}

/* All arrays that the group hands on. */
static bool find_passed(Group *group) {
    const TaskPlan *plan = group->task->plan;
    for (int a = 0; a < plan->array_count; a++) {
        const Var *array = plan->arrays[a].var;
        if (!is_own(group, a) || !formals_fit(group, array)) continue;
        const int along = handed_on_along(group, array);
        if (along < 0) continue;
        if (!bound(group, (PartDimension){array, along})) return false;
        vec_push(group->arena, &group->strips->passed, array);
    }
    return true;
}

/* Dimensions in which the stage touches the array at its own index, and nowhere else. */
static unsigned touched_along(const Group *group, size_t stage, const Var *array) {
    unsigned along = ~0u;
    size_t count = 0;
    for (size_t i = stage > 0 ? group->ends[stage - 1] : 0; i < group->ends[stage]; i++) {
        const StripUse use = strip_use(&group->loops.items[i], array);
        count += use.count;
        if (use.count > 0) along &= use.along;
    }
    return count > 0 ? along : 0;
}

/* The stage touches elements that another one touches in the same strip; on cards, that another one hands on to it, or gets from it. */
static bool shares(const Group *group, size_t stage) {
    const TaskPlan *plan = group->task->plan;
    const Strips *strips = group->strips;
    for (size_t p = 0; p < strips->passed.count; p++)
        if (uses_array(strips->steps.items[stage], strips->passed.items[p])) return true;
    for (int a = 0; a < plan->array_count && !group->on_card; a++) {
        const unsigned along = touched_along(group, stage, plan->arrays[a].var);
        for (size_t other = 0; along != 0 && other < strips->steps.count; other++)
            if (other != stage && (touched_along(group, other, plan->arrays[a].var) & along) != 0) return true;
    }
    return false;
}

static bool is_worth_it(const Group *group) { return shares(group, 0) && shares(group, group->strips->steps.count - 1); }

/* ---- Strips beside each other -------------------------------------------------------------------------------------- */
/* An array that a loop writes and another one touches: both at their own indices, in one dimension. */
static bool stays_apart(const Group *group, const Var *array) {
    size_t loops = 0;
    unsigned along = ~0u;
    bool written = false;
    for (size_t i = 0; i < group->loops.count; i++) {
        const StripUse use = strip_use(&group->loops.items[i], array);
        if (use.count == 0) continue;
        loops++;
        along &= use.along;
        written |= use.written;
    }
    return loops < 2 || !written || along != 0;
}

static bool is_apart(const Group *group) {
    for (int a = 0; a < group->task->plan->array_count; a++)
        if (!stays_apart(group, group->task->plan->arrays[a].var)) return false;
    return true;
}

static bool runs_alike(Group *group) {
    const Task *task = group->task->plan->task;
    const StripLoop *first = &group->loops.items[0];
    for (size_t i = 0; i < group->loops.count; i++) {
        const StripLoop *loop = &group->loops.items[i];
        if (!plan_same_parts(task, loop->use->lps, loop->over, first->over) || !bound(group, loop->over)) return false;
    }
    return true;
}

/* Nothing in the stages can tell that the LPU is visited in strips. */
static bool nobody_looks(const Group *group) {
    for (size_t i = group->first; i <= group->last; i++)
        for (size_t b = 0; b < group->strips->bounded.count; b++)
            if (strip_looks_at(code_of(group->task, group->steps->items[i]->use)->use, &group->loops, group->strips->bounded.items[b])) return false;
    return true;
}

/* ---- Groups -------------------------------------------------------------------------------------------------------- */
/* A stage that the LPU's leader runs, as a whole and at once. */
static bool is_simple(const LoweredTask *task, const PlanStep *step, bool on_card) {
    if (step->kind != PLAN_STAGE || step->opens != NULL || step->settles != NULL || !hold_is_local(task->plan, step->use->lps)) return false;
    const LoweredBody *code = code_of(task, step->use);
    return code->border == NULL && !code->joins && step->use->coming == NULL && (!on_card || step->use->gathers.count == 0) && !step->use->needs_worker;
}

static const Strips *find_group(Group group) {
    const PlanStepVec *steps = group.steps;
    group.strips = ARENA_NEW(group.arena, Strips);
    for (size_t i = group.first; i <= group.last; i++) {
        const LoweredBody *code = code_of(group.task, steps->items[i]->use);
        if (steps->items[i]->use->lps != steps->items[group.first]->use->lps) return NULL;
        if (!strip_loops(group.arena, code, &group.loops, group.on_card ? NULL : &group.strips->reduces)) return NULL;
        vec_push(group.arena, &group.strips->steps, steps->items[i]);
        group.ends[i - group.first] = group.loops.count;
    }
    return runs_alike(&group) && find_passed(&group) && is_worth_it(&group) && is_apart(&group) && nobody_looks(&group) ? group.strips : NULL;
}

static void find_in(Arena *arena, const LoweredTask *task, const Calls *calls, const PlanStepVec *steps, bool on_card, StripsVec *found) {
    for (size_t first = 0; first < steps->count; first++) {
        size_t end = first;
        find_in(arena, task, calls, &steps->items[first]->body, on_card, found);
        while (end < steps->count && end < first + MOST_STEPS && is_simple(task, steps->items[end], on_card)) end++;
        for (; end > first + 1; end--) {
            const Strips *strips = find_group((Group){.arena = arena, .task = task, .calls = calls, .steps = steps, .first = first, .last = end - 1, .on_card = on_card});
            if (strips == NULL) continue;
            vec_push(arena, found, strips);
            first = end - 1;
            break;
        }
    }
}

void lower_strips(Arena *arena, LoweredTask *task, PlanOptions options) {
    if (options.checked) return;
    const Calls calls = calls_of(arena, task->plan);
    const bool on_card = task->plan->mapping != NULL && mapping_on_card(task->plan->mapping);
    find_in(arena, task, &calls, &task->plan->flow, on_card, on_card ? &task->relays : &task->strips);
}
