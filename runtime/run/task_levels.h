/* What the model, --machine, --threads and the number of processes make of a task's levels. */
#ifndef HP5_RUNTIME_TASK_LEVELS_H
#define HP5_RUNTIME_TASK_LEVELS_H
#include "runtime/io/args.h"
#include "runtime/lpu/geometry.h"

typedef struct Hp5TaskLevels {
    int *counts, *machine;     /* of its LPSes; of the levels of the model */
    Hp5SegmentCounts segments; /* several processes */
    int first_rank;            /* … of which this one has segment 0 */
    int threads;               /* of this process */
    int workers;               /* of a card; 0: the task runs on threads */
} Hp5TaskLevels;

/* The program, for all of its tasks. */
typedef struct Hp5LevelsOf {
    const Hp5Options *options;
    const Hp5TaskDesc *const *tasks; /* count 0: not known */
    int count, processes;
    bool spread;  /* over several processes, or simulated ones */
    bool watched; /* tasks are not run */
} Hp5LevelsOf;
Hp5TaskLevels hp5_task_levels(const Hp5LevelsOf *of, const Hp5TaskDesc *task);
void hp5_task_levels_free(Hp5TaskLevels *levels);
#endif
