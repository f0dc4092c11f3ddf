/* --timing and --trace of a task on a card (clock.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_CLOCK_H
#define HP5_RUNTIME_CARD_CLOCK_H
#include "runtime/card/card.h"
#include "runtime/run/run.h"

typedef struct Hp5Clock Hp5Clock;
/* NULL: nobody wants to know. */
Hp5Clock *hp5_clock_create(const Hp5TaskRun *run);
void hp5_clock_free(Hp5Clock *clock);
Hp5CardClock *hp5_clock_on_card(const Hp5Clock *clock);
/* Before the kernel is launched; nothing was measured yet. */
void hp5_clock_start(Hp5Clock *clock);
/* The host hears now of what happened at that time of the card's clock. */
void hp5_clock_heard(Hp5Clock *clock, int64_t asked_at);
/* When it has ended, as hp5_now counts: what it has noted comes to the run's workers. */
void hp5_clock_stop(Hp5Clock *clock, double ended);
#endif
