/* Conditions under which an expression is evaluated, and what they say of a value: of
 *
 *     other = neighbour[i][e]
 *     if (other >= 0) { sum = sum + u[other] }
 *
 * that `other` is no less than 0 where it is a subscript. */
#include "compiler/check/bodies.h"
#include "compiler/plan/internal.h"

/* ---- Walking with conditions ---------------------------------------------------------------------------- */

typedef struct GuardWalk { void (*on_expr)(Expr *expr, const Guard *guard, void *data); void *data; } GuardWalk;

/* The right side of `and` is evaluated where the left one holds, that of `or` where it does not. */
static void walk_guarded_expr(const GuardWalk *walk, Expr *expr, const Guard *guard) {
    if (expr == NULL) return;
    walk->on_expr(expr, guard, walk->data);
    const bool choice = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    const Guard left = {expr->left, choice && expr->op == OP_AND, guard};
    walk_guarded_expr(walk, expr->left, guard);
    walk_guarded_expr(walk, expr->right, choice ? &left : guard);
    for (size_t i = 0; i < expr->arguments.count; i++) walk_guarded_expr(walk, expr->arguments.items[i], guard);
}

static void walk_guarded_block(const GuardWalk *walk, Block *block, const Guard *guard);

/* The indices from number `at` on, with their filters, and the body. */
static void walk_indices(const GuardWalk *walk, Stmt *stmt, size_t at, size_t filter, const Guard *guard) {
    if (at == stmt->indices.count) {
        walk_guarded_block(walk, &stmt->body, guard);
        return;
    }
    LoopIndex *index = &stmt->indices.items[at];
    if (filter == 0) {
        walk_guarded_expr(walk, index->domain_range, guard);
        for (size_t i = 0; i < index->lower.count; i++) walk_guarded_expr(walk, index->lower.items[i], guard);
        for (size_t i = 0; i < index->upper.count; i++) walk_guarded_expr(walk, index->upper.items[i], guard);
    }
    if (filter == index->filters.count) {
        walk_indices(walk, stmt, at + 1, 0, guard);
        return;
    }
    walk_guarded_expr(walk, index->filters.items[filter], guard);
    walk_indices(walk, stmt, at, filter + 1, &(Guard){index->filters.items[filter], true, guard});
}

static void walk_guarded_block(const GuardWalk *walk, Block *block, const Guard *guard) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        walk_guarded_expr(walk, stmt->value, guard);
        walk_guarded_expr(walk, stmt->target, guard);
        walk_guarded_expr(walk, stmt->step, guard);
        const bool branch = stmt->kind == STMT_IF;
        if (stmt->kind == STMT_PARALLEL) walk_indices(walk, stmt, 0, 0, guard);
        else walk_guarded_block(walk, &stmt->body, branch ? &(Guard){stmt->value, true, guard} : guard);
        if (stmt->otherwise != NULL) walk_guarded_block(walk, stmt->otherwise, branch ? &(Guard){stmt->value, false, guard} : guard);
    }
}

void guards_walk(Block *block, void (*on_expr)(Expr *expr, const Guard *guard, void *data), void *data) {
    walk_guarded_block(&(GuardWalk){on_expr, data}, block, NULL);
}

/* ---- What they say ---------------------------------------------------------------------------------------- */

/* The same value at the condition and where it is used: nothing of it is set but once in the body. */
static bool is_steady(const Block *body, const Expr *value) {
    if (value->kind == EXPR_INTEGER) return true;
    if (value->kind == EXPR_VAR) return block_settings(body, value->var).count <= (value->var->kind == VAR_LOCAL);
    if (value->kind == EXPR_BINARY) return is_steady(body, value->left) && is_steady(body, value->right);
    for (size_t i = 0; value->kind == EXPR_ELEMENT && i < value->arguments.count; i++)
        if (!is_steady(body, value->arguments.items[i])) return false;
    return value->kind == EXPR_ELEMENT && block_settings(body, value->var).count == 0;
}

static Operator turned(Operator op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : op == OP_GE ? OP_LE : op;
}

static Operator negated(Operator op) {
    return op == OP_LT ? OP_GE : op == OP_GE ? OP_LT : op == OP_GT ? OP_LE : op == OP_LE ? OP_GT : op == OP_EQ ? OP_NE : OP_EQ;
}

static void compared(GuardedValue *known, Operator op, int64_t with) {
    const bool above = op == OP_GT && with < INT64_MAX, least = above || op == OP_GE || op == OP_EQ;
    if (least && (!known->least_is_known || known->least < with + above)) known->least = with + above;
    known->least_is_known = known->least_is_known || least;
    if (op == OP_NE) known->unlike = with;
    known->unlike_is_known = known->unlike_is_known || op == OP_NE;
}

const Expr *plan_without_literals(const Expr *expr, int64_t *offset) {
    enum { MOST = 1 << 30 };
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return expr;
    bool left = expr->left->kind == EXPR_INTEGER && expr->op == OP_ADD;
    const Expr *literal = left ? expr->left : expr->right;
    if (literal->kind != EXPR_INTEGER || literal->integer > MOST || literal->integer < -MOST) return expr;
    *offset += expr->op == OP_ADD ? literal->integer : -literal->integer;
    return left ? expr->right : expr->left;
}

static bool literal(const Expr *expr, int64_t *value) {
    const bool minus = expr->kind == EXPR_UNARY && expr->op == OP_NEG;
    const Expr *number = minus ? expr->left : expr;
    if (number->kind != EXPR_INTEGER) return false;
    *value = minus ? -number->integer : number->integer;
    return true;
}

static void look_at_condition(const Expr *condition, bool holds, const Expr *value, GuardedValue *known) {
    if (condition->kind == EXPR_UNARY && condition->op == OP_NOT) {
        look_at_condition(condition->left, !holds, value, known);
        return;
    }
    if (condition->kind != EXPR_BINARY) return;
    if (condition->op == (holds ? OP_AND : OP_OR)) {
        look_at_condition(condition->left, holds, value, known);
        look_at_condition(condition->right, holds, value, known);
        return;
    }
    const bool comparison = condition->op == OP_LT || condition->op == OP_GT || condition->op == OP_LE || condition->op == OP_GE || condition->op == OP_EQ || condition->op == OP_NE;
    if (!comparison) return;
    int64_t with;
    const Operator op = holds ? condition->op : negated(condition->op);
    int64_t left = 0, right = 0;
    if (literal(condition->right, &with) && expr_equal(plan_without_literals(condition->left, &left), value)) compared(known, op, with - left);
    if (literal(condition->left, &with) && expr_equal(plan_without_literals(condition->right, &right), value)) compared(known, turned(op), with - right);
}

GuardedValue guards_say(const Guard *guard, const Block *body, const Expr *value) {
    GuardedValue known = {0};
    if (!is_steady(body, value)) return known;
    for (; guard != NULL; guard = guard->outer) look_at_condition(guard->condition, guard->holds, value, &known);
    return known;
}
