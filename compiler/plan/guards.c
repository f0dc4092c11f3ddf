/* Conditions under which an expression is evaluated, and what they say of a value: of
 *
 *     other = neighbour[i][e]
 *     if (other >= 0) { sum = sum + u[other] }
 *
 * that `other` is no less than 0 where it is a subscript; and of
 *
 *     e = starts[v]
 *     last = starts[v + 1]
 *     if (e < last) {
 *         do { …[e] … e = e + 1 } while e < last
 *     }
 *
 * that e is less than `last`: by the condition in the first round, by that of the loop in all others. Between a condition and the place where the
 * value is used nothing may set what they compare. */
#include "compiler/check/bodies.h"
#include "compiler/plan/internal.h"

/* ---- Walking with conditions ---------------------------------------------------------------------------- */

typedef struct GuardWalk { void (*on_expr)(Expr *expr, const Guard *guard, void *data); void *data; } GuardWalk;

/* The right side of `and` is evaluated where the left one holds, that of `or` where it does not. */
static void walk_guarded_expr(const GuardWalk *walk, Expr *expr, const Guard *guard) {
    if (expr == NULL) return;
    walk->on_expr(expr, guard, walk->data);
    const bool choice = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    const Guard left = {.condition = expr->left, .holds = choice && expr->op == OP_AND, .outer = guard};
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
    walk_indices(walk, stmt, at, filter + 1, &(Guard){.condition = index->filters.items[filter], .holds = true, .outer = guard});
}

static void walk_guarded_stmt(const GuardWalk *walk, Stmt *stmt, const Guard *guard) {
    const Guard rounds = {.outer = guard, .changes = stmt}, again = {.condition = stmt->value, .holds = true, .outer = guard, .changes = stmt};
    switch (stmt->kind) {
    case STMT_IF:
        walk_guarded_expr(walk, stmt->value, guard);
        walk_guarded_block(walk, &stmt->body, &(Guard){.condition = stmt->value, .holds = true, .outer = guard});
        if (stmt->otherwise != NULL) walk_guarded_block(walk, stmt->otherwise, &(Guard){.condition = stmt->value, .outer = guard});
        return;
    case STMT_WHILE:
        walk_guarded_block(walk, &stmt->body, &again);
        walk_guarded_expr(walk, stmt->value, &rounds);
        return;
    case STMT_PARALLEL: walk_indices(walk, stmt, 0, 0, &rounds); return;
    default:
        walk_guarded_expr(walk, stmt->value, guard);
        walk_guarded_expr(walk, stmt->target, guard);
        walk_guarded_expr(walk, stmt->step, guard);
        walk_guarded_block(walk, &stmt->body, stmt->kind == STMT_SEQUENCE ? &rounds : guard);
    }
}

/* The statements from number `at` on, behind those that `guard` knows of. */
static void walk_statements(const GuardWalk *walk, Block *block, size_t at, const Guard *guard) {
    if (at == block->statements.count) return;
    walk_guarded_stmt(walk, block->statements.items[at], guard);
    walk_statements(walk, block, at + 1, &(Guard){.outer = guard, .changes = block->statements.items[at]});
}

static void walk_guarded_block(const GuardWalk *walk, Block *block, const Guard *guard) { walk_statements(walk, block, 0, guard); }

void guards_walk(Block *block, void (*on_expr)(Expr *expr, const Guard *guard, void *data), void *data) {
    walk_guarded_block(&(GuardWalk){on_expr, data}, block, NULL);
}

/* ---- What they say ---------------------------------------------------------------------------------------- */

static bool count_assignment(Stmt *stmt, void *data) {
    Setting *setting = data;
    setting->count += stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == setting->var;
    return true;
}

/* Nothing but assignments sets the variable, if anything does. */
static bool is_assigned(const Block *body, const Var *var) {
    Setting assigned = {.var = var};
    walk_block((Block *)body, count_assignment, NULL, &assigned);
    return block_settings(body, var).count == assigned.count;
}

/* All that sets what the value is made of is an assignment to a local. */
static bool can_be_followed(const Block *body, const Expr *value) {
    if (value->kind == EXPR_INTEGER) return true;
    if (value->kind == EXPR_VAR) return value->var->kind == VAR_LOCAL ? is_assigned(body, value->var) : block_settings(body, value->var).count == 0;
    if (value->kind == EXPR_BINARY) return can_be_followed(body, value->left) && can_be_followed(body, value->right);
    for (size_t i = 0; value->kind == EXPR_ELEMENT && i < value->arguments.count; i++)
        if (!can_be_followed(body, value->arguments.items[i])) return false;
    return value->kind == EXPR_ELEMENT && block_settings(body, value->var).count == 0;
}

/* The statement sets a local of a value that can be followed. */
static bool sets(const Stmt *stmt, const Expr *value) {
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)stmt}, .count = 1}};
    if (value->kind == EXPR_VAR) return block_settings(&alone, value->var).count > 0;
    if (value->kind == EXPR_BINARY) return sets(stmt, value->left) || sets(stmt, value->right);
    for (size_t i = 0; i < value->arguments.count; i++)
        if (sets(stmt, value->arguments.items[i])) return true;
    return false;
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

/* Calls on_test(op, left, right, data) with each comparison that is true where the condition holds, or does not. */
typedef struct Tests { void (*on_test)(Operator op, const Expr *left, const Expr *right, void *data); void *data; } Tests;

static void each_test(const Expr *condition, bool holds, const Tests *tests) {
    if (condition->kind == EXPR_UNARY && condition->op == OP_NOT) {
        each_test(condition->left, !holds, tests);
        return;
    }
    if (condition->kind != EXPR_BINARY) return;
    if (condition->op == (holds ? OP_AND : OP_OR)) {
        each_test(condition->left, holds, tests);
        each_test(condition->right, holds, tests);
        return;
    }
    const bool comparison = condition->op == OP_LT || condition->op == OP_GT || condition->op == OP_LE || condition->op == OP_GE || condition->op == OP_EQ || condition->op == OP_NE;
    if (!comparison) return;
    const Operator op = holds ? condition->op : negated(condition->op);
    tests->on_test(op, condition->left, condition->right, tests->data);
    tests->on_test(turned(op), condition->right, condition->left, tests->data);
}

typedef struct Compared { const Expr *value; GuardedValue *known; } Compared;

static void with_literal(Operator op, const Expr *left, const Expr *right, void *data) {
    const Compared *compare = data;
    int64_t with, added = 0;
    if (literal(right, &with) && expr_equal(plan_without_literals(left, &added), compare->value)) compared(compare->known, op, with - added);
}

GuardedValue guards_say(const Guard *guard, const Block *body, const Expr *value) {
    GuardedValue known = {0};
    if (!can_be_followed(body, value)) return known;
    for (; guard != NULL && !(guard->changes != NULL && sets(guard->changes, value)); guard = guard->outer)
        if (guard->changes == NULL) each_test(guard->condition, guard->holds, &(Tests){with_literal, &(Compared){value, &known}});
    return known;
}

typedef struct Below { const Expr *value; GuardedBound bound; bool (*fits)(const Expr *bound, void *data); void *data; } Below;

static void with_bound(Operator op, const Expr *left, const Expr *right, void *data) {
    Below *below = data;
    int64_t added = 0, more = 0;
    if ((op != OP_LT && op != OP_LE) || below->bound.by != NULL || !expr_equal(plan_without_literals(left, &added), below->value)) return;
    const Expr *by = plan_without_literals(right, &more);
    if (below->fits(by, below->data)) below->bound = (GuardedBound){by, more - added - (op == OP_LT)};
}

static GuardedBound bound_of(const Guard *guard, Below below) {
    if (guard->condition != NULL) each_test(guard->condition, guard->holds, &(Tests){with_bound, &below});
    return below.bound;
}

/* Nothing between the two sets what the value is made of. */
static bool stays(const Guard *inner, const Guard *outer, const Expr *value) {
    for (; inner != outer; inner = inner->outer)
        if (inner->changes != NULL && sets(inner->changes, value)) return false;
    return true;
}

GuardedBound guards_bound(const Guard *guard, const Block *body, const Expr *value, bool (*fits)(const Expr *bound, void *data), void *data) {
    const GuardedBound none = {0};
    if (!can_be_followed(body, value)) return none;
    const Below below = {.value = value, .fits = fits, .data = data};
    GuardedBound again = none; /* what loops say that are gone round again */
    for (const Guard *at = guard; at != NULL; at = at->outer) {
        const bool changed = at->changes != NULL && sets(at->changes, value);
        if (!changed && at->changes != NULL) continue;
        const GuardedBound found = bound_of(at, below);
        const bool same = again.by == NULL || (found.by != NULL && expr_equal(again.by, found.by) && again.more == found.more);
        if (changed && (found.by == NULL || !same)) return none;
        if (changed) again = found;
        else if (found.by != NULL && same) return can_be_followed(body, found.by) && stays(guard, at, found.by) ? found : none;
    }
    return none;
}
