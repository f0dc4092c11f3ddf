/* Placement statements of the mapping as tables of the task (Hp5TaskDesc in runtime/desc/desc.h). Only where the mapping says
 * something: C text of a task without such statements stays as it is. */
#include "compiler/emit/program/task_writer.h"

static const char *layouts_table(TaskWriter *tw) {
    bool any = false;
    for (int i = 0; i < tw->task->array_count; i++) {
        const ArrayLayout *layout = &tw->task->arrays[i].layout;
        any = any || layout->fortran || layout->split || layout->align > 0;
    }
    if (!any) return "";
    text_printf(tw->out, "static const Hp5Layout %s_layouts[] = {\n", tw->symbol);
    for (int i = 0; i < tw->task->array_count; i++) {
        const ArrayLayout *layout = &tw->task->arrays[i].layout;
        text_printf(tw->out, "    {%s, %s, %lld}, /* %s */\n", layout->fortran ? "true" : "false", layout->split ? "true" : "false",
                    (long long)layout->align, tw->task->arrays[i].var->name);
    }
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".layouts = %s_layouts, ", tw->symbol);
}

static const char *limits_table(TaskWriter *tw) {
    size_t count = tw->task->task->spaces.count;
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || tw->task->spaces[i].limit > 0;
    if (!any) return "";
    text_printf(tw->out, "static const int64_t %s_limits[] = {", tw->symbol);
    for (size_t i = 0; i < count; i++) text_printf(tw->out, "%s%lld", i > 0 ? ", " : "", (long long)tw->task->spaces[i].limit);
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".limits = %s_limits, ", tw->symbol);
}

static const char *collected_table(TaskWriter *tw) {
    const LoweredTask *lowered = tw->emit->lowered->tasks.items[tw->task->task->id];
    bool any = lowered->strips.count > 0;
    for (int i = 0; i < tw->task->array_count; i++) any = any || tw->task->arrays[i].collected;
    if (!any) return "";
    text_printf(tw->out, "static const Hp5Collect %s_collected[] = {", tw->symbol);
    for (int i = 0; i < tw->task->array_count; i++) {
        const ArrayPlan *array = &tw->task->arrays[i];
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", lower_is_passed(lowered, array->var) ? "HP5_NO_MEMORY" : !array->collected ? "HP5_KEPT"
                    : array->var->environment ? "HP5_COLLECT_COPIES" : "HP5_COLLECT_ARRAY");
    }
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".collected = %s_collected, ", tw->symbol);
}

const char *task_place_fields(TaskWriter *tw) {
    const char *layouts = layouts_table(tw), *limits = limits_table(tw), *collected = collected_table(tw), *priority = "";
    if (tw->task->priority > 0) priority = arena_printf(tw->emit->arena, ".priority = %lld, ", (long long)tw->task->priority);
    return arena_printf(tw->emit->arena, "%s%s%s%s", layouts, limits, collected, priority);
}
