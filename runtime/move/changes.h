/* What has changed in a box of a store since before, as a message between processes that may have other boxes of the same array: blocks of 64 elements of a
 * row, each with a mark for every element that has changed, then the values of these, each in all versions. Between merge_changes.c, which sends it, and
 * changes.c. */
#ifndef HP5_RUNTIME_CHANGES_H
#define HP5_RUNTIME_CHANGES_H
#include "runtime/store/elements.h"

typedef struct Hp5Block {
    int64_t place;  /* in the whole array, row by row, of its first element */
    uint64_t marks; /* 1 << i: the element i places further */
} Hp5Block;

typedef struct Hp5Watch {
    Hp5Store before;                 /* what the store had of the box, its elements row by row; without memory: nothing */
    Hp5Box box;
    Hp5Block *blocks;                /* what hp5_changes_find has found */
    int64_t count, room, elements;   /* of blocks; blocks that there is memory for; elements that they mark */
    char *memory;                    /* of `before`, from one time to the next */
    int64_t bytes;
} Hp5Watch;

/* Finds all of them. */
void hp5_changes_find(Hp5Watch *watch, const Hp5Store *store);
/* Bytes of a message of so many blocks and elements. */
int64_t hp5_changes_bytes(const Hp5Store *store, int64_t blocks, int64_t elements);
/* What was found. */
void hp5_changes_pack(const Hp5Watch *watch, const Hp5Store *store, char *message);
/* Takes others' changes of what the box has: unless the store's element has changed itself, and more. */
void hp5_changes_take(const Hp5Watch *watch, const Hp5Store *store, const Hp5Element *element, int64_t blocks, char *message);
void hp5_changes_free(Hp5Watch *watch);
#endif
