/* What items have in a card's memory (resident.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_RESIDENT_H
#define HP5_RUNTIME_CARD_RESIDENT_H
#include "runtime/card/cargo.h"

struct Hp5TaskRun;

/* Which memory the mapping gives an array (Region), and how what goes there is counted. */
Hp5Memory hp5_memory_of(const struct Hp5TaskRun *run, int array);
/* It lies in memory of the host that the card reaches. */
bool hp5_is_on_bus(const struct Hp5TaskRun *run, int array);
Hp5Cargo hp5_cargo_of(const struct Hp5TaskRun *run, int array);
/* The task works on the array as a whole in the card's memory, where it stays until somebody on the host wants it. */
bool hp5_is_resident(const struct Hp5TaskRun *run, int array);
/* Before the host fills the run's stores: what the run does not work on in the card's memory comes from there. */
void hp5_residents_fetch(struct Hp5TaskRun *run);
/* The item's elements in the card's memory, laid out as the run's store; given where the host has newer ones. `zero`: they are zeros, which need not be
 * given. */
char *hp5_resident_elements(const struct Hp5TaskRun *run, int array, bool zero);
/* The card has newer elements; `memory` takes the place of what they were in. */
void hp5_resident_changed(Hp5Item *item, char *memory);
/* The host has newer elements. */
void hp5_resident_outdate(Hp5Item *item);
/* `data` has the newest elements. Nothing happens where it has them already. */
void hp5_resident_fetch(Hp5Item *item);
void hp5_resident_free(Hp5Item *item);
#endif
