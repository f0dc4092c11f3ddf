/* Where the indices of one dimension of a store lie, of a process that has some of them: those of its LPUs' parts side by side, in
 * ascending order, and behind them, if it gets others now and then, the rest: either each where it always lies, so that of this memory
 * only what has been used is there, or in slots, which are used again and again.
 *
 * How to read it: a place is counted as indices are, from the store's lo on. An index has the place of the index before it plus one, but
 * where a block of the set begins or ends: from there on it is another number that is added to indices. Loops over parts add it
 * once for each stretch of indices between two such points; a single index asks hp5_place_of. */
#ifndef HP5_RUNTIME_PLACES_H
#define HP5_RUNTIME_PLACES_H
#include "runtime/array/index_set.h"

struct Hp5Slots;
typedef struct Hp5Places {
    Hp5Set here;          /* side by side, from place `first` on */
    const int64_t *ranks; /* where `here` is a list of runs: how many indices come before each of them; else NULL */
    int64_t first;
    int64_t beyond;       /* place minus index of all others; HP5_NO_PLACE: they have none, but for what is in slots */
    struct Hp5Slots *slots; /* slots.c; NULL: there are none */
} Hp5Places;
#define HP5_NO_PLACE INT64_MIN

/* Indices whose places are that much more than they, from the one asked for to before `end`. */
typedef struct Hp5Stretch {
    int64_t shift, end;
} Hp5Stretch;

Hp5Stretch hp5_stretch_in_list(const Hp5Places *places, Hp5Run run);
/* The same of indices of which the set has none. They get a slot. */
Hp5Stretch hp5_stretch_in_slots(const Hp5Places *places, Hp5Run run);
/* The same of those that have one. */
Hp5Stretch hp5_find_in_slots(const Hp5Places *places, Hp5Run run);

/* The first stretch of a run that has indices. */
static inline Hp5Stretch hp5_stretch(const Hp5Places *places, Hp5Run run) {
    const Hp5Set *here = &places->here;
    if (here->runs) return hp5_stretch_in_list(places, run);
    const uint64_t from = (uint64_t)run.begin - (uint64_t)here->begin;
    if (from < (uint64_t)here->end - (uint64_t)here->begin) {
        const int64_t number = (int64_t)(from / (uint64_t)here->stride), begin = here->begin + number * here->stride;
        if (run.begin < begin + here->block) {
            const int64_t end = begin + here->block < here->end ? begin + here->block : here->end;
            return (Hp5Stretch){places->first + number * here->block - begin, end < run.end ? end : run.end};
        }
        if (begin + here->stride < run.end) run.end = begin + here->stride;
    } else if (run.begin < here->begin && here->begin < here->end && here->begin < run.end) {
        run.end = here->begin;
    }
    return places->slots ? hp5_stretch_in_slots(places, run) : (Hp5Stretch){places->beyond, run.end};
}

static inline int64_t hp5_place_of(const Hp5Places *places, int64_t index) {
    return index + hp5_stretch(places, (Hp5Run){index, index + 1}).shift;
}
#endif
