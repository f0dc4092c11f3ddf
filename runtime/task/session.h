/* A program's run around its tasks: environments, teams of threads, bound outputs; and
 * small things that generated flow and launch code uses. */
#ifndef HP5_RUNTIME_SESSION_H
#define HP5_RUNTIME_SESSION_H
#include "runtime/io/args.h"
#include "runtime/task/task.h"

typedef struct Hp5Session {
    const Hp5Options *options;
    Hp5Team *team;                      /* of the last run; kept while the number of threads stays */
    struct Hp5Kept *kept;               /* environments and loaded arrays, freed at the end */
    struct Hp5Output *outputs, **last_output;
} Hp5Session;

void hp5_session_begin(Hp5Session *session, const Hp5Options *options);
/* Writes every bound output from the item that its environment holds now (an output that no task made is an
 * error, exit status 1), and frees everything. */
void hp5_session_end(Hp5Session *session);
/* Zeroed memory for an environment whose first `items` members are Hp5Item pointers; freed with its items at the end. */
void *hp5_session_keep(Hp5Session *session, size_t size, int items);
/* Hands the caller's reference to the session; returns the item. */
Hp5Item *hp5_session_item(Hp5Session *session, Hp5Item *item);
/* When the program ends, *item goes to `path`; a second output of the same path is an error. */
void hp5_session_output(Hp5Session *session, Hp5Item **item, const char *path, const char *name);
/* A run with the levels that --machine and --threads ask for, on the session's team. */
Hp5TaskRun *hp5_session_prepare(Hp5Session *session, const Hp5TaskDesc *task, const int64_t *args, Hp5Item **items, void *globals);
/* Executes it, and reports with --timing. */
void hp5_session_run(Hp5Session *session, Hp5TaskRun *run, void (*flow)(Hp5Worker *worker));

/* Ends the program when a linked variable has not been given. */
void hp5_require(bool given, const char *variable, const char *task);
/* The item's bounds, one Range for each dimension; `ranges` points to its rank of {min, max} pairs. */
struct Hp5Range;
void hp5_item_bounds(const Hp5Item *item, struct Hp5Range *ranges);
/* A zeroed item with these bounds; an empty dimension ends the program. */
Hp5Item *hp5_item_create(const char *name, const Hp5Element *element, int rank, const struct Hp5Range *ranges);
/* *place gets `item` (with the caller's reference); what it held is released. */
void hp5_item_replace(Hp5Item **place, Hp5Item *item);
/* start(lpu, data) for every LPU of `lps`, in LPU order. */
void hp5_each_lpu(Hp5TaskRun *run, int lps, void (*start)(Hp5Lpu *lpu, void *data), void *data);
/* The number of the LPU that is `position`-th in the walk over a grid of sub-parts (row-major; `descends` turns a dimension). */
int64_t hp5_walk(const Hp5Worker *worker, const Hp5Grid *grid, int64_t position);
/* One element for a condition of the flow; outside the LPU's part it ends the program. */
const void *hp5_place(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file, int line);
#endif
