/* The flow of a task as the function that every thread runs (SPMD): visits of LPUs, stages, waits and moves, in the order of the
 * plan. Nothing here orders threads or moves data that is no step of the plan.
 *
 *   flow_function.c  the function; steps in their order, repeats, choices, stages
 *   flow_visits.c    visits: loops over the thread's own LPUs
 *   flow_strips.c    stages that run in strips of an LPU
 *   flow_rounds.c    rounds that LPUs run together
 *   flow_waits.c     waits, and moves: copies, padding, reductions, epochs
 *   flow_place.c     expressions where an LPU is visited
 */
#ifndef HP5_EMIT_CPU_FLOW_H
#define HP5_EMIT_CPU_FLOW_H
#include "compiler/emit/cpu/cpu.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/plan/moves.h"

/* ---- flow_function.c ---- */
void flow_steps(TaskWriter *tw, const PlanStepVec *steps, int indent);
/* The condition of an If; a prediction is told where it cannot know. */
const char *flow_choice(TaskWriter *tw, const Step *source, const Lps *lps);

/* What a call of the stage's function hands over, separated by commas. */
char *flow_stage_arguments(TaskWriter *tw, const PlanStep *step);
/* What is known of a stage some of whose iterations may wait for messages, or NULL. */
const Border *flow_border(const TaskWriter *tw, const StageUse *use);
/* The type of the products that a stage on processors may leave to later calls: "double", "single"; NULL: none. */
const char *flow_joins(const TaskWriter *tw, const StageUse *use);

/* ---- flow_place.c ---- */
/* C text of an expression in the current LPU of `lps`; of the array's view there. */
char *flow_expr(TaskWriter *tw, const Lps *lps, const Expr *expr);
const char *flow_view(TaskWriter *tw, const Lps *lps, const Var *var);

/* ---- flow_visits.c ---- */
void flow_lpus(TaskWriter *tw, const PlanStep *step, int indent);
/* The stage of a visit that runs nothing else, if its products may be joined and none around the visit does that. */
const PlanStep *flow_joined_stage(const TaskWriter *tw, const PlanStep *visit);
/* Begins the loop over this thread's LPUs of a Space. */
void flow_visit(TaskWriter *tw, const Lps *lps, bool dynamic, int at_line, int indent);
/* Steps inside a visit (NULL: of none), after the declarations that they turn out to need. */
void flow_body(TaskWriter *tw, const Lps *lps, const PlanStep *visit, const PlanStepVec *body, int indent);
/* What `statements` need of the LPU's scalars. */
void flow_scalars(TaskWriter *tw, const Lps *lps, const char *statements, int indent);

/* ---- flow_strips.c ---- */
/* The stages of a group that runs in strips; returns how many steps that are. */
size_t flow_strips(TaskWriter *tw, const Strips *strips, int indent);
/* What a stage of the group gets for the array, or NULL: the same as any stage. */
const char *flow_strip_view(TaskWriter *tw, const Var *var);

/* ---- flow_rounds.c ---- */
const char *flow_rounds_of(TaskWriter *tw, const PlanStep *lockstep);
void flow_lockstep(TaskWriter *tw, const PlanStep *step, int indent);
void flow_guard(TaskWriter *tw, const PlanStep *step, int indent);

/* ---- flow_waits.c ---- */
/* On a card, where a PPU has several threads, around what one of them does for all. */
void flow_crew_waits(TaskWriter *tw, const char *space, int indent);
/* First and last index of each dimension of a region that the step of `at`, or what stands there, touches: an array in C, as far as they can be told
 * there; "NULL": of none. */
const char *flow_bounds(TaskWriter *tw, const TellingPlace *place, const Region *region);
/* A step that waits, moves data or ends an epoch. */
void flow_move(TaskWriter *tw, const PlanStep *step, int indent);
#endif
