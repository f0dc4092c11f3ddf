/* What printed expressions of checked builds (hp5c --checked) call, on every target, and what is said where a check fails: the text for cards
 * (runtime/card/code.h) includes it as well, so that there is one text for both. hp5_fail_at is declared before. */
#ifndef HP5_RUNTIME_CHECKED_H
#define HP5_RUNTIME_CHECKED_H
#include <stdio.h>
#include "runtime/array/index_set.h"
#include "runtime/array/reduce.h"
#include "runtime/inline.h"
#include "runtime/lpu/lpu.h"
#include "runtime/store/store.h"

#ifndef HP5_SAY /* what a card has in place of snprintf */
#define HP5_SAY(text, size, ...) snprintf(text, size, __VA_ARGS__)
#endif

/* ---- Arithmetic ---------------------------------------------------------------------------------- */
/* Whether the result does not fit; *result gets it wrapped. */
static inline bool hp5_add_wraps(int64_t a, int64_t b, int64_t *result) {
    *result = (int64_t)((uint64_t)a + (uint64_t)b);
    return ((a ^ *result) & (b ^ *result)) < 0;
}
static inline bool hp5_sub_wraps(int64_t a, int64_t b, int64_t *result) {
    *result = (int64_t)((uint64_t)a - (uint64_t)b);
    return ((a ^ b) & (a ^ *result)) < 0;
}
static inline bool hp5_mul_wraps(int64_t a, int64_t b, int64_t *result) { return hp5_multiply_wraps(a, b, result); }

#define HP5_CHECKED(name, symbol)                                                                    \
    static inline int64_t hp5_checked_##name(int64_t a, int64_t b, const char *file, int line) {     \
        int64_t result;                                                                              \
        if (__builtin_expect(hp5_##name##_wraps(a, b, &result), 0))                                  \
            hp5_fail_at(file, line, "Integer overflow: %lld " symbol " %lld", (long long)a, (long long)b); \
        return result;                                                                               \
    }
HP5_CHECKED(add, "+")
HP5_CHECKED(sub, "-")
HP5_CHECKED(mul, "*")
#undef HP5_CHECKED
static inline int64_t hp5_checked_negate(int64_t a, const char *file, int line) {
    if (__builtin_expect(a == INT64_MIN, 0)) hp5_fail_at(file, line, "Integer overflow: -(%lld)", (long long)a);
    return -a;
}
static inline int64_t hp5_checked_divide(int64_t a, int64_t b, const char *file, int line) {
    if (__builtin_expect(a == INT64_MIN && b == -1, 0))
        hp5_fail_at(file, line, "Integer overflow: %lld / %lld", (long long)a, (long long)b);
    return hp5_divide(a, b, file, line);
}
static inline int64_t hp5_checked_raise(int64_t base, int64_t n, const char *file, int line) {
    bool wrapped = false, zero = false;
    const int64_t result = hp5_power_integer_flags(base, n, &wrapped, &zero);
    if (__builtin_expect(zero, 0)) hp5_fail_at(file, line, "Integer division by zero (0 ** %lld)", (long long)n);
    if (__builtin_expect(wrapped, 0))
        hp5_fail_at(file, line, "Integer overflow: %lld ** %lld", (long long)base, (long long)n);
    return result;
}
static inline int64_t hp5_checked_integer(double a, const char *file, int line) {
    if (__builtin_expect(!hp5_real_fits_integer(a), 0)) hp5_fail_at(file, line, "%g does not fit an Integer", a);
    return (int64_t)a;
}
static inline int32_t hp5_checked_single(int64_t a, const char *file, int line) {
    if (__builtin_expect(a != (int32_t)a, 0)) hp5_fail_at(file, line, "Integer overflow: %lld does not fit an Integer single-precision", (long long)a);
    return (int32_t)a;
}
/* What a reduction gives its target. */
#define HP5_CHECKED_EXACT(name)                                                                                      \
    static inline int64_t hp5_checked_##name(Hp5Exact exact, const char *target, const char *file, int line) {       \
        int64_t result;                                                                                              \
        if (__builtin_expect(!hp5_exact_##name##_fits(exact, &result), 0))                                           \
            hp5_fail_at(file, line, "Integer overflow: the " #name " of '%s' does not fit an Integer", target);      \
        return result;                                                                                               \
    }
HP5_CHECKED_EXACT(sum)
HP5_CHECKED_EXACT(product)
#undef HP5_CHECKED_EXACT

/* An index of a static array, 0 to extent - 1. */
static inline int64_t hp5_checked_element(int64_t index, int64_t extent, const char *file, int line) {
    if (__builtin_expect(index < 0 || index >= extent, 0))
        hp5_fail_at(file, line, "index %lld lies outside the static array, whose indices are [0...%lld]", (long long)index,
                    (long long)extent - 1);
    return index;
}

/* ---- Indices of arrays --------------------------------------------------------------------------- */
static inline void hp5_describe_part(const Hp5Set *part, char *text, size_t size) {
    if (part->begin >= part->end) HP5_SAY(text, size, "empty");
    else if (hp5_set_is_interval(part)) HP5_SAY(text, size, "%lld to %lld", (long long)part->begin, (long long)part->end - 1);
    else if (part->runs)
        HP5_SAY(text, size, "%lld runs of indices from %lld to %lld", (long long)part->run_count, (long long)part->begin, (long long)part->end - 1);
    else
        HP5_SAY(text, size, "%lld ind%s out of every %lld from %lld to %lld", (long long)part->block, part->block == 1 ? "ex" : "ices",
                (long long)part->stride, (long long)part->begin, (long long)part->end - 1);
}
/* An index that the LPU's part does not have. */
static inline void hp5_fail_index(const Hp5Set *part, int dim, int64_t index, const char *variable, const char *stage, const char *file, int line) {
    char text[160];
    hp5_describe_part(part, text, sizeof text);
    hp5_fail_at(file, line, "%s: index %lld of dimension %d of %s is outside this LPU's part, which is %s", stage, (long long)index, dim + 1, variable,
                (const char *)text);
}

/* ---- Who writes an element ------------------------------------------------------------------------- */
/* The stage execution's stamp + 1, the LPS (6 bits), and the LPU (lower half); 0: nobody yet. LPUs of two LPSes run different stages, one
 * after the other. */
static inline uint64_t hp5_write_entry(uint32_t stamp, int lps, int64_t flat) {
    const uint32_t execution = (stamp + 1) << 6 | ((uint32_t)lps & 63);
    return (uint64_t)execution << 32 | (uint32_t)flat;
}
/* Padding does not count. */
static inline bool hp5_writes_own(const Hp5View *view, const int64_t *index) {
    for (int d = 0; d < view->store->rank; d++)
        if (index[d] < view->own[d].begin || index[d] >= view->own[d].end) return false;
    return true;
}
/* Another LPU's entry, of the same execution, was there before. */
static inline bool hp5_writes_clash(uint64_t before, uint64_t entry) {
    return before != 0 && before >> 32 == entry >> 32 && (uint32_t)before != (uint32_t)entry;
}
static inline void hp5_fail_write(int rank, const int64_t *index, uint64_t before, uint64_t entry, const char *variable, const char *stage,
                                  const char *file, int line) {
    const uint32_t other = (uint32_t)before, mine = (uint32_t)entry;
    char where[200];
    int used = 0;
    for (int d = 0; d < rank && used < (int)sizeof where - 1; d++)
        used += HP5_SAY(where + used, sizeof where - (size_t)used, "[%lld]", (long long)index[d]);
    hp5_fail_at(file, line, "%s: LPUs %lld and %lld both write %s%s in one execution of the stage; each element must be written by one LPU", stage,
                (long long)(other < mine ? other : mine), (long long)(other < mine ? mine : other), variable, (const char *)where);
}
#endif
