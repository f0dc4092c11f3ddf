/* Inside the backend for CPUs: threads on shared memory.
 *
 *   cpu.c           the backend's struct (backend.h)
 *   roles.c         what each loop becomes            stage_function.c  a stage function, its parameters
 *   stage_loop.c    parallel loops                    stage_reduce.c  reductions
 *   stage_multiply.c products                         stage_carry.c   loops that hand an element on
 *   stage_cost.c    what a stage costs (--predict)
 *   stage_touches.c, flow_touches.c  what stages read by indices that no formula tells
 *   flow*.c         the flow function that every thread runs (flow.h)
 */
#ifndef HP5_EMIT_CPU_H
#define HP5_EMIT_CPU_H
#include "compiler/emit/backend.h"

void cpu_schedule(const TaskPlan *task, LoweredBody *code, PlanOptions options);
/* Whether the stage has a second form, which checks the indices that it takes from arrays. */
bool cpu_stage_gathers(const Emit *emit, const StageUse *use);
void cpu_stage(Emit *emit, const LoweredStage *stage, Text *out);
void cpu_stage_cost(Emit *emit, const LoweredStage *stage, Text *out);
void cpu_parallel(Writer *writer, const Stmt *stmt, int indent);
const char *cpu_order_type(const Formal *formal); /* of an `ordered` target's result so far */
void cpu_reduce(Writer *writer, const Stmt *stmt, int indent);
void cpu_touches(TaskWriter *tw);
void cpu_flow(TaskWriter *tw);
#endif
