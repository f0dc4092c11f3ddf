/* A run's records as a card sees them: the same structs, with pointers into the card's memory.
 *
 * How to read it: an image is built in the host's memory, where a pointer is written as a place of the image and noted; when all is there,
 * the card's memory is taken and the notes say what to add its address to. Records that an execution changes (scalars, stores) lie
 * together, so that only these go to and fro. */
#include "runtime/card/cargo.h"
#include "runtime/card/image_private.h"
#include "runtime/card/no_card.h"
#include "runtime/card/resident.h"
#include "runtime/move/pattern.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include "runtime/inline.h"
#include <string.h>

enum { LINE = 256 /* elements of each version begin at multiples of it, as cards like them */ };

/* ---- Places --------------------------------------------------------------------------------------------------------- */
static void *grown(void *list, int64_t count, int64_t *capacity, int64_t size) {
    if (count < *capacity) return list;
    int64_t larger = *capacity + *capacity / 2 + 64;
    char *memory = hp5_alloc(larger * size, "records for a card");
    if (count > 0) memcpy(memory, list, (size_t)(count * size));
    hp5_free(list);
    *capacity = larger;
    return memory;
}

int64_t hp5_image_put(Hp5Image *image, const void *data, int64_t bytes) {
    int64_t at = (image->used + 15) / 16 * 16, end = at + bytes;
    if (end > image->capacity) {
        int64_t capacity = end + end / 2 + 4096;
        char *larger = hp5_alloc_zeroed(capacity, "records for a card");
        if (image->used > 0) memcpy(larger, image->bytes, (size_t)image->used);
        hp5_free(image->bytes);
        image->bytes = larger;
        image->capacity = capacity;
    }
    image->used = end;
    if (data != NULL && bytes > 0) memcpy(image->bytes + at, data, (size_t)bytes);
    else if (bytes > 0) memset(image->bytes + at, 0, (size_t)bytes);
    return at;
}

void hp5_image_point(Hp5Image *image, int64_t place, int64_t target) {
    image->pointers = grown(image->pointers, image->pointer_count, &image->pointer_capacity, sizeof *image->pointers);
    image->pointers[image->pointer_count++] = place;
    memcpy(image->bytes + place, &target, sizeof target);
}

void hp5_image_point_store(Hp5Image *image, int64_t place, int64_t number) {
    hp5_image_point(image, place, number);
    image->pointers[image->pointer_count - 1] = -place; /* see relocate */
}

static void point_nowhere(Hp5Image *image, int64_t place) { memset(image->bytes + place, 0, sizeof(void *)); }

/* ---- Stores ----------------------------------------------------------------------------------------------------------- */

/* Its place in the list, from 1 on. Where its record lies follows later: until then a pointer to it is its number. */
static int64_t add_store(Hp5Image *image, Hp5Store *store) {
    image->stores = grown(image->stores, image->store_count, &image->store_capacity, sizeof *image->stores);
    const int64_t bytes = hp5_card_store_bytes(image->run, store), step = (bytes + LINE - 1) / LINE * LINE + LINE;
    const bool stays = store == &image->run->hidden->stores.roots[store->array] && hp5_is_resident(image->run, store->array);
    const bool shared = hp5_is_on_bus(image->run, store->array);
    const bool passes = hp5_memory_of(image->run, store->array) == HP5_SYSMEM;
    int64_t *used = shared ? &image->shared_bytes : passes ? &image->passing_bytes : &image->element_bytes;
    image->stores[image->store_count++] = (Hp5ImageStore){.host = store, .stays = stays, .shared = shared, .passes = passes, .at = *used, .step = step};
    if (!stays) *used += step * store->versions;
    return image->store_count;
}

/* Beside it what a copy had when it was filled, where several LPUs hold its elements. */
static void note_store(Hp5Image *image, Hp5Store *store) {
    if (image->store_places[store->number] != 0) return;
    image->store_places[store->number] = add_store(image, store);
    if (store->entry == NULL) return;
    const int64_t entry = add_store(image, store->entry);
    image->stores[image->store_places[store->number] - 1].entry = entry;
}

static int64_t bounds_place(Hp5Image *image, const int64_t *bounds, int rank) { return hp5_image_put(image, bounds, rank * (int64_t)sizeof *bounds); }

static void put_store(Hp5Image *image, Hp5ImageStore *store) {
    const Hp5Store *host = store->host;
    const int64_t at = store->record = hp5_image_put(image, host, sizeof *host);
    for (int k = 0; k < HP5_MAX_VERSIONS; k++) point_nowhere(image, MEMBER(Hp5Store, at, version) + k * (int64_t)sizeof(char *));
    point_nowhere(image, MEMBER(Hp5Store, at, fields));
    point_nowhere(image, MEMBER(Hp5Store, at, places));
    point_nowhere(image, MEMBER(Hp5Store, at, entry));
    point_nowhere(image, MEMBER(Hp5Store, at, memory));
    point_nowhere(image, MEMBER(Hp5Store, at, advanced));
    point_nowhere(image, MEMBER(Hp5Store, at, writers));
}

/* What says where fields lie: their offsets and sizes, without names. */
static int64_t put_fields(Hp5Image *image, const Hp5Element *element) {
    const int64_t at = hp5_image_put(image, element, sizeof *element), fields = hp5_image_put(image, element->fields, element->field_count * (int64_t)sizeof *element->fields);
    point_nowhere(image, MEMBER(Hp5Element, at, text));
    hp5_image_point(image, MEMBER(Hp5Element, at, fields), fields);
    for (int f = 0; f < element->field_count; f++) {
        const Hp5Element *inside = element->fields[f].element;
        const int64_t field = fields + f * (int64_t)sizeof *element->fields, size = hp5_image_put(image, inside, sizeof *inside);
        point_nowhere(image, MEMBER(Hp5Field, field, name));
        point_nowhere(image, MEMBER(Hp5Element, size, text));
        point_nowhere(image, MEMBER(Hp5Element, size, fields));
        hp5_image_point(image, MEMBER(Hp5Field, field, element), size);
    }
    return at;
}

static void point_to_fields(Hp5Image *image, const Hp5ImageStore *store) {
    int64_t *known = &image->fields[store->host->array];
    if (store->host->fields == NULL) return;
    if (*known == 0) *known = put_fields(image, store->host->fields);
    hp5_image_point(image, MEMBER(Hp5Store, store->record, fields), *known);
}

static void put_bounds(Hp5Image *image, const Hp5ImageStore *store) {
    const int64_t lo = bounds_place(image, store->host->array_lo, store->host->rank);
    const int64_t extent = bounds_place(image, store->host->array_extent, store->host->rank);
    hp5_image_point(image, MEMBER(Hp5Store, store->record, array_lo), lo);
    hp5_image_point(image, MEMBER(Hp5Store, store->record, array_extent), extent);
    const int64_t places = store->host->lps == 0 ? image->places[store->host->array].at : 0;
    if (places > 0) hp5_image_point(image, MEMBER(Hp5Store, store->record, places), places);
    if (store->entry > 0) hp5_image_point(image, MEMBER(Hp5Store, store->record, entry), image->stores[store->entry - 1].record);
    if (store->host->versions > 2) hp5_image_point(image, MEMBER(Hp5Store, store->record, advanced), hp5_image_put(image, NULL, hp5_store_elements(store->host) + 1));
}

/* ---- LPUs --------------------------------------------------------------------------------------------------------------- */

static int64_t put_sets(Hp5Image *image, const Hp5Set *sets, int rank) {
    const int64_t at = hp5_image_put(image, sets, rank * (int64_t)sizeof *sets);
    for (int d = 0; d < rank; d++) {
        if (sets[d].runs == NULL) continue;
        const int64_t runs = hp5_image_put(image, sets[d].runs, sets[d].run_count * (int64_t)sizeof *sets[d].runs);
        hp5_image_point(image, MEMBER(Hp5Set, at + d * (int64_t)sizeof *sets, runs), runs);
    }
    return at;
}

static int64_t put_views(Hp5Image *image, const Hp5Lpu *lpu, int lps) {
    const Hp5LpsDesc *desc = &image->run->desc->lpses[lps];
    const int64_t at = hp5_image_put(image, lpu->views, desc->var_count * (int64_t)sizeof *lpu->views);
    for (int v = 0; v < desc->var_count; v++) {
        const Hp5View *view = &lpu->views[v];
        const int64_t place = at + v * (int64_t)sizeof *view;
        const int rank = image->run->desc->arrays[desc->vars[v].array].rank;
        hp5_image_point(image, MEMBER(Hp5View, place, part), put_sets(image, view->part, rank));
        hp5_image_point(image, MEMBER(Hp5View, place, own), hp5_image_put(image, view->own, rank * (int64_t)sizeof *view->own));
        if (view->store == NULL || (view->store->lps == 0 && image->run->desc->arrays[view->store->array].home != 0)) continue; /* no elements, but bounds */
        note_store(image, view->store);
        const int64_t record = hp5_image_put_part(image, lpu, lps, desc->vars[v].array, view);
        if (record > 0) hp5_image_point(image, MEMBER(Hp5View, place, store), record);
        else hp5_image_point_store(image, MEMBER(Hp5View, place, store), view->store->number);
    }
    return at;
}

static void put_scalars(Hp5Image *image, const Hp5Lpu *lpu, int lps) {
    const int64_t bytes = (int64_t)image->run->desc->lpses[lps].scalars_size;
    if (bytes == 0) return;
    image->scalars = grown(image->scalars, image->scalar_count, &image->scalar_capacity, sizeof *image->scalars);
    image->scalars[image->scalar_count++] = (Hp5ImageScalars){lpu->scalars, 0, bytes, lps};
}

static int64_t put_placed(Hp5Image *image, const Hp5Grid *grid, int ppus) {
    const Hp5Placed *placed = grid->placed;
    const int64_t at = hp5_image_put(image, NULL, sizeof *placed);
    hp5_image_point(image, MEMBER(Hp5Placed, at, order), hp5_image_put(image, placed->order, grid->own * (int64_t)sizeof *placed->order));
    hp5_image_point(image, MEMBER(Hp5Placed, at, starts), hp5_image_put(image, placed->starts, (ppus + 2) * (int64_t)sizeof *placed->starts));
    return at;
}

static void put_lpu(Hp5Image *image, int64_t at, const Hp5Lpu *lpu, int lps, int64_t parent, int64_t grid);

static void put_grid(Hp5Image *image, int64_t at, const Hp5Grid *grid, int64_t parent) {
    const int64_t lpus = hp5_image_put(image, grid->lpus, grid->own * (int64_t)sizeof *grid->lpus);
    if (grid->count > image->widest) image->widest = grid->count;
    hp5_image_point(image, MEMBER(Hp5Grid, at, lpus), lpus);
    if (grid->placed != NULL) {
        const int64_t placed = put_placed(image, grid, image->run->hidden->geometry.level_counts[grid->lps]);
        hp5_image_point(image, MEMBER(Hp5Grid, at, placed), placed);
    }
    for (int64_t i = 0; i < grid->own; i++) put_lpu(image, lpus + i * (int64_t)sizeof *grid->lpus, &grid->lpus[i], grid->lps, parent, at);
}

/* What a record at `at`, copied already, points to. grid: the place of its grid, or -1 for Root. */
static void put_lpu(Hp5Image *image, int64_t at, const Hp5Lpu *lpu, int lps, int64_t parent, int64_t grid) {
    const int children = image->run->hidden->geometry.shapes[lps].child_count, arrays = image->run->desc->array_count;
    Hp5ImageHere above[arrays + 1];
    memcpy(above, image->here, sizeof *above * (size_t)arrays);
    if (parent >= 0) hp5_image_point(image, MEMBER(Hp5Lpu, at, parent), parent);
    if (grid >= 0) hp5_image_point(image, MEMBER(Hp5Lpu, at, grid), grid);
    hp5_image_point(image, MEMBER(Hp5Lpu, at, views), put_views(image, lpu, lps));
    point_nowhere(image, MEMBER(Hp5Lpu, at, scalars));
    put_scalars(image, lpu, lps);
    if (image->run->desc->lpses[lps].scalars_size > 0) image->scalars[image->scalar_count - 1].at = MEMBER(Hp5Lpu, at, scalars);
    const int64_t grids = hp5_image_put(image, lpu->children, children * (int64_t)sizeof *lpu->children);
    hp5_image_point(image, MEMBER(Hp5Lpu, at, children), grids);
    for (int c = 0; c < children; c++) put_grid(image, grids + c * (int64_t)sizeof *lpu->children, &lpu->children[c], at);
    memcpy(image->here, above, sizeof *above * (size_t)arrays);
}

/* ---- Workers ---------------------------------------------------------------------------------------------------------------- */

static void put_workers(Hp5Image *image) {
    const int lpses = image->run->desc->lps_count, workers = image->run->hidden->threads;
    const int64_t bytes = (int64_t)workers * lpses * (int64_t)sizeof(int);
    const int64_t position = hp5_image_put(image, NULL, bytes), positions = hp5_image_put(image, NULL, bytes);
    for (int w = 0; w < workers; w++) {
        const int64_t at = (int64_t)w * lpses * (int64_t)sizeof(int);
        memcpy(image->bytes + position + at, image->run->workers[w].position, sizeof(int) * (size_t)lpses);
        memcpy(image->bytes + positions + at, image->run->workers[w].positions, sizeof(int) * (size_t)lpses);
    }
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, position), position);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, positions), positions);
}

/* All workers of a process have the same PPU of an LPS that several processes run. */
static void place_in_processes(const Hp5TaskRun *run, int x, Hp5CardLps *lps) {
    const Hp5Span span = run->workers[0].spans[x], mine = run->hidden->geometry.mine;
    lps->spread = hp5_has_processes(run) && hp5_segments_of(run, span).count > 1;
    lps->hosted = !lps->spread || span.first == mine.first;
}

static int64_t put_lpses(Hp5Image *image) {
    const Hp5TaskDesc *desc = image->run->desc;
    const int64_t at = hp5_image_put(image, NULL, desc->lps_count * (int64_t)sizeof(Hp5CardLps));
    for (int x = 0; x < desc->lps_count; x++) {
        Hp5CardLps lps = {.ordered = desc->lpses[x].ordered, .dims = desc->lpses[x].dims, .parent = desc->lpses[x].parent};
        const Hp5Holder *holders = image->run->hidden->geometry.shapes[x].holders;
        const int64_t place = at + x * (int64_t)sizeof lps;
        if (lps.ordered) hp5_descends(&desc->lpses[x], lps.descends);
        place_in_processes(image->run, x, &lps);
        memcpy(image->bytes + place, &lps, sizeof lps);
        if (holders != NULL) hp5_image_point(image, MEMBER(Hp5CardLps, place, holders), hp5_image_put(image, holders, desc->lpses[x].var_count * (int64_t)sizeof *holders));
    }
    return at;
}

/* Of LPUs that run rounds together: behind the flat number of a grid's first one by its number in the grid. */
static void put_rounds(Hp5Image *image, int locksteps) {
    int64_t most = 1;
    for (int x = 0; x < image->run->desc->lps_count; x++)
        if (image->run->hidden->geometry.shapes[x].lpus > most) most = image->run->hidden->geometry.shapes[x].lpus;
    most += image->widest;
    memcpy(image->bytes + MEMBER(Hp5CardRun, 0, rounds_each), &most, sizeof most);
    if (locksteps > 0) hp5_image_point(image, MEMBER(Hp5CardRun, 0, rounds), hp5_image_put(image, NULL, locksteps * most * (int64_t)sizeof(Hp5Rounds)));
}

/* ---- All of it -------------------------------------------------------------------------------------------------------------- */

static void put_run(Hp5Image *image, const Hp5CardTask *task, int warps) {
    Hp5TaskRun *run = image->run;
    const Hp5CardRun first = {.root = run->root, .lps_count = run->desc->lps_count, .moves = hp5_has_processes(run)};
    hp5_image_put(image, &first, sizeof first);
    hp5_image_put_batches(image);
    put_lpu(image, MEMBER(Hp5CardRun, 0, root), &run->root, 0, -1, -1);
    hp5_image_put_tables(image);
    put_workers(image);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, tiers), hp5_image_put(image, task->tiers, run->desc->lps_count * (int64_t)sizeof(int)));
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, lpses), put_lpses(image));
    put_rounds(image, task->locksteps);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, sites), hp5_image_put_sites(image));
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, exchanges), hp5_image_put_exchanges(image));
    if (task->checked) hp5_image_put_checks(image);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, slots), hp5_image_put(image, NULL, (int64_t)HP5_SLOTS(warps) * HP5_SLOT_BYTES));
}

/* Behind everything that stays as it is. */
static void put_changing(Hp5Image *image) {
    const int64_t numbers = (int64_t)image->run->hidden->stores.table.count * HP5_STORE_CHUNK;
    const int64_t list = hp5_image_put(image, NULL, (numbers + 1) * (int64_t)sizeof(Hp5Store *));
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, stores), list);
    image->changing = (image->used + 15) / 16 * 16;
    const int64_t strays = hp5_image_put(image, NULL, image->run->desc->gather_groups + 1);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, strays), strays);
    if (image->run->desc->limits != NULL) image->limits = hp5_image_put(image, NULL, image->run->desc->lps_count * (int64_t)sizeof(Hp5CardLimit));
    if (image->limits > 0) hp5_image_point(image, MEMBER(Hp5CardRun, 0, limits), image->limits);
    image->values = hp5_image_put(image, NULL, image->globals_size);
    hp5_image_point(image, MEMBER(Hp5CardRun, 0, globals), image->values);
    for (int64_t i = 0; i < image->scalar_count; i++) {
        const int64_t at = hp5_image_put(image, NULL, image->scalars[i].bytes);
        hp5_image_point(image, image->scalars[i].at, at);
        image->scalars[i].at = at;
    }
    image->stores_begin = image->used;
    for (int64_t i = 0; i < image->store_count; i++) put_store(image, &image->stores[i]);
    image->stores_end = image->used;
    for (int64_t i = 0; i < image->store_count; i++) {
        const Hp5ImageStore store = image->stores[i];
        put_bounds(image, &store);
        point_to_fields(image, &store);
        if (image->store_places[store.host->number] == i + 1) hp5_image_point(image, list + store.host->number * (int64_t)sizeof(Hp5Store *), store.record);
    }
}

/* Places become addresses. */
static void relocate(Hp5Image *image) {
    for (int64_t i = 0; i < image->pointer_count; i++) {
        const bool of_store = image->pointers[i] < 0;
        char *place = image->bytes + (of_store ? -image->pointers[i] : image->pointers[i]), *address;
        int64_t target;
        memcpy(&target, place, sizeof target);
        if (of_store) target = image->stores[image->store_places[target] - 1].record;
        address = image->card + target;
        memcpy(place, &address, sizeof address);
    }
}

static void check(const Hp5Image *image, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": %s failed on the card: %s", image->run->desc->name, what, error);
}

static void check_memory(const Hp5Image *image, const char *error) {
    int64_t bytes = image->element_bytes + image->passing_bytes;
    for (int64_t i = 0; i < image->store_count; i++)
        if (image->stores[i].stays && !image->stores[i].shared) bytes += image->stores[i].step * image->stores[i].host->versions;
    if (error != NULL)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": the card has no memory for its arrays, which take %lld bytes: %s (with `Region a: STAGED` in the mapping array a lies in the host's memory, and parts of it come to the card)", image->run->desc->name, (long long)bytes, error);
}

/* Memory for the stores of one kind. */
static void take_elements(Hp5Image *image, char **place, int64_t bytes, bool passes, bool shared) {
    void *memory;
    if (*place != NULL || bytes == 0) return;
    const char *error = image->driver->allocate(&memory, bytes + 1, shared);
    if (shared) check(image, error, "taking memory of the host that the card reaches");
    else check_memory(image, error);
    *place = memory;
    for (int64_t i = 0; i < image->store_count; i++) {
        Hp5ImageStore *store = &image->stores[i];
        for (int k = 0; !store->stays && store->passes == passes && store->shared == shared && k < store->host->versions; k++)
            store->memory[k] = *place + store->at + k * store->step;
    }
}

void hp5_image_begin(Hp5Image *image) {
    take_elements(image, &image->elements, image->element_bytes, false, false);
    take_elements(image, &image->passing, image->passing_bytes, true, false);
}

void hp5_image_end(Hp5Image *image) {
    if (image->passing != NULL) image->driver->release(image->passing, false);
    image->passing = NULL;
}

/* Of arrays that stay on the card: of all versions but the current one. */
static void take_versions(Hp5Image *image) {
    for (int64_t i = 0; i < image->store_count; i++)
        for (int k = 1; image->stores[i].stays && k < image->stores[i].host->versions; k++) {
            void *memory;
            const char *error = image->driver->allocate(&memory, image->stores[i].step, image->stores[i].shared);
            if (image->stores[i].shared) check(image, error, "taking memory of the host that the card reaches");
            else check_memory(image, error);
            image->stores[i].memory[k] = memory;
        }
}

Hp5Image *hp5_image_create(Hp5TaskRun *run, const Hp5CardTask *task, int blocks, int warps) {
    Hp5Image *image = hp5_alloc_zeroed(sizeof *image, "records for a card");
    image->run = run;
    image->driver = hp5_card_driver(task);
    image->globals_size = task->globals_size;
    image->store_places = hp5_alloc_zeroed(((int64_t)run->hidden->stores.table.count * HP5_STORE_CHUNK + 1) * (int64_t)sizeof(int64_t), "records for a card");
    image->fields = hp5_alloc_zeroed((run->desc->array_count + 1) * (int64_t)sizeof *image->fields, "records for a card");
    image->here = hp5_alloc_zeroed((run->desc->array_count + 1) * (int64_t)sizeof *image->here, "records for a card");
    image->batches = hp5_batches_create(run, blocks);
    put_run(image, task, warps);
    put_changing(image);
    void *memory;
    check(image, image->driver->allocate(&memory, image->used, false), "taking memory for records");
    image->card = memory;
    hp5_image_take_staging(image);
    take_elements(image, &image->shared, image->shared_bytes, false, true);
    take_versions(image);
    hp5_image_take_checks(image, warps);
    check(image, image->driver->desk(&image->desk, &image->desk_of_card), "taking memory for messages");
    relocate(image);
    memcpy(image->bytes + MEMBER(Hp5CardRun, 0, desk), &image->desk_of_card, sizeof image->desk_of_card);
    check(image, hp5_card_give(image->driver, HP5_CARGO_RECORDS, image->card, image->bytes, image->used), "copying records");
    return image;
}

void hp5_image_use_clock(Hp5Image *image, Hp5CardClock *clock) {
    const int64_t at = MEMBER(Hp5CardRun, 0, clock);
    memcpy(image->bytes + at, &clock, sizeof clock);
    check(image, hp5_card_give(image->driver, HP5_CARGO_RECORDS, image->card + at, image->bytes + at, sizeof clock), "copying records");
}

void hp5_image_free(Hp5Image *image) {
    if (image == NULL) return;
    image->driver->release(image->card, false);
    if (image->elements != NULL) image->driver->release(image->elements, false);
    hp5_image_end(image);
    if (image->shared != NULL) image->driver->release(image->shared, true);
    if (image->staging != NULL) image->driver->release(image->staging, true);
    if (image->checks != NULL) image->driver->release(image->checks, false);
    for (int64_t i = 0; i < image->store_count; i++)
        for (int k = 1; image->stores[i].stays && k < image->stores[i].host->versions; k++) image->driver->release(image->stores[i].memory[k], image->stores[i].shared);
    hp5_image_free_texts(image);
    image->driver->forget(image->desk);
    hp5_batches_free(image->batches);
    hp5_free(image->parts);
    hp5_free(image->here);
    hp5_free(image->bytes);
    hp5_free(image->pointers);
    hp5_free(image->stores);
    hp5_free(image->scalars);
    hp5_free(image->store_places);
    hp5_free(image->fields);
    hp5_free(image->places);
    hp5_free(image);
}

Hp5Batches *hp5_image_batches(const Hp5Image *image) { return image->batches; }

int64_t hp5_image_stores(const Hp5Image *image, Hp5ImageStore **stores) {
    *stores = image->stores;
    return image->store_count;
}

Hp5ImageStore *hp5_image_store(const Hp5Image *image, const Hp5Store *host) {
    const int64_t place = image->store_places[host->number];
    return place > 0 ? &image->stores[place - 1] : NULL;
}

/* Where the card has the version of that lag, as it was told last. */
static char *version_of(const Hp5Image *image, const Hp5ImageStore *store, int lag) {
    char *address;
    memcpy(&address, image->bytes + MEMBER(Hp5Store, store->record, version) + lag * (int64_t)sizeof address, sizeof address);
    return address;
}

char *hp5_image_version(const Hp5Image *image, const Hp5Store *host, int lag) {
    return version_of(image, hp5_image_store(image, host), lag);
}

void *hp5_image_scalar(const Hp5Image *image, const void *of_card) {
    const int64_t at = (const char *)of_card - image->card;
    if (at >= image->values && at < image->values + image->globals_size) return (char *)image->run->globals + (at - image->values);
    int64_t low = 0, high = image->scalar_count - 1; /* they lie in their order */
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (image->scalars[middle].at <= at) low = middle;
        else high = middle - 1;
    }
    return (char *)image->scalars[low].host + (at - image->scalars[low].at);
}

Hp5CardSite hp5_image_site(const Hp5Image *image, int site) {
    const char *sites;
    Hp5CardSite found;
    memcpy(&sites, image->bytes + MEMBER(Hp5CardRun, 0, sites), sizeof sites);
    memcpy(&found, image->bytes + (sites - image->card) + site * (int64_t)sizeof found, sizeof found);
    return found;
}

int hp5_image_current(const Hp5Image *image, const Hp5ImageStore *store) {
    const char *address = version_of(image, store, 0);
    int k = 0;
    while (k + 1 < store->host->versions && store->memory[k] != address) k++;
    return k;
}

Hp5CardRun *hp5_image_run(const Hp5Image *image) { return (Hp5CardRun *)(void *)image->card; }

Hp5CardDesk *hp5_image_desk(const Hp5Image *image, Hp5CardDesk **of_card) {
    *of_card = image->desk_of_card;
    return image->desk;
}
