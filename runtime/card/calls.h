/* Calls of a kernel that runs (calls.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_CALLS_H
#define HP5_RUNTIME_CARD_CALLS_H
#include "runtime/card/clock.h"
#include "runtime/card/image.h"

typedef struct Hp5CardCalls Hp5CardCalls;
Hp5CardCalls *hp5_card_calls_create(struct Hp5TaskRun *run, Hp5Image *image, Hp5CardDesk *desk, Hp5Clock *clock);
void hp5_card_calls_free(Hp5CardCalls *calls);
/* Answers until the kernel has ended; what went wrong with it, or NULL. */
const char *hp5_card_serve(Hp5CardCalls *calls);
/* card.c: of a run that has been prepared for the card. */
Hp5CardCalls *hp5_card_calls_of(const struct Hp5TaskRun *run);
/* An LPU's result for a reduction, as the host has it. */
void hp5_card_give_partial(const struct Hp5TaskRun *run, int reduction, const Hp5Lpu *lpu);
#endif
