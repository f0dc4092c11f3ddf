/* Output files of several processes whose parts lie in the file in short runs (rows dealt out by `stride`, say): a call for each run would be many calls, and
 * several processes would write to one page. So elements go first, by messages, to the process that writes their place in the file, a whole window at a time. */
#ifndef HP5_RUNTIME_WINDOWS_H
#define HP5_RUNTIME_WINDOWS_H
#include "runtime/run/private.h"

/* short_runs.c: calls visit for the boxes that elements first … end - 1 of an item are, in the order of a file: at most 2 * rank - 1 of them. */
void hp5_range_each_box(const Hp5Item *item, bool fortran, int64_t first, int64_t end, void (*visit)(const Hp5Box *box, void *data), void *data);

/* Runs are short that have fewer bytes on average than a page. */
enum { HP5_SHORT_RUN = 4096 };
/* short_runs.c: whether processes have short runs of the item, which is spread over a run, as far as samples show: by formula, without messages. Asked by
 * the first process of the program, which takes part in every run. */
bool hp5_runs_are_short(const Hp5Item *item);
/* windows.c: elements of the item, which is spread over a run, into the file that each process has joined. By all processes of the program. */
void hp5_windows_write(const Hp5Item *item, Hp5NpyWriter *writer, const char *name);
/* The same of what this process has, by itself, where boxes of its LPUs are short runs that may be long ones together; false: they are no short ones, and nothing
 * is written. */
bool hp5_windows_write_own(const Hp5Item *item, Hp5NpyWriter *writer);
#endif
