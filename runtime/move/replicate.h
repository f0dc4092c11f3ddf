/* Replication: what one process has and many want goes down a tree, so that the last one waits for about log2 of them instead of for
 * all: to each node once, with more branches between nodes where messages are slow to come but quick to send. Who takes part is known by formula: nobody sends a message to find out, and there are as many messages as without the tree.
 *
 * It concerns movements whose destinations all want the same, because none of the LPSes that lead to them divides the array. Each process
 * that takes part computes who else does, and that all of it lies in one process; then its pattern (pattern.h) is changed: what
 * it receives comes from its parent in the tree, and it passes it on to its children as it came. */
#ifndef HP5_RUNTIME_REPLICATE_H
#define HP5_RUNTIME_REPLICATE_H
#include "runtime/move/pattern.h"

/* The processes that have destinations in one parent LPU. They do not depend on what the movement is confined to (Hp5Movement.only). */
typedef struct Hp5Receivers {
    bool known, alike; /* they have been looked for; all want the same */
    int count, *segments; /* where they are alike: in ascending order */
} Hp5Receivers;

void hp5_receivers_find(Hp5Receivers *receivers, const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement, Hp5Holders holders,
                        const Hp5Lpu *parent);
void hp5_receivers_free(Hp5Receivers *receivers);
/* Where one process has all that the receivers want, and they are enough for a tree: the pattern of one of them becomes the tree's. */
void hp5_pattern_replicate(Hp5Pattern *pattern, const Hp5Receivers *receivers, const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement,
                           Hp5Holders holders, const Hp5Lpu *parent);
#endif
