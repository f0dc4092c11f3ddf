/* The data of environments: array items that tasks share by reference (task.h). An item's
 * elements are in one of four places: nowhere yet (all zeros), in a file, in `data`, or spread over the
 * HOME copies of a run. A card may have newer ones than `data`. */
#define _GNU_SOURCE /* recursive mutexes */
#include "runtime/card/resident.h"
#include "runtime/card/sides.h"
#include "runtime/io/files.h"
#include "runtime/run/private.h"
#include <string.h>

pthread_mutex_t hp5_item_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int64_t items_made; /* by the coordinator's thread */

Hp5Item *hp5_item_from_file(const char *path, const char *name, const Hp5Element *element, int rank) {
    hp5_file_reads(path, name);
    Hp5Item *item = hp5_alloc_zeroed(sizeof *item, "an array's item");
    *item = (Hp5Item){.element = element, .rank = rank, .references = 1, .id = ++items_made};
    item->file = hp5_npy_open(path, name, element, rank);
    if (hp5_comm_size() > 1) hp5_share_compare(item->file, path, name);
    memcpy(item->extent, hp5_npy_extents(item->file), sizeof(int64_t) * (size_t)rank);
    return item;
}

Hp5Item *hp5_item_zeroed(const char *name, const Hp5Element *element, int rank, const int64_t *lo,
                         const int64_t *extent) {
    Hp5Item *item = hp5_alloc_zeroed(sizeof *item, "an array's item");
    *item = (Hp5Item){.element = element, .rank = rank, .references = 1, .id = ++items_made};
    for (int d = 0; d < rank; d++) {
        if (extent[d] < 0)
            hp5_fail(HP5_EXIT_USAGE, "array %s: dimension %d would have %lld indices", name, d + 1,
                     (long long)extent[d]);
        item->lo[d] = lo[d];
        item->extent[d] = extent[d];
    }
    return item;
}

Hp5Item *hp5_item_retain(Hp5Item *item) {
    item->references++;
    return item;
}

static void drop_data(Hp5Item *item) {
    hp5_free(item->memory);
    item->memory = NULL;
    item->data = NULL;
    item->layout = (Hp5Layout){0};
}

void hp5_item_release(Hp5Item *item) {
    if (item == NULL || atomic_fetch_sub(&item->references, 1) > 1) return;
    if (item->file) hp5_npy_close(item->file);
    hp5_resident_free(item);
    drop_data(item);
    hp5_item_unspread(item);
    hp5_free(item);
}

void hp5_item_spread(Hp5Item *item, Hp5TaskRun *run, int array) {
    pthread_mutex_lock(&hp5_item_lock);
    hp5_item_unspread(item);
    if (item->file) hp5_npy_close(item->file);
    item->file = NULL;
    drop_data(item);
    item->spread = run;
    item->spread_array = array;
    run->hidden->references++;
    pthread_mutex_unlock(&hp5_item_lock);
}

void hp5_item_unspread(Hp5Item *item) {
    pthread_mutex_lock(&hp5_item_lock);
    Hp5TaskRun *run = item->spread;
    item->spread = NULL;
    pthread_mutex_unlock(&hp5_item_lock);
    if (run) hp5_run_unreference(run);
}

Hp5Store hp5_item_store(const Hp5Item *item) {
    Hp5Store store;
    hp5_store_shape(&store, item->rank, item->lo, item->extent, 1, item->element, item->layout);
    store.version[0] = item->data;
    return store;
}

static void gather_box(const Hp5Store *store, const Hp5Box *box, void *whole) {
    hp5_box_copy(whole, 0, store, 0, box);
}

static void gather(Hp5Item *item) {
    hp5_resident_fetch(item);
    if (item->data) return;
    Hp5Store store = hp5_item_store(item);
    int64_t bytes = hp5_store_elements(&store) * (int64_t)store.element_size;
    item->data = item->memory = store.version[0] = hp5_element_buffer(bytes, "gathered from its copies");
    if (item->spread) {
        hp5_sides_fetch(item->spread, item->spread_array);
        hp5_each_home_box(item->spread, item->spread_array, gather_box, &store);
        hp5_item_unspread(item);
    } else if (item->file) {
        int64_t zero[HP5_MAX_RANK] = {0};
        if (bytes > 0) hp5_npy_read_box(item->file, zero, item->extent, item->data, store.stride);
        hp5_npy_close(item->file);
        item->file = NULL;
    } else {
        memset(item->data, 0, (size_t)bytes);
    }
}

void hp5_item_gather(Hp5Item *item) {
    pthread_mutex_lock(&hp5_item_lock);
    gather(item);
    pthread_mutex_unlock(&hp5_item_lock);
}

/* ---- Output files -------------------------------------------------------------------------------- */

typedef struct Output {
    Hp5NpyWriter *writer;
    const Hp5Item *item;
} Output;

static void write_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    const Output *output = data;
    hp5_box_write(store, output->item->lo, box, output->writer);
}

void hp5_item_write(Hp5Item *item, const char *path, const char *name) {
    if (hp5_comm_size() > 1) {
        hp5_share_write(item, path, name);
        return;
    }
    if (!item->spread) hp5_item_gather(item);
    Output output = {hp5_npy_create(path, name, item->element, item->rank, item->extent), item}; /* rows, whole elements */
    if (item->spread) {
        hp5_sides_fetch(item->spread, item->spread_array);
        hp5_each_home_box(item->spread, item->spread_array, write_box, &output);
    } else {
        Hp5Store store = hp5_item_store(item);
        Hp5Box whole = {{0}, {0}};
        for (int d = 0; d < item->rank; d++) {
            whole.lo[d] = item->lo[d];
            whole.hi[d] = item->lo[d] + item->extent[d];
        }
        write_box(&store, &whole, &output);
    }
    hp5_npy_finish(output.writer);
}
