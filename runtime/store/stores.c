/* Elements. How to read it: stores are shaped while the tree is built (hp5_roots_create,
 * hp5_stores_of_grid); before each execution hp5_stores_fill brings the elements in, on all threads, each
 * touching first what it works on; afterwards hp5_stores_return hands the current versions back.
 *
 * A HOME array has no whole-array buffer: each copy reads its box, padding included, from the file or
 * the item, and from then on the item is "spread" over the run. */
#include "runtime/run/private.h"
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
static void own_buffer(Hp5TaskRun *run, void *buffer, int64_t bytes) {
    Hp5RunPrivate *hidden = run->hidden;
    hidden->bytes += bytes;
    if (hidden->buffer_count == hidden->buffer_capacity) {
        int64_t capacity = hidden->buffer_capacity * 2 + 16;
        void **larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "arrays");
        if (hidden->buffer_count > 0)
            memcpy(larger, hidden->buffers, sizeof *larger * (size_t)hidden->buffer_count);
        hp5_free(hidden->buffers);
        hidden->buffers = larger;
        hidden->buffer_capacity = capacity;
    }
    hidden->buffers[hidden->buffer_count++] = buffer;
}

int64_t hp5_store_bytes(const Hp5TaskRun *run, const Hp5Store *store) {
    int64_t bytes = (int64_t)store->element_size;
    bool over = false;
    for (int d = 0; d < store->rank; d++) over = over || __builtin_mul_overflow(bytes, store->extent[d], &bytes);
    if (over || (store->fields && __builtin_mul_overflow((int64_t)store->element_size, store->capacity, &bytes)) ||
        bytes > INT64_MAX / 16)
        hp5_fail(HP5_EXIT_FAILURE, "array %s of task %s is larger than the address space",
                 run->desc->arrays[store->array].name, run->desc->name);
    return bytes;
}

/* For epochs of elements that several LPUs hold. */
static void give_marks(Hp5TaskRun *run, Hp5Store *stores, int64_t count, const char *name) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++) total += hp5_store_elements(&stores[i]);
    unsigned char *marks = hp5_alloc_zeroed(total > 0 ? total : 1, name);
    own_buffer(run, marks, total);
    for (int64_t i = 0; i < count; marks += hp5_store_elements(&stores[i]), i++) stores[i].advanced = marks;
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

void hp5_roots_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    run->hidden->roots =
        hp5_slab_take(&run->hidden->slab, (int64_t)sizeof(Hp5Store) * (desc->array_count + 1));
    run->hidden->root_buffers = hp5_alloc_zeroed(
        (int64_t)sizeof *run->hidden->root_buffers * (desc->array_count + 1) * HP5_MAX_VERSIONS, "arrays");
    for (int a = 0; a < desc->array_count; a++) {
        const Hp5Item *item = run->items[a];
        Hp5Store *store = &run->hidden->roots[a];
        hp5_store_shape(store, item->rank, item->lo, item->extent, desc->arrays[a].versions, item->element,
                        hp5_layout_of(desc, a));
        store->array = a;
        store->array_lo = store->lo;
        store->array_extent = store->extent;
        if (hp5_team_is_imagined(run->team)) continue; /* nobody will look at elements */
        int64_t bytes = hp5_store_bytes(run, store);
        bool kept = desc->arrays[a].home == 0 && !hp5_collects_array(desc, a);
        for (int k = 1; kept && k < store->versions; k++) {
            Hp5Layout layout = hp5_layout_of(desc, a);
            char *buffer = hp5_element_buffer(bytes + k * APART + hp5_layout_slack(layout), desc->arrays[a].name);
            store->version[k] = hp5_layout_start(layout, buffer + k * APART);
            run->hidden->bytes += bytes;
            run->hidden->root_buffers[a * HP5_MAX_VERSIONS + k] =
                (struct Hp5RootBuffer){buffer, store->version[k]};
        }
        if (desc->arrays[a].home == 0 && store->versions > 2) give_marks(run, store, 1, desc->arrays[a].name);
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
static void give_buffers(Hp5TaskRun *run, Hp5Store *stores, int64_t count, int64_t total,
                         const Hp5ArrayDesc *desc) {
    char *buffer;
    Hp5Layout layout = hp5_layout_of(run->desc, (int)(desc - run->desc->arrays));
    total += hp5_layout_slack(layout);
    if (total <= SMALL_BYTES) {
        buffer = hp5_slab_take(&run->hidden->slab, total + LINE);
        buffer += -(uintptr_t)buffer & (LINE - 1);
    } else {
        own_buffer(run, buffer = hp5_element_buffer(total, desc->name), total);
    }
    buffer = hp5_layout_start(layout, buffer);
    for (int64_t i = 0; i < count; i++) {
        int64_t step = hp5_version_step(hp5_store_bytes(run, &stores[i]), layout);
        for (int k = 0; k < desc->versions; k++, buffer += step) stores[i].version[k] = buffer;
    }
}

bool hp5_copies_are_shared(const Hp5TaskDesc *desc, int lps, int array) {
    for (int x = lps; x > 0; x = desc->lpses[x].parent) {
        int slot = hp5_slot_of(desc, x, array);
        if (x != lps && slot >= 0 && desc->lpses[x].vars[slot].storage != HP5_IN_PLACE) return false;
        for (int d = 0; d < desc->lpses[x].dims && !desc->lpses[x].sub_partition; d++)
            if (slot < 0 || desc->lpses[x].vars[slot].dims[d].function == HP5_REPLICATED) return true;
    }
    return false;
}

static void copies_of_grid(Hp5TaskRun *run, Hp5Grid *grid, int v, int array) {
    const Hp5ArrayDesc *desc = &run->desc->arrays[array];
    const Hp5Layout layout = hp5_layout_of(run->desc, array);
    Hp5Store *stores = hp5_slab_take(&run->hidden->slab, grid->own * (int64_t)sizeof *stores);
    int64_t total = 0;
    for (int64_t i = 0; i < grid->own; i++) {
        Hp5View *view = &grid->lpus[i].views[v];
        int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
        for (int d = 0; d < desc->rank; d++) {
            lo[d] = view->part[d].begin;
            extent[d] = view->part[d].end - view->part[d].begin;
        }
        hp5_store_shape(&stores[i], desc->rank, lo, extent, desc->versions, desc->element, layout);
        stores[i].lps = grid->lps;
        stores[i].array = array;
        stores[i].array_lo =
            run->hidden->roots[array].lo; /* the whole array's bounds, whichever item is bound */
        stores[i].array_extent = run->hidden->roots[array].extent;
        view->store = &stores[i];
        total += hp5_version_step(hp5_store_bytes(run, &stores[i]), layout) * desc->versions;
    }
    bool copies = run->desc->lpses[grid->lps].vars[v].storage == HP5_COPY;
    bool kept = copies ? !hp5_collects_copies(run->desc, array) : !hp5_collects_array(run->desc, array);
    if (kept) give_buffers(run, stores, grid->own, total, desc);
    if (desc->versions > 2) give_marks(run, stores, grid->own, desc->name);
    if (!hp5_copies_are_shared(run->desc, grid->lps, array)) return;
    Hp5Store *entries = hp5_slab_take(&run->hidden->slab, grid->own * (int64_t)sizeof *entries);
    for (int64_t i = 0; i < grid->own; i++) {
        entries[i] = stores[i];
        stores[i].entry = &entries[i];
    }
    if (kept) give_buffers(run, entries, grid->own, total, desc);
}

void hp5_stores_of_grid(Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid) {
    const Hp5LpsDesc *lps = &run->desc->lpses[grid->lps];
    for (int v = 0; v < lps->var_count; v++) {
        if (lps->vars[v].storage != HP5_IN_PLACE) {
            copies_of_grid(run, grid, v, lps->vars[v].array);
            continue;
        }
        Hp5Store *store = hp5_held_view(&run->hidden->geometry, grid->lps, v, parent)->store;
        for (int64_t i = 0; i < grid->own; i++) grid->lpus[i].views[v].store = store;
    }
}

/* ---- Walks
 * -------------------------------------------------------------------------------------------------- */

/* The LPSes from Root's child down to `lps`; their number. */
static int path_to(const Hp5TaskDesc *desc, int lps, int *path) {
    int count = 0;
    for (int x = lps; x > 0; x = desc->lpses[x].parent) count++;
    for (int x = lps, i = count; x > 0; x = desc->lpses[x].parent) path[--i] = x;
    return count;
}

static void walk(Hp5Worker *w, const int *path, int count, Hp5Lpu *lpu, Hp5LpuVisit *visit, void *data) {
    if (count == 0) {
        visit(w, lpu, data);
        return;
    }
    const Hp5Grid *grid = &lpu->children[w->run->hidden->geometry.shapes[path[0]].slot];
    Hp5Share share = hp5_share(w, grid);
    for (Hp5Lpu *at; (at = hp5_share_next(&share)) != NULL;)
        walk(w, path + 1, count - 1, at, visit, data);
}

void hp5_visit_lpus(Hp5Worker *w, int lps, Hp5LpuVisit *visit, void *data) {
    int path[w->run->desc->lps_count];
    int count = path_to(w->run->desc, lps, path);
    walk(w, path, count, &w->run->root, visit, data);
}

typedef struct HomeWalk {
    Hp5TaskRun *run;
    int array, rank, home;
    const int *path;
    void (*visit)(const Hp5Store *, const Hp5Box *, void *);
    void *data;
    const Hp5Store *store;
} HomeWalk;

static void visit_home_box(const Hp5Box *box, void *data) {
    const HomeWalk *home = data;
    home->visit(home->store, box, home->data);
}

/* Several LPUs that hold the same part: the first one answers for it. */
static bool is_replica(const Hp5TaskDesc *desc, const Hp5Lpu *lpu, int lps, int slot) {
    if (slot < 0) return lpu->number > 0;
    int64_t rest = lpu->number;
    for (int j = desc->lpses[lps].dims - 1; j >= 0; j--) {
        int64_t coordinate = rest % lpu->grid->extent[j];
        rest /= lpu->grid->extent[j];
        if (coordinate > 0 && desc->lpses[lps].vars[slot].dims[j].function == HP5_REPLICATED) return true;
    }
    return false;
}

static void home_boxes(HomeWalk *home, int depth, Hp5Lpu *lpu, Hp5Box within) {
    int lps = home->path[depth], slot = hp5_slot_of(home->run->desc, lps, home->array);
    Hp5Grid *grid = &lpu->children[home->run->hidden->geometry.shapes[lps].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        Hp5Lpu *at = &grid->lpus[i];
        if (is_replica(home->run->desc, at, lps, slot)) continue;
        Hp5Box box = within;
        for (int d = 0; slot >= 0 && d < home->rank; d++) {
            Hp5Run own = at->views[slot].own[d];
            if (own.begin > box.lo[d]) box.lo[d] = own.begin;
            if (own.end < box.hi[d]) box.hi[d] = own.end;
        }
        if (lps == home->home) {
            home->store = at->views[slot].store;
            hp5_box_each(at->views[slot].part, home->rank, &box, visit_home_box, home);
        } else {
            home_boxes(home, depth + 1, at, box);
        }
    }
}

void hp5_each_home_box(Hp5TaskRun *run, int array, void (*visit)(const Hp5Store *, const Hp5Box *, void *),
                       void *data) {
    int path[run->desc->lps_count], home = run->desc->arrays[array].home;
    path_to(run->desc, home, path);
    HomeWalk state = {.run = run,
                      .array = array,
                      .rank = run->desc->arrays[array].rank,
                      .home = home,
                      .path = path,
                      .visit = visit,
                      .data = data};
    Hp5Box whole = {{0}, {0}};
    for (int d = 0; d < state.rank; d++) {
        whole.lo[d] = run->hidden->roots[array].lo[d];
        whole.hi[d] = whole.lo[d] + run->hidden->roots[array].extent[d];
    }
    home_boxes(&state, 0, &run->root, whole);
}

/* ---- Filling
 * -------------------------------------------------------------------------------------------------- */

static const int64_t MOST_PAIRS = 1 << 22;

typedef struct Move {
    const Hp5Store *to;
    const Hp5Box *within;
} Move;

static void move_box(const Hp5Store *from, const Hp5Box *box, void *data) {
    const Move *move = data;
    Hp5Box cut = *box;
    for (int d = 0; d < from->rank; d++) {
        if (cut.lo[d] < move->within->lo[d]) cut.lo[d] = move->within->lo[d];
        if (cut.hi[d] > move->within->hi[d]) cut.hi[d] = move->within->hi[d];
    }
    hp5_box_copy(move->to, 0, from, 0, &cut);
}

/* The elements of a box of an item, into version 0 of a store; if the item is spread, then over another run. */
static void load_box(const Hp5Item *item, const Hp5Store *store, const Hp5Box *box) {
    for (int d = 0; d < item->rank; d++)
        if (box->lo[d] >= box->hi[d]) return;
    if (item->data) {
        Hp5Store whole = hp5_item_store(item);
        hp5_box_copy(store, 0, &whole, 0, box);
    } else if (item->spread) {
        hp5_each_home_box(item->spread, item->spread_array, move_box, &(Move){store, box});
    } else if (item->file) {
        hp5_box_read(store, item->lo, box, item->file);
    } else {
        hp5_box_zero(store, 0, box);
    }
}

static void equalise(const Hp5Store *store, const Hp5Box *box) {
    for (int k = 1; k < store->versions; k++) hp5_box_copy(store, k, store, 0, box);
}

static void fill_copy(Hp5Worker *w, Hp5Lpu *lpu, void *data) {
    int array = *(const int *)data, home = w->run->desc->arrays[array].home;
    if (!hp5_leads(w, home)) return;
    const Hp5View *view = &lpu->views[hp5_slot_of(w->run->desc, home, array)];
    Hp5Box box = hp5_view_hull(view, view->store->rank);
    if (w->run->items[array]->spread != w->run) load_box(w->run->items[array], view->store, &box);
    equalise(view->store, &box);
}

typedef struct Refresh {
    int exchange;
} Refresh;

static void refresh_padding(Hp5Worker *w, Hp5Lpu *lpu, void *data) {
    hp5_exchange(w, ((const Refresh *)data)->exchange, lpu);
}

/* The flow brings padding up to date wherever it leaves an LPS that has an exchange, so that after an execution only
 * levels without one may hold old padding: from the top level down it is made new. */
static bool needs_refresh(const Hp5TaskRun *run, int array, int lps) {
    int slot = hp5_slot_of(run->desc, lps, array);
    return slot >= 0 && hp5_has_padding(run->desc, lps, slot) &&
           hp5_exchange_find(run, lps, array) >= run->desc->exchange_count;
}

static bool home_needs_refresh(const Hp5TaskRun *run, int array) {
    for (int x = run->desc->arrays[array].home; x > 0; x = run->desc->lpses[x].parent)
        if (needs_refresh(run, array, x)) return true;
    return false;
}

static void refresh_home(Hp5Worker *w, int array) {
    const Hp5TaskDesc *desc = w->run->desc;
    int path[desc->lps_count], count = path_to(desc, desc->arrays[array].home, path);
    for (int i = 0; i < count; i++) {
        if (!needs_refresh(w->run, array, path[i])) continue;
        Refresh refresh = {hp5_exchange_find(w->run, path[i], array)};
        hp5_visit_lpus(w, desc->lpses[path[i]].parent, refresh_padding, &refresh);
    }
}

/* Thread t of T takes a slice of Root's store that lies together; a store that is too short for all is left to the
 * first thread. */
bool hp5_root_slice(const Hp5Store *store, int t, int threads, Hp5Box *box) {
    for (int d = 0; d < store->rank; d++) {
        box->lo[d] = store->lo[d];
        box->hi[d] = store->lo[d] + store->extent[d];
    }
    int d = hp5_store_slowest(store);
    int64_t extent = store->extent[d];
    if (extent < threads) return t == 0;
    box->lo[d] = store->lo[d] + extent / threads * t + (extent % threads) * t / threads;
    box->hi[d] = store->lo[d] + extent / threads * (t + 1) + (extent % threads) * (t + 1) / threads;
    return true;
}

static void fill_root(Hp5Worker *w, int array) {
    const Hp5Store *store = &w->run->hidden->roots[array];
    const Hp5Item *item = w->run->items[array];
    Hp5Box box;
    if (!hp5_root_slice(store, w->rank, w->run->hidden->threads, &box)) return;
    if (item->data != store->version[0]) load_box(item, store, &box);
    equalise(store, &box);
}

static bool array_needs_fill(const Hp5TaskRun *run, int array) {
    if (hp5_collects_array(run->desc, array)) return false; /* zeros, when it is provided */
    if (run->desc->arrays[array].versions > 1) return true;
    if (run->desc->arrays[array].home == 0) return run->items[array]->data != run->hidden->roots[array].version[0];
    return run->items[array]->spread != run || home_needs_refresh(run, array);
}

static void fill_on_thread(int rank, void *data) {
    Hp5TaskRun *run = data;
    if (rank >= run->hidden->threads) return;
    Hp5Worker *w = &run->workers[rank];
    for (int a = 0; a < run->desc->array_count; a++) {
        int home = run->desc->arrays[a].home;
        if (!array_needs_fill(run, a)) continue;
        if (home == 0) {
            fill_root(w, a);
            continue;
        }
        bool again = run->items[a]->spread == run;
        hp5_visit_lpus(w, home, fill_copy, &a);
        if (again) refresh_home(w, a);
    }
}

static bool fill_needs_team(const Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++)
        if (array_needs_fill(run, a)) return true;
    return false;
}

/* Two names for one item are fine while both are only read. Stages and synchronisation are made for arrays that
 * do not overlap, and elements cannot be in two places. */
static void check_aliases(const Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    for (int a = 0; a < desc->array_count; a++)
        for (int b = 0; b < a; b++) {
            if (run->items[a] != run->items[b]) continue;
            const Hp5ArrayDesc *x = &desc->arrays[b], *y = &desc->arrays[a];
            if (x->home == 0 && y->home == 0 && !hp5_layout_same(hp5_layout_of(desc, a), hp5_layout_of(desc, b)))
                hp5_fail(HP5_EXIT_FAILURE,
                         "task \"%s\": its environment names one data item both %s and %s, to which the mapping gives "
                         "different layouts; give them one 'Layout'",
                         desc->name, x->name, y->name);
            bool written = desc->written == NULL || desc->written[a] || desc->written[b];
            if (!written || (desc->written == NULL && x->home == 0 && y->home == 0 && x->versions == 1 && y->versions == 1))
                continue;
            bool first = desc->written == NULL || desc->written[b];
            hp5_fail(HP5_EXIT_FAILURE,
                     "task \"%s\": its environment names one data item both %s and %s, and the task writes %s; give it two items",
                     desc->name, x->name, y->name, first ? x->name : y->name);
        }
}

/* Elements go straight from another run's copies to where this one wants them, unless so many LPUs would look at each
 * other that collecting the array first is cheaper. */
static bool moves_directly(const Hp5TaskRun *run, int array) {
    const Hp5Item *item = run->items[array];
    const Hp5TaskRun *from = item->spread;
    if (from == run) return false;
    int home = run->desc->arrays[array].home, far = from->desc->arrays[item->spread_array].home;
    int64_t mine = home == 0 ? run->hidden->threads : run->hidden->geometry.shapes[home].lpus;
    return mine * from->hidden->geometry.shapes[far].lpus <= MOST_PAIRS;
}

/* Memory for the current version of Root's store: that of an earlier name of the same item, the item's own where that lies
 * as the task wants it, what an item has left behind, or new memory. What is to be freed one day goes to `memory`. */
static void root_memory(Hp5TaskRun *run, int array, char **memory) {
    const Hp5Item *item = run->items[array];
    Hp5Store *store = &run->hidden->roots[array];
    Hp5Layout layout = hp5_layout_of(run->desc, array);
    store->version[0] = item->data != NULL && hp5_layout_holds(item, layout) ? item->data : NULL;
    for (int b = 0; b < array && store->version[0] == NULL; b++)
        if (run->items[b] == item && run->desc->arrays[b].home == 0) store->version[0] = run->hidden->roots[b].version[0];
    if (store->version[0] != NULL) return;
    *memory = run->hidden->spares[array];
    run->hidden->spares[array] = NULL;
    if (*memory == NULL)
        *memory = hp5_element_buffer(hp5_store_bytes(run, store) + hp5_layout_slack(layout), run->desc->arrays[array].name);
    store->version[0] = hp5_layout_start(layout, *memory);
}

/* The item's elements are in the store now. */
static void root_takes_item(Hp5TaskRun *run, int array, char *memory) {
    Hp5Item *item = run->items[array];
    if (memory == NULL) return; /* it had them before, or an earlier name has it */
    hp5_free(item->memory); /* in another layout */
    item->data = run->hidden->roots[array].version[0];
    item->memory = memory;
    item->layout = hp5_layout_of(run->desc, array);
    hp5_item_unspread(item);
    if (item->file) hp5_npy_close(item->file);
    item->file = NULL;
}

static void fill_stores(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    char *memory[desc->array_count + 1];
    memset(memory, 0, sizeof memory);
    for (int a = 0; a < desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        bool here = item->spread == run && item->spread_array == a && desc->arrays[a].home != 0;
        if (item->spread && !here && !moves_directly(run, a)) hp5_item_gather(item);
        if (desc->arrays[a].home == 0 && !hp5_collects_array(desc, a)) root_memory(run, a, &memory[a]);
    }
    if (fill_needs_team(run)) hp5_team_run(run->team, fill_on_thread, run);
    for (int a = 0; a < desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        if (hp5_collects_array(desc, a)) continue;
        if (desc->arrays[a].home != 0) {
            if (item->spread != run) hp5_item_spread(item, run, a);
        } else {
            root_takes_item(run, a, memory[a]);
        }
    }
}

/* Other runs keep what their copies hold until it has been taken from them. */
void hp5_stores_fill(Hp5TaskRun *run) {
    check_aliases(run);
    bool moves = false;
    pthread_mutex_lock(&hp5_item_lock);
    for (int a = 0; a < run->desc->array_count; a++)
        moves = moves || (run->items[a]->spread != NULL && run->items[a]->spread != run);
    if (!moves) pthread_mutex_unlock(&hp5_item_lock);
    fill_stores(run);
    if (moves) pthread_mutex_unlock(&hp5_item_lock);
}

/* Rotation may have left the current version in a buffer of the run: the two change owners. */
void hp5_stores_return(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        Hp5Store *store = &run->hidden->roots[a];
        if (run->desc->arrays[a].home != 0 || store->version[0] == item->data || hp5_collects_array(run->desc, a)) continue;
        for (int k = 1; k < store->versions; k++) {
            struct Hp5RootBuffer *buffer = &run->hidden->root_buffers[a * HP5_MAX_VERSIONS + k];
            if (buffer->start != store->version[0]) continue;
            struct Hp5RootBuffer mine = *buffer;
            *buffer = (struct Hp5RootBuffer){item->memory, item->data};
            item->memory = mine.memory;
            item->data = mine.start;
            item->layout = hp5_layout_of(run->desc, a);
            break;
        }
    }
}

static void free_writers(const Hp5Lpu *lpu, const Hp5TaskRun *run, int lps) {
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    for (int v = 0; v < desc->var_count; v++) {
        Hp5Store *store = lpu->views[v].store;
        if (store && store->lps == lps) hp5_free((void *)atomic_exchange(&store->writers, NULL));
    }
    const Hp5LpsShape *shape = &run->hidden->geometry.shapes[lps];
    for (int c = 0; c < shape->child_count; c++)
        for (int64_t i = 0; i < lpu->children[c].own; i++)
            free_writers(&lpu->children[c].lpus[i], run, shape->children[c]);
}

void hp5_stores_free(Hp5TaskRun *run) {
    if (run->hidden->checked) free_writers(&run->root, run, 0);
    for (int64_t i = 0; i < run->hidden->buffer_count; i++) hp5_free(run->hidden->buffers[i]);
    hp5_free(run->hidden->buffers);
    for (int i = 0; i < run->desc->array_count * HP5_MAX_VERSIONS; i++)
        hp5_free(run->hidden->root_buffers[i].memory);
    hp5_free(run->hidden->root_buffers);
}
