/* Epochs: the versions of a store move on (run.h). */
#include "runtime/move/copies.h"
#include "runtime/run/private.h"
#include <string.h>

/* The oldest buffer becomes the new current one. */
static void shift_versions(void *data) {
    Hp5Store *store = data;
    char *oldest = store->version[store->versions - 1];
    for (int k = store->versions - 1; k > 0; k--) store->version[k] = store->version[k - 1];
    store->version[0] = oldest;
}

typedef struct Advance {
    const Hp5Store *store;
    int to, from;
} Advance;

static void advance_box(const Hp5Box *box, void *data) {
    const Advance *advance = data;
    hp5_box_copy(advance->store, advance->to, advance->store, advance->from, box);
}

/* What the view's store has of its part: all, but for an LPU that several processes run (a store with places knows by itself). */
static Hp5Box part_held(const Hp5View *view) {
    const Hp5Store *store = view->store;
    Hp5Box box = hp5_view_hull(view, store->rank);
    for (int d = 0; d < store->rank && store->places == NULL; d++) {
        if (box.lo[d] < store->lo[d]) box.lo[d] = store->lo[d];
        if (box.hi[d] > store->lo[d] + store->extent[d]) box.hi[d] = store->lo[d] + store->extent[d];
        if (box.hi[d] < box.lo[d]) box.hi[d] = box.lo[d];
    }
    return box;
}

/* This thread's share of a view's part: slices that lie together. */
static Hp5Box share_of(const Hp5View *view, Hp5Box box, const Hp5Group *group, int rank) {
    int d = hp5_store_slowest(view->store);
    int64_t begin = box.lo[d], length = box.hi[d] - begin, me = rank - group->first;
    box.lo[d] = begin + length * me / group->count;
    box.hi[d] = begin + length * (me + 1) / group->count;
    return box;
}

/* A store that belongs to this LPU shifts its buffers and makes one copy; one that it shares with others must
 * keep its buffers where they are, and each older version is copied. */
static void advance_versions(Hp5Worker *w, int lps, Hp5View *view) {
    Hp5Group *group = w->groups[lps];
    Hp5Store *store = view->store;
    Hp5Box box = share_of(view, part_held(view), group, w->rank);
    if (store->versions < 2 || hp5_only_counts(w, store, &box, store->versions - 1)) return;
    if (store->lps == lps && store->versions > 2) {
        hp5_barrier_then(group, shift_versions, store);
        hp5_box_each(view->part, store->rank, &box, advance_box, &(Advance){store, 0, 1});
    } else {
        hp5_barrier(group);
        for (int k = store->versions - 1; k > 0; k--)
            hp5_box_each(view->part, store->rank, &box, advance_box, &(Advance){store, k, k - 1});
    }
    hp5_barrier(group);
}

void hp5_epoch(Hp5Worker *w, int lps, Hp5View *view, bool rotates) {
    if (rotates) hp5_barrier_then(w->groups[lps], shift_versions, view->store);
    else advance_versions(w, lps, view);
}

void hp5_take_on(Hp5Worker *w, int lps, Hp5View *view, const int64_t *bounds) {
    Hp5Group *group = w->groups[lps];
    Hp5Store *store = view->store;
    Hp5Box box = part_held(view);
    for (int d = 0; d < store->rank && bounds != NULL; d++) {
        if (bounds[2 * d] > box.lo[d]) box.lo[d] = bounds[2 * d];
        if (bounds[2 * d + 1] < box.hi[d] - 1) box.hi[d] = bounds[2 * d + 1] + 1;
        if (box.hi[d] <= box.lo[d]) box.hi[d] = box.lo[d];
    }
    box = share_of(view, box, group, w->rank);
    if (!hp5_only_counts(w, store, &box, 1)) hp5_box_each(view->part, store->rank, &box, advance_box, &(Advance){store, 0, 1});
    hp5_barrier(group);
}

typedef struct SharedAdvance {
    Hp5Store *store;
    bool close;
} SharedAdvance;

static void advance_element(const SharedAdvance *advance, const int64_t *index) {
    Hp5Store *store = advance->store;
    for (int d = 0; store->places && d < store->rank; d++)
        if (!hp5_store_has(store, d, index[d])) return;
    int64_t position = hp5_store_offset(store, index);
    if (!advance->close && store->advanced[position] == 0)
        for (int k = store->versions - 1; k > 0; k--) hp5_element_copy(store, k, position, store, k - 1, position);
    store->advanced[position] = !advance->close;
}

static void advance_elements(const Hp5Box *box, void *data) {
    const SharedAdvance *advance = data;
    int64_t index[HP5_MAX_RANK];
    memcpy(index, box->lo, sizeof index);
    int d;
    do {
        advance_element(advance, index);
        for (d = advance->store->rank - 1; d >= 0 && ++index[d] == box->hi[d]; d--) index[d] = box->lo[d];
    } while (d >= 0);
}

void hp5_epoch_shared(Hp5Worker *w, int lps, Hp5View *view, bool close) {
    Hp5Group *group = w->groups[lps];
    Hp5Store *store = view->store;
    hp5_barrier(group);
    if (group->first == w->rank) {
        Hp5Box box = part_held(view);
        SharedAdvance advance = {store, close};
        if (!hp5_only_counts(w, store, &box, close ? 0 : store->versions - 1)) {
            hp5_store_lock(store);
            if (store->versions == 2) hp5_box_each(view->part, store->rank, &box, advance_box, &(Advance){store, 1, 0});
            else hp5_box_each(view->part, store->rank, &box, advance_elements, &advance);
            hp5_store_unlock(store);
        }
    }
    hp5_barrier(group);
}
