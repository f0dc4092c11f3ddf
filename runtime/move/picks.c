/* Picks (picks.h): how they travel. What they are is found in picks_find.c. */
#include "runtime/move/picks.h"
#include "runtime/move/picks_find.h"
#include "runtime/run/private.h"
#include <string.h>

static int64_t bytes_of(const Hp5PickList *list, const Hp5Store *store) { return list->elements * store->versions * (int64_t)store->element_size; }

/* ---- Packing ------------------------------------------------------------------------------------------------ */

/* Elements of a row lie together in it, whole. */
static bool is_plain(const Hp5Store *store) { return store->fields == NULL && (store->rank == 0 || store->stride[store->rank - 1] == 1); }

static void copy_run(char *to, const char *from, int64_t count, size_t size) {
    if (count == 1 && size == sizeof(double)) memcpy(to, from, sizeof(double));
    else memcpy(to, from, (size_t)count * size);
}

static void move_plain(const Hp5PickList *list, const Hp5Store *store, char *message, bool pack) {
    size_t size = store->element_size;
    for (int k = 0; k < store->versions; k++)
        for (int64_t i = 0; i < list->count; i++) {
            int64_t count = hp5_pick_count(list->runs[i]);
            char *elements = store->version[k] + hp5_pick_offset(list->runs[i]) * (int64_t)size;
            if (pack) copy_run(message, elements, count, size);
            else copy_run(elements, message, count, size);
            message += count * (int64_t)size;
        }
}

static void move_apart(const Hp5PickList *list, const Hp5Store *store, char *memory, bool pack) {
    static const int64_t zero[1];
    const Hp5Element element = {.size = store->element_size};
    int64_t extent[1] = {list->elements}, at = 0, step = store->rank == 0 ? 1 : store->stride[store->rank - 1];
    Hp5Store message;
    hp5_store_shape(&message, 1, zero, extent, store->versions, &element, (Hp5Layout){0});
    for (int k = 0; k < store->versions; k++) message.version[k] = memory + k * list->elements * (int64_t)store->element_size;
    for (int64_t i = 0; i < list->count; i++)
        for (int64_t e = 0; e < hp5_pick_count(list->runs[i]); e++, at++)
            for (int k = 0; k < store->versions; k++) {
                int64_t here = hp5_pick_offset(list->runs[i]) + e * step;
                if (pack) hp5_element_copy(&message, k, at, store, k, here);
                else hp5_element_copy(store, k, here, &message, k, at);
            }
}

static void move_list(const Hp5PickList *list, const Hp5Store *store, char *message, bool pack) {
    if (is_plain(store)) move_plain(list, store, message, pack);
    else move_apart(list, store, message, pack);
}

static void pack(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store, char *message) {
    hp5_picks_from_card(run, list, store);
    move_list(list, store, message, true);
}

static void unpack(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store, char *message) {
    hp5_picks_before_card(run, list, store);
    move_list(list, store, message, false);
    hp5_picks_to_card(run, list, store);
}

/* ---- Travelling ---------------------------------------------------------------------------------------------- */

void hp5_picks_create(Hp5Picks *picks, const Hp5TaskRun *run, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent, Hp5Touched *touched, int tag,
                      Hp5Account *account) {
    *picks = (Hp5Picks){.store = hp5_store_in(&run->hidden->stores, parent, movement.array), .account = account};
    Hp5Account *before = hp5_account_use(account);
    hp5_picks_find(picks, run, movement, holders, parent, touched);
    hp5_account_use(before);
    int count = picks->receive_count + picks->send_count, first = run->hidden->segments.first_rank;
    picks->requests = hp5_alloc_zeroed((int64_t)sizeof *picks->requests * (count + 1), "movements");
    picks->starts = hp5_alloc_zeroed((int64_t)sizeof *picks->starts * (count + 1), "movements");
    for (int i = 0; i < count; i++) picks->starts[i + 1] = picks->starts[i] + (bytes_of(&picks->lists[i], picks->store) + 63) / 64 * 64;
    picks->memory = hp5_element_buffer(picks->starts[count], "movements");
    for (int i = 0; i < count; i++) {
        int64_t bytes = bytes_of(&picks->lists[i], picks->store);
        if (i < picks->receive_count) hp5_comm_prepare_receive(&picks->requests[i], picks->memory + picks->starts[i], bytes, first + picks->lists[i].peer, tag);
        else hp5_comm_prepare_send(&picks->requests[i], picks->memory + picks->starts[i], bytes, first + picks->lists[i].peer, tag);
    }
}

void hp5_picks_free(Hp5Picks *picks) {
    int count = picks->receive_count + picks->send_count;
    for (int i = 0; i < count; i++) {
        hp5_comm_free(&picks->requests[i]);
        hp5_free(picks->lists[i].runs);
    }
    hp5_free(picks->lists);
    hp5_free(picks->memory);
    hp5_free(picks->starts);
    hp5_free(picks->requests);
    *picks = (Hp5Picks){0};
}

void hp5_picks_start(Hp5Picks *picks, const Hp5TaskRun *run) {
    int count = picks->receive_count + picks->send_count;
    Hp5Account *before = hp5_account_use(picks->account);
    int64_t needed = 0;
    for (int i = 0; i < picks->receive_count; i++) needed += bytes_of(&picks->lists[i], picks->store);
    if (count > 0) hp5_account_happens(picks->account, needed);
    for (int i = 0; i < count; i++)
        hp5_plan_message(i < picks->receive_count, run->hidden->segments.first_rank + picks->lists[i].peer, picks->requests[i].tag, bytes_of(&picks->lists[i], picks->store));
    if (picks->receive_count > 0) hp5_comm_start(picks->requests, picks->receive_count);
    for (int i = picks->receive_count; i < count; i++) {
        if (!hp5_simulate_copy(run, picks->requests[i].bytes)) pack(run, &picks->lists[i], picks->store, picks->memory + picks->starts[i]);
        hp5_comm_start(&picks->requests[i], 1);
    }
    hp5_account_use(before);
}

void hp5_picks_finish(Hp5Picks *picks, const Hp5TaskRun *run) {
    int count = picks->receive_count + picks->send_count;
    Hp5Account *before = hp5_account_use(picks->account);
    if (count > 0) hp5_comm_wait_all(picks->requests, count);
    hp5_account_use(before);
    for (int i = 0; i < picks->receive_count; i++)
        if (!hp5_simulate_copy(run, picks->requests[i].bytes)) unpack(run, &picks->lists[i], picks->store, picks->memory + picks->starts[i]);
}
