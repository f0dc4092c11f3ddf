/* See lane_values.h. */
#include "compiler/lower/lane_values.h"

#include <string.h>

#include "compiler/lower/passes.h"

static const Var *index_of(const Stmt *stmt) {
    return stmt->kind == STMT_SEQUENCE ? stmt->index : stmt->indices.items[stmt->indices.count - 1].var;
}

/* Whether the variable is the index of a ragged loop. */
static bool is_ragged_index(const LaneValues *values, const Var *var, bool *slides) {
    for (size_t i = 0; var && i < values->ragged->count; i++) {
        if (index_of(values->ragged->items[i].stmt) != var) continue;
        *slides = values->ragged->items[i].slides;
        return true;
    }
    return false;
}

static bool is_known_shared(const LaneValues *values, const Var *var) {
    for (size_t i = 0; values->shared != NULL && i < values->shared->count; i++)
        if (values->shared->items[i] == var) return true;
    return false;
}

typedef struct Shared { const LaneValues *values; bool fits; } Shared;

static void find_varying(void *data, const Expr *expr) {
    Shared *shared = data;
    const LaneValues *values = shared->values;
    bool slides = false;
    if (expr->var == values->index || (expr->kind == EXPR_VAR && lower_is_local_of(values->body, expr->var) && !is_known_shared(values, expr->var))) shared->fits = false;
    if (expr->kind == EXPR_CALL || is_ragged_index(values, expr->var, &slides)) shared->fits = false;
    if (expr->kind != EXPR_ELEMENT) return;
    const Formal *formal = lower_formal(values->use, expr->var);
    if (!formal || formal->written) shared->fits = false;
}

bool lower_is_shared(const LaneValues *values, const Expr *expr) {
    Shared shared = {values, true};
    lower_walk_expr(&(Walk){find_varying, NULL, &shared}, expr);
    return shared.fits;
}

static void find_other(void *data, const Expr *expr) {
    const bool sum = expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL);
    *(bool *)data |= !sum && expr->kind != EXPR_VAR && expr->kind != EXPR_INTEGER;
}

bool lower_is_plain_sum(const Expr *expr) {
    bool other = false;
    lower_walk_expr(&(Walk){find_other, NULL, &other}, expr);
    return !other;
}

static LaneStep combined(Operator op, LaneStep left, LaneStep right) {
    static const int by[] = {[STEP_BACK] = -1, [STEP_SAME] = 0, [STEP_NEXT] = 1};
    if (left == STEP_OTHER || right == STEP_OTHER) return STEP_OTHER;
    const int sum = op == OP_ADD ? by[left] + by[right] : by[left] - by[right];
    return sum == 0 ? STEP_SAME : sum == 1 ? STEP_NEXT : sum == -1 ? STEP_BACK : STEP_OTHER;
}

LaneStep lower_lane_step(const LaneValues *values, const Expr *expr) {
    bool slides = false;
    if (lower_is_shared(values, expr)) return STEP_SAME;
    if (expr->kind == EXPR_VAR && expr->var == values->index) return STEP_NEXT;
    if (expr->kind == EXPR_VAR && is_ragged_index(values, expr->var, &slides)) return slides ? STEP_NEXT : STEP_SAME;
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return STEP_OTHER;
    return combined(expr->op, lower_lane_step(values, expr->left), lower_lane_step(values, expr->right));
}

/* ---- Bounds ----------------------------------------------------------------------------------------------
 * Of a bound that is made of the lanes' index, of values that they share, of sums and differences, minima and maxima, it is known how it may
 * change from one lane to the next: with `max(i - 3, 0)` it stays or grows by one. */
typedef struct Bounds { Arena *arena; const LaneValues *values; LaneLoop *loop; } Bounds;

/* What the local is assigned in front of the body's statement number `end`, and nowhere else; *at: where; or NULL. */
static const Expr *only_value(const LaneValues *values, const Var *var, size_t end, size_t *at) {
    const StmtVec *statements = &values->body->statements;
    if (!lower_is_local_of(values->body, var) || lower_block_writes(values->body, var) != 1) return NULL;
    for (*at = 0; *at < end; (*at)++) {
        const Stmt *stmt = statements->items[*at];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == var) return stmt->value;
    }
    return NULL;
}

/* A value that is shared: of what is no literal it is asked whether it is far from the limits of an Integer. */
static unsigned share(const Bounds *bounds, const Expr *expr) {
    if (expr->kind != EXPR_INTEGER || expr->integer <= -INT32_MAX || expr->integer >= INT32_MAX) vec_push(bounds->arena, &bounds->loop->asked, (Expr *)expr);
    return STEP_SAME;
}

/* LaneSteps that a bound may take, as it stands in statement number `end` of the body. */
static unsigned steps_of(const Bounds *bounds, const Expr *expr, size_t end) {
    size_t at = 0;
    if (expr->type->kind != TYPE_INTEGER) return STEP_OTHER;
    if (lower_is_shared(bounds->values, expr)) return share(bounds, expr);
    if (expr->kind == EXPR_VAR && expr->var == bounds->values->index) return STEP_NEXT;
    if (expr->kind == EXPR_VAR) {
        const Expr *value = only_value(bounds->values, expr->var, end, &at);
        return value ? steps_of(bounds, value, at) : STEP_OTHER;
    }
    if (expr->kind == EXPR_MATH && (strcmp(expr->math, "llmin") == 0 || strcmp(expr->math, "llmax") == 0))
        return steps_of(bounds, expr->arguments.items[0], end) | steps_of(bounds, expr->arguments.items[1], end);
    const bool negative = expr->kind == EXPR_UNARY && expr->op == OP_NEG;
    if (!negative && (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB))) return STEP_OTHER;
    const unsigned left = negative ? STEP_SAME : steps_of(bounds, expr->left, end), right = steps_of(bounds, negative ? expr->left : expr->right, end);
    unsigned steps = 0;
    for (unsigned l = STEP_BACK; l <= STEP_OTHER; l <<= 1)
        for (unsigned r = STEP_BACK; r <= STEP_OTHER; r <<= 1)
            if ((left & l) && (right & r)) steps |= combined(negative ? OP_SUB : expr->op, (LaneStep)l, (LaneStep)r);
    return steps;
}

static bool goes_one_way(unsigned steps) { return !(steps & STEP_OTHER) && (steps & (STEP_BACK | STEP_NEXT)) != (STEP_BACK | STEP_NEXT); }

static void find_loop(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_WHILE; }

typedef struct Search { const Stmt *stmt; bool found; } Search;

static void find_stmt(void *data, const Stmt *stmt) {
    Search *search = data;
    search->found |= stmt == search->stmt;
}

/* The number of the body's statement in which it stands. */
static size_t number_of(const Block *body, const Stmt *stmt) {
    size_t number = 0;
    for (; number < body->statements.count; number++) {
        Search search = {stmt, false};
        const Block alone = {.statements = {.items = body->statements.items + number, .count = 1}};
        lower_walk_block(&(Walk){NULL, find_stmt, &search}, &alone);
        if (search.found) break;
    }
    return number;
}

bool lower_is_ragged(Arena *arena, const LaneValues *values, const Stmt *stmt, LaneLoop *loop) {
    const LoopIndex *index = stmt->kind == STMT_PARALLEL ? &stmt->indices.items[stmt->indices.count - 1] : NULL;
    const Expr *range = index ? index->domain_range : stmt->value;
    const Bounds bounds = {arena, values, loop};
    const size_t end = number_of(values->body, stmt);
    bool inside = false;
    lower_walk_block(&(Walk){NULL, find_loop, &inside}, &stmt->body);
    if (stmt->step || inside || (!index && range->kind != EXPR_RANGE)) return false;
    unsigned first = STEP_SAME, last = STEP_SAME;
    if (range && range->kind == EXPR_RANGE) {
        first = steps_of(&bounds, range->left, end);
        last = steps_of(&bounds, range->right, end);
    } else if (range && !lower_is_shared(values, range)) {
        return false;
    }
    for (size_t i = 0; index && i < index->lower.count; i++) first |= steps_of(&bounds, index->lower.items[i], end);
    for (size_t i = 0; index && i < index->upper.count; i++) last |= steps_of(&bounds, index->upper.items[i], end);
    loop->stmt = stmt;
    loop->slides = (first & last & STEP_NEXT) != 0;
    return goes_one_way(first) && goes_one_way(last);
}

/* ---- Branches ------------------------------------------------------------------------------------------------------ */

static void find_function(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_MATH && type_is_real(expr->type); }

static bool has_functions(const Block *block) {
    bool found = false;
    lower_walk_block(&(Walk){find_function, NULL, &found}, block);
    return found;
}

static void find_two_sides(void *data, const Stmt *stmt) {
    *(bool *)data |= stmt->kind == STMT_IF && stmt->otherwise != NULL && has_functions(&stmt->body) && has_functions(stmt->otherwise);
}

bool lower_has_two_sides(const Block *block) {
    bool found = false;
    lower_walk_block(&(Walk){NULL, find_two_sides, &found}, block);
    return found;
}
