/* What a process of several has room for: of an array that LPUs work on in place, the hull of the parts that its own LPUs touch and of
 * what is its own in the end. Strided parts have gaps in it, which are memory only where a page has elements, too.
 *
 * How to read it: who is first; the rooms of an array; the hull that Root's store is cut to. */
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

/* A process none of whose LPUs touches an array gets elements of it all the same, where they go to all who run an LPU above. */
static void grow_for_messages(Hp5TaskRun *run, int array, Hull *hull) {
    for (int t = 0; t < run->desc->transfer_count; t++) {
        const Hp5TransferDesc *transfer = &run->desc->transfers[t];
        if (transfer->array != array || transfer->first_takes) continue;
        hp5_each_lpu(run, transfer->to, visit_lpu, &(Rooms){run, array, transfer->to, false, grow, hull});
    }
}

void hp5_rooms_create(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hull hull = {.rank = run->desc->arrays[a].rank};
        if (run->desc->arrays[a].home != 0) continue;
        hp5_each_room(run, a, false, grow, &hull);
        if (!hull.any && run->hidden->threads > 0) grow_for_messages(run, a, &hull);
        hp5_root_cut(&run->hidden->stores, a, &hull.box, !hp5_collects_array(run->desc, a) && !hp5_team_is_imagined(run->team));
    }
}
