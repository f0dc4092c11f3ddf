/* Copies of a loop's round, with locals of their own, and something in the place of its index. */
#ifndef HP5_LOWER_ROUND_COPY_H
#define HP5_LOWER_ROUND_COPY_H
#include "compiler/lower/lower.h"

typedef struct Renamed { const Var *var; Var *as; } Renamed;
typedef struct RoundCopy {
    Arena *arena;
    StageUse *use;        /* gets the gathers of subscripts that are copied */
    Body *body;           /* the use's; gets the locals */
    const Var *index;
    int64_t value;        /* of the index, in literals that can be computed with; or */
    Expr *as;             /* what stands for it, if it is not NULL */
    VEC(Renamed) names;   /* of the locals */
} RoundCopy;

/* NULL for NULL. */
Expr *lower_copy_expr(RoundCopy *copying, const Expr *expr);
/* Adds to the block: locals like those of the round, by which copies name them from then on; a copy of one of its statements; all of it. */
void lower_copy_locals(RoundCopy *copying, const Block *round, Block *block);
void lower_copy_statement(RoundCopy *copying, const Stmt *stmt, Block *block);
void lower_copy_round(RoundCopy *copying, const Block *round, Block *block);
#endif
