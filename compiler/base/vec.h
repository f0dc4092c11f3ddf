/* Growable arrays in an arena. A vector type is declared with VEC(type):
 *
 *     typedef VEC(Expr *) ExprVec;
 *     ExprVec v = {0};
 *     vec_push(arena, &v, expr);
 *     for (size_t i = 0; i < v.count; i++) use(v.items[i]);
 *
 * A zeroed vector is empty. Old storage stays in the arena until it is freed. */
#ifndef HP5_BASE_VEC_H
#define HP5_BASE_VEC_H
#include "compiler/base/arena.h"

#define VEC(type) struct { type *items; size_t count, capacity; }

#define vec_push(arena, vec, item)                                                                 \
    do {                                                                                           \
        (vec)->items = vec_grow((arena), (vec)->items, (vec)->count, &(vec)->capacity,             \
                                sizeof *(vec)->items);                                             \
        (vec)->items[(vec)->count++] = (item);                                                     \
    } while (0)
#define vec_last(vec) ((vec)->items[(vec)->count - 1])

/* Returns storage with room for at least count + 1 items. */
void *vec_grow(Arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);
#endif
