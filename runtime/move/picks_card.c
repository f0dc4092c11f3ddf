/* Picks of a task on a card (picks_find.h), whose stores in the host's memory are places on the way: what is packed comes from the card before, and what
 * has been unpacked goes there. Runs go one by one; where there are many, the slices that they lie in go as a whole. */
#include "runtime/card/execute.h"
#include "runtime/move/picks_find.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"

enum { MOST_RUNS = 256 };

typedef void MoveBox(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count);

static void move_versions(const Hp5TaskRun *run, const Hp5Store *store, int64_t offset, const int64_t *count, MoveBox *move) {
    for (int k = 0; k < store->versions; k++) move(run, store, k, offset, count);
}

static void move_runs(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store, MoveBox *move) {
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < store->rank; d++) count[d] = 1;
    for (int64_t i = 0; i < list->count; i++) {
        if (store->rank > 0) count[store->rank - 1] = hp5_pick_count(list->runs[i]);
        move_versions(run, store, hp5_pick_offset(list->runs[i]), count, move);
    }
}

static void move_slices(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store, MoveBox *move) {
    const int slowest = hp5_store_slowest(store);
    int64_t first = INT64_MAX, end = 0, count[HP5_MAX_RANK];
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t slice = hp5_pick_offset(list->runs[i]) / store->stride[slowest];
        const int64_t behind = slice + (slowest == store->rank - 1 ? hp5_pick_count(list->runs[i]) : 1);
        if (slice < first) first = slice;
        if (behind > end) end = behind;
    }
    for (int d = 0; d < store->rank; d++) count[d] = d == slowest ? end - first : store->extent[d];
    move_versions(run, store, first * store->stride[slowest], count, move);
}

static bool has_many(const Hp5PickList *list, const Hp5Store *store) { return list->count > MOST_RUNS && store->rank > 0; }

void hp5_picks_from_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store) {
    if (run->hidden->card == NULL) return;
    if (has_many(list, store)) move_slices(run, list, store, hp5_card_take_box);
    else move_runs(run, list, store, hp5_card_take_box);
    hp5_card_settle(run);
}

void hp5_picks_before_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store) {
    if (run->hidden->card != NULL && has_many(list, store)) hp5_picks_from_card(run, list, store);
}

void hp5_picks_to_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store) {
    if (run->hidden->card == NULL) return;
    if (has_many(list, store)) move_slices(run, list, store, hp5_card_give_box);
    else move_runs(run, list, store, hp5_card_give_box);
    hp5_card_settle(run);
}

/* ---- What inspectors look at -------------------------------------------------------------------------------------- */

typedef struct Taking {
    const Hp5TaskRun *run;
    const Hp5Store *store;
    int slot;
} Taking;

static void take_even(const Hp5Box *box, void *data) {
    const Taking *taking = data;
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < taking->store->rank; d++) count[d] = box->hi[d] - box->lo[d];
    hp5_card_take_box(taking->run, taking->store, 0, hp5_store_offset(taking->store, box->lo), count);
}

static void take_store(Taking taking) {
    Hp5Box all;
    if (taking.store == NULL || taking.store->version[0] == NULL) return;
    for (int d = 0; d < taking.store->rank; d++) {
        all.lo[d] = taking.store->lo[d];
        all.hi[d] = all.lo[d] + taking.store->extent[d];
        if (all.hi[d] <= all.lo[d]) return;
    }
    hp5_box_each_even(taking.store, NULL, &all, take_even, &taking);
}

static void take_own(Hp5Lpu *lpu, void *data) {
    const Taking *taking = data;
    take_store((Taking){taking->run, lpu->views[taking->slot].store, 0});
}

void hp5_picks_look(Hp5TaskRun *run, int array) {
    const Hp5TaskDesc *desc = run->desc;
    if (run->hidden->card == NULL) return;
    if (desc->arrays[array].home == 0) take_store((Taking){run, &run->hidden->stores.roots[array], 0});
    for (int x = 1; x < desc->lps_count; x++) {
        const int slot = hp5_slot_of(desc, x, array);
        const bool has_own = slot >= 0 && (desc->lpses[x].vars[slot].storage == HP5_COPY || desc->lpses[x].vars[slot].storage == HP5_HOME);
        if (has_own) hp5_each_lpu(run, x, take_own, &(Taking){run, NULL, slot});
    }
    hp5_card_settle(run);
}
