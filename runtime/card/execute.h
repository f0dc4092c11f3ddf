/* Executions on cards, for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_EXECUTE_H
#define HP5_RUNTIME_CARD_EXECUTE_H
#include "runtime/io/args.h"
#include "runtime/run/run.h"

/* PPUs of each LPS of a task for a card, as its model and --machine say, and at most what the card has; returns how many workers that
 * makes. levels[level]: the same for the model's levels. `look`: at the card; else as the model says. Ends the program where options ask
 * for what is not done on cards, or it runs in several processes. */
int hp5_card_counts(const Hp5TaskDesc *desc, const Hp5Options *options, bool look, int processes, int *counts, int *levels);
/* hp5_run_execute on the task's card. */
void hp5_card_execute(Hp5TaskRun *run);
void hp5_card_forget(Hp5TaskRun *run);
#endif
