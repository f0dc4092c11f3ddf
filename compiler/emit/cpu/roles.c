/* Roles of loops on CPUs: what the cores' vectors and registers are used for. Checked builds look at every access, in the
 * order of the program. */
#include "compiler/emit/cpu/cpu.h"

static void schedule_nest(Nest *nest, bool checked) {
    const size_t count = nest->loops.count;
    Loop *loops = nest->loops.items;
    for (size_t i = 0; i < count; i++) loops[i].role = ROLE_SERIAL;
    if (checked) return;
    switch (nest->form) {
    case FORM_PRODUCT:
        for (size_t i = count - 3; i < count; i++) loops[i].role = ROLE_TILE;
        return;
    case FORM_SUM:
        if (nest->sum.abreast) loops[count - 2].role = ROLE_VECTOR;
        if (nest->sum.window) loops[count - 1 - nest->sum.window].role = ROLE_VECTOR;
        return;
    case FORM_LANES: loops[count - 1 - nest->lanes.inside].role = ROLE_VECTOR; return;
    case FORM_CUT:
    case FORM_EXTREMUM: loops[count - 1].role = ROLE_VECTOR; return;
    case FORM_REDUCTION: return; /* its lanes are those of the result, whatever a vector holds */
    default:
        if (loop_may(&loops[count - 1], LOOP_PARALLEL)) loops[count - 1].role = ROLE_VECTOR;
        return;
    }
}

void cpu_schedule(const TaskPlan *task, LoweredBody *code, PlanOptions options) {
    (void)task;
    for (size_t i = 0; i < code->nests.count; i++) schedule_nest(code->nests.items[i], options.checked);
}
