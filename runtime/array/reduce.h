/* The order in which reductions combine (trust.md): fixed by the program alone.
 *
 * Each run of the innermost loop is cut into chunks of 1024 iterations; a chunk
 * accumulates into 32 interleaved lanes (iteration number mod 32) that start at the
 * operation's identity and combine as a binary tree (lane l with l+16, then l+8, …, l+1);
 * chunk results of all runs combine in iteration order as a binary tree of pairs (a lone
 * last one passes up), and LPUs' results in LPU order likewise. The interpreter and
 * every backend include this file, so they cannot differ. */
#ifndef HP5_RUNTIME_REDUCE_H
#define HP5_RUNTIME_REDUCE_H
#include <math.h>
#include <stdint.h>
#include "runtime/array/arithmetic.h"

enum { HP5_CHUNK = 1024, HP5_LANES = 32, HP5_TREE_DEPTH = 64 };

typedef struct Hp5EntryReal { double value; int64_t index; } Hp5EntryReal;       /* max_entry, min_entry */
typedef struct Hp5EntryInteger { int64_t value; int64_t index; } Hp5EntryInteger; /* index -1: no iteration yet */

/* A sum or product of Integers that may be larger than one, of checked builds and the interpreter: whether the result fits does not depend on
 * the order then, where a partial one may not fit though the result does. A sum is high * 2^64 + low; a product is low, 2^64 - 1 at the most,
 * and negative where high is odd. */
typedef struct Hp5Exact { uint64_t low; int64_t high; } Hp5Exact;

static inline Hp5Exact hp5_exact_term(int64_t a) { return (Hp5Exact){(uint64_t)a, a < 0 ? -1 : 0}; }
static inline Hp5Exact hp5_exact_factor(int64_t a) { return (Hp5Exact){a < 0 ? 0 - (uint64_t)a : (uint64_t)a, a < 0}; }
static inline Hp5Exact hp5_exact_add(Hp5Exact a, Hp5Exact b) {
    const uint64_t low = a.low + b.low;
    return (Hp5Exact){low, a.high + b.high + (low < a.low)};
}
static inline Hp5Exact hp5_exact_multiply(Hp5Exact a, Hp5Exact b) {
    const bool larger = b.low > 0 && a.low > UINT64_MAX / b.low;
    return (Hp5Exact){larger ? UINT64_MAX : a.low * b.low, a.high ^ b.high};
}
/* Whether it fits an Integer, which *result gets. */
static inline bool hp5_exact_sum_fits(Hp5Exact sum, int64_t *result) {
    *result = (int64_t)sum.low;
    return sum.high == (*result < 0 ? -1 : 0);
}
static inline bool hp5_exact_product_fits(Hp5Exact product, int64_t *result) {
    *result = (int64_t)(product.high ? 0 - product.low : product.low);
    return product.low <= (uint64_t)INT64_MAX + (product.high ? 1 : 0);
}

/* hp5_NAME_identity and hp5_NAME(a, b). Extrema of Reals are those of arithmetic.h, in any order. Entries: the smallest
 * index of the extremum. */
#define HP5_REDUCE_OPERATIONS(X)                                                         \
    X(sum_real, double, 0.0, a + b)                                                      \
    X(sum_single, float, 0.0f, a + b)                                                    \
    X(sum_integer, int64_t, 0, (int64_t)((uint64_t)a + (uint64_t)b))                     \
    X(sum_exact, Hp5Exact, hp5_exact_term(0), hp5_exact_add(a, b))                       \
    X(product_real, double, 1.0, a *b)                                                   \
    X(product_single, float, 1.0f, a *b)                                                 \
    X(product_integer, int64_t, 1, (int64_t)((uint64_t)a * (uint64_t)b))                 \
    X(product_exact, Hp5Exact, hp5_exact_factor(1), hp5_exact_multiply(a, b))            \
    X(max_real, double, -INFINITY, hp5_fmax(a, b)) \
    X(max_single, float, -INFINITY, hp5_fmaxf(a, b))                                     \
    X(max_integer, int64_t, INT64_MIN, b > a ? b : a)                                    \
    X(min_real, double, INFINITY, hp5_fmin(a, b))                                        \
    X(min_single, float, INFINITY, hp5_fminf(a, b))                                      \
    X(min_integer, int64_t, INT64_MAX, b < a ? b : a)                                    \
    X(land, int64_t, 1, a & (int64_t)(b != 0))                                           \
    X(lor, int64_t, 0, a | (int64_t)(b != 0))                                            \
    X(band, int64_t, -1, (a & b))                                                        \
    X(bor, int64_t, 0, (a | b))

#define HP5_REDUCE_BASE(name, type, zero, combine)                                       \
    static inline type hp5_##name##_identity(void) { return zero; }                      \
    static inline type hp5_##name(type a, type b) { return combine; }
HP5_REDUCE_OPERATIONS(HP5_REDUCE_BASE)
#undef HP5_REDUCE_BASE

#define HP5_REDUCE_ENTRY(name, type, worse, better)                                             \
    static inline type hp5_##name##_identity(void) { return (type){0, -1}; }             \
    static inline type hp5_##name(type a, type b) {                                      \
        if (worse && a.index >= 0) return a; /* nearly always */                         \
        if (b.index < 0) return a;                                                       \
        if (a.index < 0) return b;                                                       \
        if (better) return b;                                                            \
        return a;                                                                        \
    }
HP5_REDUCE_ENTRY(max_entry_real, Hp5EntryReal, b.value < a.value,
                 hp5_fabove(b.value, a.value) || (!hp5_fabove(a.value, b.value) && b.index < a.index))
HP5_REDUCE_ENTRY(min_entry_real, Hp5EntryReal, b.value > a.value,
                 hp5_fbelow(b.value, a.value) || (!hp5_fbelow(a.value, b.value) && b.index < a.index))
HP5_REDUCE_ENTRY(max_entry_integer, Hp5EntryInteger, b.value < a.value, b.value > a.value || (b.value == a.value && b.index < a.index))
HP5_REDUCE_ENTRY(min_entry_integer, Hp5EntryInteger, b.value > a.value, b.value < a.value || (b.value == a.value && b.index < a.index))
#undef HP5_REDUCE_ENTRY

/* Extrema of Reals in a loop that collects them in an Integer of the same order: hp5_NAME_start(), hp5_NAME_take(so_far, value),
 * hp5_NAME_result(so_far). C compilers know the maximum of Integers as a reduction, and make vectors of it. */
#define HP5_REDUCE_ORDER(name, type, order_type, order, of_order, compare)                \
    static inline order_type hp5_##name##_start(void) { return order(hp5_##name##_identity()); } \
    static inline order_type hp5_##name##_more(order_type a, order_type b) { return b compare a ? b : a; } \
    static inline order_type hp5_##name##_take(order_type so_far, type value) { return hp5_##name##_more(so_far, order(value)); } \
    static inline type hp5_##name##_result(order_type so_far) { return of_order(so_far); }
HP5_REDUCE_ORDER(max_real, double, int64_t, hp5_order_max, hp5_of_order, >)
HP5_REDUCE_ORDER(min_real, double, int64_t, hp5_order_min, hp5_of_order, <)
HP5_REDUCE_ORDER(max_single, float, int32_t, hp5_order_max_single, hp5_of_order_single, >)
HP5_REDUCE_ORDER(min_single, float, int32_t, hp5_order_min_single, hp5_of_order_single, <)
#undef HP5_REDUCE_ORDER

/* A tree of pairs built while results arrive in order: a binary counter. level[k] holds
 * the result of 2^k consecutive inputs while bit k of count is set. finish() combines from the
 * lowest level up, the lone last one passing up: exactly "pairs, then pairs of pairs". */
#ifdef HP5_ON_CARD /* nvcc prints the loop as often as a tree can be deep: half of the text of some kernels */
#define HP5_LEVEL_BY_LEVEL _Pragma("unroll 1")
#else
#define HP5_LEVEL_BY_LEVEL
#endif
/* Beside rows that are full, whose code stays short. */
#ifdef HP5_ON_CARD
#define HP5_SHORT_ROWS inline
#else
#define HP5_SHORT_ROWS __attribute__((noinline, unused))
#endif
#define HP5_REDUCE_TREE(name, type)                                                      \
    typedef struct Hp5Tree_##name { type level[HP5_TREE_DEPTH]; uint64_t count; } Hp5Tree_##name; \
    static inline void hp5_tree_##name##_add(Hp5Tree_##name *tree, type value) {         \
        int k = 0;                                                                       \
        for (; tree->count >> k & 1; k++) value = hp5_##name(tree->level[k], value);     \
        tree->level[k] = value;                                                          \
        tree->count++;                                                                   \
    }                                                                                    \
    static inline type hp5_tree_##name##_finish(const Hp5Tree_##name *tree) {            \
        type result = hp5_##name##_identity();                                           \
        int have = 0;                                                                    \
        HP5_LEVEL_BY_LEVEL                                                               \
        for (int k = 0; k < HP5_TREE_DEPTH && tree->count >> k; k++)                     \
            if (tree->count >> k & 1) {                                                  \
                result = have ? hp5_##name(tree->level[k], result) : tree->level[k];     \
                have = 1;                                                                \
            }                                                                            \
        return result;                                                                   \
    }                                                                                    \
    static inline type hp5_lanes_##name(type *lanes) {                                   \
        for (int half = HP5_LANES / 2; half > 0; half /= 2)                              \
            for (int l = 0; l < half; l++) lanes[l] = hp5_##name(lanes[l], lanes[l + half]); \
        return lanes[0];                                                                 \
    }                                                                                    \
    /* The same where lanes from `count` on, at least 1, have the identity, which changes nothing: they are not read. */ \
    static HP5_SHORT_ROWS type hp5_few_##name(type *lanes, int64_t count) {              \
        for (int64_t half = HP5_LANES / 2; half > 0; half /= 2) {                        \
            for (int64_t l = 0; l + half < count; l++) lanes[l] = hp5_##name(lanes[l], lanes[l + half]); \
            count = count < half ? count : half;                                         \
        }                                                                                \
        return lanes[0];                                                                 \
    }
#define HP5_REDUCE_TREE_BASE(name, type, zero, combine) HP5_REDUCE_TREE(name, type)
HP5_REDUCE_OPERATIONS(HP5_REDUCE_TREE_BASE)
#undef HP5_REDUCE_TREE_BASE
HP5_REDUCE_TREE(max_entry_real, Hp5EntryReal)
HP5_REDUCE_TREE(min_entry_real, Hp5EntryReal)
HP5_REDUCE_TREE(max_entry_integer, Hp5EntryInteger)
HP5_REDUCE_TREE(min_entry_integer, Hp5EntryInteger)
#endif
