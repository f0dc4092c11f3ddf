/* The core of an LPU and its border: iterations that need nothing of what comes by messages run while these are under way, the others behind
 * them (hp5_sweep). Of each store that gets something, a box is kept in which none of it lies. */
#include "runtime/move/sweep.h"
#include "runtime/report/error.h"
#include "runtime/inline.h"
#include "runtime/run/private.h"

const Hp5Box hp5_everywhere = {
    {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
    {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}};
_Static_assert(HP5_MAX_RANK == 8, "a box has eight dimensions");

enum { MOST_SLICES = 4, SLICE_ELEMENTS = 1 << 17, FEW_ELEMENTS = 1 << 12 };

/* ---- What comes ------------------------------------------------------------------------------------------ */

/* The index at an offset, slowest dimension first. */
static void index_at(const Hp5Store *store, int64_t offset, int64_t *index) {
    const bool ascending = hp5_store_slowest(store) == 0;
    for (int k = 0; k < store->rank; k++) {
        const int d = ascending ? k : store->rank - 1 - k;
        index[d] = store->lo[d] + offset / store->stride[d];
        offset %= store->stride[d];
    }
}

/* Indices of the store that lie in the box. */
static int64_t width_in(const Hp5Store *store, const Hp5Box *box, int d) {
    return hp5_min(box->hi[d], store->lo[d] + store->extent[d]) - hp5_max(box->lo[d], store->lo[d]);
}

/* Cuts the box so that nothing of the piece lies in it, on the side where least of it is lost. */
static void leave_out(const Hp5Store *store, const int64_t *piece, Hp5Box *box) {
    int64_t begin[HP5_MAX_RANK];
    double best = -1;
    int dimension = 0;
    bool above = false;
    index_at(store, piece[HP5_PIECE_TO], begin);
    for (int d = 0; d < store->rank; d++) {
        const int64_t end = begin[d] + piece[HP5_PIECE_COUNTS + d], width = width_in(store, box, d);
        if (end <= box->lo[d] || begin[d] >= box->hi[d] || width <= 0) return;
        const double left_above = (double)(hp5_min(box->hi[d], store->lo[d] + store->extent[d]) - end) / (double)width;
        const double left_below = (double)(begin[d] - hp5_max(box->lo[d], store->lo[d])) / (double)width;
        if (left_above > best) best = left_above, dimension = d, above = true;
        if (left_below > best) best = left_below, dimension = d, above = false;
    }
    if (above) box->lo[dimension] = begin[dimension] + piece[HP5_PIECE_COUNTS + dimension];
    else box->hi[dimension] = begin[dimension];
}

Hp5Coming *hp5_coming_create(const Hp5TaskRun *run, const Hp5Pattern *pattern) {
    const Hp5StoreTable *stores = &run->hidden->stores.table;
    const int64_t numbers = (int64_t)stores->count * HP5_STORE_CHUNK;
    Hp5Coming *coming = hp5_alloc_zeroed(sizeof *coming, "exchange plans");
    coming->places = hp5_alloc_zeroed((int64_t)sizeof *coming->places * (numbers + 1), "exchange plans");
    int32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int m = 0; m < pattern->receive_count; m++) {
            const Hp5Pieces *pieces = &pattern->receives[m].pieces;
            for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + pattern->rank) {
                const int32_t number = hp5_piece_to(pieces->words + i);
                const Hp5Store *store = hp5_store_at(stores, number);
                if (pass == 0 && coming->places[number] == 0) coming->places[number] = ++count;
                if (pass == 1 && store->places == NULL) leave_out(store, pieces->words + i, &coming->untouched[coming->places[number] - 1]);
            }
        }
        if (pass == 1) break;
        coming->untouched = hp5_alloc((int64_t)sizeof *coming->untouched * (count + 1), "exchange plans");
        for (int32_t k = 0; k < count; k++) coming->untouched[k] = hp5_everywhere;
    }
    return coming;
}

void hp5_coming_free(Hp5Coming *coming) {
    if (coming == NULL) return;
    hp5_free(coming->places);
    hp5_free(coming->untouched);
    hp5_free(coming);
}

/* ---- Sweeps ---------------------------------------------------------------------------------------------- */

/* What an iteration uses lies `reach` around its place, and must lie in the box. */
static Hp5Box core_of(const Hp5Box *box, const Hp5Box *reach, int rank) {
    Hp5Box core = hp5_everywhere;
    for (int d = 0; d < rank; d++) {
        if (box->lo[d] != INT64_MIN) core.lo[d] = box->lo[d] - reach->lo[d];
        if (box->hi[d] != INT64_MAX) core.hi[d] = box->hi[d] - reach->hi[d];
    }
    return core;
}

/* The core's part of the LPU; 0: there is none. */
static double part_of(const Hp5Store *store, const Hp5Box *core) {
    double part = 1;
    for (int d = 0; d < store->rank; d++) {
        const int64_t width = width_in(store, core, d);
        if (width <= 0) return 0;
        part *= (double)width / (double)store->extent[d];
    }
    return part;
}

/* Loops over a border are short: it is worth them where the core is most of the LPU, or they cost less than a message. */
static bool is_worth(const Hp5Store *store, double part) { return part >= 0.5 || (part > 0 && hp5_store_elements(store) <= FEW_ELEMENTS); }

static bool is_bounded(const Hp5Store *store, const Hp5Box *box) {
    for (int d = 0; d < store->rank; d++)
        if (box->lo[d] != INT64_MIN || box->hi[d] != INT64_MAX) return true;
    return false;
}

bool hp5_sweep_around(Hp5Sweep *sweep, const Hp5Late *late, const Hp5Store *store, const Hp5Box *untouched) {
    *sweep = (Hp5Sweep){.box = hp5_everywhere, .count = 1};
    const Hp5Box core = core_of(untouched, late->reach, store->rank);
    const double part = part_of(store, &core);
    if (!is_bounded(store, untouched) || !is_worth(store, part)) return false;
    const int d = hp5_store_slowest(store), slices = (int)hp5_max(1, hp5_min(MOST_SLICES, (int64_t)(part * (double)hp5_store_elements(store)) / SLICE_ELEMENTS));
    const Hp5Run sliced = {hp5_max(core.lo[d], store->lo[d]), hp5_min(core.hi[d], store->lo[d] + store->extent[d])};
    *sweep = (Hp5Sweep){.late = late, .core = core, .sliced = sliced, .slowest = d, .slices = slices, .count = slices + 2 * store->rank};
    return true;
}

Hp5Sweep hp5_sweep(const Hp5Late *late, const Hp5Lpu *lpu) {
    Hp5Sweep sweep = {.box = hp5_everywhere, .count = 1};
    if (hp5_is_settled(late)) return sweep;
    const Hp5Store *store = lpu->views[late->slot].store;
    const int32_t place = late->coming->places[store->number];
    if (place > 0 && !hp5_sweep_around(&sweep, late, store, &late->coming->untouched[place - 1])) hp5_settle(late->w, late->exchange);
    return sweep;
}

static Hp5Box slice(const Hp5Sweep *sweep, int number) {
    Hp5Box box = sweep->core;
    const int64_t begin = sweep->sliced.begin, width = sweep->sliced.end - begin;
    if (number > 0) box.lo[sweep->slowest] = begin + width * number / sweep->slices;
    if (number + 1 < sweep->slices) box.hi[sweep->slowest] = begin + width * (number + 1) / sweep->slices;
    return box;
}

/* Beside the core in dimension side / 2, and in those before it where the core is. */
static Hp5Box beside(const Hp5Sweep *sweep, int side) {
    Hp5Box box = hp5_everywhere;
    for (int d = 0; d < side / 2; d++) {
        box.lo[d] = sweep->core.lo[d];
        box.hi[d] = sweep->core.hi[d];
    }
    if (side % 2 == 0) box.hi[side / 2] = sweep->core.lo[side / 2];
    else box.lo[side / 2] = sweep->core.hi[side / 2];
    return box;
}

static bool is_side(const Hp5Sweep *sweep, int side) {
    return side % 2 == 0 ? sweep->core.lo[side / 2] != INT64_MIN : sweep->core.hi[side / 2] != INT64_MAX;
}

bool hp5_sweep_next(Hp5Sweep *sweep) {
    if (sweep->number == sweep->slices && sweep->late != NULL) hp5_settle(sweep->late->w, sweep->late->exchange);
    while (sweep->late != NULL && sweep->number >= sweep->slices && sweep->number < sweep->count && !is_side(sweep, sweep->number - sweep->slices)) sweep->number++;
    if (sweep->number == sweep->count) return false;
    if (sweep->late != NULL && sweep->number < sweep->slices) {
        if (sweep->number > 0) hp5_comm_progress();
        sweep->box = slice(sweep, sweep->number);
    } else if (sweep->late != NULL) {
        sweep->box = beside(sweep, sweep->number - sweep->slices);
    }
    sweep->number++;
    return true;
}
