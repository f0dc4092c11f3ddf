/* Subscripts and ends of loops, counted from the ends of a dimension:
 *
 *     last = u.dimension1.range.max
 *     do { u[last][j] = … } for j in u.dimension2
 *     do in sequence { … } for i in [0...last - 1] step -1
 *
 * Behind u[last] lies nothing, behind the loop one index, and 0 is the first one where the array comes from files or Initialize says so.
 *
 * Needs: a checked program. Gives: a number, or -1 where it cannot tell. Breaks: nothing. */
#include "compiler/check/walk.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/parts.h"

enum { MOST_STEPS = 8 /* from locals to what they stand for */, MOST = 1 << 20 };

const Expr *plan_value_of(const Step *call, const Expr *expr) {
    for (int step = 0; step < MOST_STEPS && expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL; step++) {
        const Setting setting = block_settings(&call->stage->body.block, expr->var);
        if (setting.count != 1 || setting.value == NULL || setting.value->type != expr->type || expr->var->type->stored_single) break;
        expr = setting.value;
    }
    return expr;
}

/* … with literals added; what these come to. */
static const Expr *base_of(const Step *call, const Expr *expr, int64_t *sum) {
    *sum = 0;
    for (int step = 0; step < MOST_STEPS; step++) {
        int64_t literal;
        const Expr *value = plan_value_of(call, expr), *base = expr_without_literal(value, &literal);
        if (literal > MOST || literal < -MOST) return NULL;
        *sum += literal;
        if (base == value) return value;
        expr = base;
    }
    return NULL;
}

/* As the task names it. */
static const Var *actual(const Step *call, const Var *var) {
    const VarVec *params = &call->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == var) return call->arguments.items[i].var;
    return var;
}

static bool is_end_of(const Step *call, const Expr *expr, PartDimension of, bool high) {
    if (expr->kind != EXPR_RANGE_PART || expr->part != (high ? RANGE_MAX : RANGE_MIN)) return false;
    const Expr *range = plan_value_of(call, expr->left);
    if (range->kind != EXPR_DIM_RANGE) return false;
    const PartDimension dimension = {actual(call, range->var), range->dimension};
    if (dimension.array == NULL) return false;
    return range->local ? plan_same_parts(call->stage->task, call->lps, dimension, of) : plan_same_bounds(call->stage->task, dimension, of);
}

static bool is_literal(const Expr *expr, int64_t *value) {
    const bool negative = expr->kind == EXPR_UNARY && expr->op == OP_NEG;
    if (negative) expr = expr->left;
    if (expr->kind != EXPR_INTEGER || expr->integer > MOST || expr->integer < -MOST) return false;
    *value = negative ? -expr->integer : expr->integer;
    return true;
}

int64_t plan_distance(const Step *call, const Expr *expr, PartDimension of, bool high) {
    int64_t sum, literal, first;
    const Expr *base = base_of(call, expr, &sum);
    if (base == NULL) return -1;
    if (is_literal(base, &literal)) {
        if (high || !plan_first_index(call->stage->task, of, &first) || first > MOST || first < -MOST) return -1;
        sum += literal - first;
    } else if (!is_end_of(call, base, of, high)) return -1;
    const int64_t inside = high ? -sum : sum;
    return inside < 0 ? -1 : inside;
}
