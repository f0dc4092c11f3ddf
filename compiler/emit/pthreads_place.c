/* Placement statements of the mapping as tables of the task (Hp5TaskDesc in runtime/task/task.h). Only where the mapping says
 * something: C text of a task without such statements stays as it is. */
#include "compiler/emit/pthreads.h"

static const char *layouts_table(Pthreads *pt) {
    bool any = false;
    for (int i = 0; i < pt->task->array_count; i++) {
        const ArrayLayout *layout = &pt->task->arrays[i].layout;
        any = any || layout->fortran || layout->split || layout->align > 0;
    }
    if (!any) return "";
    text_printf(pt->out, "static const Hp5Layout %s_layouts[] = {\n", pt->symbol);
    for (int i = 0; i < pt->task->array_count; i++) {
        const ArrayLayout *layout = &pt->task->arrays[i].layout;
        text_printf(pt->out, "    {%s, %s, %lld}, /* %s */\n", layout->fortran ? "true" : "false", layout->split ? "true" : "false",
                    (long long)layout->align, pt->task->arrays[i].var->name);
    }
    text_append(pt->out, "};\n");
    return arena_printf(pt->emit->arena, ".layouts = %s_layouts, ", pt->symbol);
}

static const char *limits_table(Pthreads *pt) {
    size_t count = pt->task->task->spaces.count;
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || pt->task->spaces[i].limit > 0;
    if (!any) return "";
    text_printf(pt->out, "static const int64_t %s_limits[] = {", pt->symbol);
    for (size_t i = 0; i < count; i++) text_printf(pt->out, "%s%lld", i > 0 ? ", " : "", (long long)pt->task->spaces[i].limit);
    text_append(pt->out, "};\n");
    return arena_printf(pt->emit->arena, ".limits = %s_limits, ", pt->symbol);
}

static const char *collected_table(Pthreads *pt) {
    bool any = false;
    for (int i = 0; i < pt->task->array_count; i++) any = any || pt->task->arrays[i].collected;
    if (!any) return "";
    text_printf(pt->out, "static const Hp5Collect %s_collected[] = {", pt->symbol);
    for (int i = 0; i < pt->task->array_count; i++) {
        const ArrayPlan *array = &pt->task->arrays[i];
        text_printf(pt->out, "%s%s", i > 0 ? ", " : "", !array->collected ? "HP5_KEPT"
                    : array->var->environment ? "HP5_COLLECT_COPIES" : "HP5_COLLECT_ARRAY");
    }
    text_append(pt->out, "};\n");
    return arena_printf(pt->emit->arena, ".collected = %s_collected, ", pt->symbol);
}

const char *pthreads_place_fields(Pthreads *pt) {
    const char *layouts = layouts_table(pt), *limits = limits_table(pt), *collected = collected_table(pt), *priority = "";
    if (pt->task->priority > 0) priority = arena_printf(pt->emit->arena, ".priority = %lld, ", (long long)pt->task->priority);
    return arena_printf(pt->emit->arena, "%s%s%s%s", layouts, limits, collected, priority);
}
