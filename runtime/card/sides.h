/* What a run on a card has on both sides (sides.c), for the runtime's own files. Of runs of tasks that have no card nothing happens. */
#ifndef HP5_RUNTIME_CARD_SIDES_H
#define HP5_RUNTIME_CARD_SIDES_H
#include "runtime/run/run.h"

/* ---- Between executions ---- */
/* All of the run's stores of an array have newer elements on the host; zeros: these are zeros, which the card makes for itself. */
void hp5_sides_outdate(const Hp5TaskRun *run, int array, bool zeros);
/* The host has what the run has of an array. */
void hp5_sides_fetch(const Hp5TaskRun *run, int array);
/* A box of current elements: the host is going to read it in its store; it has written it there. Both are under way until hp5_sides_settle. */
void hp5_sides_take(const Hp5TaskRun *run, const Hp5Store *store, const Hp5Box *box);
void hp5_sides_give(const Hp5TaskRun *run, const Hp5Store *store, const Hp5Box *box);
/* From store to store on the card. false: nothing has happened, as one of them has nothing there, or they do not lie alike. */
bool hp5_sides_copy(const Hp5TaskRun *to_run, const Hp5Store *to, const Hp5TaskRun *from_run, const Hp5Store *from, const Hp5Box *box);
void hp5_sides_settle(const Hp5TaskRun *run);

/* ---- Around an execution (card.c) ---- */
/* The card gets what it has not got yet, and all versions of it are alike. zeros: arrays of which nobody has made elements yet. */
void hp5_sides_begin(Hp5TaskRun *run, const bool *zeros);
/* What the task has written is the card's. */
void hp5_sides_end(Hp5TaskRun *run);
#endif
