/* Blocks of rows, transposed with vectors of 256 bits and of 512, where this processor has them: each element where it belongs, whatever its bits
 * are, and where rows begin at any element. */
#include <string.h>
#include "tests/unit/unit.h"

/* What a processor has is known where the header is read: once for each. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* clang has none of these; then nothing is transposed here */
#pragma GCC push_options
#pragma GCC target("avx2,no-avx512f")
#include "runtime/array/transpose.h"
static void transpose_256(void *block, const void *const *rows, bool wide) {
#ifdef HP5_TRANSPOSES
    if (wide) hp5_transpose_8(block, rows);
    else hp5_transpose_4(block, rows);
#else
    (void)block, (void)rows, (void)wide;
#endif
}
static bool is_block(int64_t first, int64_t last) { return hp5_is_block(first, last); }
#ifdef HP5_TRANSPOSES
static const bool transposes = true;
#else
static const bool transposes = false;
#endif
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq")
#undef HP5_TRANSPOSE_H
#undef HP5_TRANSPOSES
#undef HP5_TRANSPOSE
#undef HP5_BLOCK_FUNCTION
#undef HP5_AS_IT_IS
#define HP5_AHEAD HP5_AHEAD_512
#define hp5_is_block is_block_512
#define hp5_transpose_4 transpose_4_512
#define hp5_transpose_8 transpose_8_512
#include "runtime/array/transpose.h"
static void transpose_512(void *block, const void *const *rows, bool wide) {
    (void)is_block_512;
#ifdef HP5_TRANSPOSES
    if (wide) transpose_8_512(block, rows);
    else transpose_4_512(block, rows);
#else
    (void)block, (void)rows, (void)wide;
#endif
}
#pragma GCC pop_options

enum { SIDE = 8, PADDING = 3 };

static void check(void (*transpose)(void *, const void *const *, bool), bool wide) {
    const size_t bytes = wide ? 8 : 4;
    unsigned char from[SIDE][(SIDE + PADDING) * 8], block[SIDE * SIDE * 8];
    for (size_t shift = 0; shift <= PADDING; shift++) {
        const void *rows[SIDE];
        for (size_t i = 0; i < SIDE; i++) {
            for (size_t b = 0; b < sizeof from[i]; b++) from[i][b] = (unsigned char)(251 * i + 37 * b + shift + 0x70); /* signalling NaNs among them */
            rows[i] = from[i] + shift * bytes;
        }
        memset(block, 0, sizeof block);
        transpose(block, rows, wide);
        int wrong = 0;
        for (size_t i = 0; i < SIDE; i++)
            for (size_t k = 0; k < SIDE; k++) wrong += memcmp(block + (k * SIDE + i) * bytes, (const unsigned char *)rows[i] + k * bytes, bytes) != 0;
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static void test_every_element(void) {
    if (!transposes) return;
    __builtin_cpu_init();
    for (int wide = 0; wide < 2; wide++) {
        if (__builtin_cpu_supports("avx2")) check(transpose_256, wide);
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) check(transpose_512, wide);
    }
}

static void test_where_blocks_begin(void) {
    CU_ASSERT_EQUAL(is_block(0, 7), transposes);
    CU_ASSERT_EQUAL(is_block(-3, 4), transposes);
    CU_ASSERT_FALSE(is_block(0, 6));
    CU_ASSERT_FALSE(is_block(1, 0));
    CU_ASSERT_FALSE(is_block(INT64_MAX, INT64_MIN));
    CU_ASSERT_EQUAL(is_block(INT64_MIN, INT64_MAX), transposes);
    CU_ASSERT_EQUAL(is_block(INT64_MAX - 7, INT64_MAX), transposes);
    CU_ASSERT_FALSE(is_block(INT64_MAX - 6, INT64_MAX));
}

UNIT_MAIN("transpose", {"every element", test_every_element}, {"where blocks begin", test_where_blocks_begin})
