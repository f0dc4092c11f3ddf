/* Arrays of indices: before an execution, whether all their values are indices of the arrays that they subscript.
 *
 * The least and the greatest value are found by all threads together, once for each item: they are kept with it until a task may write
 * it. Where they are out of bounds, the stages that use the array run in the form that checks each use. */
#include "runtime/card/resident.h"
#include "runtime/card/sides.h"
#include "runtime/run/private.h"
#include "runtime/run/array_regions.h"
#include "runtime/store/elements.h"
#include <stdio.h>
#include <string.h>

typedef struct Extremes { int64_t least, greatest; } Extremes;
typedef struct Scan {
    const Hp5Store *store;
    int threads;
    Extremes *found; /* by thread */
} Scan;

/* The library is compiled without what makes vector loops of these. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3")))
#endif
static Extremes extremes_of(const Hp5Store *store, int64_t begin, int64_t end) {
    Extremes found = {INT64_MAX, INT64_MIN};
    if (store->element_size == sizeof(int32_t)) {
        const int32_t *values = (const void *)store->version[0];
        int32_t least = INT32_MAX, greatest = INT32_MIN;
        for (int64_t i = begin; i < end; i++) {
            least = values[i] < least ? values[i] : least;
            greatest = values[i] > greatest ? values[i] : greatest;
        }
        if (begin < end) found = (Extremes){least, greatest};
        return found;
    }
    const int64_t *values = (const void *)store->version[0];
    for (int64_t i = begin; i < end; i++) {
        found.least = values[i] < found.least ? values[i] : found.least;
        found.greatest = values[i] > found.greatest ? values[i] : found.greatest;
    }
    return found;
}

static void scan_on_thread(int rank, void *data) {
    const Scan *scan = data;
    int64_t count = hp5_store_elements(scan->store), each = count / scan->threads, more = count % scan->threads;
    int64_t begin = rank * each + (rank < more ? rank : more);
    scan->found[rank] = extremes_of(scan->store, begin, begin + each + (rank < more));
}

static Extremes both(Extremes a, Extremes b) {
    return (Extremes){b.least < a.least ? b.least : a.least, b.greatest > a.greatest ? b.greatest : a.greatest};
}

/* Of a box of what has been read of it: rows that lie together. */
static void add_extremes(const Hp5Store *store, const Hp5Box *box, void *data) {
    Extremes *all = data;
    int64_t index[HP5_MAX_RANK];
    memcpy(index, box->lo, sizeof index);
    for (int d = 0, last = store->rank - 1; d >= 0;) {
        const int64_t begin = hp5_store_offset(store, index);
        *all = both(*all, extremes_of(store, begin, begin + box->hi[last] - box->lo[last]));
        for (d = last - 1; d >= 0 && ++index[d] == box->hi[d]; d--) index[d] = box->lo[d];
    }
}

static Extremes extremes_of_store(Hp5TaskRun *run, int array) {
    int threads = hp5_team_size(run->team);
    const Hp5Regions *read = hp5_share_read(run, array);
    if (read != NULL) {
        Extremes all = {INT64_MAX, INT64_MIN};
        hp5_regions_each_box(read, add_extremes, &all);
        return all;
    }
    Scan scan = {&run->hidden->stores.roots[array], threads, hp5_alloc((int64_t)sizeof(Extremes) * threads, "a task")};
    hp5_team_run(run->team, scan_on_thread, &scan);
    Extremes all = scan.found[0];
    for (int t = 1; t < threads; t++) all = both(all, scan.found[t]);
    hp5_free(scan.found);
    return all;
}

static Extremes extremes_of_item(Hp5TaskRun *run, int array) {
    Hp5Item *item = run->items[array];
    bool same = !hp5_has_processes(run) || item->extremes_of == run;
    if (item->extremes_known && same) return (Extremes){item->least, item->greatest};
    hp5_resident_fetch(item);
    hp5_sides_fetch(run, array);
    const Extremes all = extremes_of_store(run, array);
    item->extremes_known = true;
    item->extremes_of = run;
    item->least = all.least;
    item->greatest = all.greatest;
    return all;
}

static bool stray(Hp5TaskRun *run, const Hp5GatherDesc *gather) {
    if (run->hidden->stores.roots[gather->indices].version[0] == NULL) return false; /* only copies have it */
    Extremes values = extremes_of_item(run, gather->indices);
    if (values.least > values.greatest) return false;
    const Hp5Store *array = &run->hidden->stores.roots[gather->array];
    int64_t first = array->array_lo[gather->dimension], last = first + array->array_extent[gather->dimension] - 1;
    if (gather->spared && values.least == gather->unlike) values.least++;
    if (gather->spared && values.greatest == gather->unlike) values.greatest--;
    if (gather->bounded && values.least < gather->from) values.least = gather->from;
    return (gather->least && values.least < first - gather->offset) || (gather->most && values.greatest > last - gather->offset);
}

void hp5_gathers_look(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    for (int a = 0; a < desc->array_count; a++) /* without a lock: executions that share items follow each other */
        if (desc->written == NULL || desc->written[a]) run->items[a]->extremes_known = false;
    for (int g = 0; g < desc->gather_groups; g++) run->strays[g] = false;
    for (int g = 0; g < desc->gather_count; g++)
        if (!run->strays[desc->gathers[g].group]) run->strays[desc->gathers[g].group] = stray(run, &desc->gathers[g]);
}

int64_t hp5_gathered_anywhere(const Hp5View *view, int dim, int64_t index, const char *variable, const char *indices, int rank,
                              const int64_t *position, const char *stage, const char *file, int line) {
    if (hp5_set_contains(&view->part[dim], index)) return index;
    char from[256];
    int used = snprintf(from, sizeof from, "%s", indices);
    for (int d = 0; d < rank && used > 0 && used < (int)sizeof from; d++)
        used += snprintf(from + used, sizeof from - (size_t)used, "[%lld]", (long long)position[d]);
    hp5_fail_at(file, line, "%s: index %lld of dimension %d of %s, taken from %s, is outside its indices, which are %lld to %lld", stage,
                (long long)index, dim + 1, variable, from, (long long)view->part[dim].begin, (long long)view->part[dim].end - 1);
}
