/* Placement: the one part of the plan that depends on the machine. */
#ifndef HP5_PLAN_PLACE_H
#define HP5_PLAN_PLACE_H
#include "compiler/mapping/mapping.h"
#include "compiler/plan/plan.h"

/* Fills LpsPlan.ppus and level_name and TaskPlan.mapping of every task. `file` may be NULL (default
 * mappings). False after errors, also when a mapping needs more than one address space. */
bool plan_place(Arena *arena, Plan *plan, const MappingFile *file, const Machine *machine, Diags *diags);
#endif
