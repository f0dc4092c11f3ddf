/* What copies and epochs have in common, for the runtime's own files. */
#ifndef HP5_RUNTIME_COPIES_H
#define HP5_RUNTIME_COPIES_H
#include "runtime/store/elements.h"

struct Hp5Worker;

/* Notes the copying of a box in `versions` versions; true when it shall not happen (--predict). */
bool hp5_only_counts(const struct Hp5Worker *w, const Hp5Store *store, const Hp5Box *box, int versions);
/* How many Epochs make the element of the store out of what it was; HP5_CHANGED: it has been written. */
enum { HP5_CHANGED = -1 };
int hp5_advances_since(const Hp5Store *before, int64_t at, const Hp5Store *store, int64_t position);
/* Of two that have had the same element, what became of it there counts, and not here. */
bool hp5_outdoes(int there, int here);
/* While several LPUs may hand back to a store, or advance it. */
void hp5_store_lock(Hp5Store *store);
void hp5_store_unlock(Hp5Store *store);
#endif
