/* x[i][j] = x[i][j] ± y[i, k]·z[k][j] for all i, j, k of three ranges: what hp5c calls for loops of that
 * shape. Every element is accumulated in ascending k with one rounding for each step, exactly as the
 * plain loop does it, so the result has the same bits for every blocking.
 *
 * How it is fast: a tile of HP5_TILE_ROWS rows by HP5_TILE_VECTORS vectors of columns of x stays in registers while
 * k runs over a piece of at most HP5_TILE_DEPTH. Pieces of y and z are copied first, in the order in which the tiles read
 * them. The part of y that one tile reads stays in the first-level cache, though another thread of the core may want half of it, while all
 * tiles beside it go by; the piece of z fits the second one. Tiles at the edges work on a padded copy of their part of x. */
#ifndef HP5_RUNTIME_MULTIPLY_H
#define HP5_RUNTIME_MULTIPLY_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/array/multiply_bands.h"

#if defined __AVX512F__
enum { HP5_VECTOR_BYTES = 64, HP5_TILE_ROWS = 8, HP5_TILE_VECTORS = 3 };
#elif defined __AVX__
enum { HP5_VECTOR_BYTES = 32, HP5_TILE_ROWS = 4, HP5_TILE_VECTORS = 3 };
#elif defined __aarch64__
enum { HP5_VECTOR_BYTES = 16, HP5_TILE_ROWS = 8, HP5_TILE_VECTORS = 2 };
#else
enum { HP5_VECTOR_BYTES = 16, HP5_TILE_ROWS = 4, HP5_TILE_VECTORS = 2 };
#endif
/* Bytes of a row of z's piece, a multiple of a tile's. Processors with wide vectors have second-level caches of 1 MB and more. */
#if defined __AVX512F__
enum { HP5_COLUMN_BLOCK_BYTES = 2880 };
#else
enum { HP5_COLUMN_BLOCK_BYTES = 1920 };
#endif
enum { HP5_TILE_DEPTH = 256, HP5_ROW_BLOCK = 128 };
/* Products without copies (multiply_small.h): rows of a strip, as many sums as a processor has additions on the way; and up to how many elements
 * of z they are faster, whatever its columns, and with few columns. Measured on Zen 4: experiments/results/2026-11-23-small-products.md. */
#if defined __AVX512F__
enum { HP5_SMALL_ROWS = 8, HP5_SMALL_OPERAND = 16384, HP5_FEW_COLUMNS = 40, HP5_SMALL_WITH_FEW = 16384 };
#else
enum { HP5_SMALL_ROWS = 8, HP5_SMALL_OPERAND = 1024, HP5_FEW_COLUMNS = 40, HP5_SMALL_WITH_FEW = 16384 };
#endif
/* Of y as much as half of a first-level cache and more; and x with so many columns, of so many elements, is fetched ahead by tiles. */
enum { HP5_SMALL_LEFT_BYTES = 24576, HP5_SMALL_COLUMNS = 96, HP5_SMALL_X = 131072 };
/* Up to how many such elements are copied into rows where they lie otherwise. */
enum { HP5_SMALL_TURNED = 16384 };
/* Factors that are no elements are computed in pieces, before they are multiplied. */
enum { HP5_VALUE_ROWS = 128, HP5_VALUE_DEPTH = 128, HP5_VALUE_COLUMNS = 240 };

typedef double Hp5Doubles __attribute__((vector_size(HP5_VECTOR_BYTES), aligned(8), may_alias));
typedef float Hp5Floats __attribute__((vector_size(HP5_VECTOR_BYTES), aligned(4), may_alias));

/* One value in every lane. */
#define HP5_TWICE(a) a, a
#if defined __AVX512F__
#define HP5_ALL_DOUBLES(a) {HP5_TWICE(HP5_TWICE(HP5_TWICE(a)))}
#define HP5_ALL_FLOATS(a) {HP5_TWICE(HP5_TWICE(HP5_TWICE(HP5_TWICE(a))))}
#elif defined __AVX__
#define HP5_ALL_DOUBLES(a) {HP5_TWICE(HP5_TWICE(a))}
#define HP5_ALL_FLOATS(a) {HP5_TWICE(HP5_TWICE(HP5_TWICE(a)))}
#else
#define HP5_ALL_DOUBLES(a) {HP5_TWICE(a)}
#define HP5_ALL_FLOATS(a) {HP5_TWICE(HP5_TWICE(a))}
#endif

/* Keeps a vector that is used several times in a register (gcc would read it from memory each time). */
#if defined __AVX__
#define HP5_IN_REGISTER(vector) __asm__("" : "+v"(vector))
#else
#define HP5_IN_REGISTER(vector) (void)(vector)
#endif

/* a·b + c rounded once, in each lane. */
static inline Hp5Doubles hp5_fma_doubles(Hp5Doubles a, Hp5Doubles b, Hp5Doubles c) {
#if defined __AVX512F__
    return (Hp5Doubles)__builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (Hp5Doubles)__builtin_ia32_vfmaddpd256(a, b, c);
#else
    for (int l = 0; l < HP5_VECTOR_BYTES / 8; l++) c[l] = fma(a[l], b[l], c[l]);
    return c;
#endif
}
static inline Hp5Floats hp5_fma_floats(Hp5Floats a, Hp5Floats b, Hp5Floats c) {
#if defined __AVX512F__
    return (Hp5Floats)__builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4);
#elif defined __AVX__ && defined __FMA__
    return (Hp5Floats)__builtin_ia32_vfmaddps256(a, b, c);
#else
    for (int l = 0; l < HP5_VECTOR_BYTES / 4; l++) c[l] = fmaf(a[l], b[l], c[l]);
    return c;
#endif
}

/* Parts of vectors. */
#if defined __AVX__
typedef double Hp5Doubles32 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Hp5Doubles16 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float Hp5Floats32 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Hp5Floats16 __attribute__((vector_size(16), aligned(4), may_alias));
#if defined __FMA__
#define HP5_PART_FMA(NAME, VECTOR, BUILTIN, SCALAR)                                                                                        \
    static inline VECTOR NAME(VECTOR a, VECTOR b, VECTOR c) { return (VECTOR)BUILTIN(a, b, c); }
#else
#define HP5_PART_FMA(NAME, VECTOR, BUILTIN, SCALAR)                                                                                        \
    static inline VECTOR NAME(VECTOR a, VECTOR b, VECTOR c) {                                                                              \
        for (unsigned l = 0; l < sizeof c / sizeof c[0]; l++) c[l] = SCALAR(a[l], b[l], c[l]);                                             \
        return c;                                                                                                                          \
    }
#endif
HP5_PART_FMA(hp5_fma_doubles_32, Hp5Doubles32, __builtin_ia32_vfmaddpd256, fma)
HP5_PART_FMA(hp5_fma_doubles_16, Hp5Doubles16, __builtin_ia32_vfmaddpd, fma)
HP5_PART_FMA(hp5_fma_floats_32, Hp5Floats32, __builtin_ia32_vfmaddps256, fmaf)
HP5_PART_FMA(hp5_fma_floats_16, Hp5Floats16, __builtin_ia32_vfmaddps, fmaf)
#undef HP5_PART_FMA
#endif

#define HP5_MULTIPLY_REAL double
#define HP5_MULTIPLY_JOINED Hp5Joined_double
#define HP5_MULTIPLY_HALF Hp5Doubles32
#define HP5_MULTIPLY_HALF_FMA hp5_fma_doubles_32
#define HP5_MULTIPLY_SHORT Hp5Doubles16
#define HP5_MULTIPLY_SHORT_FMA hp5_fma_doubles_16
#define HP5_MULTIPLY_VECTOR Hp5Doubles
#define HP5_MULTIPLY(name) hp5_##name##_double
#define HP5_MULTIPLY_FMA hp5_fma_doubles
#define HP5_MULTIPLY_ALL HP5_ALL_DOUBLES
#define HP5_MULTIPLY_SCALAR_FMA fma
#include "runtime/array/multiply_blocks.h"

#define HP5_MULTIPLY_REAL float
#define HP5_MULTIPLY_JOINED Hp5Joined_single
#define HP5_MULTIPLY_HALF Hp5Floats32
#define HP5_MULTIPLY_HALF_FMA hp5_fma_floats_32
#define HP5_MULTIPLY_SHORT Hp5Floats16
#define HP5_MULTIPLY_SHORT_FMA hp5_fma_floats_16
#define HP5_MULTIPLY_VECTOR Hp5Floats
#define HP5_MULTIPLY(name) hp5_##name##_single
#define HP5_MULTIPLY_FMA hp5_fma_floats
#define HP5_MULTIPLY_ALL HP5_ALL_FLOATS
#define HP5_MULTIPLY_SCALAR_FMA fmaf
#include "runtime/array/multiply_blocks.h"
#endif
