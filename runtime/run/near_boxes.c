/* Many boxes from one file: of parts with strides there are many that lie in the file in short runs. The file is looked at in windows, from the first to the last of
 * them, and what boxes have in a window, whichever LPUs they are for, comes from one call, with what lies between: unless that is much.
 *
 * How to read it: where boxes lie in the file; what they have in a window, measured, then read; all windows. */
#include "runtime/run/routes.h"
#include "runtime/run/windows.h"
#include <stdlib.h>

/* Elements begin … end - 1 of the file, from the first to the last of a box. */
typedef struct Place {
    int64_t begin, end, box;
} Place;

typedef struct Near {
    const Hp5Boxes *boxes;
    const Hp5Item *item;
    Hp5NpyOrder order;
    Hp5NpyReader *ahead;
    Place *places;             /* of boxes that are short runs, from the first on */
    int64_t count;
    int64_t *active, actives;  /* places that have something in the window */
    int64_t begin, end, runs;  /* what these have in there: from which element to which, in so many runs */
    bool reads;                /* it is read now */
} Near;

/* ---- Where boxes lie --------------------------------------------------------------------------------------- */

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

/* How many runs a box is, of `*length` elements each. */
static int64_t runs_of(const Near *near, const Hp5Box *box, int64_t *length) {
    int64_t runs = 1;
    bool whole = true; /* so far all faster dimensions are */
    *length = 1;
    for (int k = near->item->rank - 1; k >= 0; k--) {
        const int d = dimension(near, k);
        const int64_t count = box->hi[d] - box->lo[d];
        *(whole ? length : &runs) *= count;
        whole = whole && count == near->item->extent[d];
    }
    return runs;
}

static int by_begin(const void *a, const void *b) {
    const Place *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->box > y->box) - (x->box < y->box);
}

/* Boxes of long runs are read at once, and have no place. */
static void place_boxes(Near *near) {
    near->places = hp5_alloc((int64_t)sizeof *near->places * (near->boxes->count + 1), "reading of files");
    for (int64_t i = 0; i < near->boxes->count; i++) {
        const Hp5Box *box = &near->boxes->at[i];
        int64_t length;
        runs_of(near, box, &length);
        if (length * near->order.each >= HP5_SHORT_RUN) hp5_box_read(near->boxes->stores[i], near->item->lo, box, near->item->file);
        else near->places[near->count++] = (Place){number_of(near, box->lo, 0), number_of(near, box->hi, 1) + 1, i};
    }
    if (near->count > 1) qsort(near->places, (size_t)near->count, sizeof *near->places, by_begin);
}

/* ---- A window ----------------------------------------------------------------------------------------------- */

static void look_at(Near *near, const Hp5Store *store, const Hp5Box *box) {
    int64_t length;
    if (near->reads) {
        hp5_box_read(store, near->item->lo, box, near->ahead);
        return;
    }
    const int64_t begin = number_of(near, box->lo, 0), end = number_of(near, box->hi, 1) + 1;
    if (near->runs == 0 || begin < near->begin) near->begin = begin;
    if (near->runs == 0 || end > near->end) near->end = end;
    near->runs += runs_of(near, box, &length);
}

static void look_at_range(const Hp5Box *range, void *data) {
    Near *near = data;
    for (int64_t i = 0; i < near->actives; i++) {
        const int64_t b = near->places[near->active[i]].box;
        Hp5Box box = near->boxes->at[b];
        if (hp5_box_cut(&box, range, near->item->rank)) look_at(near, near->boxes->stores[b], &box);
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

void hp5_boxes_read(const Hp5Boxes *boxes, const Hp5Item *item) {
    Near near = {.boxes = boxes, .item = item, .order = hp5_npy_order(item->file)};
    place_boxes(&near);
    if (near.count > 0) {
        near.active = hp5_alloc((int64_t)sizeof *near.active * near.count, "reading of files");
        near.ahead = hp5_npy_look_ahead(item->file);
        read_windows(&near);
        hp5_npy_end_ahead(near.ahead);
        hp5_free(near.active);
    }
    hp5_free(near.places);
}
