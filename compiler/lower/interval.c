/* See interval.h. One function for each kind of operator; interval_binary chooses. */
#include "compiler/lower/interval.h"

#include <stddef.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

Interval interval_join(Interval a, Interval b) { return (Interval){smaller(a.min, b.min), larger(a.max, b.max)}; }

Interval interval_widen(Interval old, Interval now) {
    static const int bits[] = {7, 8, 15, 16, 31, 32, 51, 62};
    Interval wide = old;
    if (now.min < old.min) wide.min = now.min >= 0 ? 0 : INT64_MIN;
    if (now.max > old.max) wide.max = INT64_MAX;
    for (size_t i = sizeof bits / sizeof bits[0]; i-- > 0;) {
        int64_t limit = (int64_t)1 << bits[i];
        if (now.min < old.min && now.min >= -limit && now.min < 0) wide.min = -limit;
        if (now.max > old.max && now.max < limit) wide.max = limit - 1;
    }
    return wide;
}

Interval interval_negate(Interval a) {
    return a.min == INT64_MIN ? INTERVAL_ALL : (Interval){-a.max, -a.min};
}

static Interval add(Interval a, Interval b) {
    Interval sum;
    bool wraps = __builtin_add_overflow(a.min, b.min, &sum.min);
    wraps |= __builtin_add_overflow(a.max, b.max, &sum.max);
    return wraps ? INTERVAL_ALL : sum;
}

static Interval multiply(Interval a, Interval b) {
    const int64_t left[] = {a.min, a.min, a.max, a.max}, right[] = {b.min, b.max, b.min, b.max};
    Interval product = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        int64_t corner;
        if (__builtin_mul_overflow(left[i], right[i], &corner)) return INTERVAL_ALL;
        product = (Interval){smaller(product.min, corner), larger(product.max, corner)};
    }
    return product;
}

/* By a positive number or more: toward zero. */
static Interval divide(Interval a, Interval b) {
    if (b.min <= 0) return INTERVAL_ALL;
    return (Interval){a.min < 0 ? a.min / b.min : a.min / b.max, a.max < 0 ? a.max / b.max : a.max / b.min};
}

/* The sign of the left operand, and less than the right one. */
static Interval modulo(Interval a, Interval b) {
    if (b.min == INT64_MIN) return INTERVAL_ALL;
    int64_t most = larger(b.max, -b.min) - 1;
    if (most < 0) return INTERVAL_ALL; /* by zero: the program ends */
    return (Interval){a.min < 0 ? larger(a.min, -most) : 0, a.max > 0 ? smaller(a.max, most) : 0};
}

static Interval bit_and(Interval a, Interval b) {
    if (a.min >= 0 && b.min >= 0) return (Interval){0, smaller(a.max, b.max)};
    if (a.min >= 0) return (Interval){0, a.max};
    if (b.min >= 0) return (Interval){0, b.max};
    return INTERVAL_ALL;
}

/* | and ^: no more bits than the operands have. */
static Interval bit_or(Interval a, Interval b) {
    Interval both = interval_join(a, b);
    for (int bits = 0; bits < 63; bits++) {
        int64_t limit = (int64_t)1 << bits;
        if (both.min >= -limit && both.max < limit) return (Interval){both.min >= 0 ? 0 : -limit, limit - 1};
    }
    return (Interval){both.min >= 0 ? 0 : INT64_MIN, INT64_MAX};
}

static Interval shift_left(Interval a, Interval b) {
    if (b.min != b.max || b.min < 0 || b.min > 62) return INTERVAL_ALL;
    int64_t factor = (int64_t)1 << b.min;
    return multiply(a, (Interval){factor, factor});
}

static Interval shift_right(Interval a, Interval b) {
    if (b.min != b.max || b.min < 0 || b.min > 63) return (Interval){smaller(a.min, a.min < 0 ? -1 : 0), larger(a.max, 0)};
    return (Interval){a.min >> b.min, a.max >> b.min};
}

Interval interval_binary(Operator op, Interval a, Interval b) {
    switch (op) {
    case OP_ADD: return add(a, b);
    case OP_SUB: return b.min == INT64_MIN ? INTERVAL_ALL : add(a, interval_negate(b));
    case OP_MUL: return multiply(a, b);
    case OP_DIV: return divide(a, b);
    case OP_MOD: return modulo(a, b);
    case OP_BITAND: return bit_and(a, b);
    case OP_BITOR: case OP_BITXOR: return bit_or(a, b);
    case OP_SHL: return shift_left(a, b);
    case OP_SHR: return shift_right(a, b);
    default: return INTERVAL_ALL;
    }
}

Interval interval_least(Interval a, Interval b) { return (Interval){smaller(a.min, b.min), smaller(a.max, b.max)}; }
Interval interval_most(Interval a, Interval b) { return (Interval){larger(a.min, b.min), larger(a.max, b.max)}; }

Interval interval_magnitude(Interval a) {
    if (a.min >= 0 || a.min == INT64_MIN) return a.min >= 0 ? a : INTERVAL_ALL;
    return (Interval){a.max < 0 ? -a.max : 0, larger(-a.min, a.max)};
}
