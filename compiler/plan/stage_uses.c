/* What bodies do with variables, and from that the stage functions to generate: one StageUse
 * for each stage instance, LPS and set of bound variables. */
#include "compiler/plan/internal.h"
#include <string.h>

static BodyUse *use_of(Arena *arena, BodyUseVec *uses, Var *var) {
    for (size_t i = 0; i < uses->count; i++)
        if (uses->items[i].var == var) return &uses->items[i];
    vec_push(arena, uses, ((BodyUse){.var = var}));
    return &vec_last(uses);
}

static void note_read(Arena *arena, BodyUseVec *uses, Var *var, int lag) {
    BodyUse *use = use_of(arena, uses, var);
    use->read = true;
    if (lag > use->max_lag) use->max_lag = lag;
}

/* The variable that a place is part of. */
static const Expr *place_root(const Expr *place) {
    while (place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD || place->kind == EXPR_RANGE_PART)
        place = place->left;
    return place;
}

static void exprs_uses(Arena *arena, const ExprVec *exprs, BodyUseVec *uses) {
    for (size_t i = 0; i < exprs->count; i++) plan_expr_uses(arena, exprs->items[i], uses);
}

/* Subscripts inside a place are reads; its root is written, and read when only a part of it is. */
static void place_uses(Arena *arena, const Expr *place, BodyUseVec *uses) {
    const Expr *root = place_root(place);
    for (const Expr *e = place; e != root; e = e->left) exprs_uses(arena, &e->arguments, uses);
    exprs_uses(arena, &root->arguments, uses);
    if (root->var == NULL) {
        plan_expr_uses(arena, root, uses);
        return;
    }
    BodyUse *use = use_of(arena, uses, root->var);
    use->written = true;
    if (root != place) use->read = true;
}

void plan_expr_uses(Arena *arena, const Expr *expr, BodyUseVec *uses) {
    if (expr == NULL) return;
    switch (expr->kind) {
    case EXPR_VAR:
    case EXPR_ELEMENT: note_read(arena, uses, expr->var, expr->lag); break;
    case EXPR_DIM_RANGE: use_of(arena, uses, expr->var)->mentioned = true; break;
    case EXPR_CALL:
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (expr->function->body.params.items[i]->by_reference)
                place_uses(arena, expr->arguments.items[i], uses);
        break;
    default: break;
    }
    plan_expr_uses(arena, expr->left, uses);
    plan_expr_uses(arena, expr->right, uses);
    exprs_uses(arena, &expr->arguments, uses);
}

static void block_uses(Arena *arena, const Block *block, BodyUseVec *uses);

static void loop_uses(Arena *arena, const Stmt *stmt, BodyUseVec *uses) {
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (index->domain_var != NULL) use_of(arena, uses, index->domain_var)->mentioned = true;
        plan_expr_uses(arena, index->domain_range, uses);
        exprs_uses(arena, &index->lower, uses);
        exprs_uses(arena, &index->upper, uses);
        exprs_uses(arena, &index->filters, uses);
    }
}

static void stmt_uses(Arena *arena, const Stmt *stmt, BodyUseVec *uses) {
    switch (stmt->kind) {
    case STMT_ASSIGN:
        place_uses(arena, stmt->target, uses);
        plan_expr_uses(arena, stmt->value, uses);
        break;
    case STMT_REDUCE: {
        BodyUse *use = use_of(arena, uses, stmt->target->var);
        if (!use->reduced) use->span = stmt->span;
        use->reduced = true;
        use->op = stmt->reduce;
        use->value_type = stmt->value->type;
        plan_expr_uses(arena, stmt->value, uses);
        break;
    }
    case STMT_PARALLEL: loop_uses(arena, stmt, uses); break;
    case STMT_EXTERN:
        for (size_t i = 0; i < stmt->external->uses.count; i++) {
            BodyUse *use = use_of(arena, uses, stmt->external->uses.items[i]);
            use->read = use->written = true;
        }
        break;
    default:
        plan_expr_uses(arena, stmt->value, uses);
        plan_expr_uses(arena, stmt->step, uses);
        break;
    }
    block_uses(arena, &stmt->body, uses);
    if (stmt->otherwise != NULL) block_uses(arena, stmt->otherwise, uses);
}

static void block_uses(Arena *arena, const Block *block, BodyUseVec *uses) {
    for (size_t i = 0; i < block->statements.count; i++) stmt_uses(arena, block->statements.items[i], uses);
}

static BodyUseVec plan_body_uses(Arena *arena, const Body *body) {
    BodyUseVec uses = {0};
    block_uses(arena, &body->block, &uses);
    return uses;
}

/* What the body of a stage of the task does with which variables, found once. */
static const BodyUseVec *uses_of_stage(Planner *planner, const StageInstance *stage) {
    while (planner->stage_uses.count <= (size_t)stage->id)
        vec_push(planner->arena, &planner->stage_uses, NULL);
    BodyUseVec **known = &planner->stage_uses.items[stage->id];
    if (*known == NULL) {
        *known = ARENA_NEW(planner->arena, BodyUseVec);
        **known = plan_body_uses(planner->arena, &stage->body);
    }
    return *known;
}

void plan_collect_calls(Planner *planner, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_CALL) vec_push(planner->arena, &planner->calls, step);
        plan_collect_calls(planner, &step->body);
    }
}

StageUse *plan_use_of(const Planner *planner, const Step *call) {
    size_t low = 0, high = planner->calls.count; /* the calls stand in the order of Step.id */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (planner->calls.items[middle]->id < call->id) low = middle + 1;
        else high = middle;
    }
    if (low == planner->calls.count || planner->calls.items[low] != call)
        internal_error("plan", "a stage call without a stage use");
    return planner->call_uses.items[low];
}

/* ---- Stage uses ------------------------------------------------------------------------------ */
static Formal formal_for(const BodyUse *use, Var *actual, Expr *constant) {
    Formal formal = {.var = use->var,
                     .actual = actual,
                     .constant = constant,
                     .read = use->read,
                     .written = use->written,
                     .max_lag = use->max_lag};
    if (use->reduced) {
        formal.kind = FORMAL_PARTIAL;
        formal.op = use->op;
        formal.value_type = use->value_type;
        formal.reduced = use->span;
        formal.site = -1;
    } else if (actual != NULL && var_is_array(actual)) {
        formal.kind = FORMAL_VIEW;
    } else {
        formal.kind = use->written ? FORMAL_PLACE : FORMAL_VALUE;
    }
    return formal;
}

/* A call may pass one scalar twice, or one that the body also names: what is written by one name is read by the other. */
static void find_second_names(StageUse *use) {
    for (size_t first = 0; first < use->formals.count; first++) {
        const Formal *place = &use->formals.items[first];
        if (place->kind != FORMAL_PLACE || place->same_as > 0) continue;
        for (size_t i = 0; i < use->formals.count; i++) {
            Formal *other = &use->formals.items[i];
            bool scalar = other->kind == FORMAL_PLACE || other->kind == FORMAL_VALUE;
            if (scalar && other != place && other->actual == place->actual) other->same_as = 1 + (int)first;
        }
    }
}

static const BodyUse *find_use(const BodyUseVec *uses, const Var *var) {
    for (size_t i = 0; i < uses->count; i++)
        if (uses->items[i].var == var) return &uses->items[i];
    return NULL;
}

static bool body_uses_lpu_id(const Body *body);

static bool is_lpu_id(Expr *expr, void *found) {
    if (expr->kind == EXPR_LPU_ID) *(bool *)found = true;
    return true;
}

static bool body_uses_lpu_id(const Body *body) {
    bool found = false;
    walk_block((Block *)&body->block, NULL, is_lpu_id, &found);
    return found;
}

static StageUse *use_new(Planner *planner, const Step *call) {
    StageUse *use = ARENA_NEW(planner->arena, StageUse);
    use->stage = call->stage;
    use->lps = call->lps;
    use->what = arena_printf(planner->arena, "stage %s", call->stage->body.name);
    use->id = (int)planner->task->uses.count;
    use->needs_lpu = body_uses_lpu_id(&call->stage->body) || planner->plan->options.checked;
    use->needs_worker = planner->plan->options.checked;
    const BodyUseVec uses = *uses_of_stage(planner, call->stage);
    const VarVec *params = &call->stage->body.params;
    for (size_t i = 0; i < params->count; i++) {
        const BodyUse *body_use = find_use(&uses, params->items[i]);
        if (body_use == NULL) continue;
        const StageArg *arg = &call->arguments.items[i];
        vec_push(planner->arena, &use->formals, formal_for(body_use, arg->var, arg->constant));
    }
    for (size_t i = 0; i < uses.count; i++) {
        Var *var = uses.items[i].var;
        if (var->kind == VAR_GLOBAL || var->kind == VAR_PARTITION)
            vec_push(planner->arena, &use->formals, formal_for(&uses.items[i], var, NULL));
    }
    find_second_names(use);
    return use;
}

/* Two calls share a function when stage, LPS and bound arrays agree; scalars and constants differ freely, since they
 * are passed. */
static bool same_use(const StageUse *a, const StageUse *b) {
    if (a->stage != b->stage || a->lps != b->lps || a->formals.count != b->formals.count) return false;
    for (size_t i = 0; i < a->formals.count; i++) {
        const Formal *x = &a->formals.items[i], *y = &b->formals.items[i];
        if (x->kind != y->kind || x->var != y->var || x->same_as != y->same_as) return false;
        if ((x->kind == FORMAL_VIEW || x->kind == FORMAL_PARTIAL) && x->actual != y->actual) return false;
    }
    return true;
}

static bool symbol_taken(const Planner *planner, const char *symbol) {
    for (size_t t = 0; t < planner->plan->tasks.count; t++)
        for (size_t i = 0; i < planner->plan->tasks.items[t]->uses.count; i++)
            if (strcmp(planner->plan->tasks.items[t]->uses.items[i]->symbol, symbol) == 0) return true;
    return false;
}

static const char *use_symbol(Planner *planner, const StageUse *use) {
    Text text = {0};
    text_printf(&text, "%s_in_%s", use->stage->body.name,
                use->lps->sub_partition ? use->lps->parent->name : use->lps->name);
    for (char *c = text.data; *c != '\0'; c++)
        if (*c == ' ' || *c == '-') *c = '_';
    const char *base = arena_strdup(planner->arena, text.data), *symbol = base;
    text_free(&text);
    for (int n = 2; symbol_taken(planner, symbol); n++)
        symbol = arena_printf(planner->arena, "%s_%d", base, n);
    return symbol;
}

void plan_build_uses(Planner *planner) {
    TaskPlan *task = planner->task;
    for (size_t c = 0; c < planner->calls.count; c++) {
        StageUse *use = use_new(planner, planner->calls.items[c]), *known = NULL;
        for (size_t i = 0; i < task->uses.count && known == NULL; i++)
            if (same_use(task->uses.items[i], use)) known = task->uses.items[i];
        if (known == NULL) {
            use->symbol = use_symbol(planner, use);
            vec_push(planner->arena, &task->uses, use);
            known = use;
        }
        vec_push(planner->arena, &planner->call_uses, known);
    }
}

/* A part is an interval when every division down from Root is by blocks. A stride under blocks may still be
 * one run, but only the run time knows. */
bool plan_part_is_interval(const Lps *lps, const Var *var, int dimension) {
    for (; lps->parent != NULL; lps = lps->parent) {
        const LpsVar *entry = lps_find_var(lps, var);
        if (entry == NULL) continue;
        for (int d = 0; d < lps->dims; d++) {
            PartFunction function = entry->dims[d].function;
            if (entry->dims[d].array_dimension == dimension &&
                (function == PART_STRIDE || function == PART_BLOCK_STRIDE))
                return false;
        }
    }
    return true;
}

static bool part_is_whole(const Lps *lps, const Var *var, int dimension) {
    for (; lps->parent != NULL; lps = lps->parent) {
        const LpsVar *entry = lps_find_var(lps, var);
        if (entry == NULL) continue;
        for (int d = 0; d < lps->dims; d++)
            if (entry->dims[d].function != PART_REPLICATED && entry->dims[d].array_dimension == dimension)
                return false;
    }
    return true;
}

static void finish_view(const TaskPlan *task, StageUse *use, Formal *formal) {
    const Var *var = formal->actual;
    formal->holder = lps_holder(use->lps, var);
    formal->slot = plan_view_slot(formal->holder, var);
    for (int d = 0; d < var->type->rank; d++) {
        formal->interval[d] = plan_part_is_interval(formal->holder, var, d);
        formal->whole[d] = part_is_whole(formal->holder, var, d);
    }
    formal->copied = plan_store_level(task, var, formal->holder)->parent != NULL;
    formal->shared = plan_is_shared(plan_store_level(task, var, use->lps), use->lps, var);
    formal->restricted = true;
    for (size_t i = 0; i < use->formals.count; i++)
        if (&use->formals.items[i] != formal && use->formals.items[i].actual == var)
            formal->restricted = false;
}

void plan_finish_uses(Planner *planner) {
    for (size_t u = 0; u < planner->task->uses.count; u++) {
        StageUse *use = planner->task->uses.items[u];
        for (size_t i = 0; i < use->formals.count; i++)
            if (use->formals.items[i].kind == FORMAL_VIEW)
                finish_view(planner->task, use, &use->formals.items[i]);
    }
}

const Var *plan_actual(const StageUse *use, const Formal *formal, const Step *call) {
    const VarVec *params = &use->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == formal->var) return call->arguments.items[i].var;
    return formal->var;
}

Expr *plan_constant(const StageUse *use, const Formal *formal, const Step *call) {
    const VarVec *params = &use->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == formal->var) return call->arguments.items[i].constant;
    return NULL;
}
