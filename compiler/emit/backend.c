/* See backend.h. */
#include "compiler/emit/backend.h"

/* Bodies outside of tasks are everybody's, and the CPUs' where one is asked. */
static const Backend *backend_of(const TaskPlan *task) { return backend_on_card(task) ? &backend_cuda : &backend_cpu; }

static const Backend *backend_of_stage(const TaskPlan *task, const LoweredStage *stage) {
    return backend_on_host(task, stage->code.use->lps) ? &backend_cpu : backend_of(task);
}

bool backend_accepts(Arena *arena, const Plan *plan, Diags *diags) {
    bool fits = true;
    for (size_t t = 0; t < plan->tasks.count; t++) {
        const TaskPlan *task = plan->tasks.items[t];
        const Backend *backend = backend_of(task);
        fits = (backend->accepts == NULL || backend->accepts(arena, plan, task, diags)) && segments_accept(arena, task, diags) && fits;
    }
    return foreign_accepts(arena, plan, diags) && fits;
}

static void schedule(const Backend *backend, const TaskPlan *task, LoweredBody *code, PlanOptions options) {
    if (code) backend->schedule(task, code, options);
}

void backend_schedule(LoweredProgram *program) {
    const PlanOptions options = program->plan->options;
    for (size_t i = 0; i < program->functions.count; i++) schedule(&backend_cpu, NULL, program->functions.items[i], options);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const LoweredTask *task = program->tasks.items[t];
        for (size_t i = 0; i < task->stages.count; i++)
            schedule(backend_of_stage(task->plan, task->stages.items[i]), task->plan, &task->stages.items[i]->code, options);
        schedule(&backend_cpu, task->plan, task->initialize, options);
    }
    schedule(&backend_cpu, NULL, program->coordinator, options);
}
