/* Changes of a box (changes.h). Elements of one version and 1, 2, 4 or 8 bytes that lie side by side are compared as numbers of so many bits; all others one by
 * one. How to read it: rows; rows of numbers; any rows; the box. */
#include "runtime/move/changes.h"
#include "runtime/move/copies.h"
#include <string.h>

/* Elements of a box that follow each other in the last dimension. */
typedef struct Row {
    int64_t place, count;    /* of the first one, in the array */
    int64_t offset, before;  /* where it is in the store, and in what the store had */
} Row;

static Row row_at(const Hp5Watch *watch, const Hp5Store *store, const int64_t *index) {
    const int last = store->rank - 1;
    Row row = {0, last < 0 ? 1 : watch->box.hi[last] - index[last], hp5_store_offset(store, index), hp5_store_offset(&watch->before, index)};
    for (int d = 0; d <= last; d++) row.place = row.place * store->array_extent[d] + index[d] - store->array_lo[d];
    return row;
}

static void each_row(const Hp5Watch *watch, const Hp5Store *store, void (*visit)(Row row, void *data), void *data) {
    const int last = store->rank - 1;
    int64_t index[HP5_MAX_RANK];
    memcpy(index, watch->box.lo, sizeof index);
    for (int d = 0; d >= 0;) {
        visit(row_at(watch, store, index), data);
        for (d = last - 1; d >= 0 && ++index[d] == watch->box.hi[d]; d--) index[d] = watch->box.lo[d];
    }
}

/* ---- Rows of numbers -------------------------------------------------------------------------------------------- */

#define ROWS_OF(BITS)                                                                                                      \
    typedef uint##BITS##_t __attribute__((may_alias)) Word##BITS;                                                          \
    static int64_t count_##BITS(const void *now, const void *before, int64_t count) {                                      \
        const Word##BITS *a = now, *b = before;                                                                            \
        int64_t changes = 0;                                                                                               \
        for (int64_t i = 0; i < count; i++) changes += a[i] != b[i];                                                       \
        return changes;                                                                                                    \
    }                                                                                                                      \
    static int64_t list_##BITS(const void *now, const void *before, int64_t count, int64_t place, int64_t *places, char *values) { \
        const Word##BITS *a = now, *b = before;                                                                            \
        Word##BITS *list = (void *)values;                                                                                 \
        int64_t changes = 0;                                                                                               \
        for (int64_t i = 0; i < count; i++) {                                                                              \
            if (a[i] == b[i]) continue;                                                                                    \
            places[changes] = place + i;                                                                                   \
            list[changes++] = a[i];                                                                                        \
        }                                                                                                                  \
        return changes;                                                                                                    \
    }                                                                                                                      \
    static void take_##BITS(void *now, const void *before, int64_t at, const char *value) {                                \
        Word##BITS *a = now;                                                                                               \
        const Word##BITS *b = before;                                                                                      \
        if (a[at] == b[at]) a[at] = *(const Word##BITS *)(const void *)value;                                              \
    }
ROWS_OF(8)
ROWS_OF(16)
ROWS_OF(32)
ROWS_OF(64)

typedef struct Numbers {
    int64_t (*count)(const void *now, const void *before, int64_t count);
    int64_t (*list)(const void *now, const void *before, int64_t count, int64_t place, int64_t *places, char *values);
    void (*take)(void *now, const void *before, int64_t at, const char *value);
} Numbers;

/* NULL: elements are none, or have gaps between them. */
static const Numbers *numbers_of(const Hp5Store *store) {
    static const Numbers of_8 = {count_8, list_8, take_8}, of_16 = {count_16, list_16, take_16}, of_32 = {count_32, list_32, take_32}, of_64 = {count_64, list_64, take_64};
    const bool even = store->versions == 1 && store->fields == NULL && store->places == NULL && store->rank > 0 && store->stride[store->rank - 1] == 1;
    const size_t size = store->element_size;
    return !even ? NULL : size == 1 ? &of_8 : size == 2 ? &of_16 : size == 4 ? &of_32 : size == 8 ? &of_64 : NULL;
}

static char *element_at(const Hp5Store *store, int64_t offset) { return store->version[0] + offset * (int64_t)store->element_size; }

/* ---- The box ------------------------------------------------------------------------------------------------------ */

typedef struct Listing {
    const Hp5Watch *watch;
    const Hp5Store *store;
    const Numbers *numbers;
    int64_t count;
    int64_t *places; /* NULL: they are only counted */
    char *values;
} Listing;

static size_t size_of(const Hp5Store *store) { return store->element_size * (size_t)store->versions; }

static void list_element(Listing *listing, int64_t place, int64_t offset) {
    const Hp5Store *store = listing->store;
    char *value = listing->values + size_of(store) * (size_t)listing->count;
    if (listing->places != NULL) {
        listing->places[listing->count] = place;
        for (int k = 0; k < store->versions; k++) hp5_element_gather(store, k, offset, value + store->element_size * (size_t)k);
    }
    listing->count++;
}

static void list_row(Row row, void *data) {
    Listing *listing = data;
    const Hp5Store *store = listing->store, *before = &listing->watch->before;
    const Numbers *numbers = listing->numbers;
    const int last = store->rank - 1;
    const int64_t step = last < 0 ? 0 : store->stride[last], step_before = last < 0 ? 0 : before->stride[last];
    if (numbers != NULL && listing->places == NULL)
        listing->count += numbers->count(element_at(store, row.offset), element_at(before, row.before), row.count);
    else if (numbers != NULL)
        listing->count += numbers->list(element_at(store, row.offset), element_at(before, row.before), row.count, row.place, listing->places + listing->count,
                                        listing->values + store->element_size * (size_t)listing->count);
    for (int64_t i = 0; i < row.count && numbers == NULL; i++)
        if (hp5_advances_since(before, row.before + i * step_before, store, row.offset + i * step) != 0) list_element(listing, row.place + i, row.offset + i * step);
}

int64_t hp5_changes_count(const Hp5Watch *watch, const Hp5Store *store) {
    Listing listing = {.watch = watch, .store = store, .numbers = numbers_of(store)};
    if (watch->before.version[0] != NULL) each_row(watch, store, list_row, &listing);
    return listing.count;
}

void hp5_changes_list(const Hp5Watch *watch, const Hp5Store *store, int64_t *places, char *values) {
    Listing listing = {.watch = watch, .store = store, .numbers = numbers_of(store), .places = places, .values = values};
    if (watch->before.version[0] != NULL) each_row(watch, store, list_row, &listing);
}

/* The rest of the row from the element at a place of the array on; false: this process does not have it. */
static bool find_row(const Hp5Watch *watch, const Hp5Store *store, int64_t place, Row *row) {
    bool here = watch->before.version[0] != NULL;
    int64_t index[HP5_MAX_RANK];
    for (int d = store->rank - 1; d >= 0; d--) {
        index[d] = place % store->array_extent[d] + store->array_lo[d];
        place /= store->array_extent[d];
        here = here && index[d] >= watch->box.lo[d] && index[d] < watch->box.hi[d];
    }
    if (here) *row = row_at(watch, store, index);
    return here;
}

void hp5_changes_take(const Hp5Watch *watch, const Hp5Store *store, const Hp5Element *element, int64_t count, const int64_t *places, char *values) {
    static const int64_t zero[1];
    const int64_t versions = store->versions, all = count * versions;
    const Numbers *numbers = numbers_of(store);
    const int last = store->rank - 1;
    const int64_t step = last < 0 ? 0 : store->stride[last], step_before = last < 0 ? 0 : watch->before.stride[last < 0 ? 0 : last];
    Hp5Store list;
    Row row = {0};
    hp5_store_shape(&list, 1, zero, &all, 1, element, (Hp5Layout){0});
    list.version[0] = values;
    for (int k = 1; k < store->versions; k++) list.version[k] = values + store->element_size * (size_t)k;
    list.versions = store->versions;
    for (int64_t i = 0; i < count; i++) {
        if ((places[i] < row.place || places[i] >= row.place + row.count) && !find_row(watch, store, places[i], &row)) continue;
        const int64_t at = places[i] - row.place, offset = row.offset + at * step, before = row.before + at * step_before;
        if (numbers != NULL) {
            numbers->take(element_at(store, row.offset), element_at(&watch->before, row.before), at, values + i * (int64_t)store->element_size);
            continue;
        }
        int there = hp5_advances_since(&watch->before, before, &list, i * versions), here = hp5_advances_since(&watch->before, before, store, offset);
        for (int k = 0; hp5_outdoes(there, here) && k < store->versions; k++) hp5_element_copy(store, k, offset, &list, k, i * versions);
    }
}
