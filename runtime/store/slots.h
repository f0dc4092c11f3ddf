/* What is in slots (slots.c), for whoever keeps a list of it. */
#ifndef HP5_RUNTIME_SLOTS_H
#define HP5_RUNTIME_SLOTS_H
#include <stdint.h>

struct Hp5Slots;
/* visit(index, place, data) for the indices that have one, in ascending order. */
void hp5_slots_each(struct Hp5Slots *slots, void (*visit)(int64_t index, int64_t place, void *data), void *data);
#endif
