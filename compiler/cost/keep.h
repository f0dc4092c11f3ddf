/* Which locals of a stage its cost depends on: those that bounds, tests of loops and choices around loops name, where they
 * follow from parameters and indices by assignments that can be repeated. */
#ifndef HP5_COST_KEEP_H
#define HP5_COST_KEEP_H
#include "compiler/lower/lower.h"

typedef struct Keeping {
    Arena *arena;
    const Block *whole;
    VEC(const Var *) kept;
} Keeping;

/* Finds all of them. */
void cost_keep(Keeping *keeping);
bool cost_is_kept(const Keeping *keeping, const Var *var);
/* Whether the expression follows from parameters, indices and locals that are kept, or could be. */
bool cost_can_tell(Keeping *keeping, const Expr *expr);
/* How often the loop runs can be told; its tests can. */
bool cost_can_tell_rounds(Keeping *keeping, const Stmt *loop);
bool cost_can_tell_filters(Keeping *keeping, const LoopIndex *index);
/* What a loop's rounds are computed from. */
ExprVec cost_loop_inputs(Arena *arena, const Stmt *loop);
/* Loops in the block, other than short ones. */
bool cost_has_loops(const Block *block);
/* Whether the tree has anything of the block (NULL: no): loops, or kept locals. */
bool cost_is_told(const Keeping *keeping, const Block *block);
/* The local is assigned once, by a statement of the block, which declares it. */
bool cost_is_assigned_once(const Keeping *keeping, const Block *block, const Var *var);
#endif
