/* Which processes run a task: those of the segments that its mapping takes.
 *
 * As many processes as the model has segments, or more: process n is segment n. Fewer: segments that no task of the program takes are left out.
 * Still fewer: each process has the share of several segments, and a task takes all that have some of its own. So tasks on disjoint segments
 * have disjoint processes, as far as there are some. */
#ifndef HP5_RUNTIME_TASK_RANKS_H
#define HP5_RUNTIME_TASK_RANKS_H
#include "runtime/lpu/geometry.h"

/* Ranks of `processes` that the task may have; it has the first ones of them where it needs fewer. tasks: of the program, with this one; count 0: they are
 * not known. Computed by everybody alike. */
Hp5Span hp5_task_ranks(const Hp5TaskDesc *task, const Hp5TaskDesc *const *tasks, int count, int processes);
#endif
