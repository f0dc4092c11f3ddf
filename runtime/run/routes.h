/* The ways by which an item's elements come from the run that has them to where another one wants them. */
#ifndef HP5_RUNTIME_ROUTES_H
#define HP5_RUNTIME_ROUTES_H
#include "runtime/run/array_regions.h"

/* What one process sends to and gets from each other one, and what it copies itself, of what it wants: as the regions that have something in common. All zeros: not
 * made. */
typedef struct Hp5Route {
    int64_t from;       /* Hp5RunPrivate.serial of the run that has the elements; 0: not made */
    int from_array;
    int rank;
    const Hp5Element *element;
    Hp5Regions owned;          /* what this process has */
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
/* By all processes of the program: elements of the item, which is distributed, come to where each of them wants some, in stores of run `to` (NULL: of none). A route is
 * made where there is none from the item's run yet, which costs messages with all of both runs (without `to`, of the program); else only those that have something for
 * each other talk. Processes of neither run wait for nobody. `wanted` is the same
 * for all that use the routes. */
void hp5_routes_bring(Hp5Routes *routes, const Hp5Item *item, const Hp5Regions *wanted, const Hp5TaskRun *to);
void hp5_routes_free(Hp5Routes *routes);
#endif
