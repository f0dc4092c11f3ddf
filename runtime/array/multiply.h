/* x[i][j] = x[i][j] ± y[i, k]·z[k][j] for all i, j, k of three ranges: what hp5c calls for loops of that
 * shape. Every element is accumulated in ascending k with one rounding for each step, exactly as the
 * plain loop does it, so the result has the same bits for every blocking.
 *
 * How it is fast: a tile of HP5_TILE_ROWS rows by HP5_TILE_VECTORS vectors of columns of x stays in registers while
 * k runs over a piece of at most HP5_TILE_DEPTH. Pieces of y and z are copied first, in the order in which the tiles read
 * them: y's fits the second-level cache, the part of z that one tile reads fits the first. Tiles at the
 * edges work on a padded copy of their part of x. */
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
enum { HP5_TILE_DEPTH = 256, HP5_ROW_BLOCK = 128, HP5_COLUMN_BLOCK_VECTORS = 60 };
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

#define HP5_MULTIPLY_REAL double
#define HP5_MULTIPLY_VECTOR Hp5Doubles
#define HP5_MULTIPLY(name) hp5_##name##_double
#define HP5_MULTIPLY_FMA hp5_fma_doubles
#define HP5_MULTIPLY_ALL HP5_ALL_DOUBLES
#define HP5_MULTIPLY_SCALAR_FMA fma
#include "runtime/array/multiply_blocks.h"

#define HP5_MULTIPLY_REAL float
#define HP5_MULTIPLY_VECTOR Hp5Floats
#define HP5_MULTIPLY(name) hp5_##name##_single
#define HP5_MULTIPLY_FMA hp5_fma_floats
#define HP5_MULTIPLY_ALL HP5_ALL_FLOATS
#define HP5_MULTIPLY_SCALAR_FMA fmaf
#include "runtime/array/multiply_blocks.h"
#endif
