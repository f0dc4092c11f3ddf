/* Places (places.h): of sets that are lists of runs, and of boxes. */
#include "runtime/store/elements.h"

Hp5Stretch hp5_stretch_in_list(const Hp5Places *places, Hp5Run run) {
    const Hp5Set *here = &places->here;
    int64_t k = hp5_set_find_run(here, run.begin);
    if (k < here->run_count && here->runs[k].begin <= run.begin) {
        const int64_t end = here->runs[k].end;
        return (Hp5Stretch){places->first + places->ranks[k] - here->runs[k].begin, end < run.end ? end : run.end};
    }
    if (k < here->run_count && here->runs[k].begin < run.end) run.end = here->runs[k].begin;
    return places->slots ? hp5_stretch_in_slots(places, run) : (Hp5Stretch){places->beyond, run.end};
}

/* Behind the set, where the store has memory. */
static Hp5Stretch stretch_beyond(const Hp5Store *store, int d, Hp5Run run) {
    const int64_t begin = store->lo[d], end = store->lo[d] + store->extent[d] - store->places[d].beyond;
    if (run.begin < begin) return (Hp5Stretch){HP5_NO_PLACE, begin < run.end ? begin : run.end};
    if (run.begin >= end) return (Hp5Stretch){HP5_NO_PLACE, run.end};
    return (Hp5Stretch){store->places[d].beyond, end < run.end ? end : run.end};
}

/* The first stretch of a run of any indices of the array, to which no slots are given: HP5_NO_PLACE where the store has none of it. */
static Hp5Stretch stretch_held(const Hp5Store *store, int d, Hp5Run run) {
    Hp5Places set = store->places[d];
    set.slots = NULL;
    set.beyond = HP5_NO_PLACE;
    const Hp5Stretch here = hp5_stretch(&set, run);
    if (here.shift != HP5_NO_PLACE) return here;
    run.end = here.end;
    if (store->places[d].slots) return hp5_find_in_slots(&store->places[d], run);
    return store->places[d].beyond != HP5_NO_PLACE ? stretch_beyond(store, d, run) : here;
}

bool hp5_store_has(const Hp5Store *store, int d, int64_t index) {
    if (store->places) return stretch_held(store, d, (Hp5Run){index, index + 1}).shift != HP5_NO_PLACE;
    return index >= store->lo[d] && index < store->lo[d] + store->extent[d];
}

/* ---- Boxes -------------------------------------------------------------------------------------------------- */

typedef struct Even {
    const Hp5Store *stores[2];
    const Hp5Box *whole;
    int rank;
    void (*visit)(const Hp5Box *, void *);
    void *data;
} Even;

/* The first stretch of both stores; whether both have it. From a store to itself nothing comes: what it has no memory for
 * stays out. */
static bool next_stretch(const Even *even, int d, Hp5Run *run) {
    bool both = true, inside = even->stores[0] == even->stores[1];
    for (int s = 0; s < 2; s++) {
        if (even->stores[s] == NULL || even->stores[s]->places == NULL) continue;
        Hp5Stretch stretch = inside ? stretch_held(even->stores[s], d, *run) : hp5_stretch(&even->stores[s]->places[d], *run);
        both = both && stretch.shift != HP5_NO_PLACE;
        run->end = stretch.end;
    }
    return both;
}

static void each_even(const Even *even, int d, Hp5Box *box) {
    if (d == even->rank) {
        even->visit(box, even->data);
        return;
    }
    for (int64_t at = even->whole->lo[d]; at < even->whole->hi[d]; at = box->hi[d]) {
        Hp5Run run = {at, even->whole->hi[d]};
        bool both = next_stretch(even, d, &run);
        box->lo[d] = run.begin;
        box->hi[d] = run.end;
        if (both) each_even(even, d + 1, box);
        box->hi[d] = run.end;
    }
}

void hp5_box_each_even(const Hp5Store *a, const Hp5Store *b, const Hp5Box *box, void (*visit)(const Hp5Box *, void *), void *data) {
    Hp5Box part = {{0}, {0}};
    each_even(&(Even){{a, b}, box, a->rank, visit, data}, 0, &part);
}
