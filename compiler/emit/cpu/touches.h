/* Between the files that print inspectors: which elements of an array the LPUs of a process will read (compiler/plan/inspect.h). */
#ifndef HP5_EMIT_CPU_TOUCHES_H
#define HP5_EMIT_CPU_TOUCHES_H
#include "compiler/emit/cpu/cpu.h"
#include "compiler/plan/inspect.h"

/* stage_touches.c: what one stage reads of it, as a function of that name. */
void cpu_stage_touches(Emit *emit, const LoweredStage *stage, const TaskPlan *task, const TouchSlice *slice, const char *name, Text *out);
#endif
