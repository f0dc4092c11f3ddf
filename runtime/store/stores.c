/* Stores: shaped and numbered while the tree is built (hp5_roots_create, hp5_stores_of_grid), freed with the run. What is in them
 * comes before each execution (runtime/run/fill.c). A HOME array has no whole-array buffer: its copies are the array. */
#include "runtime/store/elements.h"
#include "runtime/lpu/geometry.h"
#include "runtime/report/error.h"
#include <stdint.h>
#include <string.h>

enum {
    SMALL_BYTES = 64 << 10,
    LINE = 64,
    APART =
        576 /* versions that start at the same place in their pages get in each other's way in the cache */
};

/* ---- Memory ------------------------------------------------------------------------------------ */

/* Buffers begin at multiples of LINE. */
int64_t hp5_layout_slack(Hp5Layout layout) { return layout.align > LINE ? layout.align - LINE : 0; }

char *hp5_layout_start(Hp5Layout layout, char *memory) {
    return layout.align > LINE ? memory + (-(uintptr_t)memory & (uintptr_t)(layout.align - 1)) : memory;
}

bool hp5_layout_holds(const Hp5Item *item, Hp5Layout layout) {
    return item->layout.fortran == layout.fortran && item->layout.split == layout.split &&
           (!layout.split || layout.align <= LINE || item->layout.align == layout.align) &&
           hp5_layout_start(layout, item->data) == item->data;
}

/* The run frees it at its end. */
static void own_buffer(Hp5Stores *stores, void *buffer, int64_t bytes) {
    stores->bytes += bytes;
    if (stores->buffer_count == stores->buffer_capacity) {
        int64_t capacity = stores->buffer_capacity * 2 + 16;
        void **larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "arrays");
        if (stores->buffer_count > 0)
            memcpy(larger, stores->buffers, sizeof *larger * (size_t)stores->buffer_count);
        hp5_free(stores->buffers);
        stores->buffers = larger;
        stores->buffer_capacity = capacity;
    }
    stores->buffers[stores->buffer_count++] = buffer;
}

int64_t hp5_store_bytes(const Hp5TaskDesc *desc, const Hp5Store *store) {
    int64_t bytes = (int64_t)store->element_size;
    bool over = false;
    for (int d = 0; d < store->rank; d++) over = over || __builtin_mul_overflow(bytes, store->extent[d], &bytes);
    if (over || (store->fields && __builtin_mul_overflow((int64_t)store->element_size, store->capacity, &bytes)) ||
        bytes > INT64_MAX / 16)
        hp5_fail(HP5_EXIT_FAILURE, "array %s of task %s is larger than the address space",
                 desc->arrays[store->array].name, desc->name);
    return bytes;
}

/* For epochs of elements that several LPUs hold. */
static void give_marks(Hp5Stores *all, Hp5Store *stores, int64_t count, const char *name) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) total += hp5_store_elements(&stores[i]);
    unsigned char *marks = hp5_alloc_zeroed(total > 0 ? total : 1, name);
    own_buffer(all, marks, total);
    for (int64_t i = 0; i < count; marks += hp5_store_elements(&stores[i]), i++) stores[i].advanced = marks;
}

/* ---- Numbers ------------------------------------------------------------------------------------------ */

/* The number of the first of `count` stores that lie together; the others follow it. */
static int32_t take_numbers(Hp5StoreTable *table, Hp5Store *stores, int64_t count) {
    int64_t chunks = (count + HP5_STORE_CHUNK - 1) / HP5_STORE_CHUNK;
    int32_t first = table->count * HP5_STORE_CHUNK;
    if (table->count + chunks > table->capacity) {
        int64_t capacity = table->capacity + table->capacity / 2 + chunks + 8;
        Hp5Store **larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "arrays");
        if (table->count > 0) memcpy(larger, table->chunks, sizeof *larger * (size_t)table->count);
        hp5_free(table->chunks);
        table->chunks = larger;
        table->capacity = (int32_t)capacity;
    }
    for (int64_t i = 0; i < count; i += HP5_STORE_CHUNK) table->chunks[table->count++] = &stores[i];
    return first;
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

/* The whole array's bounds: of a process of several, Root's store has less. */
static void give_bounds(Hp5Stores *all, Hp5Store *root, const Hp5Item *item) {
    int64_t *bounds = hp5_slab_take(all->slab, (int64_t)sizeof *bounds * 2 * (item->rank + 1));
    memcpy(bounds, item->lo, sizeof *bounds * (size_t)item->rank);
    memcpy(bounds + item->rank, item->extent, sizeof *bounds * (size_t)item->rank);
    root->array_lo = bounds;
    root->array_extent = bounds + item->rank;
}

void hp5_roots_create(Hp5Stores *all, Hp5Item *const *items, bool elements) {
    const Hp5TaskDesc *desc = all->geometry->desc;
    all->roots =
        hp5_slab_take(all->slab, (int64_t)sizeof(Hp5Store) * (desc->array_count + 1));
    all->packed = hp5_slab_take(all->slab, (int64_t)sizeof *all->packed * (desc->array_count + 1));
    memset(all->packed, 0, sizeof *all->packed * (size_t)(desc->array_count + 1));
    all->root_buffers = hp5_alloc_zeroed(
        (int64_t)sizeof *all->root_buffers * (desc->array_count + 1) * HP5_MAX_VERSIONS, "arrays");
    int32_t first = take_numbers(&all->table, all->roots, desc->array_count);
    for (int a = 0; a < desc->array_count; a++) {
        const Hp5Item *item = items[a];
        Hp5Store *store = &all->roots[a];
        hp5_store_shape(store, item->rank, item->lo, item->extent, desc->arrays[a].versions, item->element,
                        hp5_layout_of(desc, a));
        store->number = first + a;
        store->array = a;
        give_bounds(all, store, item);
        if (!elements) continue;
        int64_t bytes = hp5_store_bytes(desc, store);
        bool kept = desc->arrays[a].home == 0 && !hp5_collects_array(desc, a);
        for (int k = 1; kept && k < store->versions; k++) {
            Hp5Layout layout = hp5_layout_of(desc, a);
            char *buffer = hp5_element_buffer(bytes + k * APART + hp5_layout_slack(layout), desc->arrays[a].name);
            store->version[k] = hp5_layout_start(layout, buffer + k * APART);
            all->bytes += bytes;
            all->root_buffers[a * HP5_MAX_VERSIONS + k] =
                (struct Hp5RootBuffer){buffer, store->version[k]};
        }
        if (desc->arrays[a].home == 0 && store->versions > 2) give_marks(all, store, 1, desc->arrays[a].name);
    }
}

/* Of a version, without the indices that lie behind the set of places of the slowest dimension. */
static int64_t packed_bytes(const Hp5TaskDesc *desc, const Hp5Store *store) {
    int d = hp5_store_slowest(store);
    if (store->places == NULL || store->rank == 0) return hp5_store_bytes(desc, store);
    return hp5_set_count(&store->places[d].here) * store->stride[d] * (int64_t)store->element_size;
}

void hp5_root_cut(Hp5Stores *all, int array, const Hp5Box *held, const Hp5Places *places, bool elements, bool packed) {
    const Hp5TaskDesc *desc = all->geometry->desc;
    Hp5Layout layout = hp5_layout_of(desc, array);
    Hp5Store *store = &all->roots[array], whole = *store;
    int64_t extent[HP5_MAX_RANK];
    for (int d = 0; d < whole.rank; d++) extent[d] = held->hi[d] > held->lo[d] ? held->hi[d] - held->lo[d] : 0;
    hp5_store_shape(store, whole.rank, held->lo, extent, whole.versions, desc->arrays[array].element, layout);
    store->number = whole.number;
    store->array = array;
    store->array_lo = whole.array_lo;
    store->array_extent = whole.array_extent;
    store->places = places;
    if (!elements) return;
    int64_t step = hp5_version_step(hp5_store_bytes(desc, store), layout), bytes = step * store->versions + hp5_layout_slack(layout);
    int64_t filled = packed ? packed_bytes(desc, store) : 0;
    char *memory = hp5_element_zeros(bytes, desc->arrays[array].name);
    all->packed[array] = filled * store->versions >= HP5_LARGE_BYTES ? filled : 0;
    own_buffer(all, memory, bytes);
    for (int k = 0; k < store->versions; k++) store->version[k] = hp5_layout_start(layout, memory) + k * step;
    if (places == NULL && packed) hp5_want_large_pages(memory, bytes);
    for (int k = 0; k < store->versions && places != NULL; k++) hp5_want_large_pages(store->version[k], filled);
    if (store->versions > 2) give_marks(all, store, 1, desc->arrays[array].name);
}

int64_t hp5_box_together(const Hp5Store *store, const Hp5Box *box, int version, char **begin) {
    if (store->rank == 0 || store->places != NULL || store->version[version] == NULL) return 0;
    const int slowest = hp5_store_slowest(store);
    const int64_t step = store->stride[slowest] * (int64_t)store->element_size;
    for (int d = 0; d < store->rank; d++)
        if (d != slowest && (box->lo[d] > store->lo[d] || box->hi[d] < store->lo[d] + store->extent[d])) return 0;
    *begin = store->version[version] + (box->lo[slowest] - store->lo[slowest]) * step;
    return (box->hi[slowest] - box->lo[slowest]) * step;
}

void hp5_box_wants_large_pages(const Hp5Store *store, const Hp5Box *box) {
    for (int k = 0; k < store->versions; k++) {
        char *begin;
        const int64_t bytes = hp5_box_together(store, box, k, &begin);
        if (bytes > 0) hp5_want_large_pages(begin, bytes);
    }
}

Hp5Box hp5_view_hull(const Hp5View *view, int rank) {
    Hp5Box box = {{0}, {0}};
    for (int d = 0; d < rank; d++) {
        box.lo[d] = view->part[d].begin;
        box.hi[d] = view->part[d].end;
    }
    return box;
}

Hp5Box hp5_view_own(const Hp5View *view, int rank) {
    Hp5Box box = {{0}, {0}};
    for (int d = 0; d < rank; d++) {
        box.lo[d] = view->own[d].begin;
        box.hi[d] = view->own[d].end;
    }
    return box;
}

/* Bytes from one version of a copy to the next. */
int64_t hp5_version_step(int64_t bytes, Hp5Layout layout) {
    int64_t line = layout.align > LINE ? layout.align : LINE, step = (bytes + line - 1) / line * line;
    return step > 0 && step % 4096 == 0 && line == LINE ? step + APART : step;
}

/* Memory for all versions of `count` copies, `total` bytes in all. */
static void give_buffers(Hp5Stores *all, Hp5Store *stores, int64_t count, int64_t total, const Hp5ArrayDesc *desc) {
    char *buffer;
    const Hp5TaskDesc *task = all->geometry->desc;
    Hp5Layout layout = hp5_layout_of(task, (int)(desc - task->arrays));
    total += hp5_layout_slack(layout);
    if (total <= SMALL_BYTES) {
        buffer = hp5_slab_take(all->slab, total + LINE);
        buffer += -(uintptr_t)buffer & (LINE - 1);
    } else {
        own_buffer(all, buffer = hp5_element_buffer(total, desc->name), total);
    }
    buffer = hp5_layout_start(layout, buffer);
    for (int64_t i = 0; i < count; i++) {
        int64_t step = hp5_version_step(hp5_store_bytes(task, &stores[i]), layout);
        for (int k = 0; k < desc->versions; k++, buffer += step) stores[i].version[k] = buffer;
    }
}

bool hp5_copies_are_shared(const Hp5TaskDesc *desc, int lps, int array) {
    for (int x = lps; x > 0; x = desc->lpses[x].parent) {
        int slot = hp5_slot_of(desc, x, array);
        if (x != lps && slot >= 0 && hp5_has_copies(&desc->lpses[x].vars[slot])) return false;
        for (int d = 0; d < desc->lpses[x].dims && !desc->lpses[x].sub_partition; d++)
            if (slot < 0 || desc->lpses[x].vars[slot].dims[d].function == HP5_REPLICATED) return true;
    }
    return false;
}

static void copies_of_grid(Hp5Stores *all, Hp5Grid *grid, int v, int array) {
    const Hp5TaskDesc *task = all->geometry->desc;
    const Hp5ArrayDesc *desc = &task->arrays[array];
    const Hp5Layout layout = hp5_layout_of(task, array);
    Hp5Store *stores = hp5_slab_take(all->slab, grid->own * (int64_t)sizeof *stores);
    int64_t total = 0;
    int32_t first = take_numbers(&all->table, stores, grid->own);
    for (int64_t i = 0; i < grid->own; i++) {
        Hp5View *view = &grid->lpus[i].views[v];
        int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
        for (int d = 0; d < desc->rank; d++) {
            lo[d] = view->part[d].begin;
            extent[d] = view->part[d].end - view->part[d].begin;
        }
        hp5_store_shape(&stores[i], desc->rank, lo, extent, desc->versions, desc->element, layout);
        stores[i].number = first + (int32_t)i;
        stores[i].lps = grid->lps;
        stores[i].array = array;
        stores[i].array_lo =
            all->roots[array].array_lo; /* the whole array's bounds, whichever item is bound */
        stores[i].array_extent = all->roots[array].array_extent;
        view->store = &stores[i];
        total += hp5_version_step(hp5_store_bytes(task, &stores[i]), layout) * desc->versions;
    }
    bool copies = task->lpses[grid->lps].vars[v].storage == HP5_COPY;
    bool kept = copies ? !hp5_collects_copies(task, array) : !hp5_collects_array(task, array);
    if (kept) give_buffers(all, stores, grid->own, total, desc);
    if (desc->versions > 2) give_marks(all, stores, grid->own, desc->name);
    if (!hp5_copies_are_shared(task, grid->lps, array)) return;
    Hp5Store *entries = hp5_slab_take(all->slab, grid->own * (int64_t)sizeof *entries);
    for (int64_t i = 0; i < grid->own; i++) {
        entries[i] = stores[i];
        stores[i].entry = &entries[i];
    }
    if (kept) give_buffers(all, entries, grid->own, total, desc);
}

/* Those of the LPUs with the same numbers, which have been built; a process that has none of these runs none of the others. */
static void stores_at_home(const Hp5Stores *all, const Hp5Lpu *parent, Hp5Grid *grid, int v) {
    const Hp5TaskDesc *desc = all->geometry->desc;
    const int array = desc->lpses[grid->lps].vars[v].array, home = desc->arrays[array].home, slot = hp5_slot_of(desc, home, array);
    const Hp5Grid *there = &parent->children[all->geometry->shapes[home].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        const Hp5Lpu *host = hp5_find_lpu(there, grid->lpus[i].number);
        grid->lpus[i].views[v].store = host != NULL ? host->views[slot].store : NULL;
    }
}

void hp5_stores_of_grid(Hp5Stores *all, const Hp5Lpu *parent, Hp5Grid *grid) {
    const Hp5LpsDesc *lps = &all->geometry->desc->lpses[grid->lps];
    for (int v = 0; v < lps->var_count; v++) {
        if (hp5_has_copies(&lps->vars[v])) {
            copies_of_grid(all, grid, v, lps->vars[v].array);
            continue;
        }
        if (lps->vars[v].storage == HP5_AT_HOME) {
            stores_at_home(all, parent, grid, v);
            continue;
        }
        Hp5Store *store = hp5_held_view(all->geometry, grid->lps, v, parent)->store;
        for (int64_t i = 0; i < grid->own; i++) grid->lpus[i].views[v].store = store;
    }
}

const Hp5Store *hp5_store_in(const Hp5Stores *stores, const Hp5Lpu *lpu, int array) {
    for (; lpu->grid != NULL; lpu = lpu->parent) {
        int slot = hp5_slot_of(stores->geometry->desc, lpu->grid->lps, array);
        if (slot >= 0) return lpu->views[slot].store;
    }
    return &stores->roots[array];
}

/* ---- The end ---------------------------------------------------------------------------------------- */

void hp5_stores_free(Hp5Stores *stores) {
    for (int a = 0; stores->roots && a < stores->geometry->desc->array_count; a++) hp5_slots_free(hp5_slots_of(&stores->roots[a]));
    for (int64_t i = 0; i < stores->buffer_count; i++) hp5_free(stores->buffers[i]);
    hp5_free(stores->buffers);
    hp5_free(stores->table.chunks);
    for (int i = 0; stores->root_buffers && i < stores->geometry->desc->array_count * HP5_MAX_VERSIONS; i++)
        hp5_free(stores->root_buffers[i].memory);
    hp5_free(stores->root_buffers);
}
