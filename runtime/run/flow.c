/* What flow functions call besides movements and epochs: who runs what, coordinates, reductions. */
#include "runtime/run/private.h"
#include <string.h>

int64_t hp5_lpu_id(const Hp5Lpu *lpu, int64_t d, const char *file, int line) {
    int dims = 0;
    while (lpu->grid && dims < HP5_MAX_RANK && lpu->grid->extent[dims] > 0) dims++;
    if (d < 0 || d >= dims)
        hp5_fail_at(file, line,
                    "lpuId[%lld]: the Space has %d dimension%s, so the index must be from 0 to %d",
                    (long long)d, dims, dims == 1 ? "" : "s", dims - 1);
    int64_t rest = lpu->number;
    for (int j = dims - 1; j > d; j--) rest /= lpu->grid->extent[j];
    return rest % lpu->grid->extent[d];
}

/* ---- <dynamic> ---------------------------------------------------------------------------------- */

/* The PPUs of an LPS in its parent's, as far as they are this process's. */
static int64_t own_ppus(const Hp5Worker *w, int lps) {
    const Hp5Group *above = w->groups[w->run->desc->lpses[lps].parent];
    const Hp5Worker *first = &w->run->workers[above->first], *last = &w->run->workers[above->first + above->count - 1];
    return last->position[lps] - first->position[lps] + 1;
}

Hp5Visit hp5_visit_begin(Hp5Worker *w, Hp5Grid *grid) {
    Hp5Visit visit = {.grid = grid};
    int64_t takers = own_ppus(w, grid->lps);
    if (takers == 1 || takers != w->groups[w->run->desc->lpses[grid->lps].parent]->count) {
        visit.share = hp5_share(w, grid);
    } else {
        visit.chunk = grid->own / (takers * 32) + 1;
    }
    hp5_sync(w, w->run->desc->lpses[grid->lps].parent);
    return visit;
}

bool hp5_visit_more(Hp5Visit *visit) {
    if (visit->chunk == 0) {
        visit->at = hp5_share_next(&visit->share);
        visit->end = visit->at ? visit->at + 1 : NULL;
        return visit->at != NULL;
    }
    int64_t count = visit->grid->own;
    int64_t begin = atomic_fetch_add_explicit(&visit->grid->taken, visit->chunk, memory_order_relaxed);
    if (begin >= count) return false;
    visit->at = visit->grid->lpus + begin;
    visit->end = visit->grid->lpus + (begin + visit->chunk < count ? begin + visit->chunk : count);
    return true;
}

static void give_all_back(void *data) {
    Hp5Grid *grid = data;
    atomic_store_explicit(&grid->taken, 0, memory_order_relaxed);
}

void hp5_visit_end(Hp5Worker *w, Hp5Visit *visit) {
    hp5_barrier_then(w->groups[w->run->desc->lpses[visit->grid->lps].parent], give_all_back, visit->grid);
}

/* ---- Reductions ---------------------------------------------------------------------------------------- */

void *hp5_partial(Hp5Worker *w, int site, Hp5Lpu *lpu) {
    Hp5Site *at = &w->run->hidden->sites[site];
    at->present[lpu->flat] = 1;
    return at->partials + (size_t)lpu->flat * w->run->desc->reductions[site].size;
}

void hp5_combine(Hp5TaskRun *run, int at, Hp5Lpu *target) {
    const Hp5ReduceDesc *desc = &run->desc->reductions[at];
    bool across = hp5_has_processes(run) && hp5_segments_of(run, hp5_threads_of(&run->hidden->geometry, target)).count > 1;
    Hp5Site *site = &run->hidden->sites[at];
    int64_t begin = target->flat, end = begin + 1;
    if (desc->from != desc->to) {
        begin = site->begin[target->flat];
        end = site->end[target->flat];
    }
    if (across) hp5_combine_across(run, at, target);
    else desc->combine(site->partials + (size_t)begin * desc->size, site->present + begin, end - begin, target->scalars);
    memset(site->present + begin, 0, (size_t)(end - begin));
}
