/* Executions on cards, for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_EXECUTE_H
#define HP5_RUNTIME_CARD_EXECUTE_H
#include "runtime/io/args.h"
#include "runtime/run/run.h"

/* PPUs of each LPS of a task for a card, as its model and --machine say, and at most what the card has; returns how many workers that
 * makes in each process. levels[level]: the same for the model's levels. `look`: at the card; else as the model says. segments: what each of several
 * processes has (runtime/lpu/lpu.h); NULL: there is one. */
int hp5_card_counts(const Hp5TaskDesc *desc, const Hp5Options *options, bool look, int processes, int *counts, int *levels, Hp5SegmentCounts *segments);
/* The card has memory for the run's records and stores, before elements come. */
void hp5_card_prepare(Hp5TaskRun *run);
/* hp5_run_execute on the task's card; flow: for predictions (runtime/predict/crews.h). */
void hp5_card_execute(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker));
void hp5_card_forget(Hp5TaskRun *run);

/* ---- calls.c: a box of elements of a run whose kernel runs; nothing happens for other runs ---- */
/* From the card to the host's store, before it is packed; from there to the card, once it is unpacked. Both are under way until hp5_card_settle. */
void hp5_card_take_box(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count);
void hp5_card_give_box(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count);
void hp5_card_settle(const Hp5TaskRun *run);
#endif
