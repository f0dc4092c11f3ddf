/* Scalars that come to an environment later than its task has ended. Where tasks of a program run in different processes at the same time, those that have no
 * part in a task must not wait for its end only to hear what has come of it: they hear it when the coordinator, which is at the same place in all of
 * them, asks for something of the environment. */
#ifndef HP5_RUNTIME_NEWS_H
#define HP5_RUNTIME_NEWS_H
#include "runtime/run/schedule.h"

/* All zero at first. */
typedef struct Hp5AllNews {
    struct Hp5News *first, *last; /* in the program's order */
} Hp5AllNews;

/* By all processes, behind an execution: keeps what it has left in the run, whether the process has had a part in it or not. Takes `values`. */
void hp5_news_keep(Hp5AllNews *all, const Hp5Launch *launch, Hp5TaskRun *run, void *values, void *environment);
/* By all processes at the same place of the Program: all hear what is for this environment (NULL: for any), and it gets it. */
void hp5_news_tell(Hp5AllNews *all, const void *environment);
/* What nobody has asked for. */
void hp5_news_drop(Hp5AllNews *all);
#endif
