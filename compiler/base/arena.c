/* Arena by chained blocks: allocation bumps a pointer, freeing walks the chain.
 * A request that does not fit a common block gets a block of its own, so large
 * arrays do not waste what is left of the current one. Blocks come from calloc,
 * which is what makes the returned memory zeroed. */
#include "compiler/base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_BLOCK = 32 * 1024, LARGEST_BLOCK = 1024 * 1024 };

typedef struct Block {
    struct Block *next;
    size_t unused_keeps_header_aligned;
} Block;

struct Arena {
    Block *blocks;       /* newest first; only for freeing */
    unsigned char *free; /* next free byte of the current block, ALIGNMENT-aligned */
    size_t left;         /* bytes left in the current block */
    size_t block_size;   /* of the next common block */
    size_t used;         /* bytes handed out */
};

static_assert(sizeof(Block) % ALIGNMENT == 0, "memory after a block header must stay aligned");

void arena_out_of_memory(void) {
    fputs("hp5c: out of memory\n", stderr);
    exit(1);
}

Arena *arena_new(void) {
    Arena *arena = calloc(1, sizeof *arena);
    if (!arena) arena_out_of_memory();
    arena->block_size = FIRST_BLOCK;
    return arena;
}

void arena_free(Arena *arena) {
    if (!arena) return;
    for (Block *block = arena->blocks; block;) {
        Block *next = block->next;
        free(block);
        block = next;
    }
    free(arena);
}

static unsigned char *add_block(Arena *arena, size_t size) {
    Block *block = calloc(1, sizeof(Block) + size);
    if (!block) arena_out_of_memory();
    block->next = arena->blocks;
    arena->blocks = block;
    return (unsigned char *)(block + 1);
}

void *arena_alloc(Arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) arena_out_of_memory();
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size == 0) size = ALIGNMENT;
    arena->used += size;
    if (size > arena->left) {
        if (size > arena->block_size / 4) return add_block(arena, size);
        arena->free = add_block(arena, arena->block_size);
        arena->left = arena->block_size;
        if (arena->block_size < LARGEST_BLOCK) arena->block_size *= 2;
    }
    void *memory = arena->free;
    arena->free += size;
    arena->left -= size;
    return memory;
}

char *arena_copy(Arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length > 0) memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text) { return arena_copy(arena, text, strlen(text)); }

char *arena_printf(Arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

char *arena_vprintf(Arena *arena, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) length = 0; /* an encoding error: only %ls and %lc can cause one */
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

size_t arena_used(const Arena *arena) { return arena->used; }
