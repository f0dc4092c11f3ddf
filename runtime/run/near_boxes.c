/* Many boxes from one file: of parts with strides there are many that lie in the file in short runs. The file is looked at in windows, from the first to the last of
 * them, and what regions have in a window, whichever LPUs they are for, comes from one call, with what lies between: unless that is much.
 *
 * How to read it: where regions lie in the file; what they have in a window, measured, then read; all windows. */
#include "runtime/run/array_regions.h"
#include "runtime/run/windows.h"
#include <stdlib.h>

/* Elements begin … end - 1 of the file, from the first to the last of a region. */
typedef struct Place {
    int64_t begin, end, region;
} Place;

typedef struct Near {
    const Hp5Regions *regions;
    const Hp5Item *item;
    Hp5NpyOrder order;
    Hp5NpyReader *ahead;
    Place *places;             /* of regions that are short runs, from the first on */
    int64_t count;
    int64_t *active, actives;  /* places that have something in the window */
    int64_t begin, end, runs;  /* what these have in there: from which element to which, in so many runs */
    bool reads;                /* it is read now */
    const Hp5Store *store;     /* of the region at hand */
} Near;

/* ---- Where regions lie --------------------------------------------------------------------------------------- */

/* The k-th dimension of the file, the slowest first. */
static int dimension(const Near *near, int k) { return near->order.fortran ? near->item->rank - 1 - k : k; }

static int64_t number_of(const Near *near, const int64_t *index, int64_t back) {
    int64_t number = 0;
    for (int k = 0; k < near->item->rank; k++) {
        const int d = dimension(near, k);
        number = number * near->item->extent[d] + index[d] - back - near->item->lo[d];
    }
    return number;
}

/* How many runs a box is. */
static int64_t runs_of(const Near *near, const Hp5Box *box) {
    int64_t runs = 1;
    bool whole = true; /* so far all faster dimensions are */
    for (int k = near->item->rank - 1; k >= 0; k--) {
        const int d = dimension(near, k);
        const int64_t count = box->hi[d] - box->lo[d];
        if (!whole) runs *= count;
        whole = whole && count == near->item->extent[d];
    }
    return runs;
}

/* How many elements the runs of a region have, on average. */
static int64_t length_of_runs(const Near *near, const Hp5Set *sets) {
    int64_t length = 1;
    bool whole = true;
    for (int k = near->item->rank - 1; k >= 0 && whole; k--) {
        const int d = dimension(near, k);
        const int64_t count = hp5_set_count(&sets[d]);
        length *= count / hp5_set_run_count(&sets[d]);
        whole = count == near->item->extent[d];
    }
    return length;
}

static int by_begin(const void *a, const void *b) {
    const Place *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->region > y->region) - (x->region < y->region);
}

static void read_box(const Hp5Box *box, void *data) {
    const Near *near = data;
    hp5_box_read(near->store, near->item->lo, box, near->item->file);
}

/* Regions of long runs are read at once, and have no place. */
static void place_regions(Near *near) {
    const int rank = near->regions->rank;
    near->places = hp5_alloc((int64_t)sizeof *near->places * (near->regions->count + 1), "reading of files");
    for (int64_t i = 0; i < near->regions->count; i++) {
        const Hp5Set *sets = hp5_region(near->regions, i);
        const Hp5Box hull = hp5_region_hull(sets, rank);
        near->store = near->regions->stores[i];
        if (length_of_runs(near, sets) * near->order.each >= HP5_SHORT_RUN) hp5_box_each(sets, rank, &hull, read_box, near);
        else near->places[near->count++] = (Place){number_of(near, hull.lo, 0), number_of(near, hull.hi, 1) + 1, i};
    }
    if (near->count > 1) qsort(near->places, (size_t)near->count, sizeof *near->places, by_begin);
}

/* ---- A window ----------------------------------------------------------------------------------------------- */

static void look_at(const Hp5Box *box, void *data) {
    Near *near = data;
    if (near->reads) {
        hp5_box_read(near->store, near->item->lo, box, near->ahead);
        return;
    }
    const int64_t begin = number_of(near, box->lo, 0), end = number_of(near, box->hi, 1) + 1;
    if (near->runs == 0 || begin < near->begin) near->begin = begin;
    if (near->runs == 0 || end > near->end) near->end = end;
    near->runs += runs_of(near, box);
}

static void look_at_range(const Hp5Box *range, void *data) {
    Near *near = data;
    for (int64_t i = 0; i < near->actives; i++) {
        const int64_t region = near->places[near->active[i]].region;
        near->store = near->regions->stores[region];
        hp5_box_each(hp5_region(near->regions, region), near->item->rank, range, look_at, near);
    }
}

static void read_window(Near *near, int64_t first, int64_t end) {
    near->runs = 0;
    near->reads = false;
    hp5_range_each_box(near->item, near->order.fortran, first, end, look_at_range, near);
    if (near->runs > 1 && (near->end - near->begin) * near->order.each < near->runs * HP5_NPY_GAP)
        hp5_npy_have(near->ahead, near->order.begin + near->begin * near->order.each, near->order.begin + near->end * near->order.each);
    near->reads = true;
    hp5_range_each_box(near->item, near->order.fortran, first, end, look_at_range, near);
}

/* ---- All windows --------------------------------------------------------------------------------------------- */

static void drop_behind(Near *near, int64_t end) {
    int64_t kept = 0;
    for (int64_t i = 0; i < near->actives; i++)
        if (near->places[near->active[i]].end > end) near->active[kept++] = near->active[i];
    near->actives = kept;
}

static void read_windows(Near *near) {
    const int64_t most = HP5_NPY_AHEAD / near->order.each;
    int64_t elements = 1, next = 0;
    for (int d = 0; d < near->item->rank; d++) elements *= near->item->extent[d];
    for (int64_t first = 0, end; near->actives > 0 || next < near->count; first = end) {
        if (near->actives == 0) first = near->places[next].begin;
        end = first + most < elements ? first + most : elements;
        while (next < near->count && near->places[next].begin < end) near->active[near->actives++] = next++;
        read_window(near, first, end);
        drop_behind(near, end);
    }
}

void hp5_regions_read(const Hp5Regions *regions, const Hp5Item *item) {
    Near near = {.regions = regions, .item = item, .order = hp5_npy_order(item->file)};
    place_regions(&near);
    if (near.count > 0) {
        near.active = hp5_alloc((int64_t)sizeof *near.active * near.count, "reading of files");
        near.ahead = hp5_npy_look_ahead(item->file);
        read_windows(&near);
        hp5_npy_end_ahead(near.ahead);
        hp5_free(near.active);
    }
    hp5_free(near.places);
}
