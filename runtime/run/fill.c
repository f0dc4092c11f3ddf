/* Elements come into the stores before an execution (hp5_stores_fill), on all threads, each touching first what it works on;
 * afterwards hp5_stores_return hands the current versions back.
 *
 * Each HOME copy reads its box, padding included, from the file or the item, and from then on the item is "spread" over the run. */
#include "runtime/card/resident.h"
#include "runtime/card/sides.h"
#include "runtime/run/private.h"
#include <string.h>

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

void hp5_equalise(const Hp5Store *store, const Hp5Box *box) {
    for (int k = 1; k < store->versions; k++) hp5_box_copy(store, k, store, 0, box);
}

static void fill_copy(Hp5Worker *w, Hp5Lpu *lpu, void *data) {
    int array = *(const int *)data, home = w->run->desc->arrays[array].home;
    if (!hp5_leads(w, home)) return;
    const Hp5View *view = &lpu->views[hp5_slot_of(w->run->desc, home, array)];
    Hp5Box box = hp5_view_hull(view, view->store->rank);
    if (w->run->items[array]->spread != w->run) load_box(w->run->items[array], view->store, &box);
    if (w->run->desc->card == NULL) hp5_equalise(view->store, &box);
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
    int path[desc->lps_count], count = hp5_path_to(desc, desc->arrays[array].home, path);
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
    const Hp5Store *store = &w->run->hidden->stores.roots[array];
    const Hp5Item *item = w->run->items[array];
    Hp5Box box;
    if (!hp5_root_slice(store, w->rank, w->run->hidden->threads, &box)) return;
    if (item->data != store->version[0]) load_box(item, store, &box);
    hp5_equalise(store, &box);
}

static bool array_needs_fill(const Hp5TaskRun *run, int array) {
    if (hp5_collects_array(run->desc, array)) return false; /* zeros, when it is provided */
    bool shared = run->desc->arrays[array].home == 0 || hp5_divides_home(run, array);
    if (hp5_has_processes(run) && (shared || hp5_is_shared(run, array))) return false; /* share.c has done it */
    const bool here = run->desc->arrays[array].home == 0 && run->items[array]->data == run->hidden->stores.roots[array].version[0];
    if (run->desc->card != NULL && run->desc->arrays[array].home == 0) return !here; /* the card makes its versions alike */
    if (run->desc->arrays[array].versions > 1 && run->desc->card == NULL) return true;
    if (run->desc->arrays[array].home == 0) return !here;
    return run->items[array]->spread != run || home_needs_refresh(run, array);
}

typedef struct Fill {
    Hp5TaskRun *run;
    const bool *wanted; /* by array */
} Fill;

static void fill_for(const Fill *fill, Hp5Worker *w) {
    Hp5TaskRun *run = fill->run;
    for (int a = 0; a < run->desc->array_count; a++) {
        int home = run->desc->arrays[a].home;
        if (!fill->wanted[a]) continue;
        if (home == 0) {
            fill_root(w, a);
            continue;
        }
        bool again = run->items[a]->spread == run;
        hp5_visit_lpus(w, home, fill_copy, &a);
        if (again) refresh_home(w, a);
    }
}

/* A card's workers are more than threads, which fill for them in turn. */
static void fill_on_thread(int rank, void *data) {
    const Fill *fill = data;
    Hp5TaskRun *run = fill->run;
    for (int t = rank; t < run->hidden->threads; t += hp5_team_size(run->team)) fill_for(fill, &run->workers[t]);
}

/* Two names for one item are fine while both are only read. Stages and synchronisation are made for arrays that
 * do not overlap, and elements cannot be in two places. */
void hp5_check_aliases(const Hp5TaskRun *run) {
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
            if (x->home == 0 && y->home == 0 && desc->card != NULL && hp5_memory_of(run, a) != hp5_memory_of(run, b))
                hp5_fail(HP5_EXIT_FAILURE,
                         "task \"%s\": its environment names one data item both %s and %s, to which the mapping gives "
                         "different memories; give them one 'Region'",
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
    Hp5Store *store = &run->hidden->stores.roots[array];
    Hp5Layout layout = hp5_layout_of(run->desc, array);
    store->version[0] = item->data != NULL && hp5_layout_holds(item, layout) ? item->data : NULL;
    for (int b = 0; b < array && store->version[0] == NULL; b++)
        if (run->items[b] == item && run->desc->arrays[b].home == 0) store->version[0] = run->hidden->stores.roots[b].version[0];
    if (store->version[0] != NULL) return;
    *memory = run->hidden->spares[array];
    run->hidden->spares[array] = NULL;
    if (*memory == NULL)
        *memory = hp5_element_buffer(hp5_store_bytes(run->desc, store) + hp5_layout_slack(layout), run->desc->arrays[array].name);
    store->version[0] = hp5_layout_start(layout, *memory);
}

/* The item's elements are in the store now. */
static void root_takes_item(Hp5TaskRun *run, int array, char *memory) {
    Hp5Item *item = run->items[array];
    if (memory == NULL) return; /* it had them before, or an earlier name has it */
    hp5_free(item->memory); /* in another layout */
    item->data = run->hidden->stores.roots[array].version[0];
    item->memory = memory;
    item->layout = hp5_layout_of(run->desc, array);
    hp5_item_unspread(item);
    if (item->file) hp5_npy_close(item->file);
    item->file = NULL;
}

/* Nobody has made its elements. */
static bool is_zeros(const Hp5Item *item) { return item->data == NULL && item->file == NULL && item->spread == NULL; }

void hp5_fill_copies(Hp5TaskRun *run) {
    bool wanted[run->desc->array_count + 1], any = false;
    for (int a = 0; a < run->desc->array_count; a++) {
        any |= wanted[a] = array_needs_fill(run, a);
        if (!wanted[a] || run->desc->arrays[a].home == 0) continue;
        if (run->items[a]->spread == run) hp5_sides_fetch(run, a); /* old padding is made new on the host */
        hp5_sides_outdate(run, a, is_zeros(run->items[a]));
    }
    if (any) hp5_team_run(run->team, fill_on_thread, &(Fill){run, wanted});
}

static void fill_stores(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    char *memory[desc->array_count + 1];
    memset(memory, 0, sizeof memory);
    hp5_residents_fetch(run);
    for (int a = 0; a < desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        bool here = item->spread == run && item->spread_array == a && desc->arrays[a].home != 0;
        if (item->spread && !here && !moves_directly(run, a)) hp5_item_gather(item);
        if (here && desc->card != NULL && home_needs_refresh(run, a)) hp5_item_gather(item); /* its workers are no threads, which would wait for each other */
        if (item->spread != NULL && item->spread != run) hp5_sides_fetch(item->spread, item->spread_array);
        if (desc->arrays[a].home == 0 && !hp5_collects_array(desc, a)) root_memory(run, a, &memory[a]);
    }
    hp5_fill_copies(run);
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
    hp5_check_aliases(run);
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
        Hp5Store *store = &run->hidden->stores.roots[a];
        if (hp5_is_resident(run, a)) continue;
        if (run->desc->written == NULL || run->desc->written[a]) hp5_resident_outdate(item);
        if (run->desc->arrays[a].home != 0 || store->version[0] == item->data || hp5_collects_array(run->desc, a)) continue;
        for (int k = 1; k < store->versions; k++) {
            struct Hp5RootBuffer *buffer = &run->hidden->stores.root_buffers[a * HP5_MAX_VERSIONS + k];
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
