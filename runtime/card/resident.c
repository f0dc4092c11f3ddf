/* Items in a card's memory. What a task on a card has worked on as a whole stays there: the next task on the card finds it, and it comes
 * back when somebody on the host wants it, once. What the host changes is given anew when a task on the card wants it. */
#include "runtime/card/resident.h"
#include "runtime/card/cargo.h"
#include "runtime/card/no_card.h"
#include "runtime/run/private.h"

typedef enum { BOTH_HAVE_IT, HOST_IS_NEWER, CARD_IS_NEWER } Newest;

struct Hp5Resident {
    const Hp5CardDriver *driver;
    char *memory;
    int64_t bytes;
    Hp5Layout layout;
    bool shared;
    Newest newest;
};

static void check(const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "%s failed on the card: %s", what, error);
}

/* ---- Items ------------------------------------------------------------------------------------------------------------ */

Hp5Memory hp5_memory_of(const Hp5TaskRun *run, int array) {
    const Hp5Memory *memories = run->desc->card->memories;
    return memories == NULL ? HP5_FBMEM : memories[array];
}

bool hp5_is_on_bus(const Hp5TaskRun *run, int array) {
    const Hp5Memory memory = hp5_memory_of(run, array);
    return memory == HP5_ZCMEM || memory == HP5_STAGED;
}

Hp5Cargo hp5_cargo_of(const Hp5TaskRun *run, int array) { return hp5_is_on_bus(run, array) ? HP5_CARGO_SHARED : HP5_CARGO_ELEMENTS; }

bool hp5_is_resident(const Hp5TaskRun *run, int array) {
    return run->desc->card != NULL && !hp5_has_processes(run) && run->desc->arrays[array].home == 0 && hp5_memory_of(run, array) != HP5_SYSMEM && !hp5_collects_array(run->desc, array);
}

static bool is_where_wanted(const Hp5TaskRun *run, int array) {
    const struct Hp5Resident *resident = run->items[array]->resident;
    return resident == NULL || resident->shared == hp5_is_on_bus(run, array);
}

void hp5_residents_fetch(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        const bool stays = hp5_is_resident(run, a);
        if (!stays || !hp5_layout_holds(item, hp5_layout_of(run->desc, a)) || !is_where_wanted(run, a)) hp5_resident_fetch(item);
        if (!stays && run->desc->card != NULL) hp5_resident_free(item);
    }
}

static void make(const Hp5TaskRun *run, int array, int64_t bytes) {
    struct Hp5Resident *resident = run->items[array]->resident = hp5_alloc_zeroed(sizeof *resident, "an array on a card");
    void *memory;
    *resident = (struct Hp5Resident){.driver = hp5_card_driver(run->desc->card), .bytes = bytes, .layout = hp5_layout_of(run->desc, array),
                                     .shared = hp5_is_on_bus(run, array), .newest = HOST_IS_NEWER};
    const char *error = resident->driver->allocate(&memory, bytes + 1, resident->shared);
    if (error != NULL)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": %s has no memory for array %s, which takes %lld bytes: %s%s", run->desc->name, resident->shared ? "the host" : "the card",
                 run->desc->arrays[array].name, (long long)bytes, error, resident->shared ? "" : " (with `Region a: STAGED` in the mapping array a lies in the host's memory, and parts of it come to the card)");
    resident->memory = memory;
}

static char *elements_of(const Hp5TaskRun *run, int array, bool zero) {
    Hp5Item *item = run->items[array];
    const Hp5Store *store = &run->hidden->stores.roots[array];
    if (item->resident != NULL && (!hp5_layout_same(item->resident->layout, hp5_layout_of(run->desc, array)) || !is_where_wanted(run, array))) hp5_resident_free(item);
    if (item->resident == NULL) make(run, array, hp5_store_bytes(run->desc, store));
    struct Hp5Resident *resident = item->resident;
    if (resident->newest == HOST_IS_NEWER) {
        check(zero ? resident->driver->clear(resident->memory, resident->bytes)
                   : hp5_card_give(resident->driver, hp5_cargo_of(run, array), resident->memory, store->version[0], resident->bytes), "copying an array");
        resident->newest = BOTH_HAVE_IT;
    }
    return resident->memory;
}

char *hp5_resident_elements(const Hp5TaskRun *run, int array, bool zero) {
    pthread_mutex_lock(&hp5_item_lock);
    char *memory = elements_of(run, array, zero);
    pthread_mutex_unlock(&hp5_item_lock);
    return memory;
}

void hp5_resident_changed(Hp5Item *item, char *memory) {
    item->resident->memory = memory;
    item->resident->newest = CARD_IS_NEWER;
}

void hp5_resident_outdate(Hp5Item *item) {
    if (item->resident != NULL) item->resident->newest = HOST_IS_NEWER;
}

void hp5_resident_fetch(Hp5Item *item) {
    pthread_mutex_lock(&hp5_item_lock);
    struct Hp5Resident *resident = item->resident;
    if (resident != NULL && resident->newest == CARD_IS_NEWER) {
        check(hp5_card_take(resident->driver, resident->shared ? HP5_CARGO_SHARED : HP5_CARGO_ELEMENTS, item->data, resident->memory, resident->bytes), "copying an array back");
        resident->newest = BOTH_HAVE_IT;
    }
    pthread_mutex_unlock(&hp5_item_lock);
}

void hp5_resident_free(Hp5Item *item) {
    if (item->resident == NULL) return;
    item->resident->driver->release(item->resident->memory, item->resident->shared);
    hp5_free(item->resident);
    item->resident = NULL;
}
