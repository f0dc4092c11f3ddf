/* Changes of a box (changes.h). Elements of one version and 1, 2, 4 or 8 bytes that lie side by side are compared as numbers of so many bits; all others one by
 * one. How to read it: numbers; rows and their blocks; what has changed; what others say. */
#include "runtime/move/changes.h"
#include "runtime/move/copies.h"
#include "runtime/report/error.h"
#include <string.h>

enum { BLOCK = 64 };

/* ---- Numbers ------------------------------------------------------------------------------------------------------ */

#define NUMBERS_OF(BITS)                                                                                                   \
    typedef uint##BITS##_t __attribute__((may_alias)) Word##BITS;                                                          \
    static uint64_t differ_##BITS(const void *now, const void *before, int64_t count) {                                    \
        const Word##BITS *a = now, *b = before;                                                                            \
        uint64_t marks = 0;                                                                                                \
        for (int64_t i = 0; i < count; i++) marks |= (uint64_t)(a[i] != b[i]) << i;                                        \
        return marks;                                                                                                      \
    }                                                                                                                      \
    static char *give_##BITS(const void *now, uint64_t marks, char *values) {                                              \
        const Word##BITS *a = now;                                                                                         \
        Word##BITS *list = (void *)values;                                                                                 \
        for (; marks != 0; marks &= marks - 1) *list++ = a[__builtin_ctzll(marks)];                                        \
        return (char *)list;                                                                                               \
    }                                                                                                                      \
    static void take_##BITS(void *now, const void *before, int64_t at, const char *value) {                                \
        Word##BITS *a = now;                                                                                               \
        const Word##BITS *b = before;                                                                                      \
        if (a[at] == b[at]) a[at] = *(const Word##BITS *)(const void *)value;                                              \
    }
NUMBERS_OF(8)
NUMBERS_OF(16)
NUMBERS_OF(32)
NUMBERS_OF(64)

typedef struct Numbers {
    uint64_t (*differ)(const void *now, const void *before, int64_t count);
    char *(*give)(const void *now, uint64_t marks, char *values);
    void (*take)(void *now, const void *before, int64_t at, const char *value);
} Numbers;

/* NULL: elements are none, or have gaps between them. */
static const Numbers *numbers_of(const Hp5Store *store) {
    static const Numbers of_8 = {differ_8, give_8, take_8}, of_16 = {differ_16, give_16, take_16}, of_32 = {differ_32, give_32, take_32}, of_64 = {differ_64, give_64, take_64};
    const bool even = store->versions == 1 && store->fields == NULL && store->places == NULL && store->rank > 0 && store->stride[store->rank - 1] == 1;
    const size_t size = store->element_size;
    return !even ? NULL : size == 1 ? &of_8 : size == 2 ? &of_16 : size == 4 ? &of_32 : size == 8 ? &of_64 : NULL;
}

static char *element_at(const Hp5Store *store, int64_t offset) { return store->version[0] + offset * (int64_t)store->element_size; }

/* ---- Rows --------------------------------------------------------------------------------------------------------- */

/* Elements of the box that follow each other in the last dimension. */
typedef struct Row {
    int64_t place, count;       /* of the first one, in the array */
    int64_t offset, before;     /* where it is in the store, and in what the store had */
    int64_t step, step_before;  /* from one to the next there */
} Row;

static Row row_at(const Hp5Watch *watch, const Hp5Store *store, const int64_t *index) {
    const int last = store->rank - 1;
    Row row = {0, last < 0 ? 1 : watch->box.hi[last] - index[last], hp5_store_offset(store, index), hp5_store_offset(&watch->before, index), 0, 0};
    if (last >= 0) row.step = store->stride[last], row.step_before = watch->before.stride[last];
    for (int d = 0; d <= last; d++) row.place = row.place * store->array_extent[d] + index[d] - store->array_lo[d];
    return row;
}

/* The box's row, from its beginning, in which the array's row at a place lies; false: this process does not have it. */
static bool find_row(const Hp5Watch *watch, const Hp5Store *store, int64_t place, Row *row) {
    const int last = store->rank - 1;
    bool here = watch->before.version[0] != NULL;
    int64_t index[HP5_MAX_RANK];
    for (int d = last; d >= 0; d--) {
        index[d] = place % store->array_extent[d] + store->array_lo[d];
        place /= store->array_extent[d];
        here = here && (d == last || (index[d] >= watch->box.lo[d] && index[d] < watch->box.hi[d]));
    }
    if (last >= 0) index[last] = watch->box.lo[last];
    if (here) *row = row_at(watch, store, index);
    return here;
}

/* ---- What has changed --------------------------------------------------------------------------------------------- */

static uint64_t differ(const Hp5Watch *watch, const Hp5Store *store, const Numbers *numbers, const Row *row, int64_t first, int64_t count) {
    uint64_t marks = 0;
    if (numbers != NULL) return numbers->differ(element_at(store, row->offset + first), element_at(&watch->before, row->before + first), count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t before = row->before + (first + i) * row->step_before, now = row->offset + (first + i) * row->step;
        marks |= (uint64_t)(hp5_advances_since(&watch->before, before, store, now) != 0) << i;
    }
    return marks;
}

static void add_block(Hp5Watch *watch, Hp5Block block) {
    if (watch->count == watch->room) {
        const int64_t room = watch->room + watch->room / 2 + BLOCK;
        Hp5Block *larger = hp5_alloc(room * (int64_t)sizeof *larger, "merging of changes");
        if (watch->count > 0) memcpy(larger, watch->blocks, sizeof *larger * (size_t)watch->count);
        hp5_free(watch->blocks);
        watch->blocks = larger;
        watch->room = room;
    }
    watch->blocks[watch->count++] = block;
    watch->elements += __builtin_popcountll(block.marks);
}

void hp5_changes_find(Hp5Watch *watch, const Hp5Store *store) {
    const Numbers *numbers = numbers_of(store);
    const int last = store->rank - 1;
    int64_t index[HP5_MAX_RANK];
    watch->count = watch->elements = 0;
    if (watch->before.version[0] == NULL) return;
    memcpy(index, watch->box.lo, sizeof index);
    for (int d = 0; d >= 0;) {
        const Row row = row_at(watch, store, index);
        for (int64_t first = 0; first < row.count; first += BLOCK) {
            const uint64_t marks = differ(watch, store, numbers, &row, first, row.count - first < BLOCK ? row.count - first : BLOCK);
            if (marks != 0) add_block(watch, (Hp5Block){row.place + first, marks});
        }
        for (d = last - 1; d >= 0 && ++index[d] == watch->box.hi[d]; d--) index[d] = watch->box.lo[d];
    }
}

static int64_t size_of(const Hp5Store *store) { return (int64_t)store->element_size * store->versions; }

int64_t hp5_changes_bytes(const Hp5Store *store, int64_t blocks, int64_t elements) { return blocks * (int64_t)sizeof(Hp5Block) + elements * size_of(store); }

void hp5_changes_pack(const Hp5Watch *watch, const Hp5Store *store, char *message) {
    const Numbers *numbers = numbers_of(store);
    char *values = message + hp5_changes_bytes(store, watch->count, 0);
    Row row = {0};
    if (watch->count > 0) memcpy(message, watch->blocks, sizeof *watch->blocks * (size_t)watch->count);
    for (int64_t b = 0; b < watch->count; b++) {
        const Hp5Block block = watch->blocks[b];
        if (block.place >= row.place + row.count || b == 0) find_row(watch, store, block.place, &row);
        const int64_t first = block.place - row.place;
        if (numbers != NULL) values = numbers->give(element_at(store, row.offset + first), block.marks, values);
        for (uint64_t marks = block.marks; marks != 0 && numbers == NULL; marks &= marks - 1)
            for (int k = 0; k < store->versions; k++, values += store->element_size)
                hp5_element_gather(store, k, row.offset + (first + __builtin_ctzll(marks)) * row.step, values);
    }
}

/* ---- What others say ---------------------------------------------------------------------------------------------- */

/* Values of a message, which are no store's but look like one. */
static Hp5Store list_of(const Hp5Store *store, const Hp5Element *element, int64_t elements, char *values) {
    static const int64_t zero[1];
    const int64_t all = elements * store->versions;
    Hp5Store list;
    hp5_store_shape(&list, 1, zero, &all, 1, element, (Hp5Layout){0});
    for (int k = 0; k < store->versions; k++) list.version[k] = values + store->element_size * (size_t)k;
    list.versions = store->versions;
    return list;
}

static void take_element(const Hp5Watch *watch, const Hp5Store *store, const Row *row, int64_t at, const Hp5Store *list, int64_t value) {
    const int64_t offset = row->offset + at * row->step, before = row->before + at * row->step_before;
    const int there = hp5_advances_since(&watch->before, before, list, value), here = hp5_advances_since(&watch->before, before, store, offset);
    for (int k = 0; hp5_outdoes(there, here) && k < store->versions; k++) hp5_element_copy(store, k, offset, list, k, value);
}

void hp5_changes_take(const Hp5Watch *watch, const Hp5Store *store, const Hp5Element *element, int64_t blocks, char *message) {
    const Numbers *numbers = numbers_of(store);
    const Hp5Block *block = (const Hp5Block *)(const void *)message;
    int64_t elements = 0, value = 0;
    char *values = message + hp5_changes_bytes(store, blocks, 0);
    for (int64_t b = 0; b < blocks; b++) elements += __builtin_popcountll(block[b].marks);
    const Hp5Store list = list_of(store, element, elements, values);
    Row row = {0};
    for (int64_t b = 0; b < blocks; b++) {
        const bool known = block[b].place >= row.place && block[b].place < row.place + row.count;
        if (!known && !find_row(watch, store, block[b].place, &row)) {
            value += __builtin_popcountll(block[b].marks);
            row = (Row){0};
            continue;
        }
        for (uint64_t marks = block[b].marks; marks != 0; marks &= marks - 1, value++) {
            const int64_t at = block[b].place + __builtin_ctzll(marks) - row.place;
            if (at < 0 || at >= row.count) continue;
            if (numbers == NULL) take_element(watch, store, &row, at, &list, value * store->versions);
            else numbers->take(element_at(store, row.offset), element_at(&watch->before, row.before), at, values + value * (int64_t)store->element_size);
        }
    }
}

void hp5_changes_free(Hp5Watch *watch) {
    hp5_free(watch->memory);
    hp5_free(watch->blocks);
    *watch = (Hp5Watch){0};
}
