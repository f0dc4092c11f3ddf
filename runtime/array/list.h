/* Lists: what `new List of T` makes. A list grows when the element just after its last one is assigned.
 *
 * Elements never move: they stand in blocks of 8, 16, 32 … elements, so that a reference to one stays good while the
 * list grows. Lists are passed around by reference. One lives until the body that made it ends (HP5_LISTS_SCOPE), or
 * a body around it where a function hands lists back; each thread keeps its own. */
#ifndef HP5_RUNTIME_LIST_H
#define HP5_RUNTIME_LIST_H
#include <stddef.h>
#include <stdint.h>

typedef struct Hp5List Hp5List;

/* An empty list of elements of `element_size` bytes. */
Hp5List *hp5_list_new(size_t element_size);
/* The element to be read; one that is not there ends the program. A list that was never made is empty. */
void *hp5_list_at(const Hp5List *list, int64_t index, const char *file, int line);
/* The element to be assigned: one more than there are is added, with the value zero. */
void *hp5_list_place(Hp5List *list, int64_t index, const char *file, int line);

/* The number of this thread's lists, and the end of those that were made since. */
int64_t hp5_lists_mark(void);
void hp5_lists_release(const int64_t *mark);
/* First in a body: the lists made in it end with it, however it is left. */
#define HP5_LISTS_SCOPE __attribute__((unused, cleanup(hp5_lists_release))) const int64_t hp5_lists_here = hp5_lists_mark()
#endif
