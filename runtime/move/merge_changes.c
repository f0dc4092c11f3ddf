/* Elements that several processes hold alike and a stage of one Space writes (move.h): each element by one LPU, and nobody but that LPU
 * knows which. So each process keeps what it had before the stage, and tells the others what is different afterwards. Of several
 * versions all go: Epochs of some LPUs, or copies that are handed back, have advanced them. */
#include "runtime/card/execute.h"
#include "runtime/comm/accounts.h"
#include "runtime/move/copies.h"
#include "runtime/move/exchange.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <string.h>

/* Of one array in an LPU that several processes run. */
struct Hp5Watched {
    Hp5Store before; /* what the process had, of the box that the stage may write; without memory: nothing */
    Hp5Box box;
};

/* For each array: which of them are merged the runtime learns when it happens. */
static Hp5Account *account_of(const Hp5TaskRun *run, int array) {
    const Hp5TaskDesc *desc = run->desc;
    char what[300];
    snprintf(what, sizeof what, "changes of %s", desc->arrays[array].name);
    return hp5_account_open(&desc->arrays[array], 0, desc->name, desc->source, 0, what);
}

void hp5_watched_create(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count && hp5_has_processes(run); a++) account_of(run, a);
    int64_t count = (int64_t)run->desc->array_count * run->desc->lps_count;
    run->hidden->watched = hp5_alloc_zeroed((int64_t)sizeof *run->hidden->watched * (count + 1), "merging of changes");
}

void hp5_watched_free(Hp5TaskRun *run) {
    int count = run->desc->array_count * run->desc->lps_count;
    for (int i = 0; i < count; i++) hp5_free(run->hidden->watched[i].before.version[0]);
    hp5_free(run->hidden->watched);
}

typedef struct Merging {
    Hp5Worker *w;
    int array;
    const Hp5Lpu *lpu;
    const int64_t *bounds;
} Merging;

static int lps_of(const Hp5Lpu *lpu) { return lpu->grid == NULL ? 0 : lpu->grid->lps; }

static struct Hp5Watched *watched_of(const Merging *what) {
    const Hp5TaskRun *run = what->w->run;
    return &run->hidden->watched[what->array * run->desc->lps_count + lps_of(what->lpu)];
}

static const Hp5Store *store_of(const Merging *what) { return hp5_store_in(&what->w->run->hidden->stores, what->lpu, what->array); }

/* Elements of the box that the run has on a card: from there before they are looked at, or to it. */
static void on_card(const Hp5TaskRun *run, const Hp5Store *store, const Hp5Box *box, void (*move)(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count)) {
    int64_t count[HP5_MAX_RANK];
    if (run->hidden->card == NULL) return;
    for (int d = 0; d < store->rank; d++) count[d] = box->hi[d] - box->lo[d];
    for (int k = 0; k < store->versions; k++) move(run, store, k, hp5_store_offset(store, box->lo), count);
    hp5_card_settle(run);
}

/* ---- Before ------------------------------------------------------------------------------------------- */

static void watch(void *data) {
    const Merging *what = data;
    struct Hp5Watched *watched = watched_of(what);
    const Hp5Store *store = store_of(what);
    const Hp5ArrayDesc *array = &what->w->run->desc->arrays[what->array];
    int64_t extent[HP5_MAX_RANK];
    hp5_free(watched->before.version[0]);
    watched->before = (Hp5Store){0};
    for (int d = 0; d < store->rank; d++) {
        int64_t lo = store->lo[d], hi = lo + store->extent[d];
        if (what->bounds != NULL && what->bounds[2 * d] > lo) lo = what->bounds[2 * d];
        if (what->bounds != NULL && what->bounds[2 * d + 1] < hi - 1) hi = what->bounds[2 * d + 1] + 1;
        if (lo >= hi) return;
        watched->box.lo[d] = lo;
        watched->box.hi[d] = hi;
        extent[d] = hi - lo;
    }
    hp5_store_shape(&watched->before, store->rank, watched->box.lo, extent, store->versions, array->element, (Hp5Layout){0});
    int64_t bytes = hp5_store_elements(&watched->before) * (int64_t)store->element_size;
    char *memory = hp5_element_buffer(bytes * store->versions, array->name);
    on_card(what->w->run, store, &watched->box, hp5_card_take_box);
    for (int k = 0; k < store->versions; k++) {
        watched->before.version[k] = memory + bytes * k;
        hp5_box_copy(&watched->before, k, store, k, &watched->box);
    }
}

static bool has_others(const Hp5Worker *w, int lps) { return !w->predicting && hp5_segments_of(w->run, w->spans[lps]).count > 1; }

void hp5_watch_changes(Hp5Worker *w, int array, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (has_others(w, lps_of(lpu))) hp5_barrier_then(w->groups[lps_of(lpu)], watch, &(Merging){w, array, lpu, bounds});
}

/* ---- Afterwards ----------------------------------------------------------------------------------------- */

/* Elements by their places in the whole array, row by row, and then their values, each in all versions. */
typedef struct Changes {
    int64_t count, capacity;
    int64_t *places;
    char *values;
} Changes;

static size_t size_of(const Hp5Store *store) { return store->element_size * (size_t)store->versions; }

static void add_change(Changes *changes, int64_t place, const Hp5Store *store, int64_t offset) {
    size_t size = size_of(store);
    if (changes->count == changes->capacity) {
        int64_t capacity = 2 * changes->capacity + 64;
        int64_t *places = hp5_alloc(capacity * (int64_t)sizeof *places, "merging of changes");
        char *values = hp5_element_buffer(capacity * (int64_t)size, "merging of changes");
        if (changes->count > 0) {
            memcpy(places, changes->places, sizeof *places * (size_t)changes->count);
            memcpy(values, changes->values, size * (size_t)changes->count);
        }
        hp5_free(changes->places);
        hp5_free(changes->values);
        *changes = (Changes){changes->count, capacity, places, values};
    }
    changes->places[changes->count] = place;
    char *value = changes->values + size * (size_t)changes->count++;
    for (int k = 0; k < store->versions; k++) hp5_element_gather(store, k, offset, value + store->element_size * (size_t)k);
}

static int64_t place_of(const Hp5Store *store, const int64_t *index) {
    int64_t place = 0;
    for (int d = 0; d < store->rank; d++) place = place * store->array_extent[d] + index[d] - store->array_lo[d];
    return place;
}

static Changes find_changes(const struct Hp5Watched *watched, const Hp5Store *store) {
    Changes changes = {0};
    int64_t index[HP5_MAX_RANK];
    if (watched->before.version[0] == NULL) return changes;
    memcpy(index, watched->box.lo, sizeof index);
    for (int d = 0; d >= 0;) {
        int64_t offset = hp5_store_offset(store, index);
        if (hp5_advances_since(&watched->before, hp5_store_offset(&watched->before, index), store, offset) != 0)
            add_change(&changes, place_of(store, index), store, offset);
        for (d = store->rank - 1; d >= 0 && ++index[d] == watched->box.hi[d]; d--) index[d] = watched->box.lo[d];
    }
    return changes;
}

/* Where the element at a place of the array is; false: this process does not have it. */
static bool find_place(const struct Hp5Watched *watched, const Hp5Store *store, int64_t place, int64_t *index) {
    bool here = watched->before.version[0] != NULL;
    for (int d = store->rank - 1; d >= 0; d--) {
        index[d] = place % store->array_extent[d] + store->array_lo[d];
        place /= store->array_extent[d];
        here = here && index[d] >= watched->box.lo[d] && index[d] < watched->box.hi[d];
    }
    return here;
}

/* What another process has changed, of what this one has room for: unless this one, or one that has been heard before, has done more. */
static void take_changes(const struct Hp5Watched *watched, const Hp5Store *store, const Hp5Element *element, int64_t count, const int64_t *places, char *values) {
    static const int64_t zero[1];
    const int64_t versions = store->versions, all = count * versions;
    Hp5Store list;
    hp5_store_shape(&list, 1, zero, &all, 1, element, (Hp5Layout){0});
    list.version[0] = values;
    for (int k = 1; k < store->versions; k++) list.version[k] = values + store->element_size * (size_t)k;
    list.versions = store->versions;
    for (int64_t i = 0; i < count; i++) {
        int64_t index[HP5_MAX_RANK];
        if (!find_place(watched, store, places[i], index)) continue;
        int64_t offset = hp5_store_offset(store, index), before = hp5_store_offset(&watched->before, index);
        int there = hp5_advances_since(&watched->before, before, &list, i * versions), here = hp5_advances_since(&watched->before, before, store, offset);
        for (int k = 0; hp5_outdoes(there, here) && k < store->versions; k++) hp5_element_copy(store, k, offset, &list, k, i * versions);
    }
}

/* Each process says how many changes it has, and then which. */
static void merge(void *data) {
    const Merging *what = data;
    struct Hp5Watched *watched = watched_of(what);
    const Hp5Store *store = store_of(what);
    const Hp5Element *element = what->w->run->desc->arrays[what->array].element;
    Hp5Peers peers = hp5_peers_of(what->w->run, what->w->spans[lps_of(what->lpu)]);
    hp5_account_happens(account_of(what->w->run, what->array), -1);
    const bool there = watched->before.version[0] != NULL;
    if (there) on_card(what->w->run, store, &watched->box, hp5_card_take_box);
    Changes mine = find_changes(watched, store);
    int64_t most = 0, *counts = hp5_alloc((int64_t)sizeof *counts * peers.count, "merging of changes");
    hp5_comm_gather_all(peers, HP5_TAG_MERGE, &mine.count, sizeof mine.count, counts);
    for (int p = 0; p < peers.count; p++) most = counts[p] > most ? counts[p] : most;
    int64_t head = most * (int64_t)sizeof *mine.places, bytes = (head + most * (int64_t)size_of(store) + 63) / 64 * 64;
    char *message = hp5_element_buffer(bytes + 1, "merging of changes"), *all = hp5_element_buffer(bytes * peers.count + 1, "merging of changes");
    memset(message, 0, (size_t)bytes);
    if (mine.count > 0) {
        memcpy(message, mine.places, sizeof *mine.places * (size_t)mine.count);
        memcpy(message + head, mine.values, size_of(store) * (size_t)mine.count);
    }
    if (most > 0) hp5_comm_gather_all(peers, HP5_TAG_MERGE, message, bytes, all);
    for (int p = 0; p < peers.count; p++) {
        char *from = all + bytes * p;
        if (counts[p] > 0) take_changes(watched, store, element, counts[p], (const int64_t *)(const void *)from, from + head);
    }
    if (there) on_card(what->w->run, store, &watched->box, hp5_card_give_box);
    hp5_free(message);
    hp5_free(all);
    hp5_free(counts);
    hp5_free((void *)peers.ranks);
    hp5_free(mine.places);
    hp5_free(mine.values);
    hp5_free(watched->before.version[0]);
    watched->before = (Hp5Store){0};
}

void hp5_merge_changes(Hp5Worker *w, int array, const Hp5Lpu *lpu) {
    if (!has_others(w, lps_of(lpu))) return;
    Hp5Account *account = account_of(w->run, array), *before = hp5_account_use(account);
    hp5_barrier_then(w->groups[lps_of(lpu)], merge, &(Merging){w, array, lpu, NULL});
    hp5_account_use(before);
}
