/* See backend.h. */
#include "compiler/emit/backend.h"

static void schedule(const Backend *backend, LoweredBody *code, PlanOptions options) {
    if (code) backend->schedule(code, options);
}

void backend_schedule(const Backend *backend, LoweredProgram *program) {
    const PlanOptions options = program->plan->options;
    for (size_t i = 0; i < program->functions.count; i++) schedule(backend, program->functions.items[i], options);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const LoweredTask *task = program->tasks.items[t];
        for (size_t i = 0; i < task->stages.count; i++) schedule(backend, &task->stages.items[i]->code, options);
        schedule(backend, task->initialize, options);
    }
    schedule(backend, program->coordinator, options);
}
