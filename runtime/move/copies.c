/* Copies of LPUs (move.h): filled from the holder above when their LPU is entered, handed back when it is left. */
#include "runtime/move/copies.h"
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"
#include <sched.h>
#include <string.h>

/* Notes the copying of a box in `versions` versions; true when it shall not happen. */
bool hp5_only_counts(const Hp5Worker *w, const Hp5Store *store, const Hp5Box *box, int versions) {
    if (w->cost == NULL) return false;
    double bytes = (double)store->element_size * versions;
    for (int d = 0; d < store->rank; d++) bytes *= box->hi[d] > box->lo[d] ? (double)(box->hi[d] - box->lo[d]) : 0;
    return hp5_cost_copies(w, bytes);
}

void hp5_store_lock(Hp5Store *store) {
    while (atomic_exchange_explicit(&store->handing, 1, memory_order_acquire) != 0) sched_yield();
}

void hp5_store_unlock(Hp5Store *store) { atomic_store_explicit(&store->handing, 0, memory_order_release); }

typedef struct Transfer {
    const Hp5Store *to, *from;
    bool alike; /* all versions take the current one */
} Transfer;

static void transfer_box(const Hp5Box *box, void *data) {
    const Transfer *transfer = data;
    for (int k = 0; k < transfer->to->versions; k++) hp5_box_copy(transfer->to, k, transfer->from, transfer->alike ? 0 : k, box);
}

static const Hp5Store *holder_store(const Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot) {
    return hp5_held_view(&w->run->hidden->geometry, lps, slot, lpu->parent)->store;
}

void hp5_copy_in(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot) {
    const Hp5View *view = &lpu->views[slot];
    Hp5Box box = hp5_view_hull(view, view->store->rank);
    Transfer transfer = {view->store, holder_store(w, lpu, lps, slot), false};
    if (hp5_only_counts(w, view->store, &box, view->store->versions)) return;
    hp5_copy_take(w->run, view->store);
    if (!hp5_hosts(w, lps)) return;
    hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
    if (view->store->entry == NULL) return;
    transfer.to = view->store->entry;
    hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
}

int hp5_advances_since(const Hp5Store *before, int64_t at, const Hp5Store *store, int64_t position) {
    for (int n = 0; n < store->versions; n++) {
        int k = 0;
        while (k < store->versions && hp5_element_same(store, k, position, before, k < n ? 0 : k - n, at)) k++;
        if (k == store->versions) return n;
    }
    return HP5_CHANGED;
}

bool hp5_outdoes(int there, int here) { return here != HP5_CHANGED && (there == HP5_CHANGED || there > here); }

/* One element of a copy whose unpadded part other LPUs hold too. That of the LPU which has changed it counts; if none has, that of
 * the one whose Epochs have advanced it most often. In whatever order they come. */
static void hand_back_change(const Transfer *transfer, const int64_t *index) {
    const Hp5Store *to = transfer->to, *from = transfer->from;
    int64_t there = hp5_store_offset(to, index), here = hp5_store_offset(from, index);
    int mine = hp5_advances_since(from->entry, here, from, here), others = mine > 0 ? hp5_advances_since(from->entry, here, to, there) : 0;
    if (!hp5_outdoes(mine, others)) return;
    for (int k = 0; k < from->versions; k++) hp5_element_copy(to, k, there, from, k, here);
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

void hp5_copy_out(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot, bool alike) {
    const Hp5View *view = &lpu->views[slot];
    Hp5Box box = hp5_view_own(view, view->store->rank);
    Hp5Store *above = hp5_held_view(&w->run->hidden->geometry, lps, slot, lpu->parent)->store;
    Transfer transfer = {above, view->store, alike};
    if (hp5_only_counts(w, view->store, &box, view->store->versions)) return;
    if (hp5_hosts(w, lps) && view->store->entry == NULL) {
        hp5_box_each(view->part, view->store->rank, &box, transfer_box, &transfer);
    } else if (hp5_hosts(w, lps)) {
        hp5_store_lock(above);
        hp5_box_each(view->part, view->store->rank, &box, hand_back_changes, &transfer);
        hp5_store_unlock(above);
    }
    hp5_copy_drop(w->run, view->store);
}
