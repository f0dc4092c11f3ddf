/* Elements that several processes hold alike and a stage of one Space writes (move.h): each element by one LPU, and nobody but that LPU
 * knows which. So each process keeps what it had before the stage, and tells the others what is different afterwards. Of several
 * versions all go: Epochs of some LPUs, or copies that are handed back, have advanced them. */
#include "runtime/card/execute.h"
#include "runtime/comm/accounts.h"
#include "runtime/move/changes.h"
#include "runtime/move/exchange.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <string.h>


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

/* Of one array in an LPU that several processes run: what the process had, of the box that the stage may write; without memory: nothing. */
static Hp5Watch *watched_of(const Merging *what) {
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
    Hp5Watch *watched = watched_of(what);
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

static int64_t size_of(const Hp5Store *store) { return (int64_t)store->element_size * store->versions; }

/* Each process says how many changes it has, and then which. */
static void merge(void *data) {
    const Merging *what = data;
    Hp5Watch *watched = watched_of(what);
    const Hp5Store *store = store_of(what);
    const Hp5Element *element = what->w->run->desc->arrays[what->array].element;
    Hp5Peers peers = hp5_peers_of(what->w->run, what->w->spans[lps_of(what->lpu)]);
    hp5_account_happens(account_of(what->w->run, what->array), -1);
    const bool there = watched->before.version[0] != NULL;
    if (there) on_card(what->w->run, store, &watched->box, hp5_card_take_box);
    const int64_t mine = hp5_changes_count(watched, store);
    int64_t most = 0, *counts = hp5_alloc((int64_t)sizeof *counts * peers.count, "merging of changes");
    hp5_comm_gather_all(peers, HP5_TAG_MERGE, &mine, sizeof mine, counts);
    for (int p = 0; p < peers.count; p++) most = counts[p] > most ? counts[p] : most;
    const int64_t head = most * (int64_t)sizeof(int64_t), bytes = (head + most * size_of(store) + 63) / 64 * 64;
    char *message = hp5_element_buffer(bytes + 1, "merging of changes"), *all = hp5_element_buffer(bytes * peers.count + 1, "merging of changes");
    const int64_t listed = mine * (int64_t)sizeof(int64_t), valued = head + mine * size_of(store);
    hp5_changes_list(watched, store, (int64_t *)(void *)message, message + head);
    memset(message + listed, 0, (size_t)(head - listed));
    memset(message + valued, 0, (size_t)(bytes - valued));
    if (most > 0) hp5_comm_gather_all(peers, HP5_TAG_MERGE, message, bytes, all);
    for (int p = 0; p < peers.count; p++) {
        char *from = all + bytes * p;
        if (counts[p] > 0) hp5_changes_take(watched, store, element, counts[p], (const int64_t *)(const void *)from, from + head);
    }
    if (there) on_card(what->w->run, store, &watched->box, hp5_card_give_box);
    hp5_free(message);
    hp5_free(all);
    hp5_free(counts);
    hp5_free((void *)peers.ranks);
    hp5_free(watched->before.version[0]);
    watched->before = (Hp5Store){0};
}

void hp5_merge_changes(Hp5Worker *w, int array, const Hp5Lpu *lpu) {
    if (!has_others(w, lps_of(lpu))) return;
    Hp5Account *account = account_of(w->run, array), *before = hp5_account_use(account);
    hp5_barrier_then(w->groups[lps_of(lpu)], merge, &(Merging){w, array, lpu, NULL});
    hp5_account_use(before);
}
