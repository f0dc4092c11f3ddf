/* The card of --predict: there is none (no_card.c). */
#ifndef HP5_RUNTIME_CARD_NO_CARD_H
#define HP5_RUNTIME_CARD_NO_CARD_H
#include "runtime/card/card.h"

/* From now on tasks on cards are predicted, and no card is looked for. */
void hp5_card_predict(void);
bool hp5_card_is_predicted(void);
/* The task's driver, or one whose memory has no elements. */
const Hp5CardDriver *hp5_card_driver(const Hp5CardTask *task);
/* What a card runs at once, as the model says: no kernel is asked how many registers it takes. */
Hp5CardLimits hp5_no_card_limits(const Hp5TaskDesc *desc);
int hp5_no_card_blocks(const Hp5TaskDesc *desc, int threads);
#endif
