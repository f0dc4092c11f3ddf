/* Which side has the newest elements of a run's stores, the host or the card. What the other one has changed a side gets when it wants it, once: before an
 * execution the card gets what came to the host's stores since the last one; after it the card keeps what the task has written, until somebody on
 * the host reads that. Elements that come from one run's stores to another's, of the same process, go from memory of the card to
 * memory of the card (runtime/run/routes.c), and boxes that come in messages go to the card as boxes.
 *
 * How to read it: stores and their states; boxes of them; and an execution. Arrays that the process has as a whole stay with their items instead
 * (resident.c), and copies of LPUs come and go on the card itself. */
#include "runtime/card/sides.h"
#include "runtime/card/box_rows.h"
#include "runtime/card/cargo.h"
#include "runtime/card/execute.h"
#include "runtime/card/image.h"
#include "runtime/card/no_card.h"
#include "runtime/card/resident.h"
#include "runtime/run/private.h"

static void check(const Hp5TaskRun *run, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" is mapped to a card, and %s: %s", run->desc->name, what, error);
}

static const Hp5CardDriver *driver_of(const Hp5TaskRun *run) { return hp5_card_driver(run->desc->card); }

/* ---- Stores ------------------------------------------------------------------------------------------------------------ */

static bool is_copy(const Hp5TaskRun *run, const Hp5Store *store) {
    const int slot = store->lps > 0 ? hp5_slot_of(run->desc, store->lps, store->array) : -1;
    return slot >= 0 && run->desc->lpses[store->lps].vars[slot].storage == HP5_COPY;
}

/* It has two sides. */
static bool has_sides(const Hp5TaskRun *run, const Hp5ImageStore *store) { return !store->stays && !is_copy(run, store->host); }

/* NULL: what the host has of it is all there is. */
static Hp5ImageStore *store_on_card(const Hp5TaskRun *run, const Hp5Store *store) {
    if (run == NULL || run->hidden->card == NULL) return NULL;
    Hp5ImageStore *found = hp5_image_store(hp5_card_image(run), store);
    return found != NULL && has_sides(run, found) ? found : NULL;
}

static void take_whole(const Hp5TaskRun *run, Hp5ImageStore *store) {
    const Hp5Store *host = store->host;
    check(run, hp5_card_take(driver_of(run), hp5_cargo_of(run, host->array), host->version[0], store->memory[0], hp5_card_store_bytes(run, host)), "its elements cannot come back");
    store->newest = HP5_BOTH_SIDES;
}

static void make_zeros(const Hp5TaskRun *run, Hp5ImageStore *store) {
    check(run, driver_of(run)->clear(store->memory[0], hp5_card_store_bytes(run, store->host)), "its elements cannot be made");
    store->newest = HP5_BOTH_SIDES;
}

static void give_whole(const Hp5TaskRun *run, Hp5ImageStore *store) {
    const Hp5Store *host = store->host;
    check(run, hp5_card_give(driver_of(run), hp5_cargo_of(run, host->array), store->memory[0], host->version[0], hp5_card_store_bytes(run, host)), "its elements cannot go there");
    store->newest = HP5_BOTH_SIDES;
}

typedef void Hp5SidesVisit(const Hp5TaskRun *run, Hp5ImageStore *store);
static void each_store(const Hp5TaskRun *run, int array, Hp5SidesVisit *visit) {
    Hp5ImageStore *stores;
    if (run->hidden->card == NULL) return;
    const int64_t count = hp5_image_stores(hp5_card_image(run), &stores);
    for (int64_t i = 0; i < count; i++)
        if (stores[i].host->array == array && has_sides(run, &stores[i])) visit(run, &stores[i]);
}

static void is_the_hosts(const Hp5TaskRun *run, Hp5ImageStore *store) {
    (void)run;
    store->newest = HP5_HOST_SIDE;
}

static void is_zeros(const Hp5TaskRun *run, Hp5ImageStore *store) {
    (void)run;
    store->newest = HP5_BOTH_ZEROS;
}

static void fetch(const Hp5TaskRun *run, Hp5ImageStore *store) {
    if (store->newest == HP5_CARD_SIDE) take_whole(run, store);
}

void hp5_sides_outdate(const Hp5TaskRun *run, int array, bool zeros) { each_store(run, array, zeros ? is_zeros : is_the_hosts); }

void hp5_sides_fetch(const Hp5TaskRun *run, int array) {
    pthread_mutex_lock(&hp5_item_lock);
    each_store(run, array, fetch);
    pthread_mutex_unlock(&hp5_item_lock);
}

/* ---- Boxes ------------------------------------------------------------------------------------------------------------- */

typedef struct Moving {
    const Hp5TaskRun *run;
    const Hp5ImageStore *store, *from; /* from: on the card, too; NULL: between the two sides of the store */
    bool takes;
} Moving;

static void move_rows(const Hp5Rows *rows, void *data) {
    const Moving *moving = data;
    const Hp5CardDriver *driver = driver_of(moving->run);
    const Hp5Cargo cargo = hp5_cargo_of(moving->run, moving->store->host->array);
    if (moving->from != NULL) check(moving->run, driver->copy_rows(rows->here, rows->here_pitch, rows->there, rows->there_pitch, rows->width, rows->rows), "its elements cannot move there");
    else check(moving->run, hp5_card_move_rows(driver, cargo, moving->takes, rows->there, rows->here, rows->here_pitch, rows->width, rows->rows), "its elements cannot move");
}

/* In which neighbours are neighbours in all stores. */
static void move_even(const Hp5Box *box, void *data) {
    const Moving *moving = data;
    const Hp5Store *store = moving->store->host, *from = moving->from != NULL ? moving->from->host : store;
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < store->rank; d++) count[d] = box->hi[d] - box->lo[d];
    const Hp5BoxSide here = {store, moving->store->memory[0], hp5_store_offset(store, box->lo)};
    const Hp5BoxSide there = {from, moving->from != NULL ? moving->from->memory[0] : from->version[0], hp5_store_offset(from, box->lo)};
    hp5_each_rows(&here, &there, count, move_rows, data);
}

static void move_box(const Moving *moving, const Hp5Box *box) {
    hp5_box_each_even(moving->store->host, moving->from != NULL ? moving->from->host : moving->store->host, box, move_even, (void *)(uintptr_t)moving);
}

void hp5_sides_take(const Hp5TaskRun *run, const Hp5Store *store, const Hp5Box *box) {
    const Hp5ImageStore *found = store_on_card(run, store);
    if (found != NULL && found->newest == HP5_CARD_SIDE) move_box(&(Moving){run, found, NULL, true}, box);
}

void hp5_sides_give(const Hp5TaskRun *run, const Hp5Store *store, const Hp5Box *box) {
    Hp5ImageStore *found = store_on_card(run, store);
    if (found == NULL || found->newest == HP5_HOST_SIDE) return; /* it goes there as a whole */
    if (found->newest == HP5_BOTH_ZEROS) make_zeros(run, found);
    move_box(&(Moving){run, found, NULL, false}, box);
}

bool hp5_sides_copy(const Hp5TaskRun *to_run, const Hp5Store *to, const Hp5TaskRun *from_run, const Hp5Store *from, const Hp5Box *box) {
    Hp5ImageStore *there = store_on_card(to_run, to), *here = store_on_card(from_run, from);
    if (there == NULL || here == NULL || there->newest == HP5_HOST_SIDE || here->newest == HP5_HOST_SIDE || here->newest == HP5_BOTH_ZEROS || there->passes || here->passes) return false;
    if (!hp5_boxes_are_alike(to, from)) return false;
    if (there->newest == HP5_BOTH_ZEROS) make_zeros(to_run, there);
    there->newest = HP5_CARD_SIDE;
    move_box(&(Moving){to_run, there, here, false}, box);
    return true;
}

void hp5_sides_settle(const Hp5TaskRun *run) {
    if (run != NULL && run->hidden->card != NULL) check(run, hp5_card_settle_rows(driver_of(run)), "its elements cannot move");
}

/* ---- An execution -------------------------------------------------------------------------------------------------------- */

/* As it is at the start. */
static void make_versions(const Hp5TaskRun *run, const Hp5ImageStore *store) {
    const int64_t bytes = hp5_card_store_bytes(run, store->host);
    for (int k = 1; k < store->host->versions; k++) check(run, driver_of(run)->copy(store->memory[k], store->memory[0], bytes), "versions cannot be made");
}

void hp5_sides_begin(Hp5TaskRun *run, const bool *zeros) {
    Hp5ImageStore *stores;
    const int64_t count = hp5_image_stores(hp5_card_image(run), &stores);
    for (int64_t i = 0; i < count; i++) {
        Hp5ImageStore *store = &stores[i];
        if (is_copy(run, store->host)) continue;
        if (store->stays) store->memory[0] = hp5_resident_elements(run, store->host->array, zeros[store->host->array]);
        else if (store->newest == HP5_HOST_SIDE) give_whole(run, store);
        else if (store->newest == HP5_BOTH_ZEROS) make_zeros(run, store);
        make_versions(run, store);
    }
}

static bool is_written(const Hp5TaskRun *run, const Hp5Store *store) { return run->desc->written == NULL || run->desc->written[store->array]; }

/* The card has the current elements where it has them; what passes leaves the card's memory now. */
void hp5_sides_end(Hp5TaskRun *run) {
    Hp5ImageStore *stores;
    const int64_t count = hp5_image_stores(hp5_card_image(run), &stores);
    for (int64_t i = 0; i < count; i++) {
        Hp5ImageStore *store = &stores[i];
        if (is_copy(run, store->host)) continue;
        if (is_written(run, store->host)) {
            const int current = hp5_image_current(hp5_card_image(run), store);
            char *newest = store->memory[current];
            store->memory[current] = store->memory[0];
            store->memory[0] = newest;
            if (store->stays) hp5_resident_changed(run->items[store->host->array], newest);
            else store->newest = HP5_CARD_SIDE;
        }
        if (!store->passes) continue;
        fetch(run, store);
        store->newest = HP5_HOST_SIDE;
    }
}
