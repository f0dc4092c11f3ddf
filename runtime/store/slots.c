/* Slots (elements.h): slices of a store for what a leader has of others' indices for a while. An index gets a slot when somebody first asks
 * for its place, and keeps it until what is kept is said without it. A slot that is used again is all zeros. */
#include "runtime/store/slots.h"
#include "runtime/store/elements.h"
#include "runtime/report/error.h"
#include <pthread.h>
#include <string.h>

struct Hp5Slots {
    const Hp5Store *store;
    pthread_mutex_t lock;
    int64_t first, used;     /* place of the first slot; slots that have been used */
    int64_t count, capacity; /* of those in use */
    struct Slot {
        int64_t index, place;
    } *at;                   /* in ascending order of indices */
    int64_t *spare, spares;  /* places that can be used again: there is room for `capacity` */
};

struct Hp5Slots *hp5_slots_create(const Hp5Store *store, int64_t first) {
    struct Hp5Slots *slots = hp5_alloc_zeroed(sizeof *slots, "movements");
    slots->store = store;
    slots->first = first;
    pthread_mutex_init(&slots->lock, NULL);
    return slots;
}

void hp5_slots_free(struct Hp5Slots *slots) {
    if (slots == NULL) return;
    pthread_mutex_destroy(&slots->lock);
    hp5_free(slots->at);
    hp5_free(slots->spare);
    hp5_free(slots);
}

static void make_room(struct Hp5Slots *slots) {
    if (slots->count + slots->spares < slots->capacity) return;
    int64_t capacity = 2 * slots->capacity + 16;
    struct Slot *at = hp5_alloc(capacity * (int64_t)sizeof *at, "movements");
    int64_t *spare = hp5_alloc(capacity * (int64_t)sizeof *spare, "movements");
    if (slots->count > 0) memcpy(at, slots->at, sizeof *at * (size_t)slots->count);
    if (slots->spares > 0) memcpy(spare, slots->spare, sizeof *spare * (size_t)slots->spares);
    hp5_free(slots->at);
    hp5_free(slots->spare);
    slots->at = at;
    slots->spare = spare;
    slots->capacity = capacity;
}

static int64_t find(const struct Hp5Slots *slots, int64_t index) {
    int64_t low = 0, high = slots->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (slots->at[middle].index < index) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* What is in it belongs to another index. */
static int64_t use_again(struct Hp5Slots *slots) {
    const Hp5Store *store = slots->store;
    int64_t place = slots->spare[--slots->spares], slice = store->stride[hp5_store_slowest(store)] * (int64_t)store->element_size;
    for (int k = 0; k < store->versions; k++) memset(store->version[k] + (place - store->lo[hp5_store_slowest(store)]) * slice, 0, (size_t)slice);
    return place;
}

/* There is room for the indices that others have of what this process may ever touch. */
static int64_t use_next(struct Hp5Slots *slots) {
    const Hp5Store *store = slots->store;
    const int d = hp5_store_slowest(store);
    const int64_t place = slots->first + slots->used++;
    if (place - store->lo[d] >= store->extent[d])
        hp5_fail(HP5_EXIT_FAILURE, "a mistake in HP5, which is worth a report: no room for slice %lld of a part of %lld", (long long)(place - store->lo[d]), (long long)store->extent[d]);
    return place;
}

static void insert(struct Hp5Slots *slots, int64_t k, int64_t index) {
    make_room(slots);
    int64_t place = slots->spares > 0 ? use_again(slots) : use_next(slots);
    memmove(&slots->at[k + 1], &slots->at[k], sizeof *slots->at * (size_t)(slots->count - k));
    slots->at[k] = (struct Slot){index, place};
    slots->count++;
}

Hp5Stretch hp5_stretch_in_slots(const Hp5Places *places, Hp5Run run) {
    struct Hp5Slots *slots = places->slots;
    int d = hp5_store_slowest(slots->store);
    if (run.begin < slots->store->array_lo[d] || run.begin - slots->store->array_lo[d] >= slots->store->array_extent[d])
        return (Hp5Stretch){HP5_NO_PLACE, run.end}; /* of a loop without iterations, say */
    pthread_mutex_lock(&slots->lock);
    int64_t k = find(slots, run.begin), end = run.begin + 1;
    if (k == slots->count || slots->at[k].index != run.begin) insert(slots, k, run.begin);
    int64_t shift = slots->at[k].place - run.begin;
    while (end < run.end && ++k < slots->count && slots->at[k].index == end && slots->at[k].place == end + shift) end++;
    pthread_mutex_unlock(&slots->lock);
    return (Hp5Stretch){shift, end};
}

Hp5Stretch hp5_find_in_slots(const Hp5Places *places, Hp5Run run) {
    struct Hp5Slots *slots = places->slots;
    pthread_mutex_lock(&slots->lock);
    int64_t k = find(slots, run.begin), end = run.begin + 1, shift = HP5_NO_PLACE;
    if (k < slots->count && slots->at[k].index == run.begin) {
        shift = slots->at[k].place - run.begin;
        while (end < run.end && ++k < slots->count && slots->at[k].index == end && slots->at[k].place == end + shift) end++;
    } else {
        end = k < slots->count && slots->at[k].index < run.end ? slots->at[k].index : run.end;
    }
    pthread_mutex_unlock(&slots->lock);
    return (Hp5Stretch){shift, end};
}

static bool is_kept(const Hp5Run *runs, int count, int64_t index) {
    for (int i = 0; i < count; i++)
        if (index >= runs[i].begin && index < runs[i].end) return true;
    return false;
}

void hp5_slots_keep(struct Hp5Slots *slots, const Hp5Run *runs, int count) {
    int64_t kept = 0;
    pthread_mutex_lock(&slots->lock);
    for (int64_t k = 0; k < slots->count; k++) {
        if (is_kept(runs, count, slots->at[k].index)) slots->at[kept++] = slots->at[k];
        else slots->spare[slots->spares++] = slots->at[k].place;
    }
    slots->count = kept;
    pthread_mutex_unlock(&slots->lock);
}

void hp5_slots_each(struct Hp5Slots *slots, void (*visit)(int64_t index, int64_t place, void *data), void *data) {
    pthread_mutex_lock(&slots->lock);
    for (int64_t k = 0; k < slots->count; k++) visit(slots->at[k].index, slots->at[k].place, data);
    pthread_mutex_unlock(&slots->lock);
}
