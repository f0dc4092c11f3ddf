/* Batches (batches.c): parts of LPUs that come from the host's memory to the card's for a visit, for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_BATCHES_H
#define HP5_RUNTIME_CARD_BATCHES_H
#include "runtime/card/card.h"

struct Hp5TaskRun;
typedef struct Hp5Batches Hp5Batches;

/* Which parts come, with memory of the card for them, for `crews` blocks of a kernel; NULL: none do. Warns where there is no room for any parts of an array that shall come. */
Hp5Batches *hp5_batches_create(struct Hp5TaskRun *run, int crews);
void hp5_batches_free(Hp5Batches *batches);
/* What the card has to know of desc->card->batches[which], without its parts; false: they stay where they are. */
bool hp5_batch_comes(const Hp5Batches *batches, int which, Hp5CardBatch *batch);
/* The one of the task's batches that brings an LPU's part of an array, or -1. */
int hp5_batch_of(const Hp5Batches *batches, int lps, int array);
/* The part of an LPU: its shape in a batch, and its bytes. Its records are the caller's. */
Hp5CardPart hp5_batch_part(const Hp5Batches *batches, int which, const Hp5Lpu *lpu);
/* The LPU's store of the array is its own. */
bool hp5_batch_is_own(const Hp5Batches *batches, int which);
Hp5BatchDesk *hp5_batches_desk(const Hp5Batches *batches);

/* While a kernel runs: does what has been asked for; true: something was, or is under way. */
bool hp5_batches_serve(Hp5Batches *batches);
#endif
