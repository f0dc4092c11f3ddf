/* Strips: stages of one visit of an LPU that touch the same elements of arrays run for some thousand indices at a time, all of
 * them, one after the other. What they get as the LPU's parts is a strip's: of arrays that loops run over, and of those that are handed on, which
 * have no memory but for a strip of them in the thread's own (compiler/lower/strips.c says when).
 *
 *     Hp5Strips strips_A;
 *     for (hp5_strips_begin(&strips_A, worker, 2, (const Hp5Stripped[]){{&lpu_A->views[1], 0, true}, {&lpu_A->views[0], 0, false}}, 0);
 *          hp5_strips_next(&strips_A);) {
 *         HP5_STAGE_IN_STRIPS(worker, 0, lpu_A, &strips_A, place_in_A, &strips_A.views[0], &strips_A.views[1], …);
 *         HP5_STAGE_IN_STRIPS(worker, 1, lpu_A, &strips_A, tally_in_A, lpu_A, &lpu_A->views[2], &strips_A.views[0]);
 *     }
 */
#ifndef HP5_RUNTIME_STRIPS_H
#define HP5_RUNTIME_STRIPS_H
#include "runtime/lpu/lpu.h"
#include "runtime/store/store.h"

enum { HP5_MOST_IN_STRIPS = 8 };

struct Hp5Worker;

/* An array of which a strip has as many indices of the dimension as of the others. */
typedef struct Hp5Stripped {
    const Hp5View *view; /* the LPU's */
    int dimension;
    bool passed;         /* it has memory for a strip alone */
} Hp5Stripped;

typedef struct Hp5Strips {
    int count;
    bool first;             /* the LPU's first strip */
    bool whole;             /* the only one: views are the LPU's own */
    int64_t width, at, end; /* where the next strip begins, and the LPU's part ends */
    Hp5Run now;
    bool more;
    const Hp5Stripped *of;
    Hp5View views[HP5_MOST_IN_STRIPS]; /* as stages get them, in the order of `of` */
    Hp5Set parts[HP5_MOST_IN_STRIPS][HP5_MAX_RANK];
    Hp5Run own[HP5_MOST_IN_STRIPS][HP5_MAX_RANK];
    Hp5Store stores[HP5_MOST_IN_STRIPS]; /* of those that are handed on */
} Hp5Strips;

/* of[count]: lives as long as the strips. chunk: 0, or a strip has so many indices, or twice as many, or four times …: the leaves of a tree.
 * By the thread that leads the LPU. */
void hp5_strips_begin(Hp5Strips *strips, struct Hp5Worker *w, int count, const Hp5Stripped *of, int64_t chunk);
/* The next strip, ascending; false: there is none. An LPU without indices has one strip without any. */
bool hp5_strips_next(Hp5Strips *strips);
/* For the time being the views are the LPU's whole parts (`wide`), or a strip's again: what the stages cost is counted once for all strips. */
void hp5_strips_widen(Hp5Strips *strips, bool wide);
#endif
