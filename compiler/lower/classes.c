/* See classes.h. How to read it: a filter is a class: a sum of indices, each with a factor, a modulus, and a remainder that is the same for all
 * iterations. Two elements u[i + a][j + b] and u[i + c][j + d] are one only for iterations whose sums differ by what follows from a - c and b - d. */
#include "compiler/lower/classes.h"

#include "compiler/lower/passes.h"

enum { MOST_INDICES = 8, MOST_MODULUS = 1 << 20, MOST_FACTOR = 1 << 10, MOST_OFFSET = 1 << 30 };

typedef struct Term { const Var *index; int64_t factor; } Term;

typedef struct Class {
    const Expr *sum, *remainder;
    int64_t modulus;
    Term terms[MOST_INDICES];
    int count;
} Class;

/* ---- A class ------------------------------------------------------------------------------------------------------------- */
static bool is_index_of(const Nest *nest, const Expr *expr) {
    for (size_t l = 0; expr->kind == EXPR_VAR && l < nest->loops.count; l++)
        if (nest->loops.items[l].index->var == expr->var) return true;
    return false;
}

static bool is_literal(const Expr *expr, int64_t most) { return expr->kind == EXPR_INTEGER && expr->integer > -most && expr->integer < most; }

static bool add_term(Class *class, const Var *index, int64_t factor) {
    for (int t = 0; t < class->count; t++)
        if (class->terms[t].index == index) return false;
    if (class->count == MOST_INDICES) return false;
    class->terms[class->count++] = (Term){index, factor};
    return true;
}

/* Adds what the sum names, with the factor that stands before it. */
static bool add_terms(Class *class, const Nest *nest, const Expr *sum, int64_t factor) {
    if (is_index_of(nest, sum)) return add_term(class, sum->var, factor);
    if (is_literal(sum, MOST_OFFSET)) return true;
    if (sum->kind != EXPR_BINARY || sum->type->kind != TYPE_INTEGER) return false;
    if (sum->op == OP_ADD || sum->op == OP_SUB)
        return add_terms(class, nest, sum->left, factor) && add_terms(class, nest, sum->right, sum->op == OP_ADD ? factor : -factor);
    if (sum->op != OP_MUL) return false;
    const bool first = is_literal(sum->left, MOST_FACTOR);
    const Expr *number = first ? sum->left : sum->right, *index = first ? sum->right : sum->left;
    return factor > -MOST_FACTOR && factor < MOST_FACTOR && is_literal(number, MOST_FACTOR) && is_index_of(nest, index) &&
           add_term(class, index->var, factor * number->integer);
}

/* A literal, a variable, or one plus or minus the other: evaluating it costs nothing and cannot fail. */
static bool is_plain(const Expr *expr) {
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) return is_plain(expr->left) && is_plain(expr->right);
    return expr->type->kind == TYPE_INTEGER && (expr->kind == EXPR_INTEGER || (expr->kind == EXPR_VAR && expr->lag == 0));
}

static bool is_class(const Nest *nest, const Expr *filter, Class *class) {
    if (filter->kind != EXPR_BINARY || filter->op != OP_EQ) return false;
    const bool first = filter->left->kind == EXPR_BINARY && filter->left->op == OP_MOD;
    const Expr *of = first ? filter->left : filter->right;
    *class = (Class){.remainder = first ? filter->right : filter->left};
    if (of->kind != EXPR_BINARY || of->op != OP_MOD || !is_literal(of->right, MOST_MODULUS) || of->right->integer < 2) return false;
    class->sum = of->left;
    class->modulus = of->right->integer;
    return is_plain(class->remainder) && lower_is_same_everywhere(nest, class->remainder) && add_terms(class, nest, class->sum, 1) && class->count > 0;
}

/* ---- Elements of other classes ------------------------------------------------------------------------------------------- */
/* index + number */
static bool has_offset(const Expr *subscript, const Var *index, int64_t *number) {
    int64_t sum = 0;
    while (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && is_literal(subscript->right, MOST_MODULUS)) {
        sum += subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
        subscript = subscript->left;
    }
    *number = sum;
    return subscript->kind == EXPR_VAR && subscript->var == index && sum > -MOST_OFFSET && sum < MOST_OFFSET;
}

/* How far the indices of the iterations are apart that have the elements in the same place. */
static bool find_distance(const Expr *one, const Expr *other, const Var *index, int64_t *distance) {
    for (size_t d = 0; d < one->arguments.count; d++) {
        int64_t a, b;
        if (!has_offset(one->arguments.items[d], index, &a) || !has_offset(other->arguments.items[d], index, &b)) continue;
        *distance = b - a;
        return true;
    }
    return false;
}

static bool are_apart(const Class *class, const Expr *one, const Expr *other) {
    int64_t sum = 0;
    for (int t = 0; t < class->count; t++) {
        int64_t distance;
        if (!find_distance(one, other, class->terms[t].index, &distance)) return false;
        sum += class->terms[t].factor * distance;
    }
    return sum % class->modulus != 0;
}

bool lower_in_other_class(const Nest *nest, const Expr *one, const Expr *other) {
    Class class;
    for (size_t l = 0; l < nest->loops.count; l++)
        for (size_t f = 0; f < nest->loops.items[l].index->filters.count; f++)
            if (is_class(nest, nest->loops.items[l].index->filters.items[f], &class) && are_apart(&class, one, other)) return true;
    return false;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------------------- */
static Expr *integer(Arena *arena, const Expr *like, int64_t value) {
    Expr *expr = ARENA_NEW(arena, Expr);
    *expr = (Expr){.kind = EXPR_INTEGER, .type = like->type, .span = like->span, .integer = value};
    return expr;
}

/* The sum without the index; NULL: nothing is left. */
static const Expr *without(Arena *arena, const Expr *sum, const Var *index) {
    if (sum->kind == EXPR_VAR && sum->var == index) return NULL;
    if (sum->kind != EXPR_BINARY || !lower_expr_mentions(sum, index)) return sum;
    const Expr *left = without(arena, sum->left, index), *right = without(arena, sum->right, index);
    if (right == NULL) return left;
    if (left == NULL && sum->op == OP_ADD) return right;
    Expr *rest = ARENA_NEW(arena, Expr);
    *rest = *sum;
    rest->left = (Expr *)(left != NULL ? left : integer(arena, sum, 0));
    rest->right = (Expr *)right;
    return rest;
}

const Steps *lower_steps(Arena *arena, const Nest *nest, const Loop *loop) {
    Class class;
    for (size_t f = 0; f < loop->index->filters.count; f++) {
        const Expr *filter = loop->index->filters.items[f];
        if (!is_class(nest, filter, &class)) continue;
        for (int t = 0; t < class.count; t++) {
            if (class.terms[t].index != loop->index->var || class.terms[t].factor != 1) continue;
            Steps *steps = ARENA_NEW(arena, Steps);
            *steps = (Steps){filter, without(arena, class.sum, loop->index->var), class.remainder, class.modulus};
            return steps;
        }
    }
    return NULL;
}
