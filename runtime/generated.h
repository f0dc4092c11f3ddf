/* The one header that generated programs include: the runtime's interfaces and the
 * arithmetic of the language (language.md 3.3 rule 10) as small inline functions.
 *
 * Integers are 64-bit and wrap (programs are compiled with -fwrapv, nothing here needs
 * it); shift counts are taken modulo 64; Real to Integer truncates, and what does not fit becomes
 * the smallest Integer. */
#ifndef HP5_RUNTIME_GENERATED_H
#define HP5_RUNTIME_GENERATED_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "runtime/array/index_set.h"
#include "runtime/array/reduce.h"
#include "runtime/io/args.h"
#include "runtime/io/npy.h"
#include "runtime/io/print.h"
#include "runtime/report/error.h"
#include "runtime/task/task.h"

/* Both ends belong to it. */
typedef struct Hp5Range { int64_t min, max; } Hp5Range;

static inline int64_t hp5_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hp5_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t hp5_abs(int64_t a) { return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }
static inline int64_t hp5_shift_left(int64_t a, int64_t n) { return (int64_t)((uint64_t)a << (n & 63)); }
static inline int64_t hp5_shift_right(int64_t a, int64_t n) { return a >> (n & 63); }

/* Truncates towards zero; NaN and what is out of range give INT64_MIN (as x86 does). */
static inline int64_t hp5_truncate(double a) {
    return a >= -0x1p63 && a < 0x1p63 ? (int64_t)a : INT64_MIN;
}

/* base ** n by repeated squaring from the lowest bit of n up: the order that every backend and the
 * interpreter multiply in. Negative exponents: the reciprocal, truncated for Integers. */
static inline int64_t hp5_power_integer(int64_t base, int64_t n, const char *file, int line) {
    if (n < 0) return n & 1 ? hp5_divide(1, base, file, line) : hp5_divide(1, base == -1 ? 1 : base, file, line);
    uint64_t result = 1, square = (uint64_t)base;
    for (; n > 0; n >>= 1, square *= square)
        if (n & 1) result *= square;
    return (int64_t)result;
}
static inline double hp5_power_real(double base, int64_t n) {
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    double result = 1.0, square = base;
    for (; left > 0; left >>= 1, square *= square)
        if (left & 1) result *= square;
    return n < 0 ? 1.0 / result : result;
}
static inline float hp5_power_single(float base, int64_t n) {
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    float result = 1.0f, square = base;
    for (; left > 0; left >>= 1, square *= square)
        if (left & 1) result *= square;
    return n < 0 ? 1.0f / result : result;
}

/* ---- Ranges and parts ------------------------------------------------------------------- */
static inline Hp5Range hp5_range(int64_t min, int64_t max) { return (Hp5Range){min, max}; }
static inline int64_t hp5_range_length(Hp5Range range) {
    return range.max < range.min ? 0 : (int64_t)((uint64_t)range.max - (uint64_t)range.min + 1);
}
static inline bool hp5_range_has(Hp5Range range, int64_t index) { return index >= range.min && index <= range.max; }
/* x.local.dimensionK.range: the LPU's part (its hull). */
static inline Hp5Range hp5_part_range(const Hp5View *view, int d) {
    return (Hp5Range){view->part[d].begin, view->part[d].end - 1};
}
/* x.dimensionK.range: the whole array. */
static inline Hp5Range hp5_array_range(const Hp5View *view, int d) {
    const Hp5Store *store = view->store;
    return (Hp5Range){store->array_lo[d], store->array_lo[d] + store->array_extent[d] - 1};
}

/* ---- Sequential loops ---------------------------------------------------------------------- */
/* How often a loop over `range` by `step` runs; a step of 0 ends the program. */
static inline int64_t hp5_steps(Hp5Range range, int64_t step, const char *file, int line) {
    if (step == 0) hp5_fail_at(file, line, "the step of a loop is 0");
    if (range.max < range.min) return 0;
    uint64_t span = (uint64_t)range.max - (uint64_t)range.min;
    return (int64_t)(span / (step > 0 ? (uint64_t)step : 0 - (uint64_t)step)) + 1;
}
static inline int64_t hp5_first_step(Hp5Range range, int64_t step) { return step > 0 ? range.min : range.max; }

/* ---- Loops ------------------------------------------------------------------------------------ */
/* Before an innermost loop whose iterations write different elements and read none that another writes. */
#if defined __clang__
#define HP5_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HP5_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* ---- Checked builds ---------------------------------------------------------------------------- */
#define HP5_CHECKED(name, symbol)                                                                    \
    static inline int64_t hp5_checked_##name(int64_t a, int64_t b, const char *file, int line) {     \
        int64_t result;                                                                              \
        if (__builtin_expect(__builtin_##name##_overflow(a, b, &result), 0))                         \
            hp5_fail_at(file, line, "Integer overflow: %lld " symbol " %lld", (long long)a, (long long)b); \
        return result;                                                                               \
    }
HP5_CHECKED(add, "+")
HP5_CHECKED(sub, "-")
HP5_CHECKED(mul, "*")
#undef HP5_CHECKED

/* An array index, checked against the LPU's part. */
static inline int64_t hp5_at(const Hp5View *view, int d, int64_t index, const char *variable, const char *stage,
                             const char *file, int line) {
    hp5_check_index(view, d, index, variable, stage, file, line);
    return index;
}
#endif
