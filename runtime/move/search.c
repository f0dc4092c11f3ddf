/* Sources and destinations of movements (search.h). How to read it: what a destination wants (each_wanted); the walk down the
 * sources' LPSes that meet a box (find_sources); the walk down the destinations' that meet a source's part; and what one
 * destination takes from one source, which both sides of a message compute alike. */
#include "runtime/move/search.h"
#include "runtime/report/error.h"
#include <stdlib.h>
#include <string.h>

/* ---- Setting out ------------------------------------------------------------------------------------ */

/* LPSes below `within`; 0: it lies above. */
static int depth_of(const Hp5TaskDesc *desc, int within, int lps) {
    int depth = 0;
    for (; lps > 0 && lps != within; lps = desc->lpses[lps].parent) depth++;
    return lps == within ? depth : 0;
}

/* The LPU itself or the one of `lps` around it. */
static const Hp5Lpu *top_of(const Hp5Lpu *lpu, int lps) {
    const Hp5Lpu *at = lpu;
    while (at != NULL && (at->grid == NULL ? 0 : at->grid->lps) != lps) at = at->parent;
    return at == NULL ? lpu : at;
}

static void path_to(const Hp5TaskDesc *desc, int array, int lps, int depth, int *path, int *slots) {
    for (int i = depth - 1; i >= 0; i--, lps = desc->lpses[lps].parent) {
        path[i] = lps;
        slots[i] = hp5_slot_of(desc, lps, array);
    }
}

void hp5_search_begin(Hp5Search *search, const Hp5Geometry *geometry, Hp5Movement movement, const Hp5Lpu *parent) {
    const Hp5TaskDesc *desc = geometry->desc;
    int from = depth_of(desc, movement.within, movement.from), to = depth_of(desc, movement.within, movement.to);
    *search = (Hp5Search){.geometry = geometry, .movement = movement, .parent = parent, .from_depth = from, .to_depth = to};
    search->rank = desc->arrays[movement.array].rank;
    search->from_chain = hp5_alloc_zeroed((int64_t)(sizeof(void *) + 2 * sizeof(int)) * (from + to + 1), "movements");
    search->to_chain = search->from_chain + from;
    search->from_path = (int *)(void *)(search->to_chain + to);
    search->to_path = search->from_path + from;
    search->from_slots = search->to_path + to;
    search->to_slots = search->from_slots + from;
    path_to(desc, movement.array, movement.from, from, search->from_path, search->from_slots);
    path_to(desc, movement.array, movement.to, to, search->to_path, search->to_slots);
    search->from_slot = hp5_slot_of(desc, movement.from, movement.array);
    search->to_slot = hp5_slot_of(desc, movement.to, movement.array);
    search->from_top = top_of(parent, movement.from);
    search->to_top = top_of(parent, movement.to);
    search->threads = hp5_threads_of(geometry, parent);
    search->scout = hp5_scout_create(geometry);
}

void hp5_search_end(Hp5Search *search) {
    hp5_scout_free(search->scout);
    hp5_pool_free(&search->pool);
    hp5_free((void *)search->from_chain);
}

static const Hp5Lpu *destination(const Hp5Search *search) { return search->to_depth == 0 ? search->to_top : search->to_chain[search->to_depth - 1]; }

/* Of an LPS that does not list the array: what the LPU around it has. */
static const Hp5View *view_of(const Hp5Search *search, const Hp5Lpu *lpu, int slot) {
    while (slot < 0) {
        lpu = lpu->parent;
        slot = hp5_slot_of(search->geometry->desc, lpu->grid == NULL ? 0 : lpu->grid->lps, search->movement.array);
    }
    return &lpu->views[slot];
}

const Hp5View *hp5_search_to(const Hp5Search *search) { return view_of(search, destination(search), search->to_slot); }

const Hp5View *hp5_search_from(const Hp5Search *search, const Hp5Lpu *from) { return view_of(search, from, search->from_slot); }

static const Hp5Lpu *source(const Hp5Search *search) { return search->from_depth == 0 ? search->from_top : search->from_chain[search->from_depth - 1]; }

/* ---- What a destination wants ------------------------------------------------------------------------- */

/* The LPU of the destination's whose own part it does not want, or NULL. */
static const Hp5View *without(const Hp5Search *search) {
    for (int i = 0; i < search->to_depth; i++)
        if (search->to_path[i] == search->movement.beyond) return &search->to_chain[i]->views[search->to_slots[i]];
    return NULL;
}

static void each_wanted(Hp5Search *search, void (*visit)(Hp5Search *search, const Hp5Box *box)) {
    const Hp5View *to = hp5_search_to(search), *outer = without(search);
    int64_t cuts[HP5_MAX_RANK][4];
    int combinations = 1, middle = 0;
    Hp5Box box;
    if (outer == NULL) {
        box = hp5_view_hull(to, search->rank);
        if (search->movement.only == NULL || hp5_box_cut(&box, search->movement.only, search->rank)) visit(search, &box);
        return;
    }
    for (int d = 0; d < search->rank; d++) {
        int64_t begin = to->part[d].begin, end = to->part[d].end, lo = outer->own[d].begin, hi = outer->own[d].end;
        cuts[d][0] = begin;
        cuts[d][1] = lo < begin ? begin : lo > end ? end : lo;
        cuts[d][2] = hi < cuts[d][1] ? cuts[d][1] : hi > end ? end : hi;
        cuts[d][3] = end;
        middle += combinations;
        combinations *= 3;
    }
    for (int c = 0; c < combinations; c++) {
        if (c == middle) continue;
        bool empty = false;
        for (int d = 0, code = c; d < search->rank && !empty; d++, code /= 3) {
            box.lo[d] = cuts[d][code % 3];
            box.hi[d] = cuts[d][code % 3 + 1];
            empty = box.lo[d] >= box.hi[d];
        }
        if (!empty) visit(search, &box);
    }
}

/* ---- From box to sources ------------------------------------------------------------------------------------ */

typedef struct Emit {
    Hp5Search *search;
    Hp5Span threads;
} Emit;

static void emit_box(const Hp5Box *box, void *data) {
    const Emit *emit = data;
    emit->search->found(emit->search, destination(emit->search), source(emit->search), emit->threads, box);
}

/* The box is in the unpadded part of the source at hand; what both have of it. */
static void found_source(Hp5Search *search, Hp5Span threads, const Hp5Box *box) {
    const Hp5Lpu *to = destination(search), *from = source(search);
    const Hp5View *wanted = hp5_search_to(search);
    if (to == from && !search->movement.in_place) return;
    Hp5Set sets[HP5_MAX_RANK];
    for (int d = 0; d < search->rank; d++)
        sets[d] = hp5_set_intersect(&wanted->part[d], &hp5_search_from(search, from)->part[d], &search->pool);
    hp5_box_each(sets, search->rank, box, emit_box, &(Emit){search, threads});
}

/* What of a box lies in the unpadded part of an LPU; false: nothing. */
static bool cut_to_own(const Hp5Search *search, const Hp5Lpu *lpu, int slot, Hp5Box *box) {
    for (int d = 0; slot >= 0 && d < search->rank; d++) {
        Hp5Run own = lpu->views[slot].own[d];
        if (own.begin > box->lo[d]) box->lo[d] = own.begin;
        if (own.end < box->hi[d]) box->hi[d] = own.end;
        if (box->lo[d] >= box->hi[d]) return false;
    }
    return true;
}

/* The coordinate at which an LPS dimension that does not divide the array is asked: the destination's own. */
static int64_t replica(const Hp5Search *search, int depth, int j, int64_t extent) {
    if (depth >= search->to_depth || search->to_path[depth] != search->from_path[depth]) return 0;
    const Hp5Lpu *mine = search->to_chain[depth];
    int64_t rest = mine->number;
    for (int k = search->geometry->desc->lpses[search->to_path[depth]].dims - 1; k > j; k--) rest /= mine->grid->extent[k];
    rest %= mine->grid->extent[j];
    return rest < extent ? rest : extent - 1;
}

static const Hp5DimDesc *dividing(const Hp5Search *search, int lps, int slot, int j) {
    const Hp5DimDesc *dim = slot < 0 ? NULL : &search->geometry->desc->lpses[lps].vars[slot].dims[j];
    return dim && dim->function != HP5_REPLICATED ? dim : NULL;
}

/* The coordinates of one LPS dimension: a range, or a list where many of a range would be asked for nothing. */
typedef struct Coordinates {
    Hp5PartRange range;
    int64_t *list;
} Coordinates;

/* A product of coordinates, walked row by row. */
typedef struct Walk {
    int dims;
    int64_t extent[HP5_MAX_RANK], at[HP5_MAX_RANK];
    Coordinates of[HP5_MAX_RANK];
} Walk;

static Walk walk_of(const Hp5Search *search, const Hp5Grid *grid) {
    Walk walk = {.dims = search->geometry->desc->lpses[grid->lps].dims};
    memcpy(walk.extent, grid->extent, sizeof *grid->extent * (size_t)walk.dims);
    return walk;
}

static void walk_free(Walk *walk) {
    for (int j = 0; j < walk->dims; j++) hp5_free(walk->of[j].list);
}

static bool walk_begin(const Walk *walk) {
    for (int j = 0; j < walk->dims; j++)
        if (walk->of[j].range.count == 0) return false;
    return true;
}

static bool walk_next(Walk *walk) {
    for (int j = walk->dims - 1; j >= 0; j--) {
        if (++walk->at[j] < walk->of[j].range.count) return true;
        walk->at[j] = 0;
    }
    return false;
}

static int64_t walk_number(const Walk *walk) {
    int64_t number = 0;
    for (int j = 0; j < walk->dims; j++) {
        int64_t at = walk->of[j].range.first + walk->at[j];
        if (at >= walk->extent[j]) at -= walk->extent[j];
        number = number * walk->extent[j] + (walk->of[j].list ? walk->of[j].list[walk->at[j]] : at);
    }
    return number;
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The parts that meet [lo, hi) of `asking`, the part of whoever asks. */
static Coordinates meeting(const Hp5Search *search, int lps, const Hp5DimDesc *dim, const Hp5Set *divided, int64_t parts, const Hp5Set *asking,
                           int64_t lo, int64_t hi, bool padded) {
    Coordinates found = {hp5_parts_meeting(search->geometry, lps, dim, divided, parts, lo, hi, padded), NULL};
    int64_t first = hp5_set_find_run(asking, lo), runs = hp5_set_find_run(asking, hi - 1) + 1 - first, used = 0, capacity = 0;
    if (hp5_set_is_interval(asking) || runs >= found.range.count) return found;
    if (first + runs > hp5_set_run_count(asking)) runs--;
    for (int64_t k = 0; k < runs; k++) {
        Hp5Run run = hp5_set_run(asking, first + k);
        Hp5PartRange range = hp5_parts_meeting(search->geometry, lps, dim, divided, parts, run.begin > lo ? run.begin : lo,
                                               run.end < hi ? run.end : hi, padded);
        if (used + range.count > capacity) {
            capacity = 2 * capacity + range.count + runs;
            int64_t *larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "movements");
            if (used > 0) memcpy(larger, found.list, sizeof *larger * (size_t)used);
            hp5_free(found.list);
            found.list = larger;
        }
        for (int64_t i = 0; i < range.count; i++) found.list[used++] = (range.first + i) % parts;
    }
    found.range = (Hp5PartRange){0, 0};
    if (used == 0) return found;
    if (used > 1) qsort(found.list, (size_t)used, sizeof *found.list, ascending);
    for (int64_t i = 0; i < used; i++)
        if (i == 0 || found.list[i] != found.list[i - 1]) found.list[found.range.count++] = found.list[i];
    return found;
}

static void find_sources(Hp5Search *search, int depth, const Hp5Lpu *parent, Hp5Span threads, const Hp5Box *box) {
    if (depth == search->from_depth) {
        found_source(search, threads, box);
        return;
    }
    int lps = search->from_path[depth], slot = search->from_slots[depth];
    const Hp5Grid *grid = hp5_scout_grid(search->scout, parent, lps);
    if (grid->count == 0) return;
    Walk walk = walk_of(search, grid);
    const Hp5View *held = slot < 0 ? NULL : hp5_held_view(search->geometry, lps, slot, parent), *asking = hp5_search_to(search);
    for (int j = 0; j < walk.dims; j++) {
        const Hp5DimDesc *dim = dividing(search, lps, slot, j);
        int d = dim ? dim->array_dimension : 0;
        walk.of[j] = dim ? meeting(search, lps, dim, &held->part[d], grid->extent[j], &asking->part[d], box->lo[d], box->hi[d], false)
                         : (Coordinates){{replica(search, depth, j, grid->extent[j]), 1}, NULL};
    }
    for (bool more = walk_begin(&walk); more; more = walk_next(&walk)) {
        int64_t number = walk_number(&walk);
        search->asked++;
        Hp5Box both = *box;
        search->from_chain[depth] = hp5_scout_lpu(search->scout, parent, grid, number);
        if (!cut_to_own(search, search->from_chain[depth], slot, &both)) continue;
        find_sources(search, depth + 1, search->from_chain[depth], hp5_lpu_span(search->geometry, grid, number, threads), &both);
    }
    walk_free(&walk);
}

static void sources_of_box(Hp5Search *search, const Hp5Box *box) { find_sources(search, 0, search->parent, search->threads, box); }

void hp5_search_sources(Hp5Search *search) { each_wanted(search, sources_of_box); }

/* ---- From source to destinations ------------------------------------------------------------------------------ */

typedef struct Readers {
    Hp5Search *search;
    bool (*wanted)(const Hp5Search *search, Hp5Span threads);
    void (*visit)(Hp5Search *search, const Hp5Lpu *to, Hp5Span threads);
    Hp5Box own; /* the source's elements: a hull */
} Readers;

/* Of all LPUs with the source's part, is it the one that this destination asks? */
static bool is_asked(const Hp5Search *search) {
    for (int depth = 0; depth < search->from_depth; depth++) {
        const Hp5Lpu *lpu = search->from_chain[depth];
        int64_t rest = lpu->number;
        for (int j = search->geometry->desc->lpses[search->from_path[depth]].dims - 1; j >= 0; j--) {
            int64_t coordinate = rest % lpu->grid->extent[j];
            rest /= lpu->grid->extent[j];
            if (dividing(search, search->from_path[depth], search->from_slots[depth], j) == NULL &&
                coordinate != replica(search, depth, j, lpu->grid->extent[j]))
                return false;
        }
    }
    return true;
}

static void find_destinations(const Readers *readers, int depth, const Hp5Lpu *parent, Hp5Span threads) {
    Hp5Search *search = readers->search;
    if (!readers->wanted(search, threads)) return;
    if (depth == search->to_depth) {
        if (is_asked(search)) readers->visit(search, parent, threads);
        return;
    }
    int lps = search->to_path[depth], slot = search->to_slots[depth];
    const Hp5Grid *grid = hp5_scout_grid(search->scout, parent, lps);
    if (grid->count == 0) return;
    Walk walk = walk_of(search, grid);
    const Hp5View *held = slot < 0 ? NULL : hp5_held_view(search->geometry, lps, slot, parent), *asking = hp5_search_from(search, source(search));
    for (int j = 0; j < walk.dims; j++) {
        const Hp5DimDesc *dim = dividing(search, lps, slot, j);
        int d = dim ? dim->array_dimension : 0;
        walk.of[j] = dim ? meeting(search, lps, dim, &held->part[d], grid->extent[j], &asking->part[d], readers->own.lo[d], readers->own.hi[d], true)
                         : (Coordinates){{0, grid->extent[j]}, NULL};
    }
    for (bool more = walk_begin(&walk); more; more = walk_next(&walk)) {
        int64_t number = walk_number(&walk);
        search->asked++;
        search->to_chain[depth] = hp5_scout_lpu(search->scout, parent, grid, number);
        find_destinations(readers, depth + 1, search->to_chain[depth], hp5_lpu_span(search->geometry, grid, number, threads));
    }
    walk_free(&walk);
}

bool hp5_search_source_box(const Hp5Search *search, Hp5Box *box) {
    *box = hp5_view_hull(hp5_search_from(search, source(search)), search->rank);
    for (int i = 0; i < search->from_depth; i++)
        if (!cut_to_own(search, search->from_chain[i], search->from_slots[i], box)) return false;
    return search->movement.only == NULL || hp5_box_cut(box, search->movement.only, search->rank);
}

void hp5_search_destinations(Hp5Search *search, bool (*wanted)(const Hp5Search *search, Hp5Span threads),
                             void (*visit)(Hp5Search *search, const Hp5Lpu *to, Hp5Span threads)) {
    Readers readers = {.search = search, .wanted = wanted, .visit = visit};
    if (hp5_search_source_box(search, &readers.own)) find_destinations(&readers, 0, search->parent, search->threads);
}

/* ---- Between two ------------------------------------------------------------------------------------------------ */

static void cut_to_source(Hp5Search *search, const Hp5Box *box) {
    Hp5Box both = *box;
    if (hp5_box_cut(&both, search->of_source, search->rank)) found_source(search, search->source_threads, &both);
}

void hp5_search_between(Hp5Search *search, Hp5Span from_threads) {
    Hp5Box own;
    if (!hp5_search_source_box(search, &own)) return;
    search->of_source = &own;
    search->source_threads = from_threads;
    each_wanted(search, cut_to_source);
}
