/* Dimensions of arrays that LPUs have the same indices of (same_parts.c). Knows checked programs only. */
#ifndef HP5_PLAN_PARTS_H
#define HP5_PLAN_PARTS_H
#include "compiler/check/program.h"

typedef struct PartDimension { const Var *array; int dimension; } PartDimension;

/* Whether the two, of the task's arrays, have the same bounds: both ends of each. False: it cannot be told. */
bool plan_same_bounds(const Task *task, PartDimension a, PartDimension b);
/* Whether each LPU of the Space has the same indices of both. */
bool plan_same_parts(const Task *task, const Lps *lps, PartDimension a, PartDimension b);
/* Whether the part of `b`, which has no padding there, lies in the unpadded part of `a` in each LPU of the Space. */
bool plan_in_own_part(const Task *task, const Lps *lps, PartDimension a, PartDimension b);
/* Whether it can be told which index comes first. */
bool plan_first_index(const Task *task, PartDimension of, int64_t *first);
/* ends.c: what a local of the stage stands for that is set once; else the expression itself. */
const Expr *plan_value_of(const Step *call, const Expr *expr);
/* How many indices of the dimension, or of the LPU's part of it, lie before the expression of the stage (`high`: behind it); -1: it cannot be told, or it
 * lies outside. */
int64_t plan_distance(const Step *call, const Expr *expr, PartDimension of, bool high);
#endif
