/* Placement: the one part of the plan that depends on the machine, but for arrays that Spaces have together (storage.c). */
#ifndef HP5_PLAN_LEVELS_H
#define HP5_PLAN_LEVELS_H
#include "compiler/mapping/mapping.h"
#include "compiler/plan/plan.h"

/* Fills LpsPlan.ppus and level_name and TaskPlan.mapping of every task. `file` may be NULL (default
 * mappings). False after errors. */
bool plan_levels(Arena *arena, Plan *plan, const MappingFile *file, const Machine *machine, Diags *diags);
/* The mapping that the task will have, without a word about what is wrong with it: NULL then. */
struct ResolvedMapping *plan_mapping_ahead(Arena *arena, const Program *program, Task *task, PlanOptions options);
/* remarks_mapping.c: what --remarks says of a task's mapping; and that it was kept in one of `segments` address spaces. */
void plan_remark_mapping(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags);
/* arrange.c: the placement statements of the task's mapping. False after errors. */
bool plan_arrange(Arena *arena, TaskPlan *task, Diags *diags);
#endif
