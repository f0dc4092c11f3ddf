/* Runs that are used again: what depends only on a task, its arguments and the bounds of its arrays is built once. */
#ifndef HP5_RUNTIME_KEPT_RUNS_H
#define HP5_RUNTIME_KEPT_RUNS_H
#include "runtime/run/private.h"
#include "runtime/run/schedule.h"

/* All zero at first. */
typedef struct Hp5Runs {
    struct Hp5KeptRun *first;
    int count;
    uint64_t clock; /* executions so far */
} Hp5Runs;

/* What a run is made for. */
typedef struct Hp5RunWish {
    const Hp5TaskDesc *task;
    Hp5RunPlace place;
    const int64_t *args;
    Hp5Item **items;
    void *values;
} Hp5RunWish;

/* A run whose copies hold these items already, else one that holds nothing that is still wanted, else a new one;
 * where there are many of the kind, the oldest gives up what it holds. It belongs to `runs`. */
Hp5TaskRun *hp5_runs_take(Hp5Runs *runs, Hp5Team *team, const Hp5RunWish *wish);
/* Releases them all (items that are spread over a run keep it). */
void hp5_runs_drop(Hp5Runs *runs);
#endif
