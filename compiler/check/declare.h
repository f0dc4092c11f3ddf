/* Between the files of the declarations side: the passes that check.c runs, in
 * its order, and what flow.c and its neighbours share. */
#ifndef HP5_CHECK_DECLARE_H
#define HP5_CHECK_DECLARE_H
#include "compiler/check/internal.h"

/* Needs nothing. Gives every user type, complete and in order. */
void declare_types(Check *check);
/* Needs the types. Gives every task with its globals, environment, partition parameters and implicit Repeat variables. */
void declare_tasks(Check *check);
/* Needs the task's variables. Gives its LPS tree. */
void declare_spaces(Check *check, Task *task);
/* Needs the LPS tree and Initialize. Reports arrays whose bounds are not set on every path. */
void check_bounds(Check *check, Task *task);
/* Needs all of the above. Gives the flow, stage instances, scalar homes, versions, epochs. */
void declare_flow(Check *check, Task *task);
/* Needs a program without errors. Warns of provable dependences between iterations or LPUs. */
void warn_dependences(Check *check, Task *task);
#endif
