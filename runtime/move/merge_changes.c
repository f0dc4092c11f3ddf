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
    for (int i = 0; i < count; i++) hp5_changes_free(&run->hidden->watched[i]);
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
    if (watched->bytes < bytes * store->versions) {
        hp5_free(watched->memory);
        watched->bytes = bytes * store->versions;
        watched->memory = hp5_element_buffer(watched->bytes, array->name);
    }
    on_card(what->w->run, store, &watched->box, hp5_card_take_box);
    for (int k = 0; k < store->versions; k++) {
        watched->before.version[k] = watched->memory + bytes * k;
        hp5_box_copy(&watched->before, k, store, k, &watched->box);
    }
}

static bool has_others(const Hp5Worker *w, int lps) { return !w->predicting && hp5_segments_of(w->run, w->spans[lps]).count > 1; }

void hp5_watch_changes(Hp5Worker *w, int array, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (has_others(w, lps_of(lpu))) hp5_barrier_then(w->groups[lps_of(lpu)], watch, &(Merging){w, array, lpu, bounds});
}

/* ---- Afterwards ----------------------------------------------------------------------------------------- */

/* How many changes a process has, which it tells first. */
typedef struct Number {
    int64_t blocks, elements;
} Number;

/* Messages of all processes that run the LPU, each where `begins` says; this process's own is there. */
typedef struct Messages {
    Hp5Peers peers;
    int64_t *begins; /* one more than there are processes */
    char *memory;
    int me;
} Messages;

/* Each to all others, as long as it is. */
static void send_each(const Messages *all) {
    Hp5Request *requests = hp5_alloc((int64_t)sizeof *requests * 2 * all->peers.count, "merging of changes");
    int count = 0;
    for (int turn = 1; turn < all->peers.count; turn++) {
        const int from = (all->me + turn) % all->peers.count, to = (all->me - turn + all->peers.count) % all->peers.count;
        const int64_t comes = all->begins[from + 1] - all->begins[from], goes = all->begins[all->me + 1] - all->begins[all->me];
        if (comes > 0) hp5_comm_hear(&requests[count++], HP5_TAG_MERGE, all->peers.ranks[from], all->memory + all->begins[from], comes);
        if (goes > 0) hp5_comm_tell(&requests[count++], HP5_TAG_MERGE, all->peers.ranks[to], all->memory + all->begins[all->me], goes);
    }
    hp5_comm_wait_all(requests, count);
    hp5_free(requests);
}

/* Short ones go together, by way of others: there are fewer messages then. */
static void send_together(const Messages *all, int64_t longest) {
    char *mine = hp5_alloc_zeroed(longest, "merging of changes"), *gathered = hp5_alloc(longest * all->peers.count, "merging of changes");
    memcpy(mine, all->memory + all->begins[all->me], (size_t)(all->begins[all->me + 1] - all->begins[all->me]));
    hp5_comm_gather_all(all->peers, HP5_TAG_MERGE, mine, longest, gathered);
    for (int p = 0; p < all->peers.count; p++)
        if (all->begins[p + 1] > all->begins[p]) memcpy(all->memory + all->begins[p], gathered + longest * p, (size_t)(all->begins[p + 1] - all->begins[p]));
    hp5_free(mine);
    hp5_free(gathered);
}

enum { SHORT = 1024 /* bytes, of one process */ };

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
    hp5_changes_find(watched, store);
    const Number mine = {watched->count, watched->elements};
    Number *numbers = hp5_alloc((int64_t)sizeof *numbers * peers.count, "merging of changes");
    hp5_comm_gather_all(peers, HP5_TAG_MERGE, &mine, sizeof mine, numbers);
    Messages all = {.peers = peers, .me = hp5_comm_rank() - peers.ranks[0]};
    int64_t longest = 0;
    all.begins = hp5_alloc_zeroed((int64_t)sizeof *all.begins * (peers.count + 1), "merging of changes");
    for (int p = 0; p < peers.count; p++) {
        const int64_t bytes = (hp5_changes_bytes(store, numbers[p].blocks, numbers[p].elements) + 7) / 8 * 8;
        all.begins[p + 1] = all.begins[p] + bytes;
        longest = bytes > longest ? bytes : longest;
    }
    all.memory = hp5_element_buffer(all.begins[peers.count] + 1, "merging of changes");
    hp5_changes_pack(watched, store, all.memory + all.begins[all.me]);
    if (longest > SHORT) send_each(&all);
    else if (longest > 0) send_together(&all, longest);
    for (int p = 0; p < peers.count; p++)
        if (p != all.me && numbers[p].blocks > 0) hp5_changes_take(watched, store, element, numbers[p].blocks, all.memory + all.begins[p]);
    if (there) on_card(what->w->run, store, &watched->box, hp5_card_give_box);
    hp5_free(all.memory);
    hp5_free(all.begins);
    hp5_free(numbers);
    hp5_free((void *)peers.ranks);
    watched->before = (Hp5Store){0};
}

void hp5_merge_changes(Hp5Worker *w, int array, const Hp5Lpu *lpu) {
    if (!has_others(w, lps_of(lpu))) return;
    Hp5Account *account = account_of(w->run, array), *before = hp5_account_use(account);
    hp5_barrier_then(w->groups[lps_of(lpu)], merge, &(Merging){w, array, lpu, NULL});
    hp5_account_use(before);
}
