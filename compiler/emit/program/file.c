/* The whole program as one C file for shared memory, in the order a reader wants it: types and
 * functions, then for each task its values, stages, tables, flow and launch, then the coordinator. */
#include "compiler/emit/cuda/host_stages.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/emit/program/writer.h"
#include <string.h>

const char *task_space(const TaskWriter *tw, const Lps *lps) {
    return lps->sub_partition ? arena_printf(tw->emit->arena, "%s_sub", task_space(tw, lps->parent))
                              : lps->name;
}

int task_line(const TaskWriter *tw, Span span) { return emit_line(tw->emit, span); }

const char *task_quote(const TaskWriter *tw, const char *text) {
    return emit_string_literal(tw->emit->arena, text, strlen(text));
}

const char *task_comment(const TaskWriter *tw, const char *text) {
    Text out = {0};
    for (const char *c = text; *c != '\0'; c++) {
        bool mark = c > text && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*'));
        if (mark) text_char(&out, ' ');
        text_char(&out, (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
    }
    char *copy = arena_copy(tw->emit->arena, out.data, out.length);
    text_free(&out);
    return copy;
}

const char *task_source_text(const TaskWriter *tw, Span span) {
    const Source *source = tw->emit->plan->program->source;
    char *text = arena_copy(tw->emit->arena, source->text + span.start, span.end - span.start), *end = text;
    for (const char *c = text; *c != '\0'; c++) { /* one line, single spaces */
        bool space = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (!space) *end++ = *c;
        else if (end > text && end[-1] != ' ') *end++ = ' ';
    }
    *end = '\0';
    return text;
}

bool task_is_shared(const TaskWriter *tw, const Var *var) { return !plan_scalar_is_private(tw->task, var); }

static bool is_repeated(const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if ((steps->items[i]->kind == PLAN_REPEAT_FOR && steps->items[i]->source->var == var) ||
            is_repeated(&steps->items[i]->body, var))
            return true;
    return false;
}

bool task_is_counter(const TaskWriter *tw, const Var *var) {
    return !task_is_shared(tw, var) && is_repeated(&tw->task->flow, var);
}

const char *task_value(TaskWriter *tw, const Var *var) {
    return arena_printf(tw->emit->arena, "%s->%s%s", tw->values,
                        var->kind == VAR_PARTITION ? "partition_" : "", emit_symbol(tw->emit, var));
}

const char *task_scalar(TaskWriter *tw, const Var *var, int lag) {
    Arena *arena = tw->emit->arena;
    if (var->kind == VAR_PARTITION) return task_value(tw, var);
    if (task_is_shared(tw, var)) {
        const char *space = task_space(tw, var->home);
        if (lag > 0)
            return arena_printf(arena, "%s_scalars->%s_before[%d]", space, emit_symbol(tw->emit, var),
                                lag - 1);
        return arena_printf(arena, "%s_scalars->%s", space, emit_symbol(tw->emit, var));
    }
    return task_is_counter(tw, var) ? emit_counter(tw->emit, var) : task_value(tw, var);
}

const char *task_arg(const TaskWriter *tw, const Expr *expr) {
    int index = plan_dim_arg(tw->task, expr);
    return index < 0 ? "HP5_NO_ARG" : arena_printf(tw->emit->arena, "%d", index);
}

const char *task_cast(const TaskWriter *tw, const char *tag) {
    return tw->on_card ? arena_printf(tw->emit->arena, "(struct %s *)", tag) : "";
}

void task_print(TaskWriter *tw, int indent, const char *format, ...) {
    text_indent(tw->out, indent);
    va_list args;
    va_start(args, format);
    text_vprintf(tw->out, format, args);
    va_end(args);
    text_char(tw->out, '\n');
}

static void banner(TaskWriter *tw) {
    text_printf(tw->out, "/* Written by hp5c from %s for %s.%s\n",
                task_comment(tw, tw->emit->source_name), tw->emit->backend->runs_on,
                tw->emit->options.fast_math
                    ? "\n * --fast-math: results may differ between machines and thread counts."
                    : "");
    text_append(
        tw->out,
        " * Compile with -std=gnu17 -ffp-contract=off -fwrapv and link with the hp5 runtime library. */\n");
    text_append(tw->out, "#include \"runtime/generated.h\"\n");
    if (tw->emit->uses_math) text_append(tw->out, "#include \"runtime/math/math.h\"\n");
    text_char(tw->out, '\n');
}

static void task_text(TaskWriter *tw) {
    Task *task = tw->task->task;
    text_printf(tw->out, "/* ==== Task \"%s\" (%s:%d) ==== */\n\n", task_comment(tw, task->name),
                task_comment(tw, tw->emit->source_name), task_line(tw, task->span));
    const bool here = !backend_on_card(tw->task); /* else stages stand in the text for cards, and so does the flow but for predictions */
    task_structs(tw);
    for (size_t i = 0; here && i < tw->task->uses.count; i++) {
        const LoweredStage *stage = tw->emit->lowered->tasks.items[task->id]->stages.items[i];
        tw->emit->backend->stage(tw->emit, stage, tw->out);
        tw->emit->backend->stage_cost(tw->emit, stage, tw->out);
    }
    for (size_t i = 0; !here && i < tw->task->uses.count; i++) {
        const LoweredStage *stage = tw->emit->lowered->tasks.items[task->id]->stages.items[i];
        const bool on_host = backend_on_host(tw->task, stage->code.use->lps);
        (on_host ? backend_cpu : backend_cuda).stage_cost(tw->emit, stage, tw->out);
    }
    tw->emit->backend->touches(tw);
    task_mapping_functions(tw);
    if (!here) cuda_host_stages(tw);
    task_tables(tw);
    tw->predicting = !here;
    tw->emit->backend->flow(tw);
    tw->predicting = false;
    task_launch(tw);
}

bool emit_file(Emit *emit, Text *out) {
    size_t errors = diags_error_count(emit->diags);
    Text text = {0}; /* all but the first lines, which say what it needs */
    TaskWriter tw = {.emit = emit, .out = &text, .values = "task"};
    emit_types(emit, &text);
    emit_functions(emit, &text);
    for (size_t i = 0; i < emit->plan->tasks.count; i++) {
        tw.task = emit->plan->tasks.items[i];
        tw.symbol = tw.task->task->symbol;
        task_text(&tw);
    }
    coordinator_and_main(&tw);
    tw.out = out;
    banner(&tw);
    text_append_n(out, text.data, text.length);
    text_free(&text);
    return diags_error_count(emit->diags) == errors;
}
