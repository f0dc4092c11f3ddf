/* Rows that a loop reads side by side, HP5_ABREAST (runtime/inline.h) by as many elements at a time, which are transposed in registers. Where the processor has no vectors of
 * 256 bits, or the compiler does not shuffle them, each element is read by itself. */
#ifndef HP5_TRANSPOSE_H
#define HP5_TRANSPOSE_H
#include <stdbool.h>
#include <stdint.h>

#if defined __AVX__ && defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define HP5_TRANSPOSES
#endif
#endif

#ifdef HP5_TRANSPOSES
/* Whether another block of rounds begins at `first`, of those to `last`. */
static inline bool hp5_is_block(int64_t first, int64_t last) { return first <= last && (uint64_t)last - (uint64_t)first >= 7; }

/* block[k][i] = element k of row i; elements have 4 or 8 bytes. */
#define HP5_TRANSPOSE(block, rows) (sizeof(**(block)) == 8 ? hp5_transpose_8((block), (rows)) : hp5_transpose_4((block), (rows)))

/* Rows are read in more places than processors fetch ahead by themselves. */
enum { HP5_AHEAD = 256 };
#define HP5_BLOCK_FUNCTION static inline __attribute__((always_inline)) void
/* Else gcc takes the shuffles apart again, into elements. */
#define HP5_AS_IT_IS(vector) __asm__("" : "+x"(vector))

typedef float Hp5EightFloats __attribute__((vector_size(32), aligned(4), may_alias));
HP5_BLOCK_FUNCTION hp5_transpose_4(void *block, const void *const *rows) {
    Hp5EightFloats *columns = (Hp5EightFloats *)block, a[8], b[8];
    for (int i = 0; i < 8; i++) {
        __builtin_prefetch((const char *)rows[i] + HP5_AHEAD);
        a[i] = *(const Hp5EightFloats *)rows[i];
    }
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int half = 0; half < 8; half += 4)
        for (int k = half; k < half + 2; k++) {
            a[2 * k - half] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[2 * k - half + 1] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        b[k] = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[k + 4] = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int k = 0; k < 8; k++) {
        HP5_AS_IT_IS(b[k]);
        columns[k] = b[k];
    }
}

#ifdef __AVX512F__
typedef double Hp5EightDoubles __attribute__((vector_size(64), aligned(8), may_alias));
HP5_BLOCK_FUNCTION hp5_transpose_8(void *block, const void *const *rows) {
    Hp5EightDoubles *columns = (Hp5EightDoubles *)block, a[8], b[8];
    for (int i = 0; i < 8; i++) {
        __builtin_prefetch((const char *)rows[i] + HP5_AHEAD);
        a[i] = *(const Hp5EightDoubles *)rows[i];
    }
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int half = 0; half < 8; half += 4)
        for (int k = half; k < half + 2; k++) {
            a[k] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[k + 2] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        b[k] = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[k + 4] = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int k = 0; k < 8; k++) {
        __asm__("" : "+v"(b[k]));
        columns[k] = b[k];
    }
}
#else
/* Four blocks of four by four. */
typedef double Hp5FourDoubles __attribute__((vector_size(32), aligned(8), may_alias));
HP5_BLOCK_FUNCTION hp5_transpose_8(void *block, const void *const *rows) {
    for (int i = 0; i < 8; i++) __builtin_prefetch((const char *)rows[i] + HP5_AHEAD);
    for (int part = 0; part < 4; part++) {
        const int below = part / 2, behind = part % 2;
        Hp5FourDoubles *columns = (Hp5FourDoubles *)block + 8 * behind + below, a[4], b[4];
        for (int i = 0; i < 4; i++) a[i] = *((const Hp5FourDoubles *)rows[4 * below + i] + behind);
        for (int i = 0; i < 4; i += 2) {
            b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 4, 2, 6);
            b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 5, 3, 7);
        }
        for (int k = 0; k < 2; k++) {
            a[k] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 4, 5);
            a[k + 2] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 6, 7);
        }
        for (int k = 0; k < 4; k++) {
            HP5_AS_IT_IS(a[k]);
            columns[2 * k] = a[k];
        }
    }
}
#endif

#else
static inline bool hp5_is_block(int64_t first, int64_t last) {
    (void)first, (void)last;
    return false;
}
#define HP5_TRANSPOSE(block, rows) ((void)(block), (void)(rows))
#endif
#endif
