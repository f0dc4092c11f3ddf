/* What flow functions call besides exchanges: copies in and out, epochs, reductions, coordinates. */
#include "runtime/predict/cost.h"
#include "runtime/run/private.h"
#include <sched.h>
#include <string.h>

int64_t hp5_lpu_id(const Hp5Lpu *lpu, int64_t d, const char *file, int line) {
    int dims = 0;
    while (lpu->grid && dims < HP5_MAX_RANK && lpu->grid->extent[dims] > 0) dims++;
    if (d < 0 || d >= dims)
        hp5_fail_at(file, line,
                    "lpuId[%lld]: the Space has %d dimension%s, so the index must be from 0 to %d",
                    (long long)d, dims, dims == 1 ? "" : "s", dims - 1);
    int64_t rest = lpu->number;
    for (int j = dims - 1; j > d; j--) rest /= lpu->grid->extent[j];
    return rest % lpu->grid->extent[d];
}

/* ---- Who runs what ------------------------------------------------------------------------------- */

Hp5Share hp5_share_placed(const Hp5Worker *w, const Hp5Grid *grid) {
    const int64_t *start = grid->placed->starts + w->position[grid->lps];
    return (Hp5Share){grid->lpus, grid->placed->order, start[0], start[1]};
}

/* ---- <dynamic> ---------------------------------------------------------------------------------- */

Hp5Visit hp5_visit_begin(Hp5Worker *w, Hp5Grid *grid) {
    Hp5Visit visit = {.grid = grid};
    int64_t takers = w->positions[grid->lps];
    if (takers == 1 || takers != w->groups[w->run->desc->lpses[grid->lps].parent]->count) {
        visit.share = hp5_share(w, grid);
    } else {
        visit.chunk = grid->own / (takers * 32) + 1;
    }
    hp5_sync(w, w->run->desc->lpses[grid->lps].parent);
    return visit;
}

bool hp5_visit_more(Hp5Visit *visit) {
    if (visit->chunk == 0) {
        visit->at = hp5_share_next(&visit->share);
        visit->end = visit->at ? visit->at + 1 : NULL;
        return visit->at != NULL;
    }
    int64_t count = visit->grid->own;
    int64_t begin = atomic_fetch_add_explicit(&visit->grid->taken, visit->chunk, memory_order_relaxed);
    if (begin >= count) return false;
    visit->at = visit->grid->lpus + begin;
    visit->end = visit->grid->lpus + (begin + visit->chunk < count ? begin + visit->chunk : count);
    return true;
}

static void give_all_back(void *data) {
    Hp5Grid *grid = data;
    atomic_store_explicit(&grid->taken, 0, memory_order_relaxed);
}

void hp5_visit_end(Hp5Worker *w, Hp5Visit *visit) {
    hp5_barrier_then(w->groups[w->run->desc->lpses[visit->grid->lps].parent], give_all_back, visit->grid);
}

/* ---- COPY storage ------------------------------------------------------------------------------ */

typedef struct Transfer {
    const Hp5Store *to, *from;
} Transfer;

static void transfer_box(const Hp5Box *box, void *data) {
    const Transfer *transfer = data;
    for (int k = 0; k < transfer->to->versions; k++) hp5_box_copy(transfer->to, k, transfer->from, k, box);
}

/* Notes the copying of a box in `versions` versions; true when it shall not happen. */
static bool only_counts(const Hp5Worker *w, const Hp5Store *store, const Hp5Box *box, int versions) {
    if (w->cost == NULL) return false;
    double bytes = (double)store->element_size * versions;
    for (int d = 0; d < store->rank; d++) bytes *= box->hi[d] > box->lo[d] ? (double)(box->hi[d] - box->lo[d]) : 0;
    return hp5_cost_copies(w, bytes);
}

static const Hp5Store *holder_store(const Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot) {
    return hp5_held_view(&w->run->hidden->geometry, lps, slot, lpu->parent)->store;
}

void hp5_copy_in(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot) {
    const Hp5View *view = &lpu->views[slot];
    Hp5Box box = hp5_view_hull(view, view->store->rank);
    Transfer transfer = {view->store, holder_store(w, lpu, lps, slot)};
    if (only_counts(w, view->store, &box, view->store->versions)) return;
    hp5_copy_take(w->run, view->store);
    hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
    if (view->store->entry == NULL) return;
    transfer.to = view->store->entry;
    hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
}

/* One element of a copy whose unpadded part other LPUs hold too. A change of the current version decides: without
 * one, the older versions go back only if nobody else has changed the element. */
static void hand_back_change(const Transfer *transfer, const int64_t *index) {
    const Hp5Store *to = transfer->to, *from = transfer->from, *entry = from->entry;
    int64_t there = hp5_store_offset(to, index), here = hp5_store_offset(from, index);
    int first = 0;
    if (hp5_element_same(from, 0, here, entry, 0, here)) {
        if (!hp5_element_same(to, 0, there, entry, 0, here)) return;
        first = 1;
    }
    for (int k = first; k < from->versions; k++)
        if (first == 0 || !hp5_element_same(from, k, here, entry, k, here)) hp5_element_copy(to, k, there, from, k, here);
}

static void hand_back_changes(const Hp5Box *box, void *data) {
    const Transfer *transfer = data;
    int last = transfer->to->rank - 1, d;
    int64_t index[HP5_MAX_RANK];
    memcpy(index, box->lo, sizeof index);
    do {
        hand_back_change(transfer, index);
        for (d = last; d >= 0 && ++index[d] == box->hi[d]; d--) index[d] = box->lo[d];
    } while (d >= 0);
}

static void lock_store(Hp5Store *store) {
    while (atomic_exchange_explicit(&store->handing, 1, memory_order_acquire) != 0) sched_yield();
}

static void unlock_store(Hp5Store *store) { atomic_store_explicit(&store->handing, 0, memory_order_release); }

void hp5_copy_out(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot) {
    const Hp5View *view = &lpu->views[slot];
    Hp5Box box = hp5_view_own(view, view->store->rank);
    Hp5Store *above = hp5_held_view(&w->run->hidden->geometry, lps, slot, lpu->parent)->store;
    Transfer transfer = {above, view->store};
    if (only_counts(w, view->store, &box, view->store->versions)) return;
    if (view->store->entry == NULL) {
        hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
    } else {
        lock_store(above);
        hp5_box_each(view->part, view->store->rank, &box, hand_back_changes, &transfer);
        unlock_store(above);
    }
    hp5_copy_drop(w->run, view->store);
}

/* ---- Epochs ---------------------------------------------------------------------------------------- */

static void exchange_versions(void *data) {
    Hp5Store *store = data;
    char *current = store->version[0];
    store->version[0] = store->version[1];
    store->version[1] = current;
}

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

/* This thread's share of a view's part: slices that lie together. */
static Hp5Box share_of(const Hp5View *view, const Hp5Group *group, int rank) {
    Hp5Box box = hp5_view_hull(view, view->store->rank);
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
    Hp5Box box = share_of(view, group, w->rank);
    if (store->versions < 2 || only_counts(w, store, &box, store->versions - 1)) return;
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
    if (rotates) hp5_barrier_then(w->groups[lps], exchange_versions, view->store);
    else advance_versions(w, lps, view);
}

typedef struct SharedAdvance {
    Hp5Store *store;
    bool close;
} SharedAdvance;

static void advance_element(const SharedAdvance *advance, const int64_t *index) {
    Hp5Store *store = advance->store;
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
        Hp5Box box = hp5_view_hull(view, store->rank);
        SharedAdvance advance = {store, close};
        if (!only_counts(w, store, &box, close ? 0 : store->versions - 1)) {
            lock_store(store);
            hp5_box_each(view->part, store->rank, &box, advance_elements, &advance);
            unlock_store(store);
        }
    }
    hp5_barrier(group);
}

/* ---- Reductions ---------------------------------------------------------------------------------------- */

void *hp5_partial(Hp5Worker *w, int site, Hp5Lpu *lpu) {
    Hp5Site *at = &w->run->hidden->sites[site];
    at->present[lpu->flat] = 1;
    return at->partials + (size_t)lpu->flat * w->run->desc->reductions[site].size;
}

typedef struct Combine {
    Hp5TaskRun *run;
    int site;
    Hp5Lpu *target;
} Combine;

static void combine_partials(void *data) {
    const Combine *combine = data;
    const Hp5ReduceDesc *desc = &combine->run->desc->reductions[combine->site];
    Hp5Site *site = &combine->run->hidden->sites[combine->site];
    int64_t begin = combine->target->flat, end = begin + 1;
    if (desc->from != desc->to) {
        begin = site->begin[combine->target->flat];
        end = site->end[combine->target->flat];
    }
    desc->combine(site->partials + (size_t)begin * desc->size, site->present + begin, end - begin,
                  combine->target->scalars);
    memset(site->present + begin, 0, (size_t)(end - begin));
}

void hp5_reduce(Hp5Worker *w, int site, Hp5Lpu *target) {
    Combine combine = {w->run, site, target};
    hp5_barrier_then(w->groups[w->run->desc->reductions[site].to], combine_partials, &combine);
}
