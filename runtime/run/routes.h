/* Lists of boxes, and the ways by which an item's elements come from the run that has them to where another one wants them. */
#ifndef HP5_RUNTIME_ROUTES_H
#define HP5_RUNTIME_ROUTES_H
#include "runtime/run/private.h"

/* Boxes of elements, and the stores that have them. */
typedef struct Hp5Boxes {
    Hp5Box *at;
    const Hp5Store **stores;
    int64_t count, capacity;
    int rank;
} Hp5Boxes;
/* Empty boxes are left out, and one that comes twice in a row; rows of boxes of one store become one. */
void hp5_boxes_add(Hp5Boxes *boxes, const Hp5Store *store, const Hp5Box *box);
bool hp5_boxes_equal(const Hp5Boxes *a, const Hp5Boxes *b);
void hp5_boxes_free(Hp5Boxes *boxes);
/* near_boxes.c: all of them from the item's file. */
void hp5_boxes_read(const Hp5Boxes *boxes, const Hp5Item *item);

/* What one process sends to and gets from each other one, and what it copies itself. All zeros: not made. */
typedef struct Hp5Route {
    int64_t from;       /* Hp5RunPrivate.serial of the run that has the elements; 0: not made */
    int from_array;
    int rank;
    const Hp5Element *element;
    struct Hp5Parcel *parcels; /* those that come, then those that go */
    int incoming, count;
    struct Hp5Parcel *here;    /* from store to store */
} Hp5Route;
/* The last ones of an array: what comes alternately from few runs finds its way again. */
enum { HP5_MOST_ROUTES = 4 };
typedef struct Hp5Routes {
    Hp5Route route[HP5_MOST_ROUTES];
    int oldest;
} Hp5Routes;
/* By all processes of the program: elements of the item, which is distributed, come to where each of them wants some. A route is made
 * where there is none from the item's run yet, which costs messages with all; else only those that have something for each other talk. */
void hp5_routes_bring(Hp5Routes *routes, const Hp5Item *item, const Hp5Boxes *wanted);
void hp5_routes_free(Hp5Routes *routes);
#endif
