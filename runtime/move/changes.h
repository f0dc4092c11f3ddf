/* What has changed in a box of a store since before: a list of elements, by their places in the whole array, row by row, and their values, each in all
 * versions. Between merge_changes.c, which sends it, and changes.c. */
#ifndef HP5_RUNTIME_CHANGES_H
#define HP5_RUNTIME_CHANGES_H
#include "runtime/store/elements.h"

typedef struct Hp5Watch {
    Hp5Store before; /* what the store had of the box, its elements row by row */
    Hp5Box box;
} Hp5Watch;

int64_t hp5_changes_count(const Hp5Watch *watch, const Hp5Store *store);
/* Lists all of them. */
void hp5_changes_list(const Hp5Watch *watch, const Hp5Store *store, int64_t *places, char *values);
/* Takes others' changes of what the box has: unless the store's element has changed itself, and more. */
void hp5_changes_take(const Hp5Watch *watch, const Hp5Store *store, const Hp5Element *element, int64_t count, const int64_t *places, char *values);
#endif
