/* Subscripts that wrap around: u[(i + 1) % n], u[(i + n - 1) % n], u[((i - 1) % n + n) % n], u[all.min + (i - all.min + 1) % all.length].
 *
 * What stands inside and around the remainder is taken apart into an index, literals and terms that cannot know of parts. Terms that cancel out,
 * and multiples of the divisor, say nothing of where the element is: what is left is how far it lies from the index. A literal divisor is
 * no length of an array that a Space divides, but that of a small table, or of blocks: of these nothing is said. */
#include "compiler/check/reach.h"

enum { MOST_TERMS = 16, MOST_MULTIPLES = 8 };
typedef struct Term { const Expr *expr; int sign; } Term;
typedef struct Sum {
    Term terms[MOST_TERMS];
    int count;
    int64_t low, high; /* the literals */
    const Var *index;
    bool remainder;
} Sum;

/* The function whose result is taken apart, and its call. */
typedef struct Inside { const Expr *call; const struct Inside *outer; } Inside;

static bool add_terms(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign, const Inside *inside);

/* ---- Terms ------------------------------------------------------------------------------------------- */

static bool same_term(Reach *reach, const Expr *a, const Expr *b) {
    if (a->kind != EXPR_RANGE_PART || b->kind != EXPR_RANGE_PART) return reach_same_expr(a, b);
    const Expr *range = reach_range(reach, a->left), *other = reach_range(reach, b->left);
    if (a->part != b->part || range->kind != EXPR_DIM_RANGE || other->kind != EXPR_DIM_RANGE) return false;
    const int dimension = range->dimension < 0 ? 0 : range->dimension;
    return reach_global(reach, range->var) == reach_global(reach, other->var) && dimension == (other->dimension < 0 ? 0 : other->dimension);
}

/* Cancels it out, if its opposite is there. */
static bool add_term(Reach *reach, Sum *sum, const Expr *expr, int sign) {
    for (int i = 0; i < sum->count; i++) {
        if (sum->terms[i].sign == sign || !same_term(reach, sum->terms[i].expr, expr)) continue;
        sum->terms[i] = sum->terms[--sum->count];
        return true;
    }
    if (sum->count == MOST_TERMS) return false;
    sum->terms[sum->count++] = (Term){expr, sign};
    return true;
}

static bool add_value(Reach *reach, Sum *sum, const Expr *expr, int sign) {
    const Value value = reach_plain_value(reach, expr);
    if (value.kind == VALUE_INDEX) {
        if (sum->index != NULL || sign < 0) return false;
        sum->index = value.index;
    }
    if (value.kind == VALUE_INDEX || value.literal) {
        sum->low += sign > 0 ? value.low : -value.high;
        sum->high += sign > 0 ? value.high : -value.low;
        return true;
    }
    return reach_is_blind(reach, expr) && add_term(reach, sum, expr, sign);
}

static bool add_multiple(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign, const Inside *inside) {
    const bool first = expr->left->kind == EXPR_INTEGER;
    const Expr *literal = first ? expr->left : expr->right, *other = first ? expr->right : expr->left;
    if (literal->kind != EXPR_INTEGER || literal->integer < 1 || literal->integer > MOST_MULTIPLES) return inside == NULL && add_value(reach, sum, expr, sign);
    for (int64_t i = 0; i < literal->integer; i++)
        if (!add_terms(reach, sum, divisor, other, sign, inside)) return false;
    return true;
}

/* One within another has the same divisor. */
static bool add_remainder(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign, const Inside *inside) {
    Sum here = {.count = 0};
    if (sign < 0 || divisor == NULL || !add_terms(reach, &here, NULL, expr->right, 1, inside) || here.index != NULL || here.low != here.high) return false;
    if (here.count != divisor->count || here.low != divisor->low) return false;
    for (int i = 0; i < here.count; i++)
        if (here.terms[i].sign != divisor->terms[i].sign || !same_term(reach, here.terms[i].expr, divisor->terms[i].expr)) return false;
    sum->remainder = true;
    return add_terms(reach, sum, divisor, expr->left, sign, inside);
}

static bool add_local(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign) {
    Local *local = &reach->locals[expr->var->id];
    if (local->busy || local->opaque || local->definitions.count != 1) return add_value(reach, sum, expr, sign);
    const Definition *definition = &local->definitions.items[0];
    for (size_t i = 0; i < definition->conditions.count; i++)
        if (!reach_is_blind(reach, definition->conditions.items[i])) return false;
    local->busy = true;
    const bool added = add_terms(reach, sum, divisor, definition->value, sign, NULL);
    local->busy = false;
    return added;
}

/* ---- Functions: a single return ------------------------------------------------------------------------- */

static const Expr *returned(const Expr *call) {
    const Block *block = &call->function->body.block;
    return block->statements.count == 1 && block->statements.items[0]->kind == STMT_RETURN ? block->statements.items[0]->value : NULL;
}

static const Expr *argument_of(const Inside *inside, const Var *param) {
    const VarVec *params = &inside->call->function->body.params;
    for (size_t i = 0; i < params->count && i < inside->call->arguments.count; i++)
        if (params->items[i] == param) return inside->call->arguments.items[i];
    return NULL;
}

static bool add_var(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign, const Inside *inside) {
    if (inside != NULL) {
        const Expr *argument = argument_of(inside, expr->var);
        return argument != NULL && add_terms(reach, sum, divisor, argument, sign, inside->outer);
    }
    return expr->var->kind == VAR_LOCAL ? add_local(reach, sum, divisor, expr, sign) : add_value(reach, sum, expr, sign);
}

static bool add_terms(Reach *reach, Sum *sum, const Sum *divisor, const Expr *expr, int sign, const Inside *inside) {
    if (expr == NULL || --reach->effort < 0) return false;
    if (expr->kind == EXPR_VAR) return add_var(reach, sum, divisor, expr, sign, inside);
    if (expr->kind == EXPR_CALL && returned(expr) != NULL) return add_terms(reach, sum, divisor, returned(expr), sign, &(Inside){expr, inside});
    if (expr->kind == EXPR_UNARY && expr->op == OP_NEG) return add_terms(reach, sum, divisor, expr->left, -sign, inside);
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB))
        return add_terms(reach, sum, divisor, expr->left, sign, inside) && add_terms(reach, sum, divisor, expr->right, expr->op == OP_SUB ? -sign : sign, inside);
    if (expr->kind == EXPR_BINARY && expr->op == OP_MUL) return add_multiple(reach, sum, divisor, expr, sign, inside);
    if (expr->kind == EXPR_BINARY && expr->op == OP_MOD) return add_remainder(reach, sum, divisor, expr, sign, inside);
    return (inside == NULL || expr->kind == EXPR_INTEGER) && add_value(reach, sum, expr, sign);
}

/* ---- The subscript ------------------------------------------------------------------------------------------ */

/* The outermost remainder in it, and the call that it is in. */
static bool find_divisor(Reach *reach, const Expr *expr, const Inside *inside, Sum *divisor) {
    if (expr == NULL || --reach->effort < 0) return false;
    if (expr->kind == EXPR_VAR && inside != NULL) return find_divisor(reach, argument_of(inside, expr->var), inside->outer, divisor);
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL) {
        Local *local = &reach->locals[expr->var->id];
        if (local->busy || local->opaque || local->definitions.count != 1) return false;
        local->busy = true;
        const bool found = find_divisor(reach, local->definitions.items[0].value, NULL, divisor);
        local->busy = false;
        return found;
    }
    if (expr->kind == EXPR_CALL) return find_divisor(reach, returned(expr), &(Inside){expr, inside}, divisor);
    if (expr->kind != EXPR_BINARY) return false;
    if (expr->op == OP_MOD) return add_terms(reach, divisor, NULL, expr->right, 1, inside);
    if (expr->op != OP_ADD && expr->op != OP_SUB) return false;
    return find_divisor(reach, expr->left, inside, divisor) || find_divisor(reach, expr->right, inside, divisor);
}

bool reach_wrapped(Reach *reach, const Expr *expr, Value *value) {
    Sum divisor = {.count = 0}, sum = {.count = 0};
    if (!find_divisor(reach, expr, NULL, &divisor) || divisor.index != NULL || divisor.count == 0 || divisor.low != divisor.high) return false;
    if (!add_terms(reach, &sum, &divisor, expr, 1, NULL) || !sum.remainder || sum.index == NULL) return false;
    for (int times = 0; times < MOST_MULTIPLES && sum.count > 0; times++) {
        for (int i = 0; i < divisor.count; i++)
            if (!add_term(reach, &sum, divisor.terms[i].expr, -divisor.terms[i].sign)) return false;
        sum.low -= divisor.low;
        sum.high -= divisor.low;
    }
    if (sum.count > 0 || (sum.low == 0 && sum.high == 0)) return false;
    *value = (Value){.kind = VALUE_INDEX, .index = sum.index, .low = sum.low, .high = sum.high};
    return true;
}
