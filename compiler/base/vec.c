/* Growth of vectors: doubling, in an arena. */
#include "compiler/base/vec.h"

#include <string.h>

void *vec_grow(Arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
    if (count < *capacity) return items;
    size_t wanted = *capacity < 4 ? 4 : *capacity * 2;
    void *grown = arena_alloc(arena, wanted * item_size);
    if (count > 0) memcpy(grown, items, count * item_size);
    *capacity = wanted;
    return grown;
}
