/* The memory of a card in --machine, as in GPU.memory=64MB, beside counts of levels (level_counts.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_LEVEL_MEMORY_H
#define HP5_RUNTIME_LEVEL_MEMORY_H
#include "runtime/desc/desc.h"

/* All of --machine, or NULL: the same for all tasks. */
void hp5_memory_given(const char *machine);
/* Whether `length` characters name the memory of a level, of whose name *level of them are. */
bool hp5_names_memory(const char *name, size_t length, size_t *level);
/* The task's cards have that name. */
bool hp5_is_cards_level(const Hp5TaskDesc *desc, const char *name, size_t length);
/* Ends the program where no task has such cards (found), or where it is no size. */
void hp5_check_memory(bool found, const char *name, size_t level, const char *size, size_t length);
#endif
