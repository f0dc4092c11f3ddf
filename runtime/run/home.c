/* Walks over the copies of an array: those of one thread, and those that are the array (HOME). */
#include "runtime/run/private.h"

/* The LPSes from Root's child down to `lps`; their number. */
int hp5_path_to(const Hp5TaskDesc *desc, int lps, int *path) {
    int count = 0;
    for (int x = lps; x > 0; x = desc->lpses[x].parent) count++;
    for (int x = lps, i = count; x > 0; x = desc->lpses[x].parent) path[--i] = x;
    return count;
}

static void walk(Hp5Worker *w, const int *path, int count, Hp5Lpu *lpu, Hp5LpuVisit *visit, void *data) {
    if (count == 0) {
        visit(w, lpu, data);
        return;
    }
    const Hp5Grid *grid = &lpu->children[w->run->hidden->geometry.shapes[path[0]].slot];
    Hp5Share share = hp5_share(w, grid);
    for (Hp5Lpu *at; (at = hp5_share_next(&share)) != NULL;)
        walk(w, path + 1, count - 1, at, visit, data);
}

void hp5_visit_lpus(Hp5Worker *w, int lps, Hp5LpuVisit *visit, void *data) {
    int path[w->run->desc->lps_count];
    int count = hp5_path_to(w->run->desc, lps, path);
    walk(w, path, count, &w->run->root, visit, data);
}

typedef struct HomeWalk {
    Hp5TaskRun *run;
    int array, rank, home;
    const int *path;
    Hp5PartVisit *visit;
    void *data;
    const Hp5Store *whole; /* of an array that is at home in Root's store; else NULL */
} HomeWalk;

/* What has no part of its own is one. */
static void visit_whole(const HomeWalk *home, const Hp5Store *store, const Hp5Box *box) {
    Hp5Set part[HP5_MAX_RANK];
    for (int d = 0; d < home->rank; d++) part[d] = hp5_interval(box->lo[d], box->hi[d]);
    home->visit(store, part, box, home->data);
}

/* Several LPUs that hold the same part: the first one answers for it. */
static bool is_replica(const Hp5TaskDesc *desc, const Hp5Lpu *lpu, int lps, int slot) {
    if (slot < 0) return lpu->number > 0;
    int64_t rest = lpu->number;
    for (int j = desc->lpses[lps].dims - 1; j >= 0; j--) {
        int64_t coordinate = rest % lpu->grid->extent[j];
        rest /= lpu->grid->extent[j];
        if (coordinate > 0 && desc->lpses[lps].vars[slot].dims[j].function == HP5_REPLICATED) return true;
    }
    return false;
}

static bool is_empty(const Hp5Box *box, int rank) {
    for (int d = 0; d < rank; d++)
        if (box->lo[d] >= box->hi[d]) return true;
    return false;
}

static void home_boxes(HomeWalk *home, int depth, Hp5Lpu *lpu, Hp5Box within) {
    int lps = home->path[depth], slot = hp5_slot_of(home->run->desc, lps, home->array);
    Hp5Grid *grid = &lpu->children[home->run->hidden->geometry.shapes[lps].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        Hp5Lpu *at = &grid->lpus[i];
        if (is_replica(home->run->desc, at, lps, slot)) continue;
        Hp5Box box = within;
        for (int d = 0; slot >= 0 && d < home->rank; d++) {
            Hp5Run own = at->views[slot].own[d];
            if (own.begin > box.lo[d]) box.lo[d] = own.begin;
            if (own.end < box.hi[d]) box.hi[d] = own.end;
        }
        if (is_empty(&box, home->rank)) continue;
        if (lps == home->home) {
            if (!hp5_is_first(home->run, at)) continue; /* of what several processes have, its elements count */
            const Hp5Store *store = home->whole ? home->whole : hp5_store_in(&home->run->hidden->stores, at, home->array);
            if (slot < 0) visit_whole(home, store, &box);
            else home->visit(store, at->views[slot].part, &box, home->data);
        } else {
            home_boxes(home, depth + 1, at, box);
        }
    }
}

static Hp5Box all_of(const Hp5TaskRun *run, int array) {
    const Hp5Store *root = &run->hidden->stores.roots[array];
    Hp5Box box = {{0}, {0}};
    for (int d = 0; d < run->desc->arrays[array].rank; d++) {
        box.lo[d] = root->array_lo[d];
        box.hi[d] = box.lo[d] + root->array_extent[d];
    }
    return box;
}

static void each_part_of(Hp5TaskRun *run, int array, int lps, const Hp5Store *whole, const Hp5Box *within, Hp5PartVisit *visit, void *data) {
    int path[run->desc->lps_count];
    hp5_path_to(run->desc, lps, path);
    HomeWalk state = {.run = run,
                      .array = array,
                      .rank = run->desc->arrays[array].rank,
                      .home = lps,
                      .path = path,
                      .visit = visit,
                      .data = data,
                      .whole = whole};
    if (lps > 0) home_boxes(&state, 0, &run->root, *within);
    else if (run->hidden->geometry.mine.first == 0) visit_whole(&state, whole, within);
}

static void each_owned_part_in(Hp5TaskRun *run, int array, const Hp5Box *within, Hp5PartVisit *visit, void *data) {
    const int owner = hp5_owner_of(run, array);
    const Hp5Store *whole = run->desc->arrays[array].home > 0 ? NULL : &run->hidden->stores.roots[array];
    if (owner >= 0) each_part_of(run, array, owner, whole, within, visit, data);
}

void hp5_each_owned_part(Hp5TaskRun *run, int array, Hp5PartVisit *visit, void *data) {
    const Hp5Box all = all_of(run, array);
    each_owned_part_in(run, array, &all, visit, data);
}

/* ---- The same, box by box ------------------------------------------------------------------------------------ */

typedef struct Boxes {
    int rank;
    const Hp5Store *store;
    void (*visit)(const Hp5Store *, const Hp5Box *, void *);
    void *data;
} Boxes;

static void visit_box(const Hp5Box *box, void *data) {
    const Boxes *boxes = data;
    boxes->visit(boxes->store, box, boxes->data);
}

static void visit_boxes(const Hp5Store *store, const Hp5Set *part, const Hp5Box *within, void *data) {
    Boxes *boxes = data;
    boxes->store = store;
    hp5_box_each(part, boxes->rank, within, visit_box, boxes);
}

void hp5_each_home_box(Hp5TaskRun *run, int array, void (*visit)(const Hp5Store *, const Hp5Box *, void *), void *data) {
    const Hp5Box all = all_of(run, array);
    each_part_of(run, array, run->desc->arrays[array].home, NULL, &all, visit_boxes, &(Boxes){run->desc->arrays[array].rank, NULL, visit, data});
}

int hp5_owner_of(const Hp5TaskRun *run, int array) {
    const int home = run->desc->arrays[array].home;
    return home > 0 && !hp5_divides_home(run, array) ? home : run->desc->held ? run->desc->held[array].owner : 0;
}

void hp5_each_owned_box_in(Hp5TaskRun *run, int array, const Hp5Box *within, void (*visit)(const Hp5Store *, const Hp5Box *, void *), void *data) {
    each_owned_part_in(run, array, within, visit_boxes, &(Boxes){run->desc->arrays[array].rank, NULL, visit, data});
}

void hp5_each_owned_box(Hp5TaskRun *run, int array, void (*visit)(const Hp5Store *, const Hp5Box *, void *), void *data) {
    const Hp5Box all = all_of(run, array);
    hp5_each_owned_box_in(run, array, &all, visit, data);
}
