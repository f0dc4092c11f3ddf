/* What a process needs of an array that others hold, where no formula says it: direction[columns[j]] for j in a range that follows from
 * other arrays, u[i] for i in a part of another array. A stage's body without all that computes elements is a program that says
 * which elements it reads: loops, conditions and assignments are left where a subscript follows from them (inspector). It
 * runs when data move for the first time, and again when an array that it looks at has changed; in between, the elements that it
 * has found move, and no others (executor, runtime/move/inspect.c).
 *
 * What is found may be more than is read, never less: a condition that follows from elements that change counts as true and as
 * false. A subscript must be known before the stage runs: it may follow from indices, partition arguments, constants of
 * the run, and elements of arrays that the stage does not write. Where it does not, the array moves as a whole.
 *
 * How to read it: what can be told; which locals are kept; what a stage leaves, and which of its rounds say the same; holdings. */
#include "compiler/plan/inspect.h"
#include "compiler/check/walk.h"
#include <string.h>

enum { MAX_DEPTH = 8 /* of locals that follow from others */ };

static const Formal *formal_of(const StageUse *use, const Var *var) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return &use->formals.items[i];
    return NULL;
}

static const Block *body_of(const TouchSlice *slice) { return &slice->step->use->stage->body.block; }

bool inspect_is_kept(const TouchSlice *slice, const Var *var) {
    for (size_t i = 0; i < slice->kept.count; i++)
        if (slice->kept.items[i] == var) return true;
    return false;
}

/* ---- What can be told ------------------------------------------------------------------------------------------------ */

typedef struct Telling {
    const TaskPlan *task;
    const TouchSlice *slice;
    Arena *arena;       /* what is named is kept; NULL: only asked */
    TouchSlice *keeper; /* the slice, to keep it in */
    int depth;
    bool fine;
} Telling;

static void tell(Telling *telling, const Expr *expr);

static bool is_simple(const Type *type) { return type->kind == TYPE_BOOLEAN || type->kind == TYPE_RANGE || type_is_numeric(type); }

static void keep_formal(const Telling *telling, bool elements, const Formal *formal) {
    if (telling->arena == NULL) return;
    FormalVec *list = elements ? &telling->keeper->looked_at : &telling->keeper->inputs;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == formal) return;
    vec_push(telling->arena, list, formal);
}

/* Assignments of a local: whether each gives it a value that can be told. */
static bool tell_value(Stmt *stmt, void *data) {
    Telling *telling = ((void **)data)[0];
    const Var *var = ((void **)data)[1];
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->target->var != var) return true;
    telling->depth++;
    if (telling->depth > MAX_DEPTH) telling->fine = false;
    else tell(telling, stmt->value);
    telling->depth--;
    return true;
}

static void tell_local(Telling *telling, const Var *var) {
    if (!is_simple(var->type)) telling->fine = false;
    if (!telling->fine || inspect_is_kept(telling->slice, var)) return;
    if (telling->arena != NULL) vec_push(telling->arena, &telling->keeper->kept, var); /* its values are looked at in their turn */
    else walk_block((Block *)body_of(telling->slice), tell_value, NULL, (void *[]){telling, (void *)var});
}

static bool is_counter(const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *source = steps->items[i]->source;
        if ((source != NULL && source->kind == STEP_REPEAT_FOR && source->var == var) || is_counter(&steps->items[i]->body, var)) return true;
    }
    return false;
}

/* A scalar that is the same in the whole run. */
static void tell_scalar(Telling *telling, const Expr *expr) {
    const PlanStep *step = telling->slice->step;
    const Formal *formal = formal_of(step->use, expr->var);
    telling->fine = telling->fine && formal != NULL && formal->kind == FORMAL_VALUE && expr->lag == 0 && formal->max_lag == 0 &&
                    formal->var->type->kind != TYPE_STRUCT && is_simple(formal->var->type);
    if (!telling->fine) return;
    const Var *actual = plan_actual(step->use, formal, step->source);
    if (actual != NULL && actual->kind == VAR_GLOBAL)
        telling->fine = plan_scalar_is_private(telling->task, actual) && !is_counter(&telling->task->flow, actual);
    if (telling->fine) keep_formal(telling, false, formal);
}

static void tell_view(Telling *telling, const Var *var) {
    const Formal *formal = formal_of(telling->slice->step->use, var);
    telling->fine = telling->fine && formal != NULL && formal->kind == FORMAL_VIEW;
    if (telling->fine) keep_formal(telling, false, formal);
}

/* An element that says which ones are touched: of an array that lies as ever, and is there before the stage runs. */
static void tell_element(Telling *telling, const Expr *expr) {
    const Formal *formal = formal_of(telling->slice->step->use, expr->var);
    telling->fine = telling->fine && formal != NULL && formal->kind == FORMAL_VIEW && !formal->written && !formal->layout.split && is_simple(expr->type) &&
                    formal->actual != telling->slice->formal->actual && formal->actual->versions == 1;
    if (!telling->fine) return;
    keep_formal(telling, false, formal);
    keep_formal(telling, true, formal);
}

static bool can_fail(const Expr *expr) {
    if (expr->op == OP_POW || expr->op == OP_SHL || expr->op == OP_SHR) return true;
    return (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER && !(expr->right->kind == EXPR_INTEGER && expr->right->integer > 0);
}

static void tell(Telling *telling, const Expr *expr) {
    if (expr == NULL || !telling->fine) return;
    switch (expr->kind) {
    case EXPR_INTEGER:
    case EXPR_REAL:
    case EXPR_BOOLEAN: return;
    case EXPR_VAR:
        if (expr->var->kind == VAR_INDEX) return;
        if (expr->var->kind == VAR_LOCAL) tell_local(telling, expr->var);
        else tell_scalar(telling, expr);
        return;
    case EXPR_ELEMENT: tell_element(telling, expr); break;
    case EXPR_DIM_RANGE: tell_view(telling, expr->var); return;
    case EXPR_LPU_ID:
        if (telling->arena != NULL) telling->keeper->lpu = true;
        break;
    case EXPR_BINARY:
        if (can_fail(expr)) telling->fine = false;
        break;
    case EXPR_CONVERT:
        if (type_is_real(expr->left->type) && expr->type->kind == TYPE_INTEGER) telling->fine = false;
        break;
    case EXPR_MATH:
        if (strncmp(expr->math, "ll", 2) != 0) telling->fine = false;
        break;
    case EXPR_UNARY:
    case EXPR_RANGE:
    case EXPR_RANGE_PART:
    case EXPR_IN: break;
    default: telling->fine = false; return;
    }
    tell(telling, expr->left);
    tell(telling, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) tell(telling, expr->arguments.items[i]);
}

bool inspect_can_tell(const TaskPlan *task, const TouchSlice *slice, const Expr *expr) {
    Telling telling = {.task = task, .slice = slice, .fine = true};
    tell(&telling, expr);
    return telling.fine;
}

/* ---- What is left ------------------------------------------------------------------------------------------------------ */

typedef struct Search {
    const TouchSlice *slice;
    bool found;
} Search;

static bool find_touch(Expr *expr, void *data) {
    Search *search = data;
    if (expr->kind == EXPR_ELEMENT && expr->var == search->slice->formal->var) search->found = true;
    return !search->found;
}

static bool has_touches(const TouchSlice *slice, const Expr *expr) {
    Search search = {slice, false};
    walk_expr((Expr *)expr, find_touch, &search);
    return search.found;
}

static bool find_kept(Stmt *stmt, void *data) {
    Search *search = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && inspect_is_kept(search->slice, stmt->target->var)) search->found = true;
    return !search->found;
}

static bool has_kept(const TouchSlice *slice, const Block *block) {
    Search search = {slice, false};
    walk_block((Block *)block, find_kept, NULL, &search);
    return search.found;
}

bool inspect_is_left(const TouchSlice *slice, const Block *block) {
    Search search = {slice, false};
    walk_block((Block *)block, find_kept, find_touch, &search);
    return search.found;
}

static bool some_has_touches(const TouchSlice *slice, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++)
        if (has_touches(slice, exprs->items[i])) return true;
    return false;
}

bool inspect_loop_is_left(const TouchSlice *slice, const Stmt *stmt) {
    bool left = inspect_is_left(slice, &stmt->body);
    for (size_t l = 0; l < stmt->indices.count; l++) {
        const LoopIndex *index = &stmt->indices.items[l];
        left = left || has_touches(slice, index->domain_range) || some_has_touches(slice, &index->lower) || some_has_touches(slice, &index->upper) ||
               some_has_touches(slice, &index->filters);
    }
    return left;
}

/* ---- Rounds that say the same ------------------------------------------------------------------------------------------- */

static bool some_name(const ExprVec *exprs, const Var *var) {
    for (size_t i = 0; i < exprs->count; i++)
        if (expr_mentions(exprs->items[i], var)) return true;
    return false;
}

static bool bounds_name(const LoopIndex *index, const Var *var) {
    return expr_mentions(index->domain_range, var) || some_name(&index->lower, var) || some_name(&index->upper, var) || some_name(&index->filters, var);
}

typedef struct Naming {
    const TouchSlice *slice;
    const Var *var;
    bool found;
} Naming;

static bool name_in_touch(Expr *expr, void *data) {
    Naming *naming = data;
    if (expr->kind == EXPR_ELEMENT && expr->var == naming->slice->formal->var && some_name(&expr->arguments, naming->var)) naming->found = true;
    return !naming->found;
}

/* A loop or condition around what is left names it. */
static bool name_around(Stmt *stmt, void *data) {
    Naming *naming = data;
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_CALL) return true;
    const bool left = stmt->kind == STMT_PARALLEL ? inspect_loop_is_left(naming->slice, stmt)
                                                  : inspect_is_left(naming->slice, &stmt->body) ||
                                                        (stmt->otherwise != NULL && inspect_is_left(naming->slice, stmt->otherwise));
    if (!left) return true;
    if (expr_mentions(stmt->value, naming->var) || expr_mentions(stmt->step, naming->var)) naming->found = true;
    for (size_t l = 0; l < stmt->indices.count; l++)
        if (bounds_name(&stmt->indices.items[l], naming->var)) naming->found = true;
    return true;
}

bool inspect_once(const TouchSlice *slice, const Stmt *loop, size_t index) {
    const Var *var = loop->kind == STMT_SEQUENCE ? loop->index : loop->indices.items[index].var;
    Naming naming = {slice, var, has_kept(slice, &loop->body)}; /* what is kept may differ from round to round */
    for (size_t l = index; l < loop->indices.count; l++)
        if (some_name(&loop->indices.items[l].filters, var) || (l > index && bounds_name(&loop->indices.items[l], var))) naming.found = true;
    if (!naming.found) walk_block((Block *)&loop->body, name_around, name_in_touch, &naming);
    return !naming.found;
}

/* ---- A slice ------------------------------------------------------------------------------------------------------------ */

typedef struct Slicer {
    Arena *arena;
    const TaskPlan *task;
    TouchSlice *slice;
    bool fine;
} Slicer;

static void need(Slicer *slicer, const Expr *expr) {
    Telling telling = {.task = slicer->task, .slice = slicer->slice, .arena = slicer->arena, .keeper = slicer->slice, .fine = true};
    tell(&telling, expr);
    slicer->fine = slicer->fine && telling.fine;
}

/* Whether it holds says nothing where it cannot be told; but then nothing that is kept may follow from it. */
static void need_condition(Slicer *slicer, const Expr *condition, bool keeps) {
    if (inspect_can_tell(slicer->task, slicer->slice, condition)) need(slicer, condition);
    else if (keeps) slicer->fine = false;
}

static bool need_subscripts(Expr *expr, void *data) {
    Slicer *slicer = data;
    if (expr->kind == EXPR_ELEMENT && expr->var == slicer->slice->formal->var)
        for (size_t d = 0; d < expr->arguments.count; d++) need(slicer, expr->arguments.items[d]);
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference && expr->arguments.items[i]->var != NULL && inspect_is_kept(slicer->slice, expr->arguments.items[i]->var))
            slicer->fine = false;
    return true;
}

static void slice_block(Slicer *slicer, const Block *block);

static void slice_loop(Slicer *slicer, const Stmt *stmt) {
    bool keeps = has_kept(slicer->slice, &stmt->body);
    if (!inspect_loop_is_left(slicer->slice, stmt)) return;
    if (stmt->kind == STMT_SEQUENCE) {
        need(slicer, stmt->value);
        need(slicer, stmt->step);
    }
    for (size_t l = 0; l < stmt->indices.count; l++) {
        const LoopIndex *index = &stmt->indices.items[l];
        Telling telling = {.task = slicer->task, .slice = slicer->slice, .arena = slicer->arena, .keeper = slicer->slice, .fine = true};
        if (index->domain_var != NULL) tell_view(&telling, index->domain_var);
        slicer->fine = slicer->fine && telling.fine;
        need(slicer, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) need(slicer, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) need(slicer, index->upper.items[b]);
        for (size_t f = 0; f < index->filters.count; f++) need_condition(slicer, index->filters.items[f], keeps);
    }
}

static const Expr *root_of(const Expr *place) {
    while (place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT && place->left != NULL) place = place->left;
    return place;
}

static void slice_assignment(Slicer *slicer, const Stmt *stmt) {
    const Expr *root = root_of(stmt->target);
    if (root->kind == EXPR_ELEMENT && root->var == slicer->slice->formal->var) slicer->fine = false; /* written */
    if (root->var == NULL || !inspect_is_kept(slicer->slice, root->var)) return;
    if (stmt->target != root || stmt->kind == STMT_REDUCE) slicer->fine = false;
    else need(slicer, stmt->value);
}

static void slice_statement(Slicer *slicer, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_ASSIGN:
    case STMT_REDUCE: slice_assignment(slicer, stmt); break;
    case STMT_IF: {
        bool left = inspect_is_left(slicer->slice, &stmt->body) || (stmt->otherwise != NULL && inspect_is_left(slicer->slice, stmt->otherwise));
        bool keeps = has_kept(slicer->slice, &stmt->body) || (stmt->otherwise != NULL && has_kept(slicer->slice, stmt->otherwise));
        if (left) need_condition(slicer, stmt->value, keeps);
        break;
    }
    case STMT_PARALLEL:
    case STMT_SEQUENCE: slice_loop(slicer, stmt); break;
    case STMT_WHILE:
        if (inspect_is_left(slicer->slice, &stmt->body) || has_touches(slicer->slice, stmt->value)) slicer->fine = false;
        break;
    case STMT_CALL:
    case STMT_BLOCK: break;
    default: slicer->fine = false; break; /* it leaves the stage, or is foreign code */
    }
    slice_block(slicer, &stmt->body);
    if (stmt->otherwise != NULL) slice_block(slicer, stmt->otherwise);
}

static void slice_block(Slicer *slicer, const Block *block) {
    for (size_t i = 0; i < block->statements.count && slicer->fine; i++) slice_statement(slicer, block->statements.items[i]);
}

/* What is kept names more that has to be kept. */
static TouchSlice *slice_of(Arena *arena, const TaskPlan *task, const PlanStep *step, const Formal *formal) {
    TouchSlice *slice = ARENA_NEW(arena, TouchSlice);
    *slice = (TouchSlice){.step = step, .formal = formal};
    Slicer slicer = {arena, task, slice, true};
    walk_block((Block *)body_of(slice), NULL, need_subscripts, &slicer);
    for (size_t known = 0, first = 1; slicer.fine && (first || slice->kept.count > known); first = 0) {
        known = slice->kept.count;
        slice_block(&slicer, body_of(slice));
        walk_block((Block *)body_of(slice), NULL, need_subscripts, &slicer);
    }
    return slicer.fine ? slice : NULL;
}

/* ---- Holdings ------------------------------------------------------------------------------------------------------------ */

bool inspect_region(const Region *region) {
    for (int d = 0; d < region->rank; d++)
        if (region_rank(&region->dims[d]) == 1) return true;
    return false;
}

bool inspect_is_steady(const TaskPlan *task, const Inspection *inspection) {
    for (size_t i = 0; i < inspection->inputs.count; i++)
        if (task->arrays[plan_array_index(task, inspection->inputs.items[i])].written) return false;
    return true;
}

typedef struct Inspector {
    Arena *arena;
    TaskPlan *task;
    Inspection *inspection;
    const PlanStep *step;
    bool everything; /* what formulas tell, too */
    bool fine;
} Inspector;

/* Elements are where inspectors find them: in a store that is there before LPUs are visited. */
static bool can_look_at(const Inspector *inspector, const Var *array, const Lps *lps) {
    const Lps *store = plan_store_level(inspector->task, array, lps);
    const ArrayPlan *plan = plan_array(inspector->task, array);
    if (plan->collected) return false;
    return store->parent == NULL || (!plan->written && inspector->task->spaces[store->id].stored[plan_view_slot(store, array)] == STORED_HOME);
}

static void add_input(Inspector *inspector, const Formal *formal, const TouchSlice *slice) {
    if (!can_look_at(inspector, formal->actual, slice->step->use->lps)) inspector->fine = false;
    for (size_t i = 0; i < inspector->inspection->inputs.count; i++)
        if (inspector->inspection->inputs.items[i] == formal->actual) return;
    vec_push(inspector->arena, &inspector->inspection->inputs, formal->actual);
}

/* The same stage with the same variables has been looked at. */
static bool is_known(const Inspector *inspector, const PlanStep *step, const Formal *formal) {
    for (size_t i = 0; i < inspector->inspection->slices.count; i++) {
        const TouchSlice *known = inspector->inspection->slices.items[i];
        bool values = false;
        for (size_t v = 0; v < known->inputs.count; v++) values = values || known->inputs.items[v]->kind == FORMAL_VALUE;
        if (known->step == step && known->formal == formal) return true;
        if (known->step->use == step->use && known->formal == formal && !values) return true;
    }
    return false;
}

static void add_slice(Inspector *inspector, const Formal *formal) {
    if (is_known(inspector, inspector->step, formal)) return;
    TouchSlice *slice = slice_of(inspector->arena, inspector->task, inspector->step, formal);
    if (slice == NULL) {
        inspector->fine = false;
        return;
    }
    vec_push(inspector->arena, &inspector->inspection->slices, slice);
    for (size_t i = 0; i < slice->looked_at.count; i++) add_input(inspector, slice->looked_at.items[i], slice);
}

static void inspect_touch(void *data, const MoveTouch *touch) {
    Inspector *inspector = data;
    const Holding *holding = inspector->inspection->holding;
    const PlanStep *step = inspector->step;
    if (touch->var != holding->var || hold_touched(inspector->task, touch) != holding) return;
    if (touch->write) inspector->fine = false;
    if (!inspector->everything && !inspect_region(touch->region)) return;
    if (step->kind != PLAN_STAGE || step->use->lps->sub_partition || step->use->lps->dynamic) {
        inspector->fine = false;
        return;
    }
    for (size_t i = 0; i < step->use->formals.count; i++)
        if (step->use->formals.items[i].actual == holding->var) add_slice(inspector, &step->use->formals.items[i]);
}

static void inspect_steps(Inspector *inspector, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count && inspector->fine; i++) {
        inspector->step = steps->items[i];
        move_touches(inspector->arena, inspector->task, steps->items[i], inspect_touch, inspector);
        inspect_steps(inspector, &steps->items[i]->body);
    }
}

Inspection *inspect_holding(Arena *arena, TaskPlan *task, const Holding *holding, bool everything) {
    Inspection *inspection = ARENA_NEW(arena, Inspection);
    *inspection = (Inspection){.holding = holding};
    Inspector inspector = {arena, task, inspection, NULL, everything, true};
    inspect_steps(&inspector, &task->flow);
    return inspector.fine && inspection->slices.count > 0 ? inspection : NULL;
}

void plan_inspect(Arena *arena, TaskPlan *task) {
    for (size_t h = 0; h < task->holdings.count; h++) {
        Holding *holding = task->holdings.items[h];
        bool read_by_others = holding->kind == HELD_TOUCHED || (holding->kind == HELD_PARTS && holding->shared && !holding->padded);
        if (!read_by_others || !var_is_array(holding->var) || !hold_is_local(task, holding->lps) || plan_array(task, holding->var)->collected) continue;
        holding->inspection = inspect_holding(arena, task, holding, false);
    }
}
