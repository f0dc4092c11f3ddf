/* Integers that are known before a program runs. See known_integers.h. */
#include "compiler/lower/known_integers.h"

#include <string.h>

static bool is_small(int64_t value) { return value > -SMALL_LITERAL && value < SMALL_LITERAL; }

static bool given(int64_t *value, int64_t as) {
    *value = as;
    return true;
}

bool lower_computed(Operator op, int64_t a, int64_t b, int64_t *value) {
    switch (op) {
    case OP_EQ: return given(value, a == b);
    case OP_NE: return given(value, a != b);
    case OP_LT: return given(value, a < b);
    case OP_GT: return given(value, a > b);
    case OP_LE: return given(value, a <= b);
    case OP_GE: return given(value, a >= b);
    default: break;
    }
    if (!is_small(a) || !is_small(b)) return false;
    switch (op) {
    case OP_ADD: return given(value, a + b);
    case OP_SUB: return given(value, a - b);
    case OP_MUL: return given(value, a * b);
    case OP_DIV: return b > 0 && given(value, a / b);
    case OP_MOD: return b > 0 && given(value, a % b);
    case OP_BITAND: return given(value, a & b);
    case OP_BITOR: return given(value, a | b);
    case OP_BITXOR: return given(value, a ^ b);
    case OP_SHL: return a >= 0 && b >= 0 && b <= 20 && given(value, a << b);
    case OP_SHR: return a >= 0 && b >= 0 && b <= 20 && given(value, a >> b);
    default: return false;
    }
}

bool lower_is_extremum(const Expr *expr) {
    return expr->kind == EXPR_MATH && (strcmp(expr->math, "llmin") == 0 || strcmp(expr->math, "llmax") == 0) && expr->arguments.count == 2;
}

static bool computed_extremum(const Expr *expr, int64_t a, int64_t b, int64_t *value) {
    return given(value, (strcmp(expr->math, "llmin") == 0) == (a < b) ? a : b);
}

static bool known_binary(const Knowledge *knowledge, const Expr *expr, int64_t *value) {
    int64_t a = 0, b = 0;
    if (!lower_known_value(knowledge, expr->left, &a)) return false;
    if (expr->op == OP_AND || expr->op == OP_OR) {
        if ((expr->op == OP_OR) == (a != 0)) return given(value, a);
        return lower_known_value(knowledge, expr->right, value);
    }
    return lower_known_value(knowledge, expr->right, &b) && lower_computed(expr->op, a, b, value);
}

bool lower_known_value(const Knowledge *knowledge, const Expr *expr, int64_t *value) {
    int64_t a = 0, b = 0;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_BOOLEAN: return given(value, expr->integer);
    case EXPR_VAR: return knowledge != NULL && knowledge->value_of(knowledge->data, expr->var, value);
    case EXPR_UNARY:
        if (!lower_known_value(knowledge, expr->left, &a) || !is_small(a)) return false;
        return given(value, expr->op == OP_NOT ? !a : -a) && (expr->op == OP_NOT || expr->op == OP_NEG);
    case EXPR_BINARY: return known_binary(knowledge, expr, value);
    case EXPR_MATH:
        if (!lower_is_extremum(expr)) return false;
        return lower_known_value(knowledge, expr->arguments.items[0], &a) && lower_known_value(knowledge, expr->arguments.items[1], &b) &&
               computed_extremum(expr, a, b, value);
    default: return false;
    }
}

bool lower_known_rounds(const Knowledge *knowledge, const Stmt *loop, Rounds *rounds) {
    int64_t first = 0, last = 0, step = 1;
    if (loop->kind != STMT_SEQUENCE || loop->value->kind != EXPR_RANGE) return false;
    if (!lower_known_value(knowledge, loop->value->left, &first) || !lower_known_value(knowledge, loop->value->right, &last)) return false;
    if (loop->step != NULL && !lower_known_value(knowledge, loop->step, &step)) return false;
    if (step == 0 || !is_small(first) || !is_small(last) || !is_small(step)) return false;
    const int64_t between = last - first;
    *rounds = (Rounds){step > 0 ? first : last, step, between < 0 ? 0 : between / (step > 0 ? step : -step) + 1};
    return true;
}
