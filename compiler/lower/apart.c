/* See apart.h. How to read it: an Integer expression is a term plus a number; the bounds of an index are such sums; two
 * subscripts are apart if a highest value of one and a lowest value of the other have the same term and the numbers differ. */
#include "compiler/lower/apart.h"

#include "compiler/lower/passes.h"

/* term + number, where the term may be an end of a Range: `range` with `part`. Term and range NULL: the number alone. */
typedef struct Sum { const Expr *term, *range; RangePart part; int64_t number; } Sum;

enum { MOST_BOUNDS = 8, MOST_NUMBER = 1 << 30 };
typedef struct Bounds { Sum sums[MOST_BOUNDS]; int count; } Bounds;

static Sum sum_of(const Expr *expr) {
    int64_t number = 0;
    while (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB) && expr->right->kind == EXPR_INTEGER &&
           expr->right->integer >= 0 && expr->right->integer < MOST_NUMBER && number < MOST_NUMBER && number > -MOST_NUMBER) {
        number += expr->op == OP_ADD ? expr->right->integer : -expr->right->integer;
        expr = expr->left;
    }
    if (expr->kind == EXPR_INTEGER && expr->integer < MOST_NUMBER && expr->integer > -MOST_NUMBER)
        return (Sum){.number = number + expr->integer};
    if (expr->kind == EXPR_RANGE_PART) return (Sum){.range = expr->left, .part = expr->part, .number = number};
    return (Sum){.term = expr, .number = number};
}

static bool less(const Sum *a, const Sum *b) {
    if (!lower_expr_equal(a->term, b->term) || !lower_expr_equal(a->range, b->range)) return false;
    return (a->range == NULL || a->part == b->part) && a->number < b->number;
}

static void add(Bounds *bounds, Sum sum, int64_t number) {
    if (bounds->count == MOST_BOUNDS) return;
    sum.number += number;
    bounds->sums[bounds->count++] = sum;
}

static const LoopIndex *index_of(const Nest *nest, const Expr *term) {
    for (size_t i = 0; term && term->kind == EXPR_VAR && i < nest->loops.count; i++)
        if (nest->loops.items[i].index->var == term->var) return nest->loops.items[i].index;
    return NULL;
}

static void domain_end(Bounds *bounds, const Expr *range, RangePart part, int64_t number) {
    if (range->kind == EXPR_RANGE) add(bounds, sum_of(part == RANGE_MIN ? range->left : range->right), number);
    else add(bounds, (Sum){.range = range, .part = part}, number);
}

/* Bounds that name another index of the nest, or elements, or what the body changes, may change from iteration to iteration: they say nothing. */
static bool is_constant(const Nest *nest, const Expr *expr) {
    if (expr == NULL) return true;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || index_of(nest, expr)) return false;
    if (expr->kind == EXPR_VAR && !lower_is_same_everywhere(nest, expr)) return false;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!is_constant(nest, expr->arguments.items[i])) return false;
    return is_constant(nest, expr->left) && is_constant(nest, expr->right);
}

/* What the subscript is at least (RANGE_MIN) or at most (RANGE_MAX). */
static Bounds bounds_of(const Nest *nest, const Expr *subscript, RangePart part) {
    Bounds bounds = {.count = 0};
    const Sum sum = sum_of(subscript);
    const LoopIndex *index = index_of(nest, sum.term);
    if (index == NULL) {
        if (is_constant(nest, subscript)) add(&bounds, sum, 0);
        return bounds;
    }
    const ExprVec *limits = part == RANGE_MIN ? &index->lower : &index->upper;
    for (size_t i = 0; i < limits->count; i++)
        if (is_constant(nest, limits->items[i])) add(&bounds, sum_of(limits->items[i]), sum.number);
    if (index->domain_range && is_constant(nest, index->domain_range)) domain_end(&bounds, index->domain_range, part, sum.number);
    return bounds;
}

static bool always_less(const Nest *nest, const Expr *a, const Expr *b) {
    const Bounds highest = bounds_of(nest, a, RANGE_MAX), lowest = bounds_of(nest, b, RANGE_MIN);
    for (int i = 0; i < highest.count; i++)
        for (int k = 0; k < lowest.count; k++)
            if (less(&highest.sums[i], &lowest.sums[k])) return true;
    return false;
}

bool lower_elements_apart(const Nest *nest, const Expr *one, const Expr *other) {
    for (size_t d = 0; d < one->arguments.count; d++) {
        const Expr *a = one->arguments.items[d], *b = other->arguments.items[d];
        if (always_less(nest, a, b) || always_less(nest, b, a)) return true;
    }
    return false;
}
