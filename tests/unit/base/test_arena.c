/* Arenas and vectors. */
#include "tests/unit/unit.h"

#include "compiler/base/vec.h"
#include <stdint.h>
#include <string.h>

static void test_aligned_and_zeroed(void) {
    Arena *arena = arena_new();
    for (size_t size = 0; size < 5000; size += 7) {
        unsigned char *memory = arena_alloc(arena, size);
        CU_ASSERT_EQUAL((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++) {
            if (memory[i] != 0) CU_FAIL("memory is not zeroed");
        }
        memset(memory, 0xFF, size);
    }
    arena_free(arena);
}

static void test_large_and_small(void) {
    Arena *arena = arena_new();
    char *small = arena_alloc(arena, 10);
    char *large = arena_alloc(arena, 10 << 20);
    char *next = arena_alloc(arena, 10);
    large[(10 << 20) - 1] = 1;
    CU_ASSERT_EQUAL(next - small, 16); /* the large block did not end the small one */
    CU_ASSERT_EQUAL(arena_used(arena), 16 + (10 << 20) + 16);
    arena_free(arena);
    arena_free(NULL);
}

static void test_strings(void) {
    Arena *arena = arena_new();
    CU_ASSERT_STRING_EQUAL(arena_copy(arena, "abcdef", 3), "abc");
    CU_ASSERT_STRING_EQUAL(arena_copy(arena, NULL, 0), "");
    CU_ASSERT_STRING_EQUAL(arena_strdup(arena, "x y"), "x y");
    CU_ASSERT_STRING_EQUAL(arena_printf(arena, "%s-%d", "n", 42), "n-42");
    char *longer = arena_printf(arena, "%0100000d", 7);
    CU_ASSERT_EQUAL(strlen(longer), 100000);
    CU_ASSERT_EQUAL(longer[99999], '7');
    arena_free(arena);
}

static void test_vectors(void) {
    Arena *arena = arena_new();
    VEC(int) numbers = {0};
    for (int i = 0; i < 100000; i++) vec_push(arena, &numbers, i * 3);
    CU_ASSERT_EQUAL(numbers.count, 100000);
    CU_ASSERT_EQUAL(vec_last(&numbers), 99999 * 3);
    for (int i = 0; i < 100000; i++) {
        if (numbers.items[i] != i * 3) CU_FAIL("an item changed");
    }
    arena_free(arena);
}

UNIT_MAIN("arena", {"aligned and zeroed", test_aligned_and_zeroed}, {"large and small", test_large_and_small},
          {"strings", test_strings}, {"vectors", test_vectors})
