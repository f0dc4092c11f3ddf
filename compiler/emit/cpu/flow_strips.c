/* Stages that run in strips of the LPU (lower/strips.c): one after the other for each strip, with views of it in place of the LPU's.
 *
 *     if (leads_A) {
 *         const Hp5Stripped stripped_A[] = {{&lpu_A->views[0], 0, false}, {&lpu_A->views[1], 0, true}};
 *         Hp5Strips strips_A;
 *         for (hp5_strips_begin(&strips_A, worker, 2, stripped_A); hp5_strips_next(&strips_A);) {
 *             HP5_STAGE_IN_STRIPS(worker, 0, lpu_A, &strips_A, place_in_A, &strips_A.views[1], &strips_A.views[0], …);
 *             HP5_STAGE_IN_STRIPS(worker, 1, lpu_A, &strips_A, tally_in_A, lpu_A, &lpu_A->views[2], &strips_A.views[1]);
 *         }
 *     }
 *
 * What a stage reduces to of a strip goes into a tree, which has as many leaves for each of them as for the others: what comes out is what one call
 * for the whole LPU gives.
 *
 *         Hp5Tree_sum_real tree_1 = {.count = 0};
 *         for (…) {
 *             double strip_1 = hp5_sum_real_identity();
 *             HP5_STAGE_IN_STRIPS(worker, 3, lpu_B, &strips_B, dot_in_B, &strip_1, …);
 *             hp5_tree_sum_real_add(&tree_1, strip_1);
 *         }
 *         *(double *)hp5_partial(worker, 1, lpu_B) = hp5_tree_sum_real_finish(&tree_1); */
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

/* Calls print for each result of the group's stages. */
static void each_result(TaskWriter *tw, const Strips *strips, void (*print)(TaskWriter *tw, const PlanStep *step, const Formal *formal, int indent), int indent) {
    for (size_t s = 0; s < strips->steps.count; s++)
        for (size_t f = 0; f < strips->steps.items[s]->use->formals.count; f++)
            if (strips->steps.items[s]->use->formals.items[f].kind == FORMAL_PARTIAL) print(tw, strips->steps.items[s], &strips->steps.items[s]->use->formals.items[f], indent);
}

static void print_tree(TaskWriter *tw, const PlanStep *step, const Formal *formal, int indent) {
    (void)step;
    task_print(tw, indent, "Hp5Tree_%s tree_%d = {.count = 0};", emit_reduce_name(tw->emit, formal->op, formal->value_type), formal->site);
}

static void print_strip(TaskWriter *tw, const PlanStep *step, const Formal *formal, int indent) {
    (void)step;
    task_print(tw, indent, "%s strip_%d = hp5_%s_identity();", emit_partial_type(tw->emit, formal), formal->site, emit_reduce_name(tw->emit, formal->op, formal->value_type));
}

static void print_leaf(TaskWriter *tw, const PlanStep *step, const Formal *formal, int indent) {
    (void)step;
    task_print(tw, indent, "hp5_tree_%s_add(&tree_%d, strip_%d);", emit_reduce_name(tw->emit, formal->op, formal->value_type), formal->site, formal->site);
}

static void print_result(TaskWriter *tw, const PlanStep *step, const Formal *formal, int indent) {
    task_print(tw, indent, "*(%s *)hp5_partial(worker, %d, lpu_%s) = hp5_tree_%s_finish(&tree_%d);", emit_partial_type(tw->emit, formal), formal->site, task_space(tw, step->use->lps),
               emit_reduce_name(tw->emit, formal->op, formal->value_type), formal->site);
}

static void stage_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const StageUse *use = step->use;
    const char *space = task_space(tw, use->lps), *id_space = use->lps->sub_partition ? task_space(tw, use->lps->parent) : space;
    const char *args = flow_stage_arguments(tw, step);
    const bool gathers = cpu_stage_gathers(tw->emit, use);
    task_print(tw, indent, "HP5_STAGE_%sIN_STRIPS(worker, %d, lpu_%s, &strips_%s, %s%s%s%s); /* line %d */", gathers ? "GATHERING_" : "", step->call_id, id_space, space,
               gathers ? arena_printf(tw->emit->arena, "%d, ", use->id) : "", use->symbol, args[0] != '\0' ? ", " : "", args, task_line(tw, step->source->span));
}

size_t flow_strips(TaskWriter *tw, const Strips *strips, int indent) {
    const char *space = space_of(tw, strips), *names = "";
    for (size_t i = 0; i < strips->passed.count; i++)
        names = arena_printf(tw->emit->arena, "%s%s%s", names, i == 0 ? "" : i + 1 == strips->passed.count ? " and " : ", ", strips->passed.items[i]->name);
    if (strips->passed.count > 0) task_print(tw, indent, "if (leads_%s) { /* strip by strip: %s %s no memory beside one strip's */", space, names, strips->passed.count > 1 ? "have" : "has");
    else task_print(tw, indent, "if (leads_%s) { /* strip by strip: what one stage has touched is in the cache when the next one comes to it */", space);
    stripped_text(tw, strips, indent + 4);
    task_print(tw, indent + 4, "Hp5Strips strips_%s;", space);
    each_result(tw, strips, print_tree, indent + 4);
    task_print(tw, indent + 4, "for (hp5_strips_begin(&strips_%s, worker, %zu, stripped_%s, %s); hp5_strips_next(&strips_%s);) {", space, strips->bounded.count, space,
               strips->reduces ? "HP5_CHUNK" : "0", space);
    tw->strips = strips;
    each_result(tw, strips, print_strip, indent + 8);
    for (size_t i = 0; i < strips->steps.count; i++) stage_text(tw, strips->steps.items[i], indent + 8);
    each_result(tw, strips, print_leaf, indent + 8);
    tw->strips = NULL;
    task_print(tw, indent + 4, "}");
    each_result(tw, strips, print_result, indent + 4);
    task_print(tw, indent, "}");
    return strips->steps.count;
}
