/* Who has what an LPU wants: the pieces of a movement, found by formula.
 *
 * A movement takes place inside an LPU of LPS `within`. Its sources are LPUs of `from` and hold the elements of their unpadded
 * parts; where several hold the same part, an LPU takes from the one at its own coordinates, as far as LPSes of both sides are the
 * same, and else from the first. Its destinations are LPUs of `to`. What a destination wants is a box or, around padding, a
 * box with a box cut out (at most 3^rank - 1 boxes, corners included). Grids are products, so the LPUs that a box meets
 * are known in each dimension, and the cost follows the number of neighbours; of parts with gaps each run is looked up by itself.
 *
 * Sources and destinations may be LPUs of which this process has no record. */
#ifndef HP5_RUNTIME_SEARCH_H
#define HP5_RUNTIME_SEARCH_H
#include "runtime/lpu/scout.h"
#include "runtime/store/elements.h"

typedef struct Hp5Movement {
    int array;
    int within; /* LPS of the LPUs inside which it takes place */
    int from, to; /* LPSes below it, or it itself; or one above: the LPU around that of `within`. `from` lists the array; what LPUs of
                     `to` want is what they, or the LPUs around them, have of it */
    int beyond; /* -1: destinations want their whole parts, padding included; an LPS between `within` and `to`: what lies outside the
                   unpadded part of their LPU of that LPS */
    bool in_place;       /* all LPUs of a process in that of `within` work on one store: Root's, or a copy (hp5_store_in) */
    const Hp5Box *only;  /* what moves, at most; NULL: everything */
} Hp5Movement;

typedef struct Hp5Search {
    const Hp5Geometry *geometry;
    Hp5Movement movement;
    int rank;
    int from_depth, to_depth;       /* LPSes below `within` down to `from` and `to` */
    int *from_path, *to_path;       /* these */
    int *from_slots, *to_slots;     /* the array's slot in each, or -1 */
    int from_slot, to_slot;         /* in `from` and `to` */
    const Hp5Lpu **from_chain, **to_chain; /* LPUs of each; the last one is the source or destination */
    const Hp5Lpu *parent;           /* the LPU of `within` */
    const Hp5Lpu *from_top, *to_top; /* the sources' or destinations' only one, where that is the LPU of `within` or around it */
    Hp5Span threads;                /* its threads */
    Hp5Scout *scout;
    Hp5Pool pool;
    /* Called for each box that the destination at hand takes from a source: to_chain and from_chain are set. */
    void (*found)(struct Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box);
    void *data;
    int64_t asked;                  /* LPUs looked at so far */
    const Hp5Box *of_source;        /* hp5_search_between: the source's elements, a hull, and its threads */
    Hp5Span source_threads;
} Hp5Search;

void hp5_search_begin(Hp5Search *search, const Hp5Geometry *geometry, Hp5Movement movement, const Hp5Lpu *parent);
void hp5_search_end(Hp5Search *search);
/* What the destination at hand has of the array. */
const Hp5View *hp5_search_to(const Hp5Search *search);
/* What a source has of the array. */
const Hp5View *hp5_search_from(const Hp5Search *search, const Hp5Lpu *from);
/* All sources of the destination to_chain[to_depth - 1] (parent, if to_depth is 0). */
void hp5_search_sources(Hp5Search *search);
/* All destinations that take from the source from_chain[from_depth - 1], `wanted(search, threads)` leaving out those (with all below
 * them) that it is not true for. to_chain is set by it, and is the scout's. */
void hp5_search_destinations(Hp5Search *search, bool (*wanted)(const Hp5Search *search, Hp5Span threads),
                             void (*visit)(Hp5Search *search, const Hp5Lpu *to, Hp5Span threads));
/* The boxes that the destination at hand takes from the source at hand: found() for each. */
void hp5_search_between(Hp5Search *search, Hp5Span from_threads);
/* The hull of what the source at hand has unpadded, as far as it moves; false: nothing. */
bool hp5_search_source_box(const Hp5Search *search, Hp5Box *box);
#endif
