/* Inspection: which elements of an array the LPUs of a process will read, found by running what is left of their stages when
 * everything is taken out but subscripts and what these follow from. See inspect.c. */
#ifndef HP5_PLAN_INSPECT_H
#define HP5_PLAN_INSPECT_H
#include "compiler/plan/moves.h"

typedef VEC(const Formal *) FormalVec;

/* What is left of one call of a stage, for one of its arrays. */
typedef struct TouchSlice {
    const PlanStep *step;
    const Formal *formal;         /* the array */
    VEC(const Var *) kept;        /* locals that subscripts, bounds and conditions name */
    FormalVec inputs;             /* views and values that they name */
    FormalVec looked_at;          /* views whose elements they name */
    bool lpu;                     /* they name lpuId */
} TouchSlice;

/* Of a holding: all calls that read it by indices that no formula tells. */
struct Inspection {
    const Holding *holding;
    VEC(TouchSlice *) slices;
    VarVec inputs;                /* arrays whose elements say what is touched */
};

/* Needs: holdings. Gives: Holding.inspection, where what is read of it can be found out. Breaks: nothing. */
void plan_inspect(Arena *arena, TaskPlan *task);
/* What of the holding is read by indices that no formula tells, or, everything, by any; NULL: that cannot be found out. */
Inspection *inspect_holding(Arena *arena, TaskPlan *task, const Holding *holding, bool everything);
/* reads.c. Needs: holdings. Gives: ArrayPlan.reads. Breaks: nothing. */
void plan_reads(Arena *arena, TaskPlan *task);
/* Nobody writes in the task what the inspection looks at: what it finds stays the same. */
bool inspect_is_steady(const TaskPlan *task, const Inspection *inspection);
/* The region has a dimension that no formula tells, but an inspection does. */
bool inspect_region(const Region *region);
/* What the slice needs of the expression (emit/cpu/stage_touches.c): it can be told. */
bool inspect_can_tell(const TaskPlan *task, const TouchSlice *slice, const Expr *expr);
/* Something of the block, or of the loop, is left in the slice; an assignment to the local is. */
bool inspect_is_left(const TouchSlice *slice, const Block *block);
bool inspect_loop_is_left(const TouchSlice *slice, const Stmt *loop);
bool inspect_is_kept(const TouchSlice *slice, const Var *var);
/* All rounds of the loop, or of its index of that number, say the same of what is touched: the first one does. */
bool inspect_once(const TouchSlice *slice, const Stmt *loop, size_t index);
#endif
