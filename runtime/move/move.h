/* Movements of elements that flow functions call: copies in and out, padding between siblings. */
#ifndef HP5_RUNTIME_MOVE_H
#define HP5_RUNTIME_MOVE_H
#include "runtime/lpu/lpu.h"

struct Hp5Worker;

/* COPY storage: fills the copy of view `slot` (all versions) from the holder above / hands its unpadded part back
 * (all versions; `alike`: the current one, for all of them). Called by the LPU's leader; the plan puts barriers around. Of an LPU that several processes run, by the leader in each:
 * the first one alone has the elements, the others' part of the copy comes and goes with transfers. */
void hp5_copy_in(struct Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot);
void hp5_copy_out(struct Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot, bool alike);
/* HOME storage: called by all threads of the group of `parent` (an LPU of the parent LPS of the exchange's lps) after the
 * LPUs have been left. Neighbours wait for neighbours only: each thread raises its signal, waits for the threads it copies
 * from, copies, raises its second signal, and waits for the threads that copy from it. Afterwards the caller's copies are
 * up to date and may be written. */
void hp5_exchange(struct Hp5Worker *w, int exchange, Hp5Lpu *parent);
/* The same in two steps (transport.h): between them the caller may do what neither writes the elements that neighbours take nor
 * reads the padding. Every start is followed by its finish, with the same arguments. */
void hp5_move_start(struct Hp5Worker *w, int exchange, Hp5Lpu *parent);
void hp5_move_finish(struct Hp5Worker *w, int exchange, Hp5Lpu *parent);
/* The same where the messages of other processes are waited for later: at the latest in hp5_settle, by all threads of the group of
 * `parent`, none of which does anything else together with the others before. Until then LPUs that get elements from other processes
 * are not touched: hp5_late_next (run.h) gives the others first. */
void hp5_exchange_later(struct Hp5Worker *w, int exchange, Hp5Lpu *parent);
void hp5_settle(struct Hp5Worker *w, int exchange);
/* Between address spaces (Hp5TransferDesc): the step `writer` has run in `lpu`; it may have written elements inside `bounds` (first and last
 * index in each dimension, NULL: anywhere), which will go home with the transfers that have `channel`; and what is not up to date
 * there moves, if a step after which it does has run since the last time. All are called by every thread of the LPU, in all
 * processes that run it. */
void hp5_renewed(struct Hp5Worker *w, int array, const Hp5Lpu *lpu); /* nothing that was written of it before moves there any more */
void hp5_wrote(struct Hp5Worker *w, int writer, const Hp5Lpu *lpu);
void hp5_wrote_part(struct Hp5Worker *w, int channel, const Hp5Lpu *lpu, const int64_t *bounds);
void hp5_transfer(struct Hp5Worker *w, int transfer, Hp5Lpu *lpu, const int64_t *bounds);
/* Several in one LPU, none of which takes what another one brings or has an inspector: their messages travel together, and all have come
 * when hp5_transfers_end returns. */
void hp5_transfer_begin(struct Hp5Worker *w, int transfer, Hp5Lpu *lpu, const int64_t *bounds);
void hp5_transfers_end(struct Hp5Worker *w);
/* merge_changes.c: around a step, in the LPU, that writes elements of an array inside `bounds` which several of its processes
 * hold: afterwards all of them have what one has written. */
void hp5_watch_changes(struct Hp5Worker *w, int array, const Hp5Lpu *lpu, const int64_t *bounds);
void hp5_merge_changes(struct Hp5Worker *w, int array, const Hp5Lpu *lpu);
#endif
