/* What a stage that the host runs for a card touches (on_host.c): the functions that hp5c prints around the stage's call, in this order. */
#ifndef HP5_RUNTIME_CARD_ON_HOST_H
#define HP5_RUNTIME_CARD_ON_HOST_H
#include "runtime/run/run.h"

/* Elements of a version (`lag` epochs back) of an LPU's part come from the card to the LPU's store. bounds: first and last index of each dimension, cut to
 * the part; NULL: all of it. Of arrays that the task does not write the host gets what it has not got yet, and keeps it. */
void hp5_host_takes(Hp5Worker *worker, const Hp5View *view, int lag, const int64_t *bounds);
/* All of it is there; the stage of that call (Hp5TaskDesc.stage_names) runs for the LPU, as far as messages are concerned. */
void hp5_host_begins(Hp5Worker *worker, int number, const Hp5Lpu *lpu);
/* What the stage may have written goes to the card. */
void hp5_host_gives(Hp5Worker *worker, const Hp5View *view, const int64_t *bounds);
/* The LPU's result for a reduction goes to the card, where it is combined. */
void hp5_host_gives_partial(Hp5Worker *worker, int site, const Hp5Lpu *lpu);
/* The indices that the bounds leave of the hull of a part. false: none. */
bool hp5_host_box(const Hp5View *view, const int64_t *bounds, Hp5Box *box);
#endif
