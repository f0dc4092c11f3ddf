/* Helpers of checked builds (hp5c --checked). */
#include "runtime/run/private.h"
#include <stdio.h>

static void describe_part(const Hp5Set *part, char *text, size_t size) {
    if (part->begin >= part->end) snprintf(text, size, "empty");
    else if (hp5_set_is_interval(part))
        snprintf(text, size, "%lld to %lld", (long long)part->begin, (long long)part->end - 1);
    else if (part->runs)
        snprintf(text, size, "%lld runs of indices from %lld to %lld", (long long)part->run_count,
                 (long long)part->begin, (long long)part->end - 1);
    else
        snprintf(text, size, "%lld ind%s out of every %lld from %lld to %lld", (long long)part->block,
                 part->block == 1 ? "ex" : "ices", (long long)part->stride, (long long)part->begin,
                 (long long)part->end - 1);
}

void hp5_check_index(const Hp5View *view, int dim, int64_t index, const char *variable, const char *stage,
                     const char *file, int line) {
    const Hp5Set *part = &view->part[dim];
    if (hp5_set_contains(part, index)) return;
    char text[160];
    describe_part(part, text, sizeof text);
    hp5_fail_at(file, line, "%s: index %lld of dimension %d of %s is outside this LPU's part, which is %s",
                stage, (long long)index, dim + 1, variable, text);
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

/* Rounds of a walk over sub-partitions run one after the other, so what LPUs of different rounds write is no conflict:
 * the LPU of the first round in the same place stands for all of them. Different places of different rounds
 * hold different elements. */
static const Hp5Lpu *in_first_round(const Hp5TaskDesc *desc, const Hp5Lpu *lpu) {
    if (lpu->grid == NULL) return lpu;
    const Hp5Lpu *parent = in_first_round(desc, lpu->parent);
    bool walked = desc->lpses[lpu->grid->lps].sub_partition;
    if (parent == lpu->parent && !walked) return lpu;
    const Hp5Grid *grid = &parent->children[lpu->grid - lpu->parent->children];
    int64_t number = walked ? 0 : lpu->number;
    const Hp5Lpu *first = number < grid->count ? hp5_find_lpu(grid, number) : NULL;
    return first ? first : lpu;
}

/* An entry is the stage execution's stamp + 1, the LPS (6 bits), and the LPU (lower half); 0: nobody yet. LPUs of two
 * LPSes run different stages, one after the other. */
void hp5_check_write(Hp5Worker *w, const Hp5View *view, const int64_t *index, const Hp5Lpu *lpu, const char *variable,
                     const char *stage, const char *file, int line) {
    if (!atomic_load_explicit(&w->run->hidden->checked, memory_order_relaxed))
        atomic_store(&w->run->hidden->checked, true);
    for (int d = 0; d < view->store->rank; d++)
        if (index[d] < view->own[d].begin || index[d] >= view->own[d].end) return;
    _Atomic uint64_t *writers = writers_of(view->store);
    lpu = in_first_round(w->run->desc, lpu);
    uint32_t lps = lpu->grid ? (uint32_t)lpu->grid->lps : 0, execution = (w->stamp + 1) << 6 | (lps & 63);
    uint64_t entry = (uint64_t)execution << 32 | (uint32_t)lpu->flat;
    uint64_t before = atomic_exchange(&writers[hp5_store_offset(view->store, index)], entry);
    if (before == 0 || before >> 32 != entry >> 32 || (uint32_t)before == (uint32_t)lpu->flat) return;
    uint32_t other = (uint32_t)before, mine = (uint32_t)lpu->flat;
    char where[200];
    int used = 0;
    for (int d = 0; d < view->store->rank && used < (int)sizeof where; d++)
        used += snprintf(where + used, sizeof where - (size_t)used, "[%lld]", (long long)index[d]);
    hp5_fail_at(file, line,
                "%s: LPUs %lld and %lld both write %s%s in one execution of the stage; each element must be "
                "written by one LPU",
                stage, (long long)(other < mine ? other : mine), (long long)(other < mine ? mine : other), variable, where);
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
