/* How values differ between the lanes of a loop in lanes (lanes.c). */
#ifndef HP5_LOWER_LANE_VALUES_H
#define HP5_LOWER_LANE_VALUES_H
#include "compiler/lower/nest.h"

/* index: the loop's, one more in each lane than in the one before. ragged: loops inside whose bounds the lanes do not share; shared: locals that they do, or NULL. */
typedef struct LaneValues { const StageUse *use; const Block *body; const Var *index; const LaneLoops *ragged; const VarVec *shared; } LaneValues;

/* From one lane to the next a value is one less, stays the same, or is one more, or nobody knows. */
typedef enum LaneStep { STEP_BACK = 1, STEP_SAME = 2, STEP_NEXT = 4, STEP_OTHER = 8 } LaneStep;

/* Whether the value is the same in all lanes, whenever it is evaluated. */
bool lower_is_shared(const LaneValues *values, const Expr *expr);
/* Whether it is made of literals, variables, and sums and products of such: nothing fails where it is computed earlier. */
bool lower_is_plain_sum(const Expr *expr);
/* The step of a subscript. */
LaneStep lower_lane_step(const LaneValues *values, const Expr *expr);
/* Whether lanes that go through this loop of the body, whose innermost bounds they do not share, have iterations in common that the bounds of
 * the first and the last lane tell: no bound goes up and down, nor by more than one. Sets `slides` and `asked` (nest.h). */
bool lower_is_ragged(Arena *arena, const LaneValues *values, const Stmt *stmt, LaneLoop *loop);
/* Whether a branch of the block has functions of Reals on both sides, of which vectors compute all: that takes what they save. */
bool lower_has_two_sides(const Block *block);
#endif
