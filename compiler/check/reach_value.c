/* What a subscript can be, and whether an expression can know of the LPU's part. Locals stand for what is
 * assigned to them, calls of functions for what they return. */
#include "compiler/check/reach.h"
#include <string.h>

enum { BOUND = 1 << 30 }; /* distances beyond are no neighbours */

static const Value UNKNOWN = {.kind = VALUE_UNKNOWN}, BLIND = {.kind = VALUE_BLIND};

/* ---- Definitions of locals ----------------------------------------------------------------------- */

static Expr *place_root(Expr *place) {
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    return place;
}

static void add_all(Reach *reach, ExprVec *exprs, const ExprVec *more) {
    for (size_t i = 0; i < more->count; i++) vec_push(reach->check->arena, exprs, more->items[i]);
}

static void define(Reach *reach, Expr *target, const Expr *value, bool reduced) {
    Expr *root = place_root(target);
    if (root == NULL || root->kind != EXPR_VAR || root->var->kind != VAR_LOCAL) return;
    Local *local = &reach->locals[root->var->id];
    local->opaque = local->opaque || root != target || value == NULL || reduced;
    local->hidden = local->hidden || value == NULL;
    if (value == NULL) return;
    Definition definition = {.value = value};
    add_all(reach, &definition.conditions, &reach->conditions);
    for (const Expr *place = target; place != root; place = place->left) add_all(reach, &definition.conditions, &place->arguments);
    for (size_t i = reach->loops.count; i-- > 0 && reduced;) {
        vec_push(reach->check->arena, &definition.loops, reach->loops.items[i]);
        if (reach->loops.items[i]->kind == STMT_PARALLEL) break; /* behind it the local has its result */
    }
    vec_push(reach->check->arena, &local->definitions, definition);
}

static bool note_references(Expr *expr, void *data) {
    if (expr->kind != EXPR_CALL) return true;
    for (size_t i = 0; i < expr->arguments.count && i < expr->function->body.params.count; i++)
        if (expr->function->body.params.items[i]->by_reference) define(data, expr->arguments.items[i], NULL, false);
    return true;
}

static void collect_block(Reach *reach, Block *block);

static void collect_stmt(Reach *reach, Stmt *stmt) {
    Arena *arena = reach->check->arena;
    walk_expr(stmt->value, note_references, reach);
    if (stmt->kind == STMT_ASSIGN) define(reach, stmt->target, stmt->value, false);
    if (stmt->kind == STMT_REDUCE) define(reach, stmt->target, stmt->value, true);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        define(reach, &(Expr){.kind = EXPR_VAR, .var = stmt->external->uses.items[i]}, NULL, false);
    size_t before = reach->conditions.count;
    if (stmt->kind == STMT_IF) vec_push(arena, &reach->conditions, stmt->value);
    for (size_t i = 0; i < stmt->indices.count; i++)
        for (size_t f = 0; f < stmt->indices.items[i].filters.count; f++)
            vec_push(arena, &reach->conditions, stmt->indices.items[i].filters.items[f]);
    const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE;
    if (loop) vec_push(arena, &reach->loops, stmt);
    collect_block(reach, &stmt->body);
    if (loop) reach->loops.count--;
    if (stmt->otherwise != NULL) collect_block(reach, stmt->otherwise);
    reach->conditions.count = before;
}

static void collect_block(Reach *reach, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) collect_stmt(reach, block->statements.items[i]);
}

void reach_collect_definitions(Reach *reach) {
    reach->locals = ARENA_ARRAY(reach->check->arena, Local, reach->body->vars.count + 1);
    collect_block(reach, (Block *)&reach->body->block);
}

/* ---- Names --------------------------------------------------------------------------------------- */

static const StageArg *argument_of(const Reach *reach, const Var *var) {
    const VarVec *params = &reach->body->params;
    for (size_t i = 0; var->kind == VAR_PARAM && i < params->count && i < reach->call->arguments.count; i++)
        if (params->items[i] == var) return &reach->call->arguments.items[i];
    return NULL;
}

const Var *reach_global(const Reach *reach, const Var *var) {
    if (var->kind != VAR_PARAM) return var;
    const StageArg *argument = argument_of(reach, var);
    return argument == NULL ? NULL : argument->var;
}

const Scope *reach_scope(const Reach *reach, const Var *index) {
    for (size_t i = reach->scopes.count; i-- > 0;)
        if (reach->scopes.items[i].var == index) return &reach->scopes.items[i];
    return NULL;
}

/* ---- What cannot know of parts --------------------------------------------------------------------- */

static bool all_blind(Reach *reach, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++)
        if (!reach_is_blind(reach, exprs->items[i])) return false;
    return true;
}

/* Whether they run over the same indices in all LPUs. */
static bool loops_are_blind(Reach *reach, const ConstStmtVec *loops) {
    for (size_t i = 0; i < loops->count; i++) {
        const Stmt *loop = loops->items[i];
        if (loop->kind == STMT_SEQUENCE && !(reach_is_blind(reach, loop->value) && reach_is_blind(reach, loop->step))) return false;
        for (size_t k = 0; k < loop->indices.count; k++) {
            const LoopIndex *index = &loop->indices.items[k];
            const Var *array = index->domain_var == NULL ? NULL : reach_global(reach, index->domain_var);
            if (index->domain_var != NULL && (array == NULL || reach_chain(reach, array, index->dimension < 0 ? 0 : index->dimension)->count > 0)) return false;
            if (index->domain_var != NULL && index->other_dimension >= 0 && reach_chain(reach, array, index->other_dimension)->count > 0) return false;
            if (!reach_is_blind(reach, index->domain_range) || !all_blind(reach, &index->lower) || !all_blind(reach, &index->upper)) return false;
        }
    }
    return true;
}

/* All that it is made of has to be blind: what has been looked at before need not be again. */
static bool local_is_blind(Reach *reach, const Var *var) {
    Local *local = &reach->locals[var->id];
    if (local->busy || local->asked == reach->questions) return true;
    if (local->hidden) return false;
    local->asked = reach->questions;
    for (size_t i = 0; i < local->definitions.count; i++) {
        const Definition *definition = &local->definitions.items[i];
        if (!reach_is_blind(reach, definition->value) || !all_blind(reach, &definition->conditions) || !loops_are_blind(reach, &definition->loops)) return false;
    }
    return true;
}

static bool var_is_blind(Reach *reach, const Var *var) {
    if (var->kind == VAR_INDEX) return true;
    if (var->kind == VAR_LOCAL) return local_is_blind(reach, var);
    const StageArg *argument = argument_of(reach, var);
    if (argument != NULL && argument->var == NULL) return reach_is_blind(reach, argument->constant);
    const Var *global = reach_global(reach, var);
    if (global == NULL || global->kind != VAR_GLOBAL) return false;
    /* One value for all LPUs; but it may have been computed from partition arguments: see reach_value. */
    return var_is_array(global) || global->home == NULL || lps_is_one_within(global->home, reach->task->spaces.items[0]);
}

typedef struct Names { const Var *first; bool several; } Names;

static bool note_name(Expr *expr, void *data) {
    Names *names = data;
    if (expr->kind != EXPR_VAR) return true;
    if (names->first == NULL) names->first = expr->var;
    else if (names->first != expr->var) names->several = true;
    return true;
}

/* i % 2, i & 7, i / 4: places in a block of a literal size may be what parts are made of. */
static bool finds_blocks(const Expr *expr) {
    if (expr->op != OP_MOD && expr->op != OP_BITAND && expr->op != OP_DIV) return false;
    Names names = {0};
    walk_expr((Expr *)expr, note_name, &names);
    return expr->type->kind == TYPE_INTEGER && names.first != NULL && names.first->kind == VAR_INDEX && !names.several;
}

static bool is_blind(Reach *reach, const Expr *expr) {
    if (--reach->effort < 0) return false;
    switch (expr->kind) {
    case EXPR_VAR: return var_is_blind(reach, expr->var);
    case EXPR_LPU_ID: return false;
    case EXPR_DIM_RANGE: return !expr->local;
    case EXPR_BINARY:
        if (!reach->blocks_are_blind && finds_blocks(expr)) return false;
        break;
    case EXPR_CALL:
        for (size_t i = 0; i < expr->function->body.params.count; i++)
            if (expr->function->body.params.items[i]->by_reference) return false;
        break;
    default: break;
    }
    return reach_is_blind(reach, expr->left) && reach_is_blind(reach, expr->right) && all_blind(reach, &expr->arguments);
}

bool reach_is_blind(Reach *reach, const Expr *expr) {
    if (expr == NULL) return true;
    if (reach->depth++ == 0) reach->questions++;
    const bool blind = is_blind(reach, expr);
    reach->depth--;
    return blind;
}

/* ---- Values ------------------------------------------------------------------------------------------ */

/* A value, and literals added to it. */
static Value shifted(Value value, Value by) {
    if (value.kind == VALUE_BLIND && !value.literal) return BLIND;
    if (by.high > BOUND || by.low < -BOUND || value.high > BOUND || value.low < -BOUND) return UNKNOWN;
    if (value.kind == VALUE_END && by.low != by.high) return value.local ? UNKNOWN : BLIND;
    value.low += by.low;
    value.high += by.high;
    return value;
}

static Value joined(Value a, Value b) {
    if (a.kind == VALUE_UNKNOWN || b.kind == VALUE_UNKNOWN) return UNKNOWN;
    if (a.kind == VALUE_INDEX && b.kind == VALUE_INDEX) {
        if (a.index != b.index || a.by != b.by || a.minus != b.minus) return UNKNOWN;
        if (b.low < a.low) a.low = b.low;
        if (b.high > a.high) a.high = b.high;
        return a;
    }
    bool a_local = a.kind == VALUE_END && a.local, b_local = b.kind == VALUE_END && b.local;
    if (a_local || b_local) return UNKNOWN;
    /* Clamped at an end of the array: what it is elsewhere counts. */
    if (a.kind == VALUE_INDEX) return a;
    return b.kind == VALUE_INDEX ? b : BLIND;
}

/* right = i + 1 and, under a condition, 0: `end` is at the other end of the array. */
static bool is_other_end(Value index, Value end, const Expr *expr) {
    if (end.kind == VALUE_INDEX || end.kind == VALUE_UNKNOWN || end.local) return false;
    if (index.low > 0) return end.kind == VALUE_END ? !end.last && end.low == 0 : end.literal && end.low >= 0 && end.high <= 1;
    if (index.high >= 0) return false;
    if (end.kind == VALUE_END) return end.last && end.low == 0;
    return !end.literal && expr->kind == EXPR_BINARY && expr->op == OP_SUB && expr->right->kind == EXPR_INTEGER && expr->right->integer == 1;
}

static Value joined_choices(Value a, const Expr *from, Value b, const Expr *other) {
    Value value = joined(a, b);
    if (value.kind != VALUE_INDEX) return value;
    value.wraps = a.wraps || b.wraps || (a.kind == VALUE_INDEX && is_other_end(a, b, other)) || (b.kind == VALUE_INDEX && is_other_end(b, a, from));
    return value;
}

static Value two_indices(Operator op, Value left, Value right) {
    if (left.by != NULL || right.by != NULL || left.index == right.index) return UNKNOWN;
    left.by = right.index;
    left.minus = op == OP_SUB;
    left.low += left.minus ? -right.high : right.low;
    left.high += left.minus ? -right.low : right.high;
    return left;
}

static Value sum_value(Operator op, Value left, Value right) {
    if (left.kind == VALUE_UNKNOWN || right.kind == VALUE_UNKNOWN) return UNKNOWN;
    if (left.kind == VALUE_INDEX && right.kind == VALUE_INDEX) return two_indices(op, left, right);
    if (op == OP_SUB && right.literal) right = (Value){.kind = VALUE_BLIND, .literal = true, .low = -right.high, .high = -right.low};
    else if (op == OP_SUB && right.kind != VALUE_BLIND) return left.kind == VALUE_INDEX || left.local || right.local ? UNKNOWN : BLIND;
    if (right.literal) return shifted(left, right);
    if (left.literal) return shifted(right, left);
    bool blind = left.kind != VALUE_INDEX && right.kind != VALUE_INDEX && !left.local && !right.local;
    return blind ? BLIND : UNKNOWN;
}

static Value local_value(Reach *reach, const Var *var) {
    Local *local = &reach->locals[var->id];
    if (local->busy || local->opaque || local->definitions.count == 0) return UNKNOWN;
    Value value = BLIND;
    local->busy = true;
    for (size_t i = 0; i < local->definitions.count; i++) {
        const Definition *definition = &local->definitions.items[i];
        Value other = all_blind(reach, &definition->conditions) ? reach_value(reach, definition->value) : UNKNOWN;
        if (i == 0) value = other;
        else if (definition->conditions.count + local->definitions.items[i - 1].conditions.count == 0) value = joined(value, other);
        else value = joined_choices(value, local->definitions.items[i - 1].value, other, definition->value);
    }
    local->busy = false;
    return value;
}

/* An index of [i - 1...i + 1] is i and what lies around it; one of [-1...1] is these literals. */
static Value index_value(Reach *reach, const Var *var) {
    const Scope *scope = reach_scope(reach, var);
    if (scope == NULL) return UNKNOWN;
    Value itself = {.kind = VALUE_INDEX, .index = var};
    const Expr *range = scope->index != NULL ? scope->index->domain_range : scope->sequence->value;
    if (range == NULL || range->kind != EXPR_RANGE) return itself;
    Value first = reach_value(reach, range->left), last = reach_value(reach, range->right);
    bool around = first.kind == VALUE_INDEX && last.kind == VALUE_INDEX && first.index == last.index && first.by == NULL && last.by == NULL;
    if (!around && !(first.literal && last.literal)) return itself;
    if (scope->index != NULL && !(all_blind(reach, &scope->index->lower) && all_blind(reach, &scope->index->upper) &&
                                  all_blind(reach, &scope->index->filters)))
        return UNKNOWN;
    first.high = last.high;
    return first.low <= first.high ? first : UNKNOWN;
}

static Value var_value(Reach *reach, const Expr *expr) {
    const Var *var = expr->var;
    if (var->kind == VAR_INDEX) return index_value(reach, var);
    if (var->kind == VAR_LOCAL) return local_value(reach, var);
    const StageArg *argument = argument_of(reach, var);
    if (argument != NULL && argument->var == NULL) return reach_value(reach, argument->constant);
    return var_is_blind(reach, var) ? BLIND : UNKNOWN;
}

const Expr *reach_range(Reach *reach, const Expr *expr) {
    for (int steps = 0; steps < 8 && expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL; steps++) {
        const Local *local = &reach->locals[expr->var->id];
        if (local->opaque || local->definitions.count != 1) return expr;
        expr = local->definitions.items[0].value;
    }
    return expr;
}

static Value end_value(Reach *reach, const Expr *expr) {
    const Expr *range = reach_range(reach, expr->left);
    if (range->kind == EXPR_RANGE && expr->part != RANGE_LENGTH)
        return reach_value(reach, expr->part == RANGE_MIN ? range->left : range->right);
    if (range->kind != EXPR_DIM_RANGE || expr->part == RANGE_LENGTH) return reach_is_blind(reach, range) ? BLIND : UNKNOWN;
    const Var *array = reach_global(reach, range->var);
    if (array == NULL) return UNKNOWN;
    return (Value){.kind = VALUE_END, .array = array, .dimension = range->dimension < 0 ? 0 : range->dimension,
                   .local = range->local, .last = expr->part == RANGE_MAX};
}

/* ---- Functions ------------------------------------------------------------------------------------------ */

/* What a function returns, made of its parameters, whose values are known. */
typedef struct Frame { Reach *reach; const Function *function; const Value *arguments; Value result; const Expr *last; bool any, simple; } Frame;

static Value returned_value(Frame *frame, const Expr *expr) {
    if (--frame->reach->effort < 0) return UNKNOWN;
    const VarVec *params = &frame->function->body.params;
    if (expr->kind == EXPR_INTEGER) return (Value){.kind = VALUE_BLIND, .literal = true, .low = expr->integer, .high = expr->integer};
    if (expr->kind == EXPR_VAR)
        for (size_t i = 0; i < params->count; i++)
            if (params->items[i] == expr->var) return frame->arguments[i];
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return UNKNOWN;
    return sum_value(expr->op, returned_value(frame, expr->left), returned_value(frame, expr->right));
}

static bool note_return(Stmt *stmt, void *data) {
    Frame *frame = data;
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_EXTERN) frame->simple = false;
    if (stmt->kind != STMT_RETURN || stmt->value == NULL) return true;
    Value value = returned_value(frame, stmt->value);
    frame->result = frame->any ? joined_choices(frame->result, frame->last, value, stmt->value) : value;
    frame->last = stmt->value;
    frame->any = true;
    return true;
}

static Value call_value(Reach *reach, const Expr *expr) {
    if (expr->type->kind != TYPE_INTEGER) return reach_is_blind(reach, expr) ? BLIND : UNKNOWN;
    Value arguments[MAX_RANK];
    if (expr->arguments.count > MAX_RANK) return UNKNOWN;
    for (size_t i = 0; i < expr->arguments.count; i++) {
        arguments[i] = reach_value(reach, expr->arguments.items[i]);
        /* Conditions in the function may compare with it. */
        if (arguments[i].kind == VALUE_UNKNOWN || arguments[i].local) return UNKNOWN;
    }
    Frame frame = {.reach = reach, .function = expr->function, .arguments = arguments, .simple = true};
    walk_block((Block *)&expr->function->body.block, note_return, NULL, &frame);
    return frame.simple && frame.any ? frame.result : UNKNOWN;
}

static Value extremum_value(Reach *reach, const Expr *expr) {
    Value value = BLIND;
    for (size_t i = 0; i < expr->arguments.count; i++) {
        Value other = reach_value(reach, expr->arguments.items[i]);
        value = i == 0 ? other : joined(value, other);
    }
    value.literal = false;
    return value;
}

Value reach_value(Reach *reach, const Expr *expr) {
    if (--reach->effort < 0) return UNKNOWN;
    switch (expr->kind) {
    case EXPR_INTEGER: return (Value){.kind = VALUE_BLIND, .literal = true, .low = expr->integer, .high = expr->integer};
    case EXPR_VAR: return var_value(reach, expr);
    case EXPR_RANGE_PART: return end_value(reach, expr);
    case EXPR_CALL: return call_value(reach, expr);
    case EXPR_MATH:
        if (strcmp(expr->math, "llmin") == 0 || strcmp(expr->math, "llmax") == 0) return extremum_value(reach, expr);
        break;
    case EXPR_UNARY:
        if (expr->op == OP_NEG && expr->left->kind == EXPR_INTEGER && expr->left->integer > -BOUND)
            return (Value){.kind = VALUE_BLIND, .literal = true, .low = -expr->left->integer, .high = -expr->left->integer};
        break;
    case EXPR_BINARY:
        if (expr->op == OP_ADD || expr->op == OP_SUB)
            return sum_value(expr->op, reach_value(reach, expr->left), reach_value(reach, expr->right));
        break;
    default: break;
    }
    return UNKNOWN;
}

Value reach_plain_value(Reach *reach, const Expr *expr) {
    Value value = reach_value(reach, expr);
    return value.by == NULL ? value : UNKNOWN;
}
