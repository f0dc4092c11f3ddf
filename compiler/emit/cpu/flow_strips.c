/* Stages that run in strips of the LPU (lower/strips.c): one after the other for each strip, with views of it in place of the LPU's.
 *
 *     if (leads_A) {
 *         const Hp5Stripped stripped_A[] = {{&lpu_A->views[0], 0, false}, {&lpu_A->views[1], 0, true}};
 *         Hp5Strips strips_A;
 *         for (hp5_strips_begin(&strips_A, worker, 2, stripped_A); hp5_strips_next(&strips_A);) {
 *             HP5_STAGE_IN_STRIPS(worker, 0, lpu_A, &strips_A, place_in_A, &strips_A.views[1], &strips_A.views[0], …);
 *             HP5_STAGE_IN_STRIPS(worker, 1, lpu_A, &strips_A, tally_in_A, lpu_A, &lpu_A->views[2], &strips_A.views[1]);
 *         }
 *     } */
#include "compiler/emit/cpu/flow.h"

static const char *space_of(const TaskWriter *tw, const Strips *strips) { return task_space(tw, strips->steps.items[0]->use->lps); }

const char *flow_strip_view(TaskWriter *tw, const Var *var) {
    for (size_t i = 0; tw->strips != NULL && i < tw->strips->bounded.count; i++)
        if (tw->strips->bounded.items[i].array == var) return arena_printf(tw->emit->arena, "&strips_%s.views[%zu]", space_of(tw, tw->strips), i);
    return NULL;
}

static bool is_passed(const Strips *strips, const Var *array) {
    for (size_t i = 0; i < strips->passed.count; i++)
        if (strips->passed.items[i] == array) return true;
    return false;
}

static void stripped_text(TaskWriter *tw, const Strips *strips, int indent) {
    const Lps *lps = strips->steps.items[0]->use->lps;
    Text text = {0};
    for (size_t i = 0; i < strips->bounded.count; i++) {
        const PartDimension *part = &strips->bounded.items[i];
        text_printf(&text, "%s{%s, %d, %s}", i > 0 ? ", " : "", flow_view(tw, lps, part->array), part->dimension, is_passed(strips, part->array) ? "true" : "false");
    }
    task_print(tw, indent, "const Hp5Stripped stripped_%s[] = {%s};", space_of(tw, strips), text.data);
    text_free(&text);
}

static void stage_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const StageUse *use = step->use;
    const char *space = task_space(tw, use->lps), *id_space = use->lps->sub_partition ? task_space(tw, use->lps->parent) : space;
    const char *args = flow_stage_arguments(tw, step);
    task_print(tw, indent, "HP5_STAGE_IN_STRIPS(worker, %d, lpu_%s, &strips_%s, %s%s%s); /* line %d */", step->call_id, id_space, space, use->symbol, args[0] != '\0' ? ", " : "", args,
               task_line(tw, step->source->span));
}

size_t flow_strips(TaskWriter *tw, const Strips *strips, int indent) {
    const char *space = space_of(tw, strips), *names = "";
    for (size_t i = 0; i < strips->passed.count; i++)
        names = arena_printf(tw->emit->arena, "%s%s%s", names, i == 0 ? "" : i + 1 == strips->passed.count ? " and " : ", ", strips->passed.items[i]->name);
    task_print(tw, indent, "if (leads_%s) { /* strip by strip: %s %s no memory beside one strip's */", space, names, strips->passed.count > 1 ? "have" : "has");
    stripped_text(tw, strips, indent + 4);
    task_print(tw, indent + 4, "Hp5Strips strips_%s;", space);
    task_print(tw, indent + 4, "for (hp5_strips_begin(&strips_%s, worker, %zu, stripped_%s); hp5_strips_next(&strips_%s);) {", space, strips->bounded.count, space, space);
    tw->strips = strips;
    for (size_t i = 0; i < strips->steps.count; i++) stage_text(tw, strips->steps.items[i], indent + 8);
    tw->strips = NULL;
    task_print(tw, indent + 4, "}");
    task_print(tw, indent, "}");
    return strips->steps.count;
}
