/* What a run will take, by formula: so that a run that cannot fit says so at once, and why, instead of taking memory for
 * minutes until it is killed. */
#ifndef HP5_RUNTIME_MEMORY_FOOTPRINT_H
#define HP5_RUNTIME_MEMORY_FOOTPRINT_H
#include "runtime/run/run.h"

typedef struct Hp5SpaceFootprint { /* of the LPUs of one LPS, in all */
    double lpus;
    double tables;    /* bytes: LPUs, their parts, scalars, results of reductions */
    double transient; /* bytes that are taken only while the LPUs are made */
    double copies;    /* bytes of elements that belong to LPUs */
    double exchanges; /* bytes: who takes which padding from whom; */
    double growing;   /* and what these lists take besides while they grow */
} Hp5SpaceFootprint;

typedef struct Hp5Footprint {
    Hp5SpaceFootprint *spaces; /* [lps_count] */
    double *arrays;            /* [array_count]: bytes of elements that belong to no LPU, as far as they are not there yet */
} Hp5Footprint;

/* For a run whose desc, args, items and level counts are set and of which nothing is built. Costs follow the number of
 * Spaces, not of LPUs: of many parts some are looked at. */
Hp5Footprint hp5_footprint(const Hp5TaskRun *run);
void hp5_footprint_free(Hp5Footprint *footprint);
/* All of it, at the time when it is most. */
double hp5_footprint_bytes(const Hp5TaskRun *run, const Hp5Footprint *footprint);
/* Ends the program where the run does not fit into the memory that is available: status 2 where LPUs take most of it
 * (partition arguments decide how many there are), 1 where arrays do. */
void hp5_footprint_check(const Hp5TaskRun *run);
#endif
