/* What a process of several has room for: of an array that LPUs work on in place, the hull of the parts that its own LPUs touch and of
 * what is its own in the end. In dimensions in which these have gaps their indices lie side by side (runtime/store/places.h); else gaps
 * are memory only where a page has elements, too. Between gaps, pages are large, and threads touch what will be filled before the task
 * runs.
 *
 * How to read it: who is first; the rooms of an array; the hull that Root's store is cut to; places in it; its pages. */
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <string.h>

bool hp5_is_first(const Hp5TaskRun *run, const Hp5Lpu *lpu) {
    const Hp5Geometry *geometry = &run->hidden->geometry;
    return geometry->mine.count == geometry->ppus || hp5_threads_of(geometry, lpu).first >= geometry->mine.first;
}

typedef struct Rooms {
    Hp5TaskRun *run;
    int array, lps;
    bool first;
    Hp5RoomVisit *visit;
    void *data;
} Rooms;

static void visit_lpu(Hp5Lpu *lpu, void *data) {
    const Rooms *rooms = data;
    const Hp5TaskDesc *desc = rooms->run->desc;
    int lps = rooms->lps, slot;
    if (rooms->first && !hp5_is_first(rooms->run, lpu)) return;
    while ((slot = hp5_slot_of(desc, lps, rooms->array)) < 0) { /* it has what the LPU around it has */
        lps = desc->lpses[lps].parent;
        lpu = lpu->parent;
    }
    rooms->visit(&lpu->views[slot], rooms->data);
}

void hp5_each_view_of_room(Hp5TaskRun *run, int array, const Hp5RoomDesc *room, Hp5RoomVisit *visit, void *data) {
    hp5_each_lpu(run, room->lps, visit_lpu, &(Rooms){run, array, room->lps, room->first, visit, data});
}

/* Of one dimension: parts that follow each other are one interval. */
typedef struct Indices {
    int64_t begin, end;
    bool gaps;
} Indices;

static void add_indices(const Hp5View *view, void *data) {
    Indices *indices = data;
    const Hp5Run own = view->own[0];
    if (own.begin >= own.end) return;
    const bool none = indices->begin >= indices->end, on = own.begin >= indices->begin && own.begin <= indices->end;
    indices->gaps = indices->gaps || !hp5_set_is_interval(&view->part[0]) || (!none && !on);
    if (none) indices->begin = own.begin;
    if (none || own.end > indices->end) indices->end = own.end;
}

/* No two LPUs have an element of it in common. */
static bool divides(const Hp5TaskDesc *desc, int lps, int array) {
    const int slot = hp5_slot_of(desc, lps, array);
    return slot >= 0 && desc->lpses[lps].dims == 1 && desc->lpses[lps].vars[slot].dims[0].function != HP5_REPLICATED;
}

void hp5_own_indices(Hp5TaskRun *run, int array, int lps, int64_t *begin, int64_t *end) {
    Indices indices = {0, 0, false};
    if (run->desc->arrays[array].rank == 1 && divides(run->desc, lps, array)) hp5_each_lpu(run, lps, visit_lpu, &(Rooms){run, array, lps, true, add_indices, &indices});
    *begin = indices.gaps ? 0 : indices.begin;
    *end = indices.gaps ? 0 : indices.end;
}

bool hp5_divides_home(const Hp5TaskRun *run, int array) {
    return run->desc->arrays[array].home > 0 && hp5_has_processes(run) && run->desc->held != NULL && run->desc->held[array].room_count > 0;
}

void hp5_each_room(Hp5TaskRun *run, int array, bool filled, Hp5RoomVisit *visit, void *data) {
    Rooms rooms = {run, array, 0, false, visit, data};
    if (run->hidden->threads == 0) return;
    if (run->desc->held == NULL) { /* a task of one address space, which this process is */
        visit_lpu(&run->root, &rooms);
        return;
    }
    const Hp5HeldDesc *held = &run->desc->held[array];
    for (int r = 0; r < held->room_count; r++) {
        if (filled && !held->rooms[r].filled) continue;
        rooms.lps = held->rooms[r].lps;
        rooms.first = held->rooms[r].first;
        hp5_each_lpu(run, rooms.lps, visit_lpu, &rooms);
    }
    rooms.lps = held->owner;
    rooms.first = true;
    if (!filled && held->owner >= 0) hp5_each_lpu(run, held->owner, visit_lpu, &rooms);
}

/* ---- Root's stores --------------------------------------------------------------------------------------- */

typedef struct Hull {
    int rank;
    bool any;
    Hp5Box box;
} Hull;

static void grow(const Hp5View *view, void *data) {
    Hull *hull = data;
    Hp5Box box = hp5_view_hull(view, hull->rank);
    for (int d = 0; d < hull->rank; d++)
        if (box.lo[d] >= box.hi[d]) return;
    for (int d = 0; d < hull->rank; d++) {
        if (!hull->any || box.lo[d] < hull->box.lo[d]) hull->box.lo[d] = box.lo[d];
        if (!hull->any || box.hi[d] > hull->box.hi[d]) hull->box.hi[d] = box.hi[d];
    }
    hull->any = true;
}

/* A process none of whose LPUs touches some elements of an array gets them all the same, where they go to all who run an LPU above. */
static void grow_for_messages(Hp5TaskRun *run, int array, Hull *hull) {
    for (int t = 0; t < run->desc->transfer_count; t++) {
        const Hp5TransferDesc *transfer = &run->desc->transfers[t];
        if (transfer->array != array || transfer->first_takes) continue;
        hp5_each_lpu(run, transfer->to, visit_lpu, &(Rooms){run, array, transfer->to, false, grow, hull});
    }
}

/* ---- Pages ------------------------------------------------------------------------------------------------ */

typedef struct Counted {
    int rank;
    int64_t elements; /* of parts without padding */
    const Hp5View *last;
} Counted;

/* LPUs that do not divide the array have the same part, one after the other. */
static void count_part(const Hp5View *view, void *data) {
    Counted *counted = data;
    bool same = counted->last != NULL;
    int64_t elements = 1;
    for (int d = 0; d < counted->rank; d++) {
        elements *= hp5_set_is_interval(&view->part[d]) ? view->own[d].end - view->own[d].begin : hp5_set_count(&view->part[d]);
        same = same && hp5_set_equal(&view->part[d], &counted->last->part[d]);
    }
    counted->last = view;
    if (!same) counted->elements += elements;
}

static int64_t elements_of(Hp5TaskRun *run, int array, int lps, bool first) {
    Counted counted = {.rank = run->desc->arrays[array].rank};
    hp5_each_lpu(run, lps, visit_lpu, &(Rooms){run, array, lps, first, count_part, &counted});
    return counted.elements;
}

/* Parts of one Space fill the hull, all but what 1 in 20 bytes is. */
static bool is_packed(Hp5TaskRun *run, int array, const Hull *hull, const Hp5Places *places) {
    if (!hull->any || run->desc->held == NULL) return hull->any;
    const Hp5HeldDesc *held = &run->desc->held[array];
    if (held->reads != NULL) return false; /* it is not known yet which of it will be there */
    int64_t most = held->owner < 0 ? 0 : elements_of(run, array, held->owner, true), elements = 1;
    for (int r = 0; r < held->room_count; r++) {
        if (!held->rooms[r].filled) continue;
        int64_t found = elements_of(run, array, held->rooms[r].lps, held->rooms[r].first);
        if (found > most) most = found;
    }
    for (int d = 0; d < hull->rank; d++) elements *= places ? hp5_set_count(&places[d].here) : hull->box.hi[d] - hull->box.lo[d];
    return most >= elements - elements / 20;
}

/* Memory that will be used as a whole. */
typedef struct Filled {
    const Hp5TaskRun *run;
    struct Piece {
        char *memory;
        int64_t bytes;
    } *pieces;
    int count, capacity;
} Filled;

static void add_piece(Filled *filled, char *memory, int64_t bytes) {
    if (filled->count == filled->capacity) {
        filled->capacity = 2 * filled->capacity + 16;
        struct Piece *larger = hp5_alloc((int64_t)sizeof *larger * filled->capacity, "pages");
        if (filled->count > 0) memcpy(larger, filled->pieces, sizeof *larger * (size_t)filled->count);
        hp5_free(filled->pieces);
        filled->pieces = larger;
    }
    filled->pieces[filled->count++] = (struct Piece){memory, bytes};
}

/* Each thread its share of all. */
static void touch_filled(int rank, void *data) {
    enum { PAGE = 4096 };
    const Filled *filled = data;
    const int64_t threads = filled->run->hidden->threads;
    for (int i = 0; i < filled->count && rank < threads; i++) {
        const int64_t bytes = filled->pieces[i].bytes;
        for (int64_t at = bytes / threads * rank, end = rank + 1 < threads ? bytes / threads * (rank + 1) : bytes; at < end; at += PAGE)
            ((volatile char *)filled->pieces[i].memory)[at] = 0;
    }
}

/* Parts that lie one behind the other in the dimension whose slices lie together. */
typedef struct Stretch {
    const Hp5Store *store;
    Filled *filled;
    bool any;
    Hp5Box box;
} Stretch;

static void end_stretch(const Stretch *stretch) {
    if (stretch->any) hp5_box_wants_large_pages(stretch->store, &stretch->box);
    for (int k = 0; stretch->any && k < stretch->store->versions; k++) {
        char *begin;
        const int64_t bytes = hp5_box_together(stretch->store, &stretch->box, k, &begin);
        if (bytes >= HP5_LARGE_BYTES) add_piece(stretch->filled, begin, bytes);
    }
}

static void lengthen(const Hp5View *view, void *data) {
    Stretch *stretch = data;
    const int rank = stretch->store->rank, slowest = hp5_store_slowest(stretch->store);
    const Hp5Box hull = hp5_view_hull(view, rank);
    Hp5Box *box = &stretch->box;
    bool on = stretch->any && hull.lo[slowest] >= box->lo[slowest] && hull.lo[slowest] <= box->hi[slowest];
    for (int d = 0; d < rank; d++) {
        if (!hp5_set_is_interval(&view->part[d]) || hull.lo[d] >= hull.hi[d]) return;
        on = on && (d == slowest || (hull.lo[d] == box->lo[d] && hull.hi[d] == box->hi[d]));
    }
    if (on && hull.hi[slowest] > box->hi[slowest]) box->hi[slowest] = hull.hi[slowest];
    if (on) return;
    end_stretch(stretch);
    stretch->any = true;
    *box = hull;
}

static bool cuts(const Hp5TaskDesc *desc, int lps, int array) {
    const int slot = lps > 0 ? hp5_slot_of(desc, lps, array) : -1;
    const bool is_cut = slot >= 0 && desc->lpses[lps].vars[slot].dims != NULL;
    for (int d = 0; is_cut && d < desc->arrays[array].rank; d++)
        if (desc->lpses[lps].vars[slot].dims[d].function != HP5_REPLICATED) return true;
    return false;
}

static void add_parts(Hp5TaskRun *run, int array, int lps, Filled *filled) {
    Stretch stretch = {.store = &run->hidden->stores.roots[array], .filled = filled};
    hp5_each_lpu(run, lps, visit_lpu, &(Rooms){run, array, lps, true, lengthen, &stretch});
    end_stretch(&stretch);
}

/* A process's own part of an array that it may need all of, and parts of Spaces that divide it in one way where others do in another. */
static void add_own(Hp5TaskRun *run, int array, Filled *filled) {
    const Hp5HeldDesc *held = run->desc->held ? &run->desc->held[array] : NULL;
    if (held == NULL || run->hidden->stores.roots[array].places != NULL) return;
    if (held->owner >= 0) add_parts(run, array, held->owner, filled);
    for (int r = 0; r < held->room_count && held->reads == NULL; r++)
        if (held->rooms[r].lps != held->owner && cuts(run->desc, held->rooms[r].lps, array)) add_parts(run, array, held->rooms[r].lps, filled);
}

void hp5_rooms_create(Hp5TaskRun *run) {
    Filled filled = {.run = run};
    Hp5Stores *stores = &run->hidden->stores;
    for (int a = 0; a < run->desc->array_count; a++) {
        Hull hull = {.rank = run->desc->arrays[a].rank};
        if (run->desc->arrays[a].home != 0) continue;
        hp5_each_room(run, a, false, grow, &hull);
        if (run->hidden->threads > 0) grow_for_messages(run, a, &hull);
        bool elements = !hp5_collects_array(run->desc, a) && !hp5_team_is_imagined(run->team);
        Hp5Box held = hull.box;
        const Hp5Places *places = elements && hull.any ? hp5_room_places(run, a, &held) : NULL;
        hp5_root_cut(stores, a, &held, places, elements, elements && !hp5_comm_is_imagined() && is_packed(run, a, &hull, places));
        if (elements && stores->packed[a] == 0) add_own(run, a, &filled);
        for (int k = 0; stores->packed[a] > 0 && k < stores->roots[a].versions; k++) add_piece(&filled, stores->roots[a].version[k], stores->packed[a]);
    }
    if (filled.count > 0) hp5_team_run(run->team, touch_filled, &filled);
    hp5_free(filled.pieces);
}
