/* What goes along a route (routes.c), and how it travels (journeys.c). */
#ifndef HP5_RUNTIME_PARCELS_H
#define HP5_RUNTIME_PARCELS_H
#include "runtime/run/routes.h"

/* Two regions that have something in common: their places in the lists. */
typedef struct Hp5RegionPair {
    int64_t wanted, owned;
} Hp5RegionPair;

/* What goes between two processes, or stays in one: what pairs of regions have in common, one of them wanted, one owned. */
typedef struct Hp5Parcel {
    int peer;
    Hp5Regions regions; /* the other process's: of what comes the owned ones, of what goes those that it wants */
    int64_t count, capacity, bytes;
    Hp5RegionPair *pairs;
} Hp5Parcel;

/* All that the route has, to stores of run `to` from those of run `from` (NULL: of no run). */
void hp5_route_travel(const Hp5Route *route, const Hp5Regions *wanted, const Hp5TaskRun *to, const Hp5TaskRun *from);
#endif
