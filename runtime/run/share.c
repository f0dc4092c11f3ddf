/* Items of several processes: each has the elements that its LPUs work on. In the end an array is spread over the run that has made
 * it, in each process over its own stores; who has which elements follows from the run's LPUs (hp5_each_owned_box).
 *
 * How to read it: what a run wants of an item; bringing it (from the other processes by routes.c, from a file, or zeros) before an
 * execution, and what happens after it; and output files. All processes of the program take part in all of it, in the order of
 * the coordinator, who is the same everywhere. */
#include "runtime/card/sides.h"
#include "runtime/comm/accounts.h"
#include "runtime/io/files.h"
#include "runtime/move/exchange.h"
#include "runtime/move/touched.h"
#include "runtime/run/windows.h"
#include "runtime/run/routes.h"
#include "runtime/run/session.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- What a run wants ------------------------------------------------------------------------------------- */

typedef struct Hp5Shared {
    Hp5Routes routes; /* by which elements come */
    Hp5Regions wanted; /* elements that the environment gives, in which stores */
    bool known;      /* `wanted` is made */
    Hp5Regions read;   /* those of them that have been read, of an array with Hp5HeldDesc.reads */
    bool in_part;    /* … which are not all */
    bool brought;    /* for the execution that begins they have been brought */
    int64_t id, changes; /* what the stores have: which item, in which state */
} Hp5Shared;

/* Of padded parts that are the array: each lies in a store of its own. */
static void want_part_of_home(const Hp5View *view, void *data) {
    Hp5Regions *regions = data;
    const Hp5Box hull = hp5_view_hull(view, regions->rank);
    hp5_regions_add(regions, view->store, view->part, &hull);
}

typedef struct Wanting {
    Hp5Regions *regions;
    const Hp5Store *store; /* Root's */
} Wanting;

static void want_part(const Hp5View *view, void *data) {
    const Wanting *wanting = data;
    const Hp5Box hull = hp5_view_hull(view, wanting->regions->rank);
    hp5_regions_add(wanting->regions, wanting->store, view->part, &hull);
}

typedef struct Copies {
    Hp5Regions *regions;
    int slot;
} Copies;

static void want_copy(Hp5Lpu *lpu, void *data) {
    const Copies *copies = data;
    const Hp5View *view = &lpu->views[copies->slot];
    Hp5Box hull = hp5_view_hull(view, copies->regions->rank);
    hp5_regions_add_box(copies->regions, view->store, &hull);
}

static void want(Hp5TaskRun *run, int array) {
    Hp5Shared *shared = &run->hidden->shared[array];
    int home = run->desc->arrays[array].home;
    if (shared->known || run->hidden->threads == 0) return;
    shared->wanted.rank = run->desc->arrays[array].rank;
    shared->known = true;
    if (hp5_divides_home(run, array)) hp5_each_room(run, array, true, want_part_of_home, &shared->wanted);
    else if (home == 0) hp5_each_room(run, array, true, want_part, &(Wanting){&shared->wanted, &run->hidden->stores.roots[array]});
    else hp5_each_lpu(run, home, want_copy, &(Copies){&shared->wanted, hp5_slot_of(run->desc, home, array)});
}

/* ---- What is read of it ------------------------------------------------------------------------------------- */

static const Hp5HeldDesc *reads_of(const Hp5TaskRun *run, int array) {
    return run->desc->held != NULL && run->desc->held[array].reads != NULL ? &run->desc->held[array] : NULL;
}

/* It comes from a file, goes to Root's store as one box, and what says which elements are read is there. */
static bool is_read_in_part(const Hp5TaskRun *run, int array) {
    const Hp5HeldDesc *held = reads_of(run, array);
    const Hp5Item *item = run->items[array];
    const Hp5Regions *wanted = &run->hidden->shared[array].wanted;
    if (held == NULL || run->hidden->threads == 0 || item->file == NULL || item->data != NULL || item->distributed) return false;
    if (wanted->count != 1 || !hp5_region_is_box(hp5_region(wanted, 0), wanted->rank)) return false;
    for (int i = 0; i < held->looks_at_count && hp5_comm_is_imagined(); i++)
        if (!hp5_item_is_peeked(run->items[held->looks_at[i]])) return false;
    return !hp5_team_is_imagined(run->team) || hp5_comm_is_imagined();
}

typedef struct Looking {
    Hp5TaskRun *run;
    const Hp5HeldDesc *held;
    Hp5Touched touched;
} Looking;

static void look_on_thread(int rank, void *data) {
    Looking *looking = data;
    if (rank < looking->run->hidden->threads) looking->held->reads(&looking->run->workers[rank], &looking->run->root, &looking->touched);
}

/* Boxes of touched elements of the row that begins at `index`, which is element `at`; `end`: of the row. */
static void add_row(const Looking *looking, const Hp5Store *store, const int64_t *index, int64_t at, int64_t end, Hp5Regions *found) {
    const Hp5Touched *touched = &looking->touched;
    const int last = touched->rank - 1;
    const int64_t gap = HP5_NPY_GAP / (int64_t)store->element_size + 1, row = at;
    Hp5Box box;
    for (int d = 0; d < touched->rank; d++) box.lo[d] = index[d], box.hi[d] = index[d] + 1;
    for (at = hp5_next_touched(touched, at, end, true); at < end;) {
        int64_t first = at, behind;
        do {
            behind = hp5_next_touched(touched, at, end, false);
            at = hp5_next_touched(touched, behind, end, true);
        } while (at < end && at - behind < gap);
        box.lo[last] = index[last] + first - row;
        box.hi[last] = index[last] + behind - row;
        hp5_regions_add_box(found, store, &box);
    }
}

/* Of what is wanted, which is one box. */
static Hp5Regions find_touched(Hp5TaskRun *run, int array) {
    const Hp5Regions *wanted = &run->hidden->shared[array].wanted;
    const Hp5Box all = hp5_region_hull(hp5_region(wanted, 0), wanted->rank);
    const Hp5Store *store = &run->hidden->stores.roots[array];
    Looking looking = {.run = run, .held = reads_of(run, array), .touched = {.rank = wanted->rank}};
    Hp5Regions found = {.rank = wanted->rank};
    int64_t elements = 1, index[HP5_MAX_RANK];
    for (int d = 0; d < wanted->rank; d++) {
        looking.touched.lo[d] = index[d] = all.lo[d];
        elements *= looking.touched.extent[d] = all.hi[d] - all.lo[d];
    }
    for (int i = 0; i < looking.held->looks_at_count; i++) hp5_sides_fetch(run, looking.held->looks_at[i]);
    looking.touched.bits = hp5_alloc_zeroed((elements + 63) / 64 * (int64_t)sizeof(uint64_t) + 8, "reading of files");
    hp5_team_run(run->team, look_on_thread, &looking);
    const int last = wanted->rank - 1;
    for (int64_t at = 0, row = looking.touched.extent[last]; at < elements; at += row) {
        add_row(&looking, store, index, at, at + row, &found);
        for (int d = last - 1; d >= 0 && ++index[d] == all.hi[d]; d--) index[d] = all.lo[d];
    }
    hp5_free((void *)looking.touched.bits);
    return found;
}

/* Whether what is there of the array is what this execution reads of it. */
static bool find_read(Hp5TaskRun *run, int array) {
    Hp5Shared *shared = &run->hidden->shared[array];
    const bool in_part = is_read_in_part(run, array), as_before = in_part == shared->in_part;
    shared->in_part = in_part;
    if (!in_part) return as_before;
    Hp5Regions found = find_touched(run, array);
    const bool same = as_before && hp5_regions_equal(&found, &shared->read);
    hp5_regions_free(&shared->read);
    shared->read = found;
    return same;
}

const Hp5Regions *hp5_share_read(const Hp5TaskRun *run, int array) {
    const Hp5Shared *shared = run->hidden->shared ? &run->hidden->shared[array] : NULL;
    return shared && shared->in_part ? &shared->read : NULL;
}

static Hp5Account *account_of(const Hp5TaskRun *run, int array) {
    const Hp5TaskDesc *desc = run->desc;
    char what[300];
    snprintf(what, sizeof what, "%s, before the task", desc->arrays[array].name);
    return hp5_account_open(&desc->arrays[array], 1, desc->name, desc->source, 0, what);
}

void hp5_share_create(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) account_of(run, a);
    run->hidden->shared = hp5_alloc_zeroed((int64_t)sizeof(Hp5Shared) * (run->desc->array_count + 1), "shares of arrays");
}

void hp5_share_free(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        hp5_regions_free(&run->hidden->shared[a].wanted);
        hp5_regions_free(&run->hidden->shared[a].read);
        hp5_routes_free(&run->hidden->shared[a].routes);
    }
    hp5_free(run->hidden->shared);
}

bool hp5_is_shared(const Hp5TaskRun *run, int array) { return run->hidden->shared[array].brought; }

/* ---- Before and after an execution -------------------------------------------------------------------------- */

typedef struct Zeroing {
    Hp5TaskRun *run;
    int array;
} Zeroing;

static void zero_share(int rank, void *data) {
    const Zeroing *zeroing = data;
    const Hp5Store *root = &zeroing->run->hidden->stores.roots[zeroing->array];
    int threads = hp5_team_size(zeroing->run->team);
    int64_t bytes = zeroing->run->hidden->stores.packed[zeroing->array], begin = bytes / threads * rank;
    for (int k = 0; k < root->versions && rank < threads; k++)
        memset(root->version[k] + begin, 0, (size_t)(rank + 1 < threads ? bytes / threads : bytes - begin));
}

/* All zeros again, without touching pages that nobody needs. */
static void make_zero(char *memory, int64_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)memory + page - 1) / page * page, end = ((uintptr_t)memory + (uintptr_t)bytes) / page * page;
    if (begin >= end || madvise((void *)begin, end - begin, MADV_DONTNEED) != 0) {
        memset(memory, 0, (size_t)bytes);
        return;
    }
    memset(memory, 0, begin - (uintptr_t)memory);
    memset((void *)end, 0, (uintptr_t)memory + (uintptr_t)bytes - end);
}

typedef struct ZeroStores {
    const Hp5TaskRun *run;
    const Hp5Store *last; /* LPUs one after the other often have one store */
} ZeroStores;

static void zero_store(const Hp5View *view, void *data) {
    ZeroStores *zero = data;
    for (int k = 0; view->store != zero->last && k < view->store->versions; k++)
        memset(view->store->version[k], 0, (size_t)hp5_store_bytes(zero->run->desc, view->store));
    zero->last = view->store;
}

/* The stores have the item already, as the last task has left it. */
static bool has_item(const Hp5TaskRun *run, int array, const Hp5Item *item) {
    const Hp5Shared *shared = &run->hidden->shared[array];
    return shared->id == item->id && shared->changes == item->changes;
}

typedef struct Bringing {
    const Hp5Item *item;
    Hp5Store whole; /* the item's data, if there are some */
} Bringing;

static void bring_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    const Bringing *bringing = data;
    if (bringing->item->data) hp5_box_copy(store, 0, &bringing->whole, 0, box);
    else hp5_box_zero(store, 0, box);
}

static void bring_here(Hp5TaskRun *run, int array, const Hp5Item *item) {
    const Hp5Shared *shared = &run->hidden->shared[array];
    const Hp5Regions *wanted = shared->in_part ? &shared->read : &shared->wanted;
    const Hp5Store *root = &run->hidden->stores.roots[array];
    if (run->hidden->threads == 0 || (hp5_comm_is_imagined() && !hp5_item_is_peeked(item))) return;
    if (item->file == NULL && item->data == NULL && run->desc->arrays[array].home == 0) {
        if (run->hidden->shared[array].id == 0) return; /* they are */
        int64_t packed = run->hidden->stores.packed[array], bytes = hp5_store_bytes(run->desc, root);
        if (packed > 0) hp5_team_run(run->team, zero_share, &(Zeroing){run, array});
        for (int k = 0; k < root->versions && packed < bytes; k++) make_zero(root->version[k] + packed, bytes - packed);
        hp5_sides_outdate(run, array, true);
        return;
    }
    if (item->file == NULL && item->data == NULL && hp5_divides_home(run, array)) { /* also what no step is given of it: older versions are read */
        hp5_each_room(run, array, false, zero_store, &(ZeroStores){run, NULL});
        hp5_sides_outdate(run, array, true);
        return;
    }
    hp5_sides_outdate(run, array, false);
    if (item->file && !item->data) {
        hp5_regions_read(wanted, item);
        return;
    }
    hp5_regions_each_box(wanted, bring_box, &(Bringing){item, hp5_item_store(item)});
}

static void enlarge_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    (void)data;
    hp5_box_wants_large_pages(store, box);
}

static void equalise_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    (void)data;
    hp5_equalise(store, box);
}

/* One array of a run that takes part; the caller knows whether elements come from others. */
static void fill_array(Hp5TaskRun *run, int array, Hp5Item *item, bool from_others) {
    Hp5Shared *shared = &run->hidden->shared[array];
    const bool as_before = reads_of(run, array) == NULL || find_read(run, array);
    bool home = run->desc->arrays[array].home != 0, there = has_item(run, array, item) && as_before;
    if (reads_of(run, array) != NULL && !there) hp5_regions_each_box(shared->in_part ? &shared->read : &shared->wanted, enlarge_box, NULL); /* now it is known what will be there */
    if (from_others) {
        Hp5Account *before = hp5_account_use(account_of(run, array));
        hp5_account_happens(account_of(run, array), -1);
        hp5_routes_bring(&shared->routes, item, &shared->wanted, run);
        hp5_account_use(before);
    } else if (!there) bring_here(run, array, item);
    shared->brought = !there;
    if (!there) item->extremes_known = false;
    shared->id = item->id;
    shared->changes = item->changes;
    const bool equal = hp5_comm_is_imagined() || (home && there) || run->desc->card != NULL; /* a card makes its versions alike */
    if (!equal) hp5_regions_each_box(&shared->wanted, equalise_box, NULL);
    if (home && item->spread != run) hp5_item_spread(item, run, array);
}

static void fill(Hp5TaskRun *run, int array) {
    Hp5Item *item = run->items[array];
    want(run, array);
    fill_array(run, array, item, item->distributed && !has_item(run, array, item));
    if (run->desc->arrays[array].home != 0) item->distributed = true;
}

/* What it looks at is there. */
static bool may_look(const Hp5TaskRun *run, int array, const bool *filled) {
    const Hp5HeldDesc *held = reads_of(run, array);
    for (int i = 0; held != NULL && i < held->looks_at_count; i++)
        if (!filled[held->looks_at[i]]) return false;
    return true;
}

/* All processes know alike what has to come from others. */
void hp5_share_fill(Hp5TaskRun *run) {
    const int count = run->desc->array_count;
    bool filled[count + 1];
    hp5_check_aliases(run);
    for (int a = 0; a < count; a++) filled[a] = hp5_collects_array(run->desc, a);
    for (bool more = true; more;) { /* hp5c has seen to it that none waits for ever */
        more = false;
        for (int a = 0; a < count; a++) {
            if (filled[a] || !may_look(run, a, filled)) continue;
            fill(run, a);
            filled[a] = more = true;
        }
    }
    if (!hp5_comm_is_imagined()) hp5_fill_copies(run); /* old padding */
    hp5_moves_forget(run);
}

void hp5_share_return(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        if ((run->desc->written && !run->desc->written[a]) || hp5_collects_array(run->desc, a)) continue;
        item->distributed = true;
        item->changes++;
        if (run->desc->held == NULL || !run->desc->held[a].old) run->hidden->shared[a].changes = item->changes;
        if (item->spread != run) hp5_item_spread(item, run, a);
    }
}

/* ---- Files --------------------------------------------------------------------------------------------- */

void hp5_share_compare(const Hp5NpyReader *file, const char *path, const char *name) {
    char mine[HP5_NPY_SUMMARY] = "", first[HP5_NPY_SUMMARY], text[2 * HP5_NPY_SUMMARY + 2 * HP5_QUOTED], quoted[HP5_QUOTED];
    hp5_npy_summary(file, mine);
    memcpy(first, mine, sizeof first);
    hp5_comm_broadcast(HP5_EVERYBODY, HP5_TAG_FILES, 0, first, sizeof first);
    bool same = strcmp(mine, first) == 0;
    if (!same)
        snprintf(text, sizeof text, "cannot read %s from %s: it has %s, and the file of process 0 has %s\n"
                 "  all nodes need the same file", name, hp5_quote(path, quoted), mine, first);
    hp5_comm_agree(HP5_EVERYBODY, HP5_TAG_FILES, HP5_EXIT_USAGE, same ? NULL : text);
}

static void write_box(const Hp5Store *store, const Hp5Box *box, void *writer) {
    const Hp5Item *item = ((void **)writer)[1];
    hp5_box_write(store, item->lo, box, ((void **)writer)[0]);
}

/* Devices and pipes take one byte after the other: the first process gets all elements, and writes them. */
static void write_alone(Hp5Item *item, const char *path, const char *name) {
    Hp5Regions wanted = {.rank = item->rank};
    Hp5Box all = {{0}, {0}};
    Hp5Store store = {0};
    bool first = hp5_comm_rank() == 0;
    for (int d = 0; d < item->rank; d++) all.lo[d] = item->lo[d], all.hi[d] = item->lo[d] + item->extent[d];
    if (item->distributed) {
        hp5_store_shape(&store, item->rank, item->lo, item->extent, 1, item->element, (Hp5Layout){0});
        if (first) store.version[0] = hp5_element_buffer(hp5_store_elements(&store) * (int64_t)store.element_size, name);
        if (first) hp5_regions_add_box(&wanted, &store, &all);
        Hp5Routes routes = {0};
        hp5_routes_bring(&routes, item, &wanted, NULL);
        hp5_routes_free(&routes);
        hp5_regions_free(&wanted);
    }
    if (!first) return;
    if (!item->distributed) {
        hp5_item_gather(item);
        store = hp5_item_store(item);
    }
    Hp5NpyWriter *writer = hp5_npy_create(path, name, item->element, item->rank, item->extent);
    write_box(&store, &all, (void *[]){writer, item});
    hp5_npy_finish(writer);
    if (item->distributed) hp5_free(store.version[0]);
}

/* The first process makes the file under another name, all write what they have, and when all have the file gets its name. */
static void write_together(Hp5Item *item, const char *path, const char *name, bool in_windows) {
    enum { LONGEST = 4200 };
    char place[LONGEST] = "";
    Hp5NpyWriter *writer = NULL;
    if (hp5_comm_rank() == 0) {
        writer = hp5_npy_create(path, name, item->element, item->rank, item->extent);
        hp5_npy_place(writer, place, sizeof place);
    }
    hp5_comm_broadcast(HP5_EVERYBODY, HP5_TAG_FILES, 0, place, sizeof place);
    if (writer == NULL) writer = hp5_npy_join(place, path, name, item->element, item->rank, item->extent);
    if (item->spread) hp5_sides_fetch(item->spread, item->spread_array);
    if (in_windows) hp5_windows_write(item, writer, name);
    else if (item->spread && !hp5_windows_write_own(item, writer)) hp5_each_owned_box(item->spread, item->spread_array, write_box, (void *[]){writer, item});
    hp5_npy_sync(writer);
    hp5_comm_agree(HP5_EVERYBODY, HP5_TAG_FILES, HP5_EXIT_FAILURE, NULL); /* those who fail say so by themselves */
    if (hp5_comm_rank() == 0) hp5_npy_finish(writer);
    else hp5_npy_leave(writer);
}

/* How a file is written; the first process says it. */
typedef enum { ALONE, TOGETHER, IN_WINDOWS } Way;

static char way_of(const Hp5Item *item, const char *path) {
    if (!item->distributed || !hp5_npy_is_file(path)) return ALONE;
    return item->spread && hp5_runs_are_short(item) ? IN_WINDOWS : TOGETHER;
}

void hp5_share_write(Hp5Item *item, const char *path, const char *name) {
    char way = ALONE;
    if (hp5_comm_rank() == 0) way = way_of(item, path);
    hp5_comm_broadcast(HP5_EVERYBODY, HP5_TAG_FILES, 0, &way, 1);
    if (way == ALONE) write_alone(item, path, name);
    else write_together(item, path, name, way == IN_WINDOWS);
    hp5_comm_barrier(HP5_EVERYBODY, HP5_TAG_FILES); /* the file is there for everybody, who may read it */
}
