/* Stages that the host runs for a card: of Spaces that are mapped to levels above the card which compute, while Spaces below them are the card's
 * (host_stages.c). */
#ifndef HP5_EMIT_HOST_STAGES_H
#define HP5_EMIT_HOST_STAGES_H
#include "compiler/emit/program/task_writer.h"

/* Counters of the flow's loops that a call has room for: Hp5CardCall.bounds. */
enum { CUDA_MOST_COUNTERS = 2 * MAX_RANK };

/* Whether the task has such stages. */
bool cuda_has_host_stages(const TaskPlan *task);
/* In the text for processors: the stages, a function for each of their calls (Hp5OnHost), and the table of these, SYMBOL_on_host. */
void cuda_host_stages(TaskWriter *tw);
/* In the flow on the card: the host is asked, and all threads wait. `who`: of which process, as a condition in front of the call. */
void cuda_ask_for_stage(TaskWriter *tw, const PlanStep *step, const char *who, int indent);
#endif
