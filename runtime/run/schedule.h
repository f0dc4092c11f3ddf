/* Executions of a program's tasks: which waits for which, on which threads, and runs that are used again.
 *
 * A lane is the threads that run tasks of one set of PPUs. Where every two tasks of a program share PPUs nothing can
 * run at the same time, and the coordinator's thread runs each task at once. Otherwise each lane has a thread of its
 * own that takes the lane's executions in order; one starts when the executions before it that
 * share its PPUs or one of its data items have finished. Where tasks differ in priority there are such threads, too, and
 * an execution may overtake others that wait for its PPUs but not for its data: where several address spaces take part, not by
 * when things finish but in an order that all of them know (turns.h). */
#ifndef HP5_RUNTIME_SCHEDULE_H
#define HP5_RUNTIME_SCHEDULE_H
#include "runtime/io/args.h"
#include "runtime/run/run.h"

/* The generated functions of a task. */
typedef struct Hp5Launch {
    const Hp5TaskDesc *task;
    void (*flow)(Hp5Worker *worker);
    void (*start)(Hp5TaskRun *run, void *values);                      /* start values of scalars; may be NULL */
    void (*finish)(Hp5TaskRun *run, void *values, void *environment); /* scalars into the environment; may be NULL */
} Hp5Launch;

typedef struct Hp5Schedule Hp5Schedule;
Hp5Schedule *hp5_schedule_create(const Hp5Options *options);
/* All tasks of the program: do two of them take disjoint PPUs, or have different priorities? */
void hp5_schedule_tasks(Hp5Schedule *schedule, const Hp5TaskDesc *const *tasks, int count);
/* After hp5_schedule_tasks: the program runs in so many address spaces, each with a schedule that gets the same executions in the
 * same order and waits at the same places. One, unless it is called. */
void hp5_schedule_spaces(Hp5Schedule *schedule, int count);
/* Runs the task now or when it may. Copies `args`, retains `items`, frees `values` (hp5_alloc) afterwards. */
void hp5_schedule_execute(Hp5Schedule *schedule, const Hp5Launch *launch, const int64_t *args, Hp5Item **items, void *values,
                          void *environment);
/* From now on tasks are not run: each prepared run goes to watch(run, data), its scalars keep their start values. */
void hp5_schedule_watch(Hp5Schedule *schedule, void (*watch)(Hp5TaskRun *run, void *data), void *data);
/* Waits for the executions with this environment (NULL: for all). */
void hp5_schedule_wait(Hp5Schedule *schedule, const void *environment);
/* Waits for everything, writes the trace; frees the runs (they live on while items are spread over them) and threads. */
void hp5_schedule_destroy(Hp5Schedule *schedule);
/* few_threads.c: warns once of a task that has one thread in spite of --threads or --machine; ends the program where a simulated process would have
 * several. spread: the program runs in several processes. */
void hp5_threads_check(const Hp5TaskDesc *task, const Hp5Options *options, int threads, bool spread, bool *warned);
#endif
