/* CollectMemory: arrays that have memory from their first use to their last. An array of the task alone is provided
 * before the flow's first step that uses it and collected after the last one; copies, when their LPU is entered and left.
 * Their stores are shaped with the tree like all others, but without memory. */
#include "runtime/run/private.h"
#include <malloc.h>
#include <stdio.h>

static bool collects(const Hp5TaskRun *run) {
    for (int a = 0; run->desc->collected != NULL && a < run->desc->array_count; a++)
        if (run->desc->collected[a] == HP5_COLLECT_COPIES || run->desc->collected[a] == HP5_COLLECT_ARRAY) return true;
    return false;
}

void hp5_collect_create(Hp5TaskRun *run) {
    enum { RETURNED = 1 << 20 }; /* glibc would keep larger and larger pieces for itself */
    if (!collects(run)) return;
    mallopt(M_MMAP_THRESHOLD, RETURNED);
    run->hidden->passed = hp5_alloc_zeroed((int64_t)sizeof *run->hidden->passed * (run->desc->array_count + 1), "arrays");
}

/* Memory for all versions of one store. */
static void take_memory(const Hp5TaskRun *run, Hp5Store *store) {
    const Hp5Layout layout = hp5_layout_of(run->desc, store->array);
    int64_t bytes = hp5_store_bytes(run->desc, store), step = hp5_version_step(bytes, layout);
    store->memory = hp5_element_buffer(step * store->versions + hp5_layout_slack(layout), run->desc->arrays[store->array].name);
    char *start = hp5_layout_start(layout, store->memory);
    for (int k = 0; k < store->versions; k++) store->version[k] = start + k * step;
}

static void drop_memory(Hp5Store *store) {
    hp5_free(store->memory);
    store->memory = NULL;
    for (int k = 0; k < store->versions; k++) store->version[k] = NULL;
}

/* ---- Copies ---------------------------------------------------------------------------------------------- */

void hp5_copy_take(const Hp5TaskRun *run, Hp5Store *store) {
    if (!hp5_collects_copies(run->desc, store->array) || store->memory != NULL) return;
    take_memory(run, store);
    if (store->entry) take_memory(run, store->entry);
}

void hp5_copy_drop(const Hp5TaskRun *run, Hp5Store *store) {
    if (!hp5_collects_copies(run->desc, store->array)) return;
    drop_memory(store);
    if (store->entry) drop_memory(store->entry);
}

/* ---- Arrays of the task alone ------------------------------------------------------------------------------ */

typedef struct Memory {
    Hp5TaskRun *run;
    int array;
} Memory;

static void take_root(void *data) {
    const Memory *memory = data;
    take_memory(memory->run, &memory->run->hidden->stores.roots[memory->array]);
}

static void zero_store(const Hp5Store *store, const Hp5Box *box) {
    for (int k = 0; k < store->versions; k++) hp5_box_zero(store, k, box);
}

static Hp5Store *home_store(const Hp5TaskRun *run, const Hp5Lpu *lpu, int array) {
    return lpu->views[hp5_slot_of(run->desc, run->desc->arrays[array].home, array)].store;
}

static void provide_home(Hp5Worker *w, Hp5Lpu *lpu, void *data) {
    const Memory *memory = data;
    if (!hp5_leads(w, w->run->desc->arrays[memory->array].home)) return;
    Hp5Store *store = home_store(w->run, lpu, memory->array);
    Hp5Box whole;
    take_memory(w->run, store);
    for (int d = 0; d < store->rank; d++) whole.lo[d] = store->lo[d], whole.hi[d] = store->lo[d] + store->extent[d];
    zero_store(store, &whole);
}

void hp5_provide(Hp5Worker *w, int array) {
    Memory memory = {w->run, array};
    Hp5Box box;
    if (w->run->desc->arrays[array].home != 0) {
        hp5_visit_lpus(w, w->run->desc->arrays[array].home, provide_home, &memory);
    } else {
        const Hp5Store *store = &w->run->hidden->stores.roots[array];
        hp5_barrier_then(w->groups[0], take_root, &memory);
        if (hp5_root_slice(store, w->rank, w->run->hidden->threads, &box)) zero_store(store, &box);
    }
    hp5_barrier(w->groups[0]); /* it is zero everywhere before anybody uses it */
}

/* Every store of the array in the LPUs below. */
static void each_home(const Hp5TaskRun *run, const Hp5Lpu *lpu, int lps, int array) {
    const Hp5LpsShape *shape = &run->hidden->geometry.shapes[lps];
    if (lps == run->desc->arrays[array].home) {
        drop_memory(home_store(run, lpu, array));
        return;
    }
    for (int c = 0; c < shape->child_count; c++)
        for (int64_t i = 0; i < lpu->children[c].own; i++) each_home(run, &lpu->children[c].lpus[i], shape->children[c], array);
}

/* The last thread to come frees it: the others need not wait. */
void hp5_collect(Hp5Worker *w, int array) {
    Hp5TaskRun *run = w->run;
    if (atomic_fetch_add(&run->hidden->passed[array], 1) + 1 < run->hidden->threads) return;
    atomic_store(&run->hidden->passed[array], 0);
    if (run->desc->arrays[array].home == 0) drop_memory(&run->hidden->stores.roots[array]);
    else each_home(run, &run->root, 0, array);
}

void hp5_collect_report(const Hp5TaskRun *run) {
    if (collects(run))
        fprintf(stderr, "  memory of the program so far: %lld bytes at most\n", (long long)hp5_peak_bytes());
}
