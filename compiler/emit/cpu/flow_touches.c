/* Inspectors: for an LPU above the segments, what this thread's LPUs below it will read of an array (Hp5TransferDesc.touches). Beside a card one
 * thread looks at all LPUs of the process. */
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cpu/touches.h"

/* Loops over this thread's LPUs, from inside `above` down to those of `lps`; returns the indentation inside. */
static int visits_text(TaskWriter *tw, const Lps *lps, const Lps *above, int line) {
    if (lps == above) return 4;
    int indent = visits_text(tw, lps->parent, above, line);
    const char *space = task_space(tw, lps);
    if (backend_on_card(tw->task)) {
        const char *grid = arena_printf(tw->emit->arena, "hp5_child(lpu_%s, %d)", task_space(tw, lps->parent), tw->task->spaces[lps->id].slot_in_parent);
        task_print(tw, indent, "/* Space %s: the LPUs of this process (line %d) */", space, line);
        task_print(tw, indent, "for (Hp5Lpu *lpu_%s = %s->lpus, *end_%s = lpu_%s + %s->own; lpu_%s < end_%s; lpu_%s++) {", space, grid, space, space, grid, space, space, space);
    } else flow_visit(tw, lps, false, line, indent);
    return indent + 4;
}

static const char *arguments_text(TaskWriter *tw, const TouchSlice *slice) {
    const StageUse *use = slice->step->use;
    char *text = arena_strdup(tw->emit->arena, "touched");
    if (slice->lpu) text = arena_printf(tw->emit->arena, "%s, lpu_%s", text, task_space(tw, use->lps));
    for (size_t i = 0; i < slice->inputs.count; i++) {
        const Formal *formal = slice->inputs.items[i];
        const Var *actual = plan_actual(use, formal, slice->step->source);
        const char *argument = formal->kind == FORMAL_VIEW ? flow_view(tw, use->lps, formal->actual)
                               : actual != NULL            ? task_scalar(tw, actual, 0)
                                                           : flow_expr(tw, use->lps, plan_constant(use, formal, slice->step->source));
        text = arena_printf(tw->emit->arena, "%s, %s", text, argument);
    }
    return text;
}

static void slice_text(TaskWriter *tw, const TouchSlice *slice, const char *name, const Lps *within) {
    const Lps *lps = slice->step->use->lps;
    int indent = visits_text(tw, lps, within, task_line(tw, slice->step->source->span));
    const char *leads = backend_on_card(tw->task) ? "" : arena_printf(tw->emit->arena, "if (leads_%s) ", task_space(tw, lps));
    task_print(tw, indent, "%s%s(%s);", leads, name, arguments_text(tw, slice));
    while (indent > 4) task_print(tw, indent -= 4, "}");
}

/* What the function's text names: from the outside in. */
static void declarations(TaskWriter *tw, const char *text, const Lps *within) {
    Arena *arena = tw->emit->arena;
    if (emit_text_uses(text, "task")) task_print(tw, 4, "const struct %s *const task = worker->run->globals;", tw->symbol);
    const char *below = arena_printf(arena, "lpu_%s", task_space(tw, within));
    for (const Lps *at = within->parent; at != NULL; at = at->parent) {
        const char *name = arena_printf(arena, "lpu_%s", task_space(tw, at));
        below = arena_printf(arena, "%s->parent", below);
        if (emit_text_uses(text, name)) task_print(tw, 4, "Hp5Lpu *const %s = %s;", name, below);
    }
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const char *space = task_space(tw, tw->task->task->spaces.items[i]);
        if (emit_text_uses(text, arena_printf(arena, "leads_%s", space)))
            task_print(tw, 4, "const bool leads_%s = hp5_leads(worker, %s_SPACE_%s);", space, tw->symbol, space);
    }
}

static void inspector_text(TaskWriter *tw, const Inspection *inspection, const Lps *within, const char *name) {
    const LoweredStage *const *stages = (const LoweredStage *const *)tw->emit->lowered->tasks.items[tw->task->task->id]->stages.items;
    Text *out = tw->out, body = {0};
    for (size_t i = 0; i < inspection->slices.count; i++) {
        const TouchSlice *slice = inspection->slices.items[i];
        size_t u = 0;
        while (tw->task->uses.items[u] != slice->step->use) u++;
        const char *own = arena_printf(tw->emit->arena, "%s_%zu", name, i);
        cpu_stage_touches(tw->emit, stages[u], tw->task, slice, own, out);
        tw->out = &body;
        slice_text(tw, slice, own, within);
        tw->out = out;
    }
    task_print(tw, 0, "/* What the thread's LPUs read of %s. */", inspection->holding->var->name);
    task_print(tw, 0, "static void %s(Hp5Worker *worker, Hp5Lpu *lpu_%s, const Hp5Touched *touched) {", name, task_space(tw, within));
    declarations(tw, body.data, within);
    if (!emit_text_uses(body.data, "worker")) task_print(tw, 4, "(void)worker;");
    text_append(out, body.data);
    task_print(tw, 0, "}\n");
    text_free(&body);
}

void cpu_touches(TaskWriter *tw) {
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        const Transfer *transfer = tw->task->transfers.items[i];
        if (transfer->inspection != NULL && task_toucher(tw, transfer) == transfer) inspector_text(tw, transfer->inspection, transfer->within, task_touches(tw, transfer));
    }
    for (int a = 0; a < tw->task->array_count; a++)
        if (tw->task->arrays[a].reads) inspector_text(tw, tw->task->arrays[a].reads, tw->task->task->spaces.items[0], task_reads(tw, &tw->task->arrays[a]));
}
