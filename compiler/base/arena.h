/* Arena: memory by lifetime. Everything one compilation allocates lives in one
 * arena and is freed at once by arena_free. Allocation never returns NULL: when
 * memory runs out the process reports it and exits with status 1. Returned memory
 * is zeroed and 16-byte aligned. */
#ifndef HP5_BASE_ARENA_H
#define HP5_BASE_ARENA_H
#include <stdarg.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);
void *arena_alloc(Arena *arena, size_t size);
/* Copies `length` bytes and appends a NUL. */
char *arena_copy(Arena *arena, const char *text, size_t length);
char *arena_strdup(Arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *arena_printf(Arena *arena, const char *format, ...);
char *arena_vprintf(Arena *arena, const char *format, va_list args);
/* Says so and exits with status 1. */
__attribute__((noreturn)) void arena_out_of_memory(void);
/* Bytes handed out so far. */
size_t arena_used(const Arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), sizeof(type) * (size_t)(count)))
#endif
