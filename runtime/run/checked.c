/* Helpers of checked builds (hp5c --checked). */
#include "runtime/run/private.h"
#include "runtime/checked.h"

void hp5_check_index(const Hp5View *view, int dim, int64_t index, const char *variable, const char *stage,
                     const char *file, int line) {
    const Hp5Set *part = &view->part[dim];
    if (hp5_set_contains(part, index)) return;
    hp5_fail_index(part, dim, index, variable, stage, file, line);
}

/* Made by whoever needs it first; the others use that one. */
static _Atomic uint64_t *writers_of(Hp5Store *store) {
    _Atomic uint64_t *writers = atomic_load(&store->writers);
    if (writers) return writers;
    _Atomic uint64_t *mine =
        hp5_alloc_zeroed(hp5_store_elements(store) * (int64_t)sizeof *mine, "checks of writes");
    if (atomic_compare_exchange_strong(&store->writers, &writers, mine)) return mine;
    hp5_free(mine);
    return writers;
}

const Hp5Lpu *hp5_in_first_round(const Hp5TaskDesc *desc, const Hp5Lpu *lpu) {
    if (lpu->grid == NULL) return lpu;
    const Hp5Lpu *parent = hp5_in_first_round(desc, lpu->parent);
    bool walked = desc->lpses[lpu->grid->lps].sub_partition;
    if (parent == lpu->parent && !walked) return lpu;
    const Hp5Grid *grid = &parent->children[lpu->grid - lpu->parent->children];
    int64_t number = walked ? 0 : lpu->number;
    const Hp5Lpu *first = number < grid->count ? hp5_find_lpu(grid, number) : NULL;
    return first ? first : lpu;
}

void hp5_check_write(Hp5Worker *w, const Hp5View *view, const int64_t *index, const Hp5Lpu *lpu, const char *variable,
                     const char *stage, const char *file, int line) {
    if (!atomic_load_explicit(&w->run->hidden->checked, memory_order_relaxed))
        atomic_store(&w->run->hidden->checked, true);
    if (!hp5_writes_own(view, index)) return;
    _Atomic uint64_t *writers = writers_of(view->store);
    lpu = hp5_in_first_round(w->run->desc, lpu);
    const uint64_t entry = hp5_write_entry(w->stamp, lpu->grid ? lpu->grid->lps : 0, lpu->flat);
    const uint64_t before = atomic_exchange(&writers[hp5_store_offset(view->store, index)], entry);
    if (!hp5_writes_clash(before, entry)) return;
    hp5_fail_write(view->store->rank, index, before, entry, variable, stage, file, line);
}

static void raise_range(Hp5TaskRun *run, int first, int count) {
    uint32_t newest = 0;
    for (int t = first; t < first + count; t++)
        if (run->workers[t].stamp > newest) newest = run->workers[t].stamp;
    for (int t = first; t < first + count; t++) run->workers[t].stamp = newest + 1;
}

static void raise_stamps(void *data) {
    const Hp5Worker *w = data;
    const Hp5Group *group = w->groups[w->stamp_group];
    raise_range(w->run, group->first, group->count);
}

void hp5_stamps_level(Hp5TaskRun *run) { raise_range(run, 0, run->hidden->threads); }

void hp5_sync_checked(Hp5Worker *w, int lps) {
    w->stamp_group = lps;
    if (w->groups[lps]->count > 1) hp5_barrier_then(w->groups[lps], raise_stamps, w);
    else w->stamp++;
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

void hp5_writers_free(Hp5TaskRun *run) {
    if (run->hidden->checked) free_writers(&run->root, run, 0);
}
