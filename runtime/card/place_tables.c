/* Where the indices lie of which a process has some (runtime/store/places.h), for a card: a table for each dimension with gaps. It has a number for each index of the
 * array, which is much less than the array has, and stages look each place up (compiler/emit/program/layout.c). Indices one after the
 * other that the process has lie side by side, so tiles of products ask for that of their first rows and columns alone.
 *
 * What leaders get now and then lies in slots, which the host gives out when messages bring it; the card's tables hear of it before the kernel goes on. A
 * card's memory does not grow meanwhile: it has room for as many as leaders may have at the same time (hp5_most_in_slots), or for all. */
#include "runtime/card/cargo.h"
#include "runtime/card/image_private.h"
#include "runtime/move/exchange.h"
#include "runtime/run/private.h"
#include "runtime/store/slots.h"
#include <string.h>

/* Slices of the slowest dimension that the card has room for, of a store with slots. */
static int64_t slices_of(const Hp5TaskRun *run, const Hp5Store *store) {
    const int d = hp5_store_slowest(store);
    const int64_t own = hp5_set_count(&store->places[d].here), others = store->extent[d] - own, most = hp5_most_in_slots(run, store->array);
    return own + (most < others ? most : others);
}

int64_t hp5_card_store_bytes(const Hp5TaskRun *run, const Hp5Store *store) {
    if (hp5_slots_of(store) == NULL) return hp5_store_bytes(run->desc, store);
    return slices_of(run, store) * store->stride[hp5_store_slowest(store)] * (int64_t)store->element_size;
}

void hp5_card_check_box(const Hp5TaskRun *run, const Hp5Store *store, int64_t offset, const int64_t *count) {
    const int d = hp5_store_slowest(store);
    const int64_t end = offset / store->stride[d] + count[d];
    if (hp5_slots_of(store) == NULL || end <= slices_of(run, store)) return;
    hp5_fail(HP5_EXIT_FAILURE, "a mistake in HP5, which is worth a report: the card has room for %lld slices of array %s, and slice %lld comes", (long long)slices_of(run, store),
             run->desc->arrays[store->array].name, (long long)end);
}

/* ---- Tables ---------------------------------------------------------------------------------------------------------------- */

/* What the process has no room for has no place that anybody asks for. */
static int64_t place_in(const Hp5Store *store, int d, int64_t index) {
    if (!hp5_store_has(store, d, index)) return store->lo[d];
    return store->places ? hp5_place_of(&store->places[d], index) : index;
}

static int64_t put_table(Hp5Image *image, const Hp5Store *store, int d) {
    const int64_t extent = store->array_extent[d], at = hp5_image_put(image, NULL, extent * (int64_t)sizeof(int64_t));
    for (int64_t i = 0; i < extent; i++) {
        const int64_t place = place_in(store, d, store->array_lo[d] + i);
        memcpy(image->bytes + at + i * (int64_t)sizeof place, &place, sizeof place);
    }
    return at;
}

void hp5_image_put_tables(Hp5Image *image) {
    const Hp5TaskDesc *desc = image->run->desc;
    image->places = hp5_alloc_zeroed((desc->array_count + 1) * (int64_t)sizeof *image->places, "records for a card");
    for (int a = 0; a < desc->array_count && desc->held != NULL; a++) {
        const Hp5Store *store = &image->run->hidden->stores.roots[a];
        Hp5ImagePlaces *places = &image->places[a];
        if (desc->held[a].gaps == 0) continue;
        places->at = hp5_image_put(image, NULL, store->rank * (int64_t)sizeof(Hp5CardPlaces));
        for (int d = 0; d < store->rank; d++) {
            if ((desc->held[a].gaps >> d & 1) == 0) continue;
            const int64_t table = put_table(image, store, d);
            hp5_image_point(image, places->at + d * (int64_t)sizeof(Hp5CardPlaces), table);
            if (d == hp5_store_slowest(store)) places->slowest = table;
        }
    }
}

/* ---- Slots ----------------------------------------------------------------------------------------------------------------- */

typedef struct Giving {
    Hp5Image *image;
    const Hp5Store *store;
    int64_t table;
} Giving;

static void give_entry(int64_t index, int64_t place, void *data) {
    const Giving *giving = data;
    const Hp5Store *store = giving->store;
    Hp5Image *image = giving->image;
    const int d = hp5_store_slowest(store);
    const int64_t at = giving->table + (index - store->array_lo[d]) * (int64_t)sizeof place;
    if (memcmp(image->bytes + at, &place, sizeof place) == 0) return;
    memcpy(image->bytes + at, &place, sizeof place);
    const char *error = hp5_card_give(image->driver, HP5_CARGO_RECORDS, image->card + at, image->bytes + at, sizeof place);
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": copying places failed on the card: %s", image->run->desc->name, error);
}

void hp5_image_give_tables(Hp5Image *image) {
    for (int a = 0; a < image->run->desc->array_count; a++) {
        const Hp5Store *store = &image->run->hidden->stores.roots[a];
        struct Hp5Slots *slots = hp5_slots_of(store);
        if (slots != NULL && image->places[a].slowest > 0) hp5_slots_each(slots, give_entry, &(Giving){image, store, image->places[a].slowest});
    }
}
