/* See rows.h. */
#include "compiler/lower/rows.h"

#include <string.h>

#include "compiler/lower/passes.h"

enum { MOST_STEPS = 4, MOST_DIMENSIONS = 32, MOST_NUMBER = 1 << 30 };

bool lower_is_index(const Expr *expr, const Var *var) { return expr->kind == EXPR_VAR && expr->var == var; }

bool lower_counts_up(const Stmt *loop) {
    if (loop->kind != STMT_SEQUENCE || (loop->value->kind == EXPR_DIM_RANGE && loop->value->local)) return false;
    return (loop->step == NULL || (loop->step->kind == EXPR_INTEGER && loop->step->integer == 1)) && !lower_expr_has_effect(loop->value);
}

const RowArray *lower_row_array(const Rows *rows, const Var *array) {
    for (size_t i = 0; i < rows->arrays.count; i++)
        if (rows->arrays.items[i].array == array) return &rows->arrays.items[i];
    return NULL;
}

/* ---- Bounds -------------------------------------------------------------------------------------------------- */

const Var *lower_term_of(const Expr *expr, int64_t *number) {
    *number = 0;
    for (int steps = 0; expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB) && steps < MOST_STEPS; steps++, expr = expr->left) {
        const Expr *right = expr->right;
        if (right->kind != EXPR_INTEGER || right->integer > MOST_NUMBER || right->integer < -MOST_NUMBER) return NULL;
        *number += expr->op == OP_ADD ? right->integer : -right->integer;
    }
    return expr->kind == EXPR_VAR ? expr->var : NULL;
}

static bool is_bounded(const Rows *rows, const Expr *expr, int64_t number, bool most, int steps);

/* Another index of the same loops that is bounded by this one: b <= a tells that a is at least what b is. */
static bool is_passed_on(const Rows *rows, const RowIndex *index, int64_t number, bool most, int steps) {
    for (size_t i = 0; i < rows->indices.count; i++) {
        const RowIndex *other = &rows->indices.items[i];
        const ExprVec *bounds = most ? &other->lower : &other->upper;
        for (size_t b = 0; other->loop == index->loop && other != index && b < bounds->count; b++) {
            int64_t more = 0;
            const Expr name = {.kind = EXPR_VAR, .var = (Var *)(uintptr_t)other->var};
            if (lower_term_of(bounds->items[b], &more) == index->var && is_bounded(rows, &name, number + more, most, steps + 1)) return true;
        }
    }
    return false;
}

static bool is_bounded(const Rows *rows, const Expr *expr, int64_t number, bool most, int steps) {
    int64_t more = 0;
    const Var *var = lower_term_of(expr, &more);
    if (var == NULL || steps == MOST_STEPS) return false;
    if (var == rows->row) return most ? more <= number : more >= number;
    bool all = true, any = false; /* loops that came of one have its index */
    for (size_t i = 0; i < rows->indices.count; i++) {
        const RowIndex *index = &rows->indices.items[i];
        if (index->var != var) continue;
        const ExprVec *bounds = most ? &index->upper : &index->lower;
        any = false;
        for (size_t b = 0; b < bounds->count && !any; b++) any = is_bounded(rows, bounds->items[b], number - more, most, steps + 1);
        any = any || is_passed_on(rows, index, number - more, most, steps);
        all = all && any;
    }
    return any && all;
}

bool lower_is_at_most(const Rows *rows, const Expr *expr, int64_t number) { return is_bounded(rows, expr, number, true, 0); }
bool lower_is_at_least(const Rows *rows, const Expr *expr, int64_t number) { return is_bounded(rows, expr, number, false, 0); }

bool lower_are_apart(const Rows *rows, const Expr *one, const Expr *other) {
    for (size_t d = 0; d < one->arguments.count; d++)
        for (int number = 0; number <= 1; number++) {
            const Expr *a = one->arguments.items[d], *b = other->arguments.items[d];
            if (lower_is_at_most(rows, a, number - 1) && lower_is_at_least(rows, b, number)) return true;
            if (lower_is_at_most(rows, b, number - 1) && lower_is_at_least(rows, a, number)) return true;
        }
    return false;
}

static bool is_index_of(const Rows *rows, const Var *var) {
    for (size_t i = 0; i < rows->indices.count; i++)
        if (rows->indices.items[i].var == var) return true;
    return false;
}

/* Whether one is always less than the other by more than the number, each in an iteration of its own. */
static bool is_less(const Rows *rows, const Expr *one, const Expr *other, int64_t number, int steps) {
    int64_t less = 0, more = 0;
    const Var *left = lower_term_of(one, &less), *right = lower_term_of(other, &more);
    if (left == NULL || right == NULL || steps == MOST_STEPS) return false;
    const bool moves = is_index_of(rows, left);
    if (!moves && !is_index_of(rows, right)) return left == right && lower_block_writes(&rows->loop->body, left) == 0 && number < more - less;
    for (size_t i = 0; i < rows->indices.count; i++) {
        const RowIndex *index = &rows->indices.items[i];
        const ExprVec *bounds = moves ? &index->upper : &index->lower;
        bool any = index->var != (moves ? left : right);
        for (size_t b = 0; b < bounds->count && !any; b++)
            any = is_less(rows, moves ? bounds->items[b] : one, moves ? other : bounds->items[b], moves ? number + less : number - more, steps + 1);
        if (!any) return false;
    }
    return true;
}

bool lower_lies_in_front(const Rows *rows, const Expr *element) {
    const RowArray *array = lower_row_array(rows, element->var);
    for (size_t t = 0; t < array->targets.count; t++) {
        const Expr *target = array->targets.items[t];
        bool any = false;
        for (size_t d = 0; d < element->arguments.count && !any; d++) any = is_less(rows, element->arguments.items[d], target->arguments.items[d], 0, 0);
        if (!any) return false;
    }
    return true;
}

/* A local that has one value, a lesser of two. */
typedef struct Lesser { const Var *local; const Expr *value; } Lesser;

static void find_lesser(void *data, const Stmt *stmt) {
    Lesser *lesser = data;
    const bool sets = stmt->kind == STMT_ASSIGN && lower_is_index(stmt->target, lesser->local);
    if (sets && stmt->value->kind == EXPR_MATH && strcmp(stmt->value->math, "llmin") == 0) lesser->value = stmt->value;
}

static bool is_near(const Expr *first, const Expr *last, int64_t rounds) {
    int64_t from = 0, to = 0;
    if (first->kind == EXPR_INTEGER && last->kind == EXPR_INTEGER) return last->integer - first->integer < rounds - 1;
    const Var *var = lower_term_of(first, &from);
    return var != NULL && lower_term_of(last, &to) == var && to - from < rounds - 1;
}

bool lower_has_fewer(const Block *around, const Stmt *loop, int64_t rounds) {
    const Expr *range = loop->value;
    if (range->kind != EXPR_RANGE) return false;
    if (is_near(range->left, range->right, rounds)) return true;
    Lesser lesser = {.local = range->right->kind == EXPR_VAR && range->right->var->kind == VAR_LOCAL ? range->right->var : NULL};
    if (lesser.local == NULL || lower_block_writes(around, lesser.local) != 1) return false;
    lower_walk_block(&(Walk){NULL, find_lesser, &lesser}, around);
    if (lesser.value == NULL) return false;
    return is_near(range->left, lesser.value->arguments.items[0], rounds) || is_near(range->left, lesser.value->arguments.items[1], rounds);
}

/* ---- What is in the loop --------------------------------------------------------------------------------------- */

typedef struct Looking { Arena *arena; const StageUse *use; const Stmt *loop; Rows *rows; bool fits; } Looking;

static void add_index(Looking *looking, const Stmt *loop, const Var *var, const ExprVec *lower, const ExprVec *upper, const Expr *range) {
    RowIndex index = {.var = var, .loop = loop};
    for (size_t i = 0; lower != NULL && i < lower->count; i++) vec_push(looking->arena, &index.lower, lower->items[i]);
    for (size_t i = 0; upper != NULL && i < upper->count; i++) vec_push(looking->arena, &index.upper, upper->items[i]);
    if (range != NULL && range->kind == EXPR_RANGE) {
        vec_push(looking->arena, &index.lower, range->left);
        vec_push(looking->arena, &index.upper, range->right);
    }
    vec_push(looking->arena, &looking->rows->indices, index);
}

unsigned lower_dimensions_of(const Expr *element, const Var *index) {
    unsigned found = 0;
    for (size_t d = 0; d < element->arguments.count && d < MOST_DIMENSIONS; d++)
        if (lower_is_index(element->arguments.items[d], index)) found |= 1u << d;
    return found;
}

/* Locals that are declared inside of the loop are new in each iteration. */
static void add_target(Looking *looking, const Expr *target) {
    if (target->kind == EXPR_VAR) {
        looking->fits = looking->fits && lower_is_local_of(&looking->loop->body, target->var);
        return;
    }
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(looking->use, target->var) : NULL;
    looking->fits = looking->fits && formal != NULL && formal->restricted && target->lag == 0;
    if (!looking->fits) return;
    const unsigned dimensions = lower_dimensions_of(target, looking->rows->row);
    size_t at = 0;
    while (at < looking->rows->arrays.count && looking->rows->arrays.items[at].array != target->var) at++;
    if (at == looking->rows->arrays.count) vec_push(looking->arena, &looking->rows->arrays, ((RowArray){.array = target->var, .dimensions = dimensions}));
    looking->rows->arrays.items[at].dimensions &= dimensions;
    vec_push(looking->arena, &looking->rows->arrays.items[at].targets, (Expr *)(uintptr_t)target);
}

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looking *looking = data;
    switch (stmt->kind) {
    case STMT_ASSIGN:
        looking->fits = looking->fits && !lower_expr_has_effect(stmt->value);
        add_target(looking, stmt->target);
        break;
    case STMT_PARALLEL:
        for (size_t i = 0; i < stmt->indices.count; i++) {
            const LoopIndex *index = &stmt->indices.items[i];
            add_index(looking, stmt, index->var, &index->lower, &index->upper, index->domain_var == NULL ? index->domain_range : NULL);
        }
        break;
    case STMT_SEQUENCE: add_index(looking, stmt, stmt->index, NULL, NULL, lower_counts_up(stmt) ? stmt->value : NULL); break;
    case STMT_IF: case STMT_BLOCK: break;
    default: looking->fits = false;
    }
}

static void look_at_expr(void *data, const Expr *expr) {
    Looking *looking = data;
    looking->fits = looking->fits && (expr->kind != EXPR_CALL || !expr->function->changes_something);
}

/* Elements of older versions, and arrays that are named as a whole. */
static void look_at_reads(void *data, const Expr *expr) {
    Looking *looking = data;
    if (expr->var == NULL || lower_row_array(looking->rows, expr->var) == NULL || expr->kind == EXPR_DIM_RANGE) return;
    looking->fits = looking->fits && expr->kind == EXPR_ELEMENT && expr->lag == 0;
}

/* All iterations of the loop have the bounds of the first one. */
static void look_at_range(void *data, const Expr *expr) {
    Looking *looking = data;
    looking->fits = looking->fits && (expr->var == NULL || expr->kind == EXPR_DIM_RANGE || lower_block_writes(&looking->loop->body, expr->var) == 0);
}

bool lower_rows_of(Arena *arena, const StageUse *use, const Stmt *loop, Rows *rows) {
    Looking looking = {arena, use, loop, rows, lower_counts_up(loop)};
    *rows = (Rows){.row = loop->index, .loop = loop};
    if (!looking.fits) return false;
    add_index(&looking, loop, loop->index, NULL, NULL, loop->value);
    lower_walk_block(&(Walk){look_at_expr, look_at_stmt, &looking}, &loop->body);
    lower_walk_block(&(Walk){look_at_reads, NULL, &looking}, &loop->body);
    lower_walk_expr(&(Walk){look_at_range, NULL, &looking}, loop->value);
    return looking.fits && rows->arrays.count > 0;
}
