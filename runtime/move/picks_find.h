/* Between picks.c, picks_find.c and picks_card.c. */
#ifndef HP5_RUNTIME_PICKS_FIND_H
#define HP5_RUNTIME_PICKS_FIND_H
#include "runtime/move/picks.h"

/* A word of a list: the first element's place, in the bits above, and one less than the number of elements. */
enum { HP5_PICK_BITS = 24 };
static inline int64_t hp5_pick_offset(int64_t run) { return run >> HP5_PICK_BITS; }
static inline int64_t hp5_pick_count(int64_t run) { return (run & ((INT64_C(1) << HP5_PICK_BITS) - 1)) + 1; }
static inline int64_t hp5_pick_run(int64_t offset, int64_t count) { return offset << HP5_PICK_BITS | (count - 1); }

/* Gives picks->lists, and how many come and go. */
void hp5_picks_find(Hp5Picks *picks, const Hp5TaskRun *run, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent, Hp5Touched *touched);

/* Of a run on a card, else nothing happens: before a list is packed, before it is unpacked, and behind that. */
void hp5_picks_from_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store);
void hp5_picks_before_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store);
void hp5_picks_to_card(const Hp5TaskRun *run, const Hp5PickList *list, const Hp5Store *store);
#endif
