/* Between the passes that find groups of stages which run in strips (Strips in lower.h).
 *
 *   strip_bodies.c  what the body of such a stage looks like, and what its loops touch
 *   strips.c        groups of stages, and the arrays that they hand on
 *   verify_strips.c the same once more, with --verify */
#ifndef HP5_LOWER_STRIPS_H
#define HP5_LOWER_STRIPS_H
#include "compiler/lower/lower.h"

/* A loop of a stage whose outermost index runs over the LPU's part of a dimension of an array, one index after the other. */
typedef struct StripLoop {
    const StageUse *use;
    Stmt *stmt;         /* STMT_PARALLEL or STMT_SEQUENCE */
    const Var *index;   /* the outermost */
    PartDimension over; /* of the array as the task names it */
} StripLoop;
typedef VEC(StripLoop) StripLoops;

/* How a loop uses an array: `along` has bit d where the subscript of dimension d is always the loop's index alone. */
typedef struct StripUse {
    size_t count; /* elements that it names */
    bool written;
    unsigned along;
} StripUse;

/* ---- strip_bodies.c ---- */
/* Adds the loops of a stage's body. False: it may not run strip by strip. reduces: NULL, or some may reduce, and whether one does. */
bool strip_loops(Arena *arena, const LoweredBody *code, StripLoops *loops, bool *reduces);
/* The reductions in the block, but for those in loops. */
size_t strip_count_reductions(const Block *block);
StripUse strip_use(const StripLoop *loop, const Var *array);
/* The array that the body names `var`, as the task names it; NULL: it is none. */
const Var *strip_array(const StageUse *use, const Var *var);
/* Whether anything but the outermost indices of these loops looks at the LPU's part of the dimension. */
bool strip_looks_at(const StageUse *use, const StripLoops *loops, PartDimension part);
/* The dimension that an index of the loop, or of a loop inside of it, runs over, all of it where `all`; false: it is none of these. */
bool strip_domain(const StripLoop *loop, const Var *index, bool all, PartDimension *domain);
#endif
