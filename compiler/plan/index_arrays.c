/* Subscripts that are elements of an array of indices which no stage of the task writes (sparse matrices, meshes):
 * v[columns[j]], v[columns[j] - 1], or a local that was set to such an element; or indices of loops that run from or to one, as
 * columns[j] does for j in [ends[i - 1]...ends[i] - 1].
 *
 * Conditions around a use count: `if (other >= 0)` lets an array have -1 for nobody, as it is; and where `e < last` holds, e is an index if what
 * `last` was set to is one behind it (guards.c).
 *
 * Before an execution the runtime looks once at all values of such an array (runtime/run/gathers.c). When all of them are indices of v,
 * nothing can go wrong and nothing is checked. When some are not, that need not be wrong: a program may guard them, or not use
 * them. Then the stage runs in a form that checks these subscripts where they are used. */
#include "compiler/plan/internal.h"

typedef struct Finder { Planner *planner; StageUse *use; const Block *body; } Finder;

static const Formal *formal_of(const StageUse *use, const Var *var) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return &use->formals.items[i];
    return NULL;
}

/* ---- Where a value comes from ------------------------------------------------------------------------- */

/* Calls on_value(value, data) with each value that the block gives the local. */
typedef struct Values { const Var *local; void (*on_value)(const Expr *value, void *data); void *data; } Values;

static bool value_of_local(Stmt *stmt, void *data) {
    const Values *values = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == values->local) values->on_value(stmt->value, values->data);
    return true;
}

static void each_value(const Block *block, const Var *local, void (*on_value)(const Expr *value, void *data), void *data) {
    walk_block((Block *)block, value_of_local, NULL, &(Values){local, on_value, data});
}

/* ---- Gathers ------------------------------------------------------------------------------------------ */

/* A subscript of `array`, of which `from` is being found; what stays of the subscript when `offset` is taken off. */
typedef struct Subscript {
    Finder *finder;
    const Formal *array;
    const Expr *expr;
    int dimension;
    GatherSides sides;
    int64_t offset;
    bool direct;
    GuardedValue known; /* of the subscript without literals that are added to it */
    int64_t added;  /* these */
} Subscript;

/* The array of indices, which no stage writes, where the value is an element of one; or NULL. */
static const Formal *indices_of(const Finder *finder, const Expr *value) {
    if (value->kind != EXPR_ELEMENT || value->type->kind != TYPE_INTEGER) return NULL;
    const Formal *indices = formal_of(finder->use, value->var);
    if (indices == NULL || indices->kind != FORMAL_VIEW) return NULL;
    return finder->planner->task->arrays[plan_array_index(finder->planner->task, indices->actual)].written ? NULL : indices;
}

/* An element of an array of indices, with literals added. */
static void add_gather(const Subscript *subscript, const Expr *value) {
    Planner *planner = subscript->finder->planner;
    const TaskPlan *task = planner->task;
    Gather gather = {.subscript = subscript->expr, .dimension = subscript->dimension, .sides = subscript->sides, .offset = subscript->offset,
                     .direct = subscript->direct};
    gather.from = plan_without_literals(value, &gather.offset);
    const Formal *indices = indices_of(subscript->finder, gather.from);
    if (indices == NULL) return;
    gather.least_is_known = subscript->known.least_is_known;
    gather.unlike_is_known = subscript->known.unlike_is_known;
    gather.least = subscript->known.least - (gather.offset - subscript->added);
    gather.unlike = subscript->known.unlike - (gather.offset - subscript->added);
    gather.indices = plan_array_index(task, indices->actual);
    gather.array = plan_array_index(task, subscript->array->actual);
    vec_push(planner->arena, &subscript->finder->use->gathers, gather);
}

static void add_value(const Expr *value, void *data) { add_gather(data, value); }

/* A local's value may be any that it is given. */
static void add_source(Subscript *subscript, const Expr *value) {
    const Expr *from = plan_without_literals(value, &subscript->offset);
    if (from->kind != EXPR_VAR || from->var->kind != VAR_LOCAL) {
        add_gather(subscript, from);
        return;
    }
    subscript->direct = false;
    each_value(subscript->finder->body, from->var, add_value, subscript);
}

/* The index of a loop is no less than its first end, no more than its last; nor are others more than what bounds them. */
static void add_end(const Subscript *index, GatherSides side, const Expr *end, int64_t more) {
    Subscript subscript = *index;
    subscript.sides = side;
    subscript.direct = false;
    subscript.offset += more;
    subscript.known = (GuardedValue){0};
    add_source(&subscript, end);
}

typedef struct Loops { const Subscript *index; const Var *var; } Loops;

static void ends_of_range(const Subscript *index, const Expr *range) {
    if (range == NULL || range->kind != EXPR_RANGE) return;
    add_end(index, GATHER_LEAST, range->left, 0);
    add_end(index, GATHER_MOST, range->right, 0);
}

static bool ends_of_loop(Stmt *stmt, void *data) {
    const Loops *loops = data;
    if (stmt->kind == STMT_SEQUENCE && stmt->index == loops->var) ends_of_range(loops->index, stmt->value);
    for (size_t l = 0; stmt->kind == STMT_PARALLEL && l < stmt->indices.count; l++) {
        const LoopIndex *index = &stmt->indices.items[l];
        if (index->var == loops->var && index->lower.count == 0 && index->upper.count == 0) ends_of_range(loops->index, index->domain_range);
    }
    return true;
}

typedef struct Origins { const Finder *finder; bool all; } Origins;

static void look_at_origin(const Expr *value, void *data) {
    Origins *origins = data;
    origins->all = origins->all && indices_of(origins->finder, plan_without_literals(value, &(int64_t){0})) != NULL;
}

/* An element of an array of indices, or a local that is never set to anything else. */
static bool comes_from_indices(const Expr *by, void *data) {
    Origins origins = {data, true};
    if (by->kind == EXPR_VAR && by->var->kind == VAR_LOCAL) each_value(origins.finder->body, by->var, look_at_origin, &origins);
    else look_at_origin(by, &origins);
    return origins.all;
}

static void look_at(Finder *finder, const Expr *element, int dimension, const Guard *guard) {
    const Formal *formal = formal_of(finder->use, element->var);
    if (formal == NULL || formal->kind != FORMAL_VIEW || !formal->whole[dimension]) return;
    Subscript subscript = {.finder = finder, .array = formal, .expr = element->arguments.items[dimension], .dimension = dimension,
                           .sides = GATHER_LEAST | GATHER_MOST, .direct = true};
    const Expr *from = plan_without_literals(subscript.expr, &subscript.offset);
    subscript.added = subscript.offset;
    if (from->kind == EXPR_VAR && from->var->kind == VAR_INDEX) {
        walk_block((Block *)finder->body, ends_of_loop, NULL, &(Loops){&subscript, from->var});
    } else {
        const GuardedBound bound = guards_bound(guard, finder->body, from, comes_from_indices, finder);
        if (bound.by != NULL) {
            add_end(&subscript, GATHER_MOST, bound.by, bound.more);
            subscript.sides = GATHER_LEAST;
        }
        subscript.known = guards_say(guard, finder->body, from);
        add_source(&subscript, from);
    }
}

static void find_gathers(Expr *expr, const Guard *guard, void *data) {
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) look_at(data, expr, (int)d, guard);
}

/* Needs: ArrayPlan.written and finished uses. Gives: StageUse.gathers. */
void plan_gathers(Planner *planner) {
    for (size_t u = 0; u < planner->task->uses.count; u++) {
        StageUse *use = planner->task->uses.items[u];
        Finder finder = {planner, use, &use->stage->body.block};
        guards_walk((Block *)finder.body, find_gathers, &finder);
    }
}
