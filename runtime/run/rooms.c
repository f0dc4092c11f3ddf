/* What a process of several has room for: of an array that LPUs work on in place, the hull of the parts that its own LPUs touch and of
 * what is its own in the end. In dimensions in which these have gaps their indices lie side by side (runtime/store/places.h); else gaps
 * are memory only where a page has elements, too. Between gaps, pages are large; where there are none, threads touch them before the task
 * runs.
 *
 * How to read it: who is first; the rooms of an array; the hull that Root's store is cut to; places in it; its pages. */
#include "runtime/run/private.h"
#include "runtime/run/session.h"

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

void hp5_own_indices(Hp5TaskRun *run, int array, int lps, int64_t *begin, int64_t *end) {
    Indices indices = {0, 0, false};
    if (run->desc->arrays[array].rank == 1) hp5_each_lpu(run, lps, visit_lpu, &(Rooms){run, array, lps, true, add_indices, &indices});
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

/* Thread t's share of a version of Root's store. */
static void touch_share(const Hp5TaskRun *run, const Hp5Store *store, int version, int t) {
    enum { PAGE = 4096 };
    int64_t bytes = run->hidden->stores.packed[store->array], threads = run->hidden->threads;
    for (int64_t at = bytes / threads * t, end = t + 1 < threads ? bytes / threads * (t + 1) : bytes; at < end; at += PAGE)
        ((volatile char *)store->version[version])[at] = 0;
}

static void touch_packed(int rank, void *data) {
    const Hp5TaskRun *run = data;
    const Hp5Stores *stores = &run->hidden->stores;
    if (rank >= run->hidden->threads) return;
    for (int a = 0; a < run->desc->array_count; a++)
        for (int k = 0; stores->packed[a] && k < stores->roots[a].versions; k++) touch_share(run, &stores->roots[a], k, rank);
}

/* Parts that lie one behind the other in the dimension whose slices lie together. */
typedef struct Stretch {
    const Hp5Store *store;
    bool any;
    Hp5Box box;
} Stretch;

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
    if (stretch->any) hp5_box_wants_large_pages(stretch->store, box);
    stretch->any = true;
    *box = hull;
}

/* A process's own part of an array that it may need all of. */
static void enlarge_own(Hp5TaskRun *run, int array) {
    Stretch stretch = {.store = &run->hidden->stores.roots[array]};
    const int owner = run->desc->held ? run->desc->held[array].owner : -1;
    if (owner < 0 || stretch.store->places != NULL) return;
    hp5_each_lpu(run, owner, visit_lpu, &(Rooms){run, array, owner, true, lengthen, &stretch});
    if (stretch.any) hp5_box_wants_large_pages(stretch.store, &stretch.box);
}

void hp5_rooms_create(Hp5TaskRun *run) {
    bool packed = false;
    for (int a = 0; a < run->desc->array_count; a++) {
        Hull hull = {.rank = run->desc->arrays[a].rank};
        if (run->desc->arrays[a].home != 0) continue;
        hp5_each_room(run, a, false, grow, &hull);
        if (run->hidden->threads > 0) grow_for_messages(run, a, &hull);
        bool elements = !hp5_collects_array(run->desc, a) && !hp5_team_is_imagined(run->team);
        Hp5Box held = hull.box;
        const Hp5Places *places = elements && hull.any ? hp5_room_places(run, a, &held) : NULL;
        hp5_root_cut(&run->hidden->stores, a, &held, places, elements, elements && !hp5_comm_is_imagined() && is_packed(run, a, &hull, places));
        if (elements && run->hidden->stores.packed[a] == 0) enlarge_own(run, a);
        packed = packed || run->hidden->stores.packed[a] > 0;
    }
    if (packed) hp5_team_run(run->team, touch_packed, run);
}
