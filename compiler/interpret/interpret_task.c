/* One execution of a task: what its environment links, Initialize, the arrays it creates, the
 * LPUs, the flow, and what it hands back. Items are shared by reference: a linked array is worked
 * on in place; `create` makes a fresh item each time, so an alias keeps the old one. */
#include "compiler/check/walk.h"
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <string.h>

/* ---- Before Initialize ------------------------------------------------------------ */

static void know_bounds(Bounds *bounds, const Item *item) {
    for (int d = 0; d < item->type->rank; d++) {
        bounds->min[d] = item->sets[d].begin;
        bounds->max[d] = item->sets[d].end - 1;
        bounds->has_min[d] = bounds->has_max[d] = true;
    }
}

static void link_global(Machine *m, const Var *global, Item *item, Span span) {
    Execution *x = m->execution;
    bool present = global->environment && global->link != LINK_CREATE && item != NULL;
    bool missing = global->environment && global->link == LINK_LINK && item == NULL &&
                   (var_is_array(global) || !global->set_by_initialize);
    if (missing)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" links %s, but its environment does not hold it: bind an input to it or share it "
                 "from another environment", x->task->name, global->name);
    if (present) x->items[global->id] = item;
    if (var_is_array(global)) {
        if (!present) return;
        item_load(m, item, span);
        know_bounds(&x->bounds[global->id], item);
        return;
    }
    ScalarInstance *start = x->start[global->id] = ARENA_NEW(x->arena, ScalarInstance);
    start->size = memory_size(m, global->type);
    start->data = arena_alloc(x->arena, start->size * (size_t)global->versions);
    if (present) memcpy(start->data, item->data, start->size);
}

/* ---- Initialize ----------------------------------------------------------------------- */

static void set_one_bound(Machine *m, const Stmt *stmt, int d, bool maximum, int64_t value) {
    Execution *x = m->execution;
    Bounds *bounds = &x->bounds[stmt->var->id];
    int64_t *bound = maximum ? &bounds->max[d] : &bounds->min[d];
    if (x->items[stmt->var->id] != NULL && *bound != value)
        machine_fail(m, stmt->span, "Initialize sets the %s of dimension %d of '%s' to %lld, but the linked array has %lld",
                     maximum ? "max" : "min", d + 1, stmt->var->name, (long long)value, (long long)*bound);
    *bound = value;
    if (maximum) bounds->has_max[d] = true;
    else bounds->has_min[d] = true;
}

static void copy_bounds(Machine *m, const Stmt *stmt, int to, int from) {
    const Bounds *source = &m->execution->bounds[stmt->source_var->id];
    if (!source->has_min[from] || !source->has_max[from])
        machine_fail(m, stmt->span, "the bounds of dimension %d of '%s' are used before they are set", from + 1,
                     stmt->source_var->name);
    set_one_bound(m, stmt, to, false, source->min[from]);
    set_one_bound(m, stmt, to, true, source->max[from]);
}

void set_bounds(Machine *m, const Stmt *stmt) {
    if (stmt->dimension < 0) {
        for (int d = 0; d < stmt->var->type->rank; d++) copy_bounds(m, stmt, d, d);
    } else if (stmt->source_var != NULL) {
        copy_bounds(m, stmt, stmt->dimension, stmt->source_dimension);
    } else if (stmt->whole_range) {
        Value range = eval(m, stmt->value);
        set_one_bound(m, stmt, stmt->dimension, false, range.range.min);
        set_one_bound(m, stmt, stmt->dimension, true, range.range.max);
    } else {
        set_one_bound(m, stmt, stmt->dimension, stmt->part == RANGE_MAX, eval_integer(m, stmt->value));
    }
}

static void run_initialize(Machine *m, const ExecuteStmt *execute, const Value *arguments) {
    const Body *body = m->execution->task->initialize;
    if (body == NULL) return;
    size_t mark = m->top;
    Frame frame = memory_push_frame(m, body, false);
    for (size_t i = 0; i < body->params.count; i++) {
        const Var *param = body->params.items[i];
        memory_store(m, frame.address[param->id], param->type, arguments[i], execute->initialize.items[i]->span);
    }
    m->frame = &frame;
    run_block(m, &body->block);
    m->frame = NULL;
    m->top = mark;
}

/* ---- After Initialize ------------------------------------------------------------------- */

static void check_bounds(Machine *m, const Var *global) {
    const Bounds *bounds = &m->execution->bounds[global->id];
    for (int d = 0; d < global->type->rank; d++) {
        if (!bounds->has_min[d] || !bounds->has_max[d])
            machine_fail(m, m->execution->span, "task '%s': Initialize sets no %s for dimension %d of '%s'", m->execution->task->name,
                         bounds->has_min[d] ? "max" : bounds->has_max[d] ? "min" : "bounds", d + 1, global->name);
        if (bounds->max[d] < bounds->min[d])
            hp5_fail(HP5_EXIT_FAILURE, "array %s is empty in dimension %d: Initialize gave it the bounds [%lld...%lld]",
                     global->name, d + 1, (long long)bounds->min[d], (long long)bounds->max[d]);
        if (bounds->max[d] == INT64_MAX)
            hp5_fail(HP5_EXIT_FAILURE, "array '%s' is too large for memory", global->name);
    }
}

static void create_array(Machine *m, Environment *environment, const Var *global) {
    Execution *x = m->execution;
    check_bounds(m, global);
    Item *item = x->items[global->id] = item_new(m, global->type);
    item->what = global->name;
    item->references = 1;         /* this execution's */
    item_set_extents(m, item, x->bounds[global->id].min, x->bounds[global->id].max);
    if (global->environment) environment_bind(environment, global, item);
}

static const Lps *home_of(const Execution *x, const Var *global) {
    return global->home != NULL ? global->home : x->task->spaces.items[0];
}

/* The one instance of a scalar that the environment hands back; its start value when there is none. */
static ScalarInstance *handed_back(Machine *m, const Var *global) {
    Execution *x = m->execution;
    const Lps *home = home_of(x, global);
    ScalarInstance *instance = x->start[global->id];
    size_t count = 0;
    for (size_t i = 0; i < x->lpus.count; i++)
        if (x->lpus.items[i]->lps == home && count++ == 0) instance = x->lpus.items[i]->scalars[global->id];
    if (count > 1)
        machine_fail(m, x->span, "task '%s' hands back the scalar '%s', which lives in Space %s with %zu LPUs; it needs one LPU",
                     x->task->name, global->name, home->name, count);
    return instance;
}

static void hand_back(Machine *m, Environment *environment, const Var *global) {
    Execution *x = m->execution;
    const ScalarInstance *instance = handed_back(m, global);
    Item *item = x->items[global->id];
    if (item == NULL) {
        item = item_new(m, global->type);
        environment_bind(environment, global, item);
    }
    memcpy(item->data, instance->data, instance->size);
}

/* ---- One item under two names ----------------------------------------------------------------- */

static bool is_written(const StepVec *steps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (is_written(&step->body, array)) return true;
        if (step->kind != STEP_CALL) continue;
        const Body *body = &step->stage->body;
        if (body_var_use(body, array).written) return true;
        for (size_t a = 0; a < step->arguments.count; a++)
            if (step->arguments.items[a].var == array && body_var_use(body, body->params.items[a]).written) return true;
    }
    return false;
}

/* Stages are made for arrays that do not overlap: two names for one item are fine while the task writes neither. */
static void check_aliases(Machine *m) {
    const Execution *x = m->execution;
    const VarVec *globals = &x->task->globals;
    for (size_t a = 0; a < globals->count; a++)
        for (size_t b = 0; b < a; b++) {
            const Var *later = globals->items[a], *earlier = globals->items[b];
            if (!var_is_array(later) || !var_is_array(earlier) || x->items[a] != x->items[b]) continue;
            bool first = is_written(&x->task->flow, earlier);
            if (!first && !is_written(&x->task->flow, later)) continue;
            hp5_fail(HP5_EXIT_FAILURE,
                     "task \"%s\": its environment names one data item both %s and %s, and the task writes %s; give it two items",
                     x->task->name, earlier->name, later->name, first ? earlier->name : later->name);
        }
}

/* ---- The whole ------------------------------------------------------------------------------ */

static void start_execution(Machine *m, const ExecuteStmt *execute, Value *arguments) {
    Execution *x = m->execution;
    size_t globals = x->task->globals.count;
    x->partition = ARENA_ARRAY(x->arena, int64_t, execute->partition.count + 1);
    x->bounds = ARENA_ARRAY(x->arena, Bounds, globals + 1);
    x->items = ARENA_ARRAY(x->arena, Item *, globals + 1);
    x->start = ARENA_ARRAY(x->arena, ScalarInstance *, globals + 1);
    m->execution = NULL;          /* the arguments belong to the coordinator */
    for (size_t i = 0; i < execute->partition.count; i++) x->partition[i] = eval_integer(m, execute->partition.items[i]);
    for (size_t i = 0; i < execute->initialize.count; i++) arguments[i] = eval(m, execute->initialize.items[i]);
    m->execution = x;
    m->frame = NULL;
}

static void end_execution(Machine *m) {
    Execution *x = m->execution;
    for (size_t i = 0; i < x->task->globals.count; i++) {
        if (!var_is_array(x->task->globals.items[i])) continue;
        Part *root = x->root->held[i];
        for (int v = 1; v < root->storage->versions; v++) hp5_free(root->storage->data[v]);
        hp5_free(root->storage->advanced);
        hp5_free(root->storage->handed);
        hp5_free(root->marks);
    }
    for (size_t i = 0; i < x->storages.count; i++)
        if (x->storages.items[i]->data != NULL) storage_free(x->storages.items[i]);
}

void execute_task(Machine *m, const ExecuteStmt *execute, Span span) {
    Environment *environment = eval(m, execute->environment).pointer;
    Execution x = {.task = execute->task, .span = span, .arena = arena_new()};
    const VarVec *globals = &x.task->globals;
    Frame *coordinator = m->frame;
    m->execution = &x;
    Value *arguments = ARENA_ARRAY(x.arena, Value, execute->initialize.count + 1);
    start_execution(m, execute, arguments);
    spaces_check_arguments(m);
    for (size_t i = 0; i < globals->count; i++)
        link_global(m, globals->items[i], environment->items[i], span);
    run_initialize(m, execute, arguments);
    bool *created = ARENA_ARRAY(x.arena, bool, globals->count + 1);
    for (size_t i = 0; i < globals->count; i++) {
        const Var *global = globals->items[i];
        if (var_is_array(global)) {
            created[i] = x.items[i] == NULL;
            if (created[i]) create_array(m, environment, global);
            continue;
        }
        ScalarInstance *start = x.start[i];
        for (int v = 1; v < global->versions; v++) memcpy(start->data + (size_t)v * start->size, start->data, start->size);
    }
    check_aliases(m);
    spaces_build(m);
    for (size_t i = 0; i < globals->count; i++)
        if (globals->items[i]->environment && !var_is_array(globals->items[i])) handed_back(m, globals->items[i]);
    run_flow(m);
    for (size_t i = 0; i < globals->count; i++) {
        if (globals->items[i]->environment && !var_is_array(globals->items[i])) hand_back(m, environment, globals->items[i]);
        if (created[i]) x.items[i]->references--;
    }
    end_execution(m);
    m->execution = NULL;
    m->frame = coordinator;
    hp5_pool_free(&x.pool);
    arena_free(x.arena);
    items_collect(m);
}
