/* The header that generated programs include (and runtime/math/math.h, where they use mathematical functions): the runtime's interfaces, and the small inline
 * functions that printed expressions and loops call. Arithmetic is that of runtime/array/arithmetic.h. */
#ifndef HP5_RUNTIME_GENERATED_H
#define HP5_RUNTIME_GENERATED_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "runtime/array/arithmetic.h"
#include "runtime/array/index_set.h"
#include "runtime/array/list.h"
#include "runtime/array/multiply.h"
#include "runtime/array/reduce.h"
#include "runtime/card/on_host.h"
#include "runtime/comm/comm.h"
#include "runtime/io/args.h"
#include "runtime/io/npy.h"
#include "runtime/io/print.h"
#include "runtime/lpu/placing.h"
#include "runtime/move/touched.h"
#include "runtime/predict/predict.h"
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include "runtime/run/run.h"
#include "runtime/run/session.h"
#include "runtime/inline.h"

/* Integers whose values are known to be small are stored in few bits: that the C compiler knows how a comparison with them ends
 * is no mistake. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* hp5c gives the name of a symbol that only the library of these headers has (compiler/driver/stamp.h). */
#ifdef HP5_RUNTIME_STAMP
extern const char HP5_RUNTIME_STAMP;
__attribute__((used)) static const char *const hp5_runtime_stamp = &HP5_RUNTIME_STAMP;
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

/* An index of a static array, 0 to extent - 1. */
static inline int64_t hp5_checked_element(int64_t index, int64_t extent, const char *file, int line) {
    if (__builtin_expect(index < 0 || index >= extent, 0))
        hp5_fail_at(file, line, "index %lld lies outside the static array, whose indices are [0...%lld]", (long long)index,
                    (long long)extent - 1);
    return index;
}
/* An array index, checked against the LPU's part. */
static inline int64_t hp5_at(const Hp5View *view, int d, int64_t index, const char *variable, const char *stage,
                             const char *file, int line) {
    hp5_check_index(view, d, index, variable, stage, file, line);
    return index;
}
#endif
