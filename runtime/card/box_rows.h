/* Boxes of elements as the copy engine takes them: rows (box_rows.c), for the runtime's own files. */
#ifndef HP5_RUNTIME_CARD_BOX_ROWS_H
#define HP5_RUNTIME_CARD_BOX_ROWS_H
#include "runtime/store/store.h"

/* Elements of a store, wherever a version of them is: the box begins `offset` elements behind `memory`. */
typedef struct Hp5BoxSide {
    const Hp5Store *store;
    char *memory;
    int64_t offset;
} Hp5BoxSide;

/* Rows of `width` bytes, whose beginnings are `pitch` bytes apart on each side. */
typedef struct Hp5Rows {
    char *here, *there;
    int64_t here_pitch, there_pitch, width, rows;
} Hp5Rows;

/* Whether boxes of the two go row by row: what are neighbours in the one are neighbours in the other. */
bool hp5_boxes_are_alike(const Hp5Store *here, const Hp5Store *there);
/* Calls visit for the rows that a box of `count` elements consists of, in stores that are alike. */
void hp5_each_rows(const Hp5BoxSide *here, const Hp5BoxSide *there, const int64_t *count, void (*visit)(const Hp5Rows *rows, void *data), void *data);
#endif
