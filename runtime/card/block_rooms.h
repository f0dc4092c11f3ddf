/* Shared memory that a launch gives to blocks (block_rooms.c), for card.c. */
#ifndef HP5_RUNTIME_CARD_BLOCK_ROOMS_H
#define HP5_RUNTIME_CARD_BLOCK_ROOMS_H
#include "runtime/run/run.h"
#include "runtime/card/card.h"

/* LPUs of one of the task's Spaces are such PPUs'. */
bool hp5_has_tier(const Hp5TaskDesc *desc, Hp5Tier tier);
/* Bytes for each block of so many threads, before the task's LPUs are known: how many blocks run at once depends on them. */
int hp5_rooms_of_block(const Hp5TaskDesc *desc, const Hp5CardLimits *limits, int threads);
/* What the launch of so many blocks gives to each, for the run's LPUs. */
int hp5_rooms_of_launch(const Hp5TaskRun *run, const Hp5CardLimits *limits, int blocks, int threads);
#endif
