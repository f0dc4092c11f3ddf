/* What the body of a nest allows each of its loops (LoopLegal). Read lower_find_legal from the end: a body that is one
 * assignment is looked at closely, others by what they write. */
#include "compiler/lower/passes.h"

#include "compiler/lower/apart.h"
#include "compiler/lower/classes.h"
#include "compiler/lower/rounds.h"

/* ---- Bounds and subscripts ------------------------------------------------------------------------------ */
static bool subscripts_mention(const Expr *element, const Var *var) {
    for (size_t i = 0; i < element->arguments.count; i++)
        if (lower_expr_mentions(element->arguments.items[i], var)) return true;
    return false;
}

typedef struct Change { const Nest *nest; const Var *var; bool found; } Change;

static void find_index_inside(void *data, const Stmt *stmt) {
    Change *change = data;
    for (size_t i = 0; i < stmt->indices.count; i++) change->found |= stmt->indices.items[i].var == change->var;
    change->found |= stmt->index == change->var;
}

static void find_change(void *data, const Expr *expr) {
    Change *change = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) change->found = true;
    if (expr->kind != EXPR_VAR && expr->kind != EXPR_ELEMENT) return;
    for (size_t i = 0; i < change->nest->loops.count; i++) change->found |= change->nest->loops.items[i].index->var == expr->var;
    change->found |= lower_block_writes(&change->nest->stmt->body, expr->var) > 0;
    change->var = expr->var;
    lower_walk_block(&(Walk){NULL, find_index_inside, change}, &change->nest->stmt->body);
}

/* A local that the body changes has another value in each iteration. */
bool lower_is_same_everywhere(const Nest *nest, const Expr *expr) {
    Change change = {.nest = nest};
    lower_walk_expr(&(Walk){find_change, NULL, &change}, expr);
    return !change.found;
}

bool lower_is_offset_of(const Nest *nest, const Expr *subscript, const Var *var) {
    if (subscript->kind == EXPR_VAR) return subscript->var == var;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return false;
    return lower_is_same_everywhere(nest, subscript->right) && lower_is_offset_of(nest, subscript->left, var);
}

int lower_plain_dimension(const Nest *nest, const Expr *element, const Var *var) {
    int found = -1;
    for (size_t d = 0; d < element->arguments.count; d++) {
        if (!lower_expr_mentions(element->arguments.items[d], var)) continue;
        if (found != -1 || !lower_is_offset_of(nest, element->arguments.items[d], var)) return -2;
        found = (int)d;
    }
    return found;
}

int lower_fastest_dimension(const StageUse *use, const Expr *element) {
    const Formal *formal = lower_formal(use, element->var);
    return formal && formal->layout.fortran ? 0 : (int)element->arguments.count - 1;
}

bool lower_bounds_mention(const LoopIndex *index, const Var *var) {
    bool mentions = index->domain_range && lower_expr_mentions(index->domain_range, var);
    for (size_t i = 0; i < index->lower.count; i++) mentions |= lower_expr_mentions(index->lower.items[i], var);
    for (size_t i = 0; i < index->upper.count; i++) mentions |= lower_expr_mentions(index->upper.items[i], var);
    return mentions;
}

static bool is_rectangular(const Nest *nest, const Loop *loop) {
    for (size_t i = 0; i < nest->loops.count; i++)
        if (lower_bounds_mention(loop->index, nest->loops.items[i].index->var) ||
            lower_bounds_mention(nest->loops.items[i].index, loop->index->var))
            return false;
    return loop->index->filters.count == 0;
}

bool lower_filters_mention(const Nest *nest, const Var *var) {
    bool mentions = false;
    for (size_t i = 0; i < nest->loops.count; i++)
        for (size_t k = 0; k < nest->loops.items[i].index->filters.count; k++)
            mentions |= lower_expr_mentions(nest->loops.items[i].index->filters.items[k], var);
    return mentions;
}

/* ---- One assignment ---------------------------------------------------------------------------------------- */
const Stmt *lower_single_assignment(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    if (body->statements.count != 1) return NULL;
    const Stmt *stmt = body->statements.items[0];
    return stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? stmt : NULL;
}

typedef struct OtherAccess { const Nest *nest; const Expr *target; bool found; } OtherAccess;

/* Any access to the target's array other than the target element itself; accesses to other versions do not count, nor, with
 * a nest, those to elements that are no iteration's target. Calls may do anything to what they are given by reference. */
static void find_other_access(void *data, const Expr *expr) {
    OtherAccess *other = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) other->found = true;
    if (expr->kind != EXPR_ELEMENT) return;
    bool same_array = expr->var == other->target->var && expr->lag == other->target->lag;
    if (!same_array || lower_expr_equal(expr, other->target)) return;
    if (other->nest == NULL || (!lower_elements_apart(other->nest, other->target, expr) && !lower_in_other_class(other->nest, other->target, expr)))
        other->found = true;
}

bool lower_only_touches_target(const StageUse *use, const Nest *nest, const Stmt *assign) {
    const Formal *formal = lower_formal(use, assign->target->var);
    if (!formal || !formal->restricted) return false;
    OtherAccess other = {nest, assign->target, false};
    lower_walk_expr(&(Walk){find_other_access, NULL, &other}, assign->value);
    return !other.found;
}

typedef struct Strides { const StageUse *use; const Nest *nest; const Var *var; int unit, far; } Strides;

static void count_strides(void *data, const Expr *expr) {
    Strides *strides = data;
    if (expr->kind != EXPR_ELEMENT || !subscripts_mention(expr, strides->var)) return;
    bool fastest = lower_plain_dimension(strides->nest, expr, strides->var) == lower_fastest_dimension(strides->use, expr);
    *(fastest ? &strides->unit : &strides->far) += 1;
}

static bool has_unit_stride(const StageUse *use, const Nest *nest, const Loop *loop) {
    Strides strides = {use, nest, loop->index->var, 0, 0};
    lower_walk_block(&(Walk){count_strides, NULL, &strides}, &nest->stmt->body);
    return strides.unit > 0 && strides.far == 0;
}

/* ---- Bodies of several statements -------------------------------------------------------------------------- */
/* Loops whose iterations are independent as far as the statements go that have been looked at, as a set of their numbers. for_threads: whatever stands in the
 * body, and wherever elements lie. */
typedef struct Independence { const StageUse *use; const Nest *nest; uint32_t loops; bool for_threads, on_cards; } Independence;

enum { MOST_LOOPS = 32 }; /* of more, nothing is said */

bool lower_is_local_of(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_is_local_of(&stmt->body, var) || (stmt->otherwise && lower_is_local_of(stmt->otherwise, var))) return true;
    }
    return false;
}

/* Of the target's array, an element that another iteration may write; not one that stands where the target does in a dimension
 * in which the target moves with the loop, or that the nest's filters or, for threads, its bounds keep from being one: no other iteration comes there. */
typedef struct Meeting { const Independence *of; const Expr *target; uint32_t loops; } Meeting;

/* What a call does beside giving its value; on cards, apart from extern code. */
static bool call_changes(const Function *function, bool on_cards) { return on_cards ? function->changes_arguments : function->changes_something; }

/* Whether iterations with another value of the index come to other elements than `element`: its subscript in a dimension is the index plus or minus something, and that of `other` is the same.
 * For threads it may stand in several dimensions: a diagonal. */
static bool stands_apart(const Nest *nest, const Expr *element, const Expr *other, const Var *var, bool for_threads) {
    const int plain = lower_plain_dimension(nest, element, var);
    if (!for_threads && plain < 0) return false;
    for (int d = for_threads ? 0 : plain; d < (for_threads ? (int)element->arguments.count : plain + 1); d++) {
        const Expr *subscript = element->arguments.items[d];
        if (lower_expr_mentions(subscript, var) && lower_is_offset_of(nest, subscript, var) && lower_expr_equal(other->arguments.items[d], subscript)) return true;
    }
    return false;
}

static void find_meeting(void *data, const Expr *expr) {
    Meeting *meeting = data;
    const Independence *of = meeting->of;
    const Expr *target = meeting->target;
    if (expr->kind == EXPR_CALL && call_changes(expr->function, of->on_cards)) meeting->loops = 0;
    if (expr->kind != EXPR_ELEMENT || expr->var != target->var || expr->lag != target->lag) return;
    if (lower_in_other_class(of->nest, target, expr) || (of->for_threads && lower_elements_apart(of->nest, target, expr))) return;
    for (size_t l = 0; l < of->nest->loops.count && l < MOST_LOOPS; l++)
        if (!stands_apart(of->nest, target, expr, of->nest->loops.items[l].index->var, of->for_threads)) meeting->loops &= ~(1u << l);
}

static uint32_t loops_that_move(const Nest *nest, const Expr *element, bool for_threads) {
    uint32_t moving = 0;
    for (size_t l = 0; l < nest->loops.count && l < MOST_LOOPS; l++)
        if (stands_apart(nest, element, element, nest->loops.items[l].index->var, for_threads)) moving |= 1u << l;
    return moving;
}

/* A field is part of the element or local that has it; so is what a static array has, for threads. */
static bool is_part(const Expr *place, bool for_threads) {
    return place->kind == EXPR_FIELD || (for_threads && place->kind == EXPR_AT_INDEX && place->left->type->kind == TYPE_STATIC_ARRAY);
}

/* Every write of an array is to one element that moves with the loop's index, and no other iteration comes to what the body
 * accesses of the array; other writes are to locals of the body. */
static void check_write(void *data, const Stmt *stmt) {
    Independence *check = data;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_REDUCE || (check->on_cards && stmt->kind == STMT_EXTERN)) return;
    const Expr *target = stmt->target;
    while (stmt->kind == STMT_ASSIGN && is_part(target, check->for_threads)) target = target->left;
    if (stmt->kind == STMT_ASSIGN && target->kind == EXPR_VAR && lower_is_local_of(&check->nest->stmt->body, target->var)) return;
    const Formal *formal = stmt->kind == STMT_ASSIGN && target->kind == EXPR_ELEMENT ? lower_formal(check->use, target->var) : NULL;
    if (!formal || !formal->restricted) {
        check->loops = 0;
        return;
    }
    Meeting meeting = {check, target, loops_that_move(check->nest, target, check->for_threads)};
    lower_walk_block(&(Walk){find_meeting, NULL, &meeting}, &check->nest->stmt->body);
    check->loops &= meeting.loops;
}

static void find_list_change(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CALL && expr->function->changes_lists; }

/* A call in any of its iterations may assign to an element of a list that others have, too. */
static bool changes_lists(const Nest *nest) {
    bool changes = false;
    lower_walk_block(&(Walk){find_list_change, NULL, &changes}, &nest->stmt->body);
    return changes;
}

static void find_change_outside(void *data, const Expr *expr) {
    Independence *check = data;
    const VarVec *params = expr->kind == EXPR_CALL ? &expr->function->body.params : NULL;
    for (size_t i = 0; params != NULL && i < params->count; i++)
        if (params->items[i]->by_reference && !lower_is_local_of(&check->nest->stmt->body, lower_place_root(expr->arguments.items[i]))) check->loops = 0;
}

/* Calls, wherever they stand, may change locals of the body and nothing else: values of reductions, conditions and filters are looked into, too. */
static void look_into_calls(Independence *check) {
    const Walk walk = {find_change_outside, NULL, check};
    lower_walk_block(&walk, &check->nest->stmt->body);
    for (size_t l = 0; l < check->nest->loops.count; l++) {
        const LoopIndex *index = check->nest->loops.items[l].index;
        if (index->domain_range != NULL) lower_walk_expr(&walk, index->domain_range);
        for (size_t i = 0; i < index->lower.count; i++) lower_walk_expr(&walk, index->lower.items[i]);
        for (size_t i = 0; i < index->upper.count; i++) lower_walk_expr(&walk, index->upper.items[i]);
        for (size_t i = 0; i < index->filters.count; i++) lower_walk_expr(&walk, index->filters.items[i]);
    }
}

static uint32_t independent_loops(const StageUse *use, const Nest *nest) {
    if (nest->has_filters || changes_lists(nest)) return 0;
    Independence check = {use, nest, UINT32_MAX, false, false};
    lower_walk_block(&(Walk){NULL, check_write, &check}, &nest->stmt->body);
    look_into_calls(&check);
    return check.loops;
}

/* ---- Iterations that may run together --------------------------------------------------------------------- */
typedef struct Mentions { const Var *var; int count; } Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->var == mentions->var && expr->kind == EXPR_VAR;
}

bool lower_is_integer_sum(const Nest *nest, const Stmt *stmt) {
    const Expr *value = stmt->value;
    bool sum = stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && value->kind == EXPR_BINARY &&
               value->type->kind == TYPE_INTEGER && value->op == OP_ADD && value->left->kind == EXPR_VAR && value->left->var == stmt->target->var;
    Mentions mentions = {stmt->target->var, 0};
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, &nest->stmt->body);
    return sum && mentions.count == 2;
}

static void check_together(void *data, const Stmt *stmt) {
    Independence *check = data;
    if (stmt->kind == STMT_REDUCE || stmt->kind == STMT_BLOCK || lower_short_rounds(stmt) > 0) return;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR) {
        if (!lower_is_local_of(&check->nest->stmt->body, stmt->target->var) && !lower_is_integer_sum(check->nest, stmt)) check->loops = 0;
        return;
    }
    check_write(data, stmt);
}

void lower_find_together(const StageUse *use, Nest *nest) {
    const size_t innermost = nest->loops.count - 1;
    if (nest->has_filters || innermost >= MOST_LOOPS) return;
    Independence check = {use, nest, UINT32_MAX, false, false};
    lower_walk_block(&(Walk){NULL, check_together, &check}, &nest->stmt->body);
    look_into_calls(&check);
    if (check.loops >> innermost & 1) nest->loops.items[innermost].legal |= LOOP_TOGETHER;
}

/* ---- Iterations for threads ------------------------------------------------------------------------------- */
static void find_in_filter(void *data, const Expr *expr) {
    Meeting *meeting = data;
    if (expr->kind == EXPR_VAR && expr->var == meeting->target->var) meeting->loops = 0;
    find_meeting(data, expr);
}

static void check_apart(void *data, const Stmt *stmt) {
    Independence *check = data;
    if (stmt->kind == STMT_BLOCK || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) return; /* bodies follow */
    check_write(check, stmt);
    const Expr *target = stmt->target;
    while (stmt->kind == STMT_ASSIGN && is_part(target, true)) target = target->left;
    if (stmt->kind != STMT_ASSIGN || target->kind != EXPR_ELEMENT) return;
    Meeting meeting = {check, target, check->loops};
    for (size_t l = 0; l < check->nest->loops.count; l++) /* a filter may read what its own iteration then writes */
        for (size_t f = 0; f < check->nest->loops.items[l].index->filters.count; f++) lower_walk_expr(&(Walk){find_in_filter, NULL, &meeting}, check->nest->loops.items[l].index->filters.items[f]);
    check->loops = meeting.loops;
}

static uint32_t loops_apart(const StageUse *use, const Nest *nest, bool on_cards) {
    if (changes_lists(nest)) return 0;
    Independence check = {use, nest, UINT32_MAX, true, on_cards};
    lower_walk_block(&(Walk){NULL, check_apart, &check}, &nest->stmt->body);
    look_into_calls(&check);
    return check.loops;
}

/* ---- All together ------------------------------------------------------------------------------------------- */
void lower_find_legal(const StageUse *use, Nest *nest, const Stmt *target) {
    const Stmt *assign = lower_single_assignment(nest);
    uint32_t parallel = 0;
    if (!target) parallel = independent_loops(use, nest);
    else if (!lower_filters_mention(nest, target->target->var)) parallel = loops_that_move(nest, target->target, false);
    const uint32_t apart = parallel | loops_apart(use, nest, false), on_cards = apart | loops_apart(use, nest, true);
    for (size_t l = 0; l < nest->loops.count; l++) {
        Loop *loop = &nest->loops.items[l];
        if (l < MOST_LOOPS && (parallel >> l & 1)) loop->legal |= LOOP_PARALLEL;
        if (l < MOST_LOOPS && (apart >> l & 1)) loop->legal |= LOOP_APART;
        if (l < MOST_LOOPS && (on_cards >> l & 1)) loop->legal |= LOOP_APART_ON_CARDS;
        if (assign && !subscripts_mention(assign->target, loop->index->var)) loop->legal |= LOOP_ACCUMULATES;
        if (is_rectangular(nest, loop)) loop->legal |= LOOP_RECTANGULAR;
        if (has_unit_stride(use, nest, loop)) loop->legal |= LOOP_UNIT_STRIDE;
    }
}
