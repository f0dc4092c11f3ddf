/* The time before processes watch each other (watch.h): MPI_Init waits for ever for a process that was stopped, or has never come. In each
 * process a thread looks after the start meanwhile:
 *
 *   a process beside this one, of the same launcher, is stopped for HP5_WATCH seconds   all end
 *   three times as long, and MPI has not started                                         process 0 warns
 *   twenty times as long                                                                 all end
 *
 * Only time in which this process runs counts: a job that is stopped as a whole may go on. */
#ifndef HP5_RUNTIME_COMM_START_H
#define HP5_RUNTIME_COMM_START_H
#include "runtime/comm/launcher.h"

enum { HP5_START_WARNS = 3, HP5_START_ENDS = 20 };

/* Before MPI is called; `launcher` says that there are several processes. */
void hp5_start_begin(const Hp5Launcher *launcher);
/* When the processes watch each other. */
void hp5_start_end(void);

/* What HP5_WATCH says, or 3.5; 0: for ever; less: something else than a number. */
double hp5_watch_seconds(void);
#endif
