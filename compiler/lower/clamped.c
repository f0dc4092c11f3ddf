/* See clamped.h. An Integer that is cut to lie between two others is what the Real becomes that is cut to lie between these: truncation keeps order, and whole numbers as they are. */
#include "compiler/lower/clamped.h"

#include <string.h>

enum { MOST_EXACT_SINGLE = 1 << 24 }; /* whole numbers up to there are single-precision Reals */

/* An extremum with a literal: of what, and the literal. */
static bool is_cut(const Expr *expr, const char *math, const Expr **of, const Expr **literal) {
    if (expr->kind != EXPR_MATH || strcmp(expr->math, math) != 0 || expr->arguments.count != 2) return false;
    const Expr *a = expr->arguments.items[0], *b = expr->arguments.items[1];
    const bool second = b->kind == EXPR_REAL || b->kind == EXPR_INTEGER;
    *literal = second ? b : a;
    *of = second ? a : b;
    return second || a->kind == EXPR_REAL || a->kind == EXPR_INTEGER;
}

/* min(max(of, low), high), or max(min(of, high), low). */
static bool is_cut_twice(const Expr *expr, const char *min, const char *max, const Expr **of, const Expr **low, const Expr **high) {
    if (is_cut(expr, min, of, high)) return is_cut(*of, max, of, low);
    return is_cut(expr, max, of, low) && is_cut(*of, min, of, high);
}

static bool is_conversion(const Expr *expr) { return expr->kind == EXPR_CONVERT && expr->type->kind == TYPE_INTEGER && type_is_real(expr->left->type); }

/* NaN compares with nothing. */
static bool is_small(double literal) { return literal > INT32_MIN && literal < INT32_MAX; }

static bool is_cut_integer(const Expr *expr, Clamped *clamped) {
    const Expr *of, *low, *high;
    if (!is_cut_twice(expr, "llmin", "llmax", &of, &low, &high) || !is_conversion(of)) return false;
    *clamped = (Clamped){.real = of->left, .conversion = of, .low = (double)low->integer, .high = (double)high->integer};
    clamped->none = low->integer > 0 ? low->integer : high->integer < 0 ? high->integer : 0;
    const int64_t most = of->left->type->kind == TYPE_REAL_SINGLE ? MOST_EXACT_SINGLE : INT32_MAX - 1;
    return low->integer >= -most && high->integer <= most && low->integer <= high->integer;
}

static bool is_cut_real(const Expr *expr, Clamped *clamped) {
    const Expr *of, *low, *high;
    if (!is_conversion(expr) || !is_cut_twice(expr->left, "fmin", "fmax", &of, &low, &high)) return false;
    *clamped = (Clamped){.real = of, .conversion = expr, .low = low->real, .high = high->real};
    return is_small(low->real) && is_small(high->real) && low->real <= high->real;
}

bool lower_is_clamped(const Expr *expr, Clamped *clamped) { return is_cut_real(expr, clamped) || is_cut_integer(expr, clamped); }

Interval lower_clamped_values(const Clamped *clamped) {
    const int64_t low = (int64_t)clamped->low, high = (int64_t)clamped->high;
    return (Interval){low < clamped->none ? low : clamped->none, high > clamped->none ? high : clamped->none};
}
