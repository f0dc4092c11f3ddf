/* Which indices a process has side by side, in dimensions in which the parts of its LPUs have gaps (runtime/store/places.h).
 *
 * How to read it: in each such dimension, the union of the parts of LPUs that it has room for. What only the leader of an LPU has
 * now and then (a row that a stage above the processes touches) lies behind them, in the dimension whose slices lie together;
 * in others nothing can lie behind, so the union has it, too. */
#include "runtime/run/private.h"

/* Unions that no formula describes cost their length for each LPU. */
enum { MOST_LISTS = 256 };

typedef struct Joining {
    Hp5TaskRun *run;
    const Hp5HeldDesc *held;
    int rank, slowest, lists;
    bool first, leads; /* the room at hand is that of a leader; one of those was */
    Hp5Set sets[HP5_MAX_RANK];
} Joining;

static bool has_gaps(const Joining *joining, int d) { return (joining->held->gaps >> d & 1) != 0; }

static void join_part(const Hp5View *view, void *data) {
    Joining *joining = data;
    joining->leads |= joining->first;
    for (int d = 0; d < joining->rank; d++) {
        if (!has_gaps(joining, d) || (joining->first && d == joining->slowest) || joining->lists > MOST_LISTS) continue;
        joining->sets[d] = hp5_set_union(&joining->sets[d], &view->part[d], &joining->run->hidden->pool);
        joining->lists += joining->sets[d].runs != NULL;
    }
}

static void join_rooms(Joining *joining, int array) {
    for (int r = 0; r < joining->held->room_count; r++) {
        joining->first = joining->held->rooms[r].first;
        hp5_each_view_of_room(joining->run, array, &joining->held->rooms[r], join_part, joining);
    }
}

/* How many indices come before each run. */
static const int64_t *ranks_of(Hp5TaskRun *run, const Hp5Set *set) {
    if (set->runs == NULL) return NULL;
    int64_t *ranks = hp5_slab_take(&run->hidden->slab, set->run_count * (int64_t)sizeof *ranks), count = 0;
    for (int64_t k = 0; k < set->run_count; k++) {
        ranks[k] = count;
        count += set->runs[k].end - set->runs[k].begin;
    }
    return ranks;
}

static bool worth_it(const Joining *joining, const Hp5Box *held) {
    bool gaps = false;
    for (int d = 0; d < joining->rank; d++) {
        const Hp5Set *set = &joining->sets[d];
        if (has_gaps(joining, d) && set->begin >= set->end) return false; /* a leader that has no part */
        gaps = gaps || (has_gaps(joining, d) && hp5_set_count(set) < held->hi[d] - held->lo[d]);
    }
    return gaps && joining->lists <= MOST_LISTS;
}

const Hp5Places *hp5_room_places(Hp5TaskRun *run, int array, Hp5Box *held) {
    const Hp5HeldDesc *desc = run->desc->held ? &run->desc->held[array] : NULL;
    const Hp5Store *root = &run->hidden->stores.roots[array];
    Joining joining = {.run = run, .held = desc, .rank = root->rank, .slowest = hp5_store_slowest(root)};
    if (desc == NULL || desc->gaps == 0) return NULL;
    for (int d = 0; d < joining.rank; d++)
        joining.sets[d] = has_gaps(&joining, d) ? hp5_interval(held->lo[d], held->lo[d]) : hp5_interval(held->lo[d], held->hi[d]);
    join_rooms(&joining, array);
    if (!worth_it(&joining, held)) return NULL;
    Hp5Places *places = hp5_slab_take(&run->hidden->slab, joining.rank * (int64_t)sizeof *places);
    for (int d = 0; d < joining.rank; d++) {
        int64_t count = hp5_set_count(&joining.sets[d]);
        bool others = joining.leads && d == joining.slowest;
        struct Hp5Slots *slots = others && desc->slots ? hp5_slots_create(root, held->lo[d] + count) : NULL;
        places[d] = (Hp5Places){.here = joining.sets[d], .ranks = ranks_of(run, &joining.sets[d]), .first = held->lo[d], .beyond = others && !slots ? count : HP5_NO_PLACE, .slots = slots};
        held->hi[d] = (others ? held->hi[d] : held->lo[d]) + count;
    }
    return places;
}
