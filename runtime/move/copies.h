/* What copies and epochs have in common, for the runtime's own files. */
#ifndef HP5_RUNTIME_COPIES_H
#define HP5_RUNTIME_COPIES_H
#include "runtime/store/elements.h"

struct Hp5Worker;

/* Notes the copying of a box in `versions` versions; true when it shall not happen (--predict). */
bool hp5_only_counts(const struct Hp5Worker *w, const Hp5Store *store, const Hp5Box *box, int versions);
/* While several LPUs may hand back to a store, or advance it. */
void hp5_store_lock(Hp5Store *store);
void hp5_store_unlock(Hp5Store *store);
#endif
