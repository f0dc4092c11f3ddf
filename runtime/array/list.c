/* See list.h. Block b of a list has 8·2^b elements, so element i lies in the block of the highest bit of i + 8. */
#include "runtime/array/list.h"

#include <string.h>

#include "runtime/report/error.h"

enum { FIRST_BLOCK_BITS = 3, BLOCKS = 64 - FIRST_BLOCK_BITS };

struct Hp5List {
    size_t element_size;
    int64_t count;
    char *blocks[BLOCKS]; /* NULL from the first one that was not needed yet */
};

/* The lists of this thread, oldest first. */
static _Thread_local struct { Hp5List **items; int64_t count, capacity; } lists;

Hp5List *hp5_list_new(size_t element_size) {
    if (lists.count == lists.capacity) {
        int64_t capacity = lists.capacity > 0 ? 2 * lists.capacity : 8;
        Hp5List **items = hp5_alloc(capacity * (int64_t)sizeof *items, "lists");
        if (lists.count > 0) memcpy(items, lists.items, (size_t)lists.count * sizeof *items);
        hp5_free(lists.items);
        lists.items = items;
        lists.capacity = capacity;
    }
    Hp5List *list = hp5_alloc_zeroed(sizeof *list, "a list");
    list->element_size = element_size;
    lists.items[lists.count++] = list;
    return list;
}

static int block_of(int64_t index) { return 63 - __builtin_clzll((uint64_t)index + (1u << FIRST_BLOCK_BITS)) - FIRST_BLOCK_BITS; }

static char *element(const Hp5List *list, int64_t index) {
    int block = block_of(index);
    int64_t first = ((int64_t)1 << (block + FIRST_BLOCK_BITS)) - (1 << FIRST_BLOCK_BITS);
    return list->blocks[block] + (size_t)(index - first) * list->element_size;
}

static void fail_outside(int64_t index, int64_t count, const char *file, int line) {
    hp5_fail_at(file, line, "index %lld lies outside the list, which has %lld element%s", (long long)index,
                (long long)count, count == 1 ? "" : "s");
}

void *hp5_list_at(const Hp5List *list, int64_t index, const char *file, int line) {
    int64_t count = list == NULL ? 0 : list->count;
    if (index < 0 || index >= count) fail_outside(index, count, file, line);
    return element(list, index);
}

void *hp5_list_place(Hp5List *list, int64_t index, const char *file, int line) {
    if (list == NULL || index != list->count) return hp5_list_at(list, index, file, line);
    int block = block_of(index);
    if (list->blocks[block] == NULL) {
        int64_t bytes = ((int64_t)1 << (block + FIRST_BLOCK_BITS)) * (int64_t)list->element_size;
        list->blocks[block] = hp5_alloc_zeroed(bytes, "a list");
    }
    list->count++;
    return element(list, index);
}

int64_t hp5_lists_mark(void) { return lists.count; }

void hp5_lists_release(const int64_t *mark) {
    while (lists.count > *mark) {
        Hp5List *list = lists.items[--lists.count];
        for (int b = 0; b < BLOCKS && list->blocks[b] != NULL; b++) hp5_free(list->blocks[b]);
        hp5_free(list);
    }
    if (lists.count > 0) return;
    hp5_free(lists.items);
    lists.items = NULL;
    lists.capacity = 0;
}
