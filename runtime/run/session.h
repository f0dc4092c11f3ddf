/* A program's run around its tasks: environments, teams of threads, bound outputs; and
 * small things that generated flow and launch code uses. */
#ifndef HP5_RUNTIME_SESSION_H
#define HP5_RUNTIME_SESSION_H
#include "runtime/io/args.h"
#include "runtime/run/schedule.h"

typedef struct Hp5Session {
    const Hp5Options *options;
    Hp5Schedule *schedule; /* executions, their threads, runs that are used again */
    struct Hp5Kept *kept;  /* environments and loaded arrays, freed at the end */
    struct Hp5Output *outputs, **last_output;
    struct Hp5Show *show;  /* --print-mapping, --mapping-svg; else NULL */
    bool is_checked;       /* whether there is work for all processes has been asked */
} Hp5Session;

void hp5_session_begin(Hp5Session *session, const Hp5Options *options);
/* Writes every bound output from the item that its environment holds now (an output that no task made is an
 * error, exit status 1), and frees everything. */
void hp5_session_end(Hp5Session *session);
/* Zeroed memory for an environment whose first `items` members are Hp5Item pointers; freed with its items at
 * the end. */
void *hp5_session_keep(Hp5Session *session, size_t size, int items);
/* Hands the caller's reference to the session; returns the item. */
Hp5Item *hp5_session_item(Hp5Session *session, Hp5Item *item);
/* When the program ends, *item goes to `path`; a second output of the same path is an error. */
void hp5_session_output(Hp5Session *session, Hp5Item **item, const char *path, const char *name);
/* The program's tasks, so that those of disjoint PPUs can run at the same time. */
void hp5_session_tasks(Hp5Session *session, const Hp5TaskDesc *const *tasks, int count);
/* Zeroed memory for a task's values; hp5_session_execute takes it over. */
void *hp5_session_values(size_t size);
/* Schedules the task: see hp5_schedule_execute. */
void hp5_session_execute(Hp5Session *session, const Hp5Launch *launch, const int64_t *args, Hp5Item **items,
                         void *values, void *environment);
/* The environment, once the tasks that may write its scalars have finished. */
void *hp5_session_ready(Hp5Session *session, void *environment);
/* The same for a scalar, whose flag `has` (an offset in the environment) says whether it is there; the
 * program ends if it is not. */
void *hp5_session_scalar(Hp5Session *session, void *environment, size_t has, const char *variable,
                         const char *task, const char *file, int line);
/* hp5_item_write, once every task has finished. */
void hp5_session_store(Hp5Session *session, Hp5Item *item, const char *path);

/* Ends the program when a linked variable has not been given. */
void hp5_require(bool given, const char *variable, const char *task);
/* `item` for a second name; an environment that does not hold it yet ends the program. */
Hp5Item *hp5_item_shared(Hp5Item *item, const char *variable, const char *task, const char *file, int line);
/* *bound gets `value`; where the array is linked and has other bounds the program ends. what: "min" or "max"
 */
void hp5_set_bound(int64_t *bound, int64_t value, bool linked, const char *what, int dimension,
                   const char *variable, const char *file, int line);
/* The item's bounds, one Range for each dimension; `ranges` points to its rank of {min, max} pairs. */
struct Hp5Range;
void hp5_item_bounds(const Hp5Item *item, struct Hp5Range *ranges);
/* Marks the bounds of an array as not set. */
void hp5_no_bounds(struct Hp5Range *ranges, int rank);
/* A zeroed item with these bounds; an empty dimension, or one whose bounds Initialize has not set, ends the
 * program. */
Hp5Item *hp5_item_create(const char *name, const Hp5Element *element, int rank, const struct Hp5Range *ranges,
                         const char *task, const char *file, int line);
/* *place gets `item` (with the caller's reference); what it held is released. */
void hp5_item_replace(Hp5Item **place, Hp5Item *item);
/* start(lpu, data) for every LPU of `lps`, in LPU order. */
void hp5_each_lpu(Hp5TaskRun *run, int lps, void (*start)(Hp5Lpu *lpu, void *data), void *data);
/* The number of the LPU that is `position`-th in the walk over a grid of sub-parts (row-major; `descends`
 * turns a dimension). */
int64_t hp5_walk(const Hp5Worker *worker, const Hp5Grid *grid, int64_t position);
/* One element for a condition of the flow; outside the LPU's part it ends the program. */
const void *hp5_place(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file,
                      int line);
/* The same for an array whose fields lie apart: gathered into `element`, which is returned. */
const void *hp5_place_whole(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file,
                            int line, void *element);

/* Rounds of a loop that LPUs run together although each decides for itself how many there are (runtime/inline.h). */
typedef struct Hp5Rounds Hp5Rounds;
/* One for each LPU of the grid; hp5_free frees it. */
Hp5Rounds *hp5_rounds_new(const Hp5Grid *grid);
/* Of a loop that goes on while a condition holds: whether there is another round. (Predictions take one.) */
void hp5_rounds_ask(const Hp5Worker *worker, Hp5Rounds *rounds, bool condition);
/* Whether any thread of this thread's group of `lps` says so; all of them wait for each other. */
bool hp5_any(Hp5Worker *worker, int lps, bool mine);
#endif
