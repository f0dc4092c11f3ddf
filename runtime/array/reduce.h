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

enum { HP5_CHUNK = 1024, HP5_LANES = 32, HP5_TREE_DEPTH = 64 };

typedef struct Hp5EntryReal { double value; int64_t index; } Hp5EntryReal;       /* max_entry, min_entry */
typedef struct Hp5EntryInteger { int64_t value; int64_t index; } Hp5EntryInteger; /* index -1: no iteration yet */

/* hp5_NAME_identity and hp5_NAME(a, b). max/min of Reals: NaN loses to a number; of equal values the first
 * is kept (max(+0,-0) keeps the first). Entries: the first index of the extremum. */
#define HP5_REDUCE_OPERATIONS(X)                                                         \
    X(sum_real, double, 0.0, a + b)                                                      \
    X(sum_single, float, 0.0f, a + b)                                                    \
    X(sum_integer, int64_t, 0, (int64_t)((uint64_t)a + (uint64_t)b))                     \
    X(product_real, double, 1.0, a *b)                                                   \
    X(product_single, float, 1.0f, a *b)                                                 \
    X(product_integer, int64_t, 1, (int64_t)((uint64_t)a * (uint64_t)b))                 \
    X(max_real, double, -INFINITY, (b > a || a != a) ? b : a)                            \
    X(max_single, float, -INFINITY, (b > a || a != a) ? b : a)                           \
    X(max_integer, int64_t, INT64_MIN, b > a ? b : a)                                    \
    X(min_real, double, INFINITY, (b < a || a != a) ? b : a)                             \
    X(min_single, float, INFINITY, (b < a || a != a) ? b : a)                            \
    X(min_integer, int64_t, INT64_MAX, b < a ? b : a)                                    \
    X(land, int64_t, 1, (int64_t)(a && b))                                               \
    X(lor, int64_t, 0, (int64_t)(a || b))                                                \
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
/* A NaN value never wins against a number; equal values keep the smaller index. */
HP5_REDUCE_ENTRY(max_entry_real, Hp5EntryReal, b.value < a.value,
                 b.value > a.value || (a.value != a.value && b.value == b.value) ||
                     (b.value == a.value && b.index < a.index))
HP5_REDUCE_ENTRY(min_entry_real, Hp5EntryReal, b.value > a.value,
                 b.value < a.value || (a.value != a.value && b.value == b.value) ||
                     (b.value == a.value && b.index < a.index))
HP5_REDUCE_ENTRY(max_entry_integer, Hp5EntryInteger, b.value < a.value, b.value > a.value || (b.value == a.value && b.index < a.index))
HP5_REDUCE_ENTRY(min_entry_integer, Hp5EntryInteger, b.value > a.value, b.value < a.value || (b.value == a.value && b.index < a.index))
#undef HP5_REDUCE_ENTRY

/* A tree of pairs built while results arrive in order: a binary counter. level[k] holds
 * the result of 2^k consecutive inputs while bit k of count is set. finish() combines from the
 * lowest level up, the lone last one passing up: exactly "pairs, then pairs of pairs". */
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
    }
#define HP5_REDUCE_TREE_BASE(name, type, zero, combine) HP5_REDUCE_TREE(name, type)
HP5_REDUCE_OPERATIONS(HP5_REDUCE_TREE_BASE)
#undef HP5_REDUCE_TREE_BASE
HP5_REDUCE_TREE(max_entry_real, Hp5EntryReal)
HP5_REDUCE_TREE(min_entry_real, Hp5EntryReal)
HP5_REDUCE_TREE(max_entry_integer, Hp5EntryInteger)
HP5_REDUCE_TREE(min_entry_integer, Hp5EntryInteger)
#endif
