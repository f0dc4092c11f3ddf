/* What tcc lacks of gcc's built-in functions. */
#ifndef HP5_TESTS_TCC_SHIM_H
#define HP5_TESTS_TCC_SHIM_H
#include <stdint.h>
#undef HP5_RUNTIME_STAMP /* tcc gets a runtime library of its own */
static inline _Bool hp5_tcc_add(int64_t a, int64_t b, int64_t *result) {
    *result = (int64_t)((uint64_t)a + (uint64_t)b);
    return b >= 0 ? *result < a : *result > a;
}
static inline _Bool hp5_tcc_sub(int64_t a, int64_t b, int64_t *result) {
    *result = (int64_t)((uint64_t)a - (uint64_t)b);
    return b >= 0 ? *result > a : *result < a;
}
static inline _Bool hp5_tcc_mul(int64_t a, int64_t b, int64_t *result) {
    *result = (int64_t)((uint64_t)a * (uint64_t)b);
    if (a == 0 || b == 0) return 0;
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return 1;
    return *result / b != a;
}
double fabs(double x);
#define __builtin_fabs fabs
#define __builtin_add_overflow hp5_tcc_add
#define __builtin_sub_overflow hp5_tcc_sub
#define __builtin_mul_overflow hp5_tcc_mul
#define __builtin_assume_aligned(pointer, bytes) (pointer)
#define __builtin_prefetch(pointer) ((void)(pointer))
#define _Pragma(text)
#define _Atomic /* headers that generated programs include declare atomic objects, and leave them to the runtime */
#endif
