/* What a block of straight-line code touches while some of the loops around it run (cost_blocks.c), for those who turn that into time. */
#ifndef HP5_RUNTIME_PREDICT_COST_BLOCKS_H
#define HP5_RUNTIME_PREDICT_COST_BLOCKS_H
#include "runtime/predict/predict.h"

typedef struct Hp5Block {
    Hp5Cost *cost;
    const Hp5CostBlock *counts;
    const Hp5View *const *views;
    int loops;
} Hp5Block;

/* Iterations of the loops from `from` to before `to`. */
double hp5_block_trips(const Hp5Block *block, int from, int to);
/* Indices of dimension d that the access touches while the loops from the k-th on run. */
double hp5_block_extent(const Hp5Block *block, const Hp5CostAccess *access, int d, int k);
/* Bytes of the access while the loops from the k-th on run, whole lines. */
double hp5_block_footprint(const Hp5Block *block, const Hp5CostAccess *access, int k);
/* The outermost loop from which on all that is touched fits into `capacity`. */
int hp5_block_fits(const Hp5Block *block, double capacity);

/* hp5_cost_block where the threads of a crew run the loops (crew.c). */
void hp5_crew_block(const Hp5Block *block);
/* A loop ends, or its next round begins: whoever waits there waits anew. */
void hp5_crew_goes_on(Hp5Cost *cost);
#endif
