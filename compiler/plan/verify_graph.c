/* The flow as points and edges: in front of a step at which threads wait, what it does, behind it; loops lead back, conditions
 * past their bodies. Bodies are read here anew. */
#include "compiler/check/walk.h"
#include "compiler/plan/moves.h"
#include "compiler/plan/verify.h"

/* ---- What stages do ------------------------------------------------------------------------------------ */
typedef struct BodyTouch {
    const Var *var; /* as the body names it */
    bool read, written, reduced;
} BodyTouch;

typedef struct StageTouches {
    VEC(BodyTouch) items;
} StageTouches;

typedef struct Reading {
    Arena *arena;
    StageTouches *touches;
    const Expr *target; /* of a reduction: no use of its value */
} Reading;

static BodyTouch *body_touch(Reading *reading, const Var *var) {
    for (size_t i = 0; i < reading->touches->items.count; i++)
        if (reading->touches->items.items[i].var == var) return &reading->touches->items.items[i];
    vec_push(reading->arena, &reading->touches->items, ((BodyTouch){.var = var}));
    return &vec_last(&reading->touches->items);
}

static const Var *root_of(const Expr *place) {
    while (place->var == NULL && place->left != NULL) place = place->left;
    return place->var;
}

static bool read_stmt(Stmt *stmt, void *data) {
    Reading *reading = data;
    if (stmt->kind == STMT_ASSIGN && root_of(stmt->target) != NULL) body_touch(reading, root_of(stmt->target))->written = true;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && !var_is_array(stmt->target->var))
        reading->target = stmt->target; /* of a scalar nothing is left */
    if (stmt->kind == STMT_REDUCE) {
        body_touch(reading, stmt->target->var)->reduced = true;
        reading->target = stmt->target;
    }
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) {
        BodyTouch *touch = body_touch(reading, stmt->external->uses.items[i]);
        touch->read = touch->written = true;
    }
    return true;
}

static bool read_expr(Expr *expr, void *data) {
    Reading *reading = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference && root_of(expr->arguments.items[i]) != NULL)
            body_touch(reading, root_of(expr->arguments.items[i]))->written = true;
    if ((expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) && expr != reading->target)
        body_touch(reading, expr->var)->read = true;
    return true;
}

static const StageTouches *stage_touches(Graph *graph, const StageInstance *stage) {
    while (graph->stages.count <= (size_t)stage->id) vec_push(graph->arena, &graph->stages, NULL);
    StageTouches **known = &graph->stages.items[stage->id];
    if (*known != NULL) return *known;
    *known = ARENA_NEW(graph->arena, StageTouches);
    Reading reading = {graph->arena, *known, NULL};
    walk_block((Block *)&stage->body.block, read_stmt, read_expr, &reading);
    return *known;
}

/* ---- Where ---------------------------------------------------------------------------------------------- */
/* Threads share it: an array, or a scalar of which there is one for each LPU of its home. */
static bool is_shared(const Graph *graph, const Var *var) {
    if (var->kind != VAR_GLOBAL) return false;
    if (var_is_array(var)) return true;
    for (size_t s = 0; s < graph->task->task->spaces.count; s++)
        for (size_t i = 0; i < graph->task->spaces[s].scalars.count; i++)
            if (graph->task->spaces[s].scalars.items[i] == var) return true;
    return false;
}

const Lps *verify_home(const Graph *graph, const Var *var) {
    for (int i = 0; i < graph->task->array_count; i++)
        if (graph->task->arrays[i].var == var) return graph->task->arrays[i].home;
    return NULL;
}

bool verify_is_home_of_several(const Graph *graph, const Var *var) {
    for (size_t s = 0; s < graph->task->task->spaces.count; s++)
        for (size_t i = 0; i < graph->task->spaces[s].lps->vars.count; i++)
            if (graph->task->spaces[s].lps->vars.items[i].var == var && graph->task->spaces[s].stored[i] == STORED_AT_HOME) return true;
    return false;
}

static bool guests_have_padding(const Graph *graph, const Var *var) {
    for (size_t s = 0; s < graph->task->task->spaces.count; s++) {
        const Lps *lps = graph->task->spaces[s].lps;
        for (size_t i = 0; i < lps->vars.count; i++)
            if (lps->vars.items[i].var == var && graph->task->spaces[s].stored[i] == STORED_AT_HOME && verify_is_padded(lps, var)) return true;
    }
    return false;
}

static const Lps *store_of(const Graph *graph, const Var *var, const Lps *lps) {
    if (!var_is_array(var)) return var->home;
    for (; lps->parent != NULL; lps = lps->parent)
        for (size_t i = 0; i < lps->vars.count; i++)
            if (lps->vars.items[i].var == var && graph->task->spaces[lps->id].stored[i] != STORED_IN_PLACE)
                return graph->task->spaces[lps->id].stored[i] == STORED_AT_HOME ? verify_home(graph, var) : lps;
    return lps;
}

static void touch(Graph *graph, size_t point, Touch what) {
    vec_push(graph->arena, &graph->points.items[point].touches, what);
}

static void touch_var(Graph *graph, size_t point, const Var *var, const Lps *lps, bool write, bool everyone) {
    touch(graph, point, (Touch){.var = var, .lps = lps, .store = store_of(graph, var, lps), .write = write, .everyone = everyone});
}

static void touch_call(Graph *graph, size_t point, const Step *call) {
    const StageTouches *touches = stage_touches(graph, call->stage);
    for (size_t i = 0; i < touches->items.count; i++) {
        const BodyTouch *body = &touches->items.items[i];
        const Var *var = body->var;
        const StageArg *arg = NULL;
        for (size_t p = 0; var->kind == VAR_PARAM && p < call->stage->body.params.count; p++)
            if (call->stage->body.params.items[p] == var) arg = &call->arguments.items[p];
        if (arg != NULL) var = arg->var;
        if (var == NULL || var->kind != VAR_GLOBAL) continue;
        if (body->written && !is_shared(graph, var))
            verify_fail(graph, &graph->points.items[point], "it writes %s, which is a constant of the run or a counter of each thread", var->name);
        if (!is_shared(graph, var)) continue;
        if (body->read) touch_var(graph, point, var, call->lps, false, false);
        if (body->written) touch_var(graph, point, var, call->lps, true, false);
        const Lps *to = arg != NULL && arg->reduction_space != NULL ? arg->reduction_space : var->home;
        if (body->reduced) touch(graph, point, (Touch){.var = var, .lps = call->lps, .store = to, .write = true, .partial = true});
    }
}

typedef struct Asking {
    Graph *graph;
    size_t point;
    const Lps *lps;
} Asking;

static bool touch_expr(Expr *expr, void *data) {
    Asking *asking = data;
    if ((expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) && is_shared(asking->graph, expr->var))
        touch_var(asking->graph, asking->point, expr->var, asking->lps, false, true);
    return true;
}

static void touch_control(Graph *graph, size_t point, const PlanStep *step) {
    Asking asking = {graph, point, step->kind == PLAN_LOCKSTEP ? step->space : step->lps};
    walk_expr(step->source->condition, touch_expr, &asking);
    walk_expr(step->source->range, touch_expr, &asking);
    walk_expr(step->source->step, touch_expr, &asking);
}

/* The copy, and the store above it. */
static void touch_copy(Graph *graph, size_t point, const PlanStep *step) {
    const Var *var = step->array->var;
    bool fills = step->kind == PLAN_COPY_IN;
    touch_var(graph, point, var, step->lps, fills, false);
    touch(graph, point, (Touch){.var = var, .lps = step->lps, .store = store_of(graph, var, step->lps->parent), .write = !fills});
}

/* Whoever comes last combines the parts and stores the result. */
static void touch_result(Graph *graph, size_t point, const PlanStep *step) {
    const Var *target = graph->task->reductions.items[step->reduce].target;
    touch(graph, point, (Touch){.var = target, .lps = step->lps, .store = step->lps, .write = true, .everyone = true, .partial = true});
    touch_var(graph, point, target, step->lps, true, true);
}

static void touch_apart(Graph *graph, size_t point, const Holding *holding) {
    for (int write = 0; write < 2 && holding != NULL; write++)
        vec_push(graph->arena, &graph->points.items[point].apart, ((Touch){.var = holding->var, .lps = holding->lps, .store = holding->store, .write = write != 0}));
}

static void touch_step(Graph *graph, size_t point, const PlanStep *step) {
    switch (step->kind) {
    case PLAN_EXCHANGE:
        if (verify_is_home_of_several(graph, step->array->var)) {
            const Lps *home = step->array->home;
            for (int write = 0; write < 2; write++)
                touch(graph, point, (Touch){.var = step->array->var, .lps = home, .store = home, .everyone = true, .neighbours = true, .write = write == 1 && guests_have_padding(graph, step->array->var)});
        }
        if (hold_divides_home(graph->task, step->array)) touch_apart(graph, point, hold_home(graph->task, step->array->var, step->array->home));
        break;
    case PLAN_STAGE: touch_call(graph, point, step->source); break;
    case PLAN_LOCKSTEP:
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE:
    case PLAN_IF: touch_control(graph, point, step); break;
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT: touch_copy(graph, point, step); break;
    case PLAN_EPOCH:
        touch_var(graph, point, step->array->var, step->lps, true, true);
        touch_apart(graph, point, verify_advanced(graph, &graph->points.items[point]));
        break;
    case PLAN_EPOCH_CLOSE: touch_var(graph, point, step->array->var, step->lps, true, true); break;
    case PLAN_ADVANCE_SCALAR:
    case PLAN_COUNT: touch_var(graph, point, step->scalar, step->lps, true, false); break;
    case PLAN_REDUCE: touch_result(graph, point, step); break;
    default: break;
    }
}

/* ---- Points and edges ------------------------------------------------------------------------------------- */
static size_t add_point(Graph *graph, const PlanStep *step, const Lps *waits) {
    vec_push(graph->arena, &graph->points, ((Point){.step = step, .waits = waits, .within = graph->within}));
    return graph->points.count - 1;
}

static void add_edge(Graph *graph, size_t from, Edge edge) {
    vec_push(graph->arena, &graph->points.items[from].next, edge);
    Edge back = edge;
    back.to = from;
    vec_push(graph->arena, &graph->points.items[edge.to].last, back);
}

static size_t after(Graph *graph, size_t from, const PlanStep *step, const Lps *waits) {
    size_t point = add_point(graph, step, waits);
    add_edge(graph, from, (Edge){.to = point});
    return point;
}

static size_t behind(Graph *graph, size_t from, const PlanStep *step, const Lps *waits) {
    size_t point = after(graph, from, step, waits);
    graph->points.items[point].done = true;
    return point;
}

static size_t add_steps(Graph *graph, const PlanStepVec *steps, size_t from);

/* Gives the point from which one leaves. A `while` asks anew in each round, others only once. */
static size_t add_loop(Graph *graph, const PlanStep *step, size_t head) {
    bool asks = step->source->kind == STEP_REPEAT_WHILE;
    size_t round = asks ? head : behind(graph, head, step, NULL), leave = round, from = round, first = 0;
    if (step->kind == PLAN_LOCKSTEP && step->body.count > 0 && step->body.items[0]->kind == PLAN_AGREE) { /* who leaves has agreed, too */
        PlanStepVec agree = {.items = step->body.items, .count = 1};
        leave = from = add_steps(graph, &agree, round);
        first = 1;
    }
    PlanStepVec body = {.items = step->body.items + first, .count = step->body.count - first};
    size_t end = add_steps(graph, &body, from);
    add_edge(graph, end, (Edge){.to = round, .round = true});
    return leave;
}

static size_t add_body(Graph *graph, const PlanStep *step, size_t head) {
    switch (step->kind) {
    case PLAN_LPUS: {
        size_t end = add_steps(graph, &step->body, head);
        add_edge(graph, end, (Edge){.to = head, .visit = step->lps});
        return end;
    }
    case PLAN_SUB_PARTS:
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE: return add_loop(graph, step, head);
    case PLAN_LOCKSTEP: return step->source->kind == STEP_IF ? add_steps(graph, &step->body, head) : add_loop(graph, step, head);
    case PLAN_GUARD:
    case PLAN_IF: {
        size_t end = add_steps(graph, &step->body, head), leave = behind(graph, end, step, NULL);
        add_edge(graph, head, (Edge){.to = leave, .skips = true});
        return leave;
    }
    default: return head;
    }
}

static size_t add_steps(Graph *graph, const PlanStepVec *steps, size_t from) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->waits != NULL) from = after(graph, from, step, step->waits);
        size_t head = after(graph, from, step, NULL);
        touch_step(graph, head, step);
        size_t outer = graph->within;
        graph->within = head;
        from = add_body(graph, step, head);
        graph->within = outer;
        from = behind(graph, from, step, step->waits);
    }
    return from;
}

/* ---- The program's steps ------------------------------------------------------------------------------------ */
static void note_around(Graph *graph, const StepVec *steps, const Step *outer) {
    for (size_t i = 0; i < steps->count; i++) {
        graph->around[steps->items[i]->id] = outer;
        note_around(graph, &steps->items[i]->body, steps->items[i]);
    }
}

bool verify_is_in(const Graph *graph, const PlanStep *step, const Step *outer) {
    const Step *at = step == NULL ? NULL : step->source;
    while (at != NULL && at != outer) at = graph->around[at->id];
    return at != NULL;
}

Graph *verify_graph(Arena *arena, const TaskPlan *task) {
    Graph *graph = ARENA_NEW(arena, Graph);
    *graph = (Graph){.arena = arena, .task = task, .around = ARENA_ARRAY(arena, const Step *, (size_t)task->task->step_count + 1)};
    note_around(graph, &task->task->flow, NULL);
    size_t start = add_point(graph, NULL, NULL);
    size_t end = add_steps(graph, &task->flow, start);
    after(graph, end, NULL, NULL);
    graph->mark = ARENA_ARRAY(arena, size_t, 2 * graph->points.count);
    graph->queue = ARENA_ARRAY(arena, size_t, 2 * graph->points.count + 1);
    return graph;
}
