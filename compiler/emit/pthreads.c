/* The whole program as one C file for shared memory, in the order a reader wants it: types and
 * functions, then for each task its values, stages, tables, flow and launch, then the coordinator. */
#include "compiler/emit/pthreads.h"
#include "compiler/emit/writer.h"
#include <string.h>

const char *pthreads_space(const Pthreads *pt, const Lps *lps) {
    return lps->sub_partition ? arena_printf(pt->emit->arena, "%s_sub", pthreads_space(pt, lps->parent))
                              : lps->name;
}

int pthreads_line(const Pthreads *pt, Span span) { return emit_line(pt->emit, span); }

const char *pthreads_quote(const Pthreads *pt, const char *text) {
    return emit_string_literal(pt->emit->arena, text, strlen(text));
}

const char *pthreads_comment(const Pthreads *pt, const char *text) {
    Text out = {0};
    for (const char *c = text; *c != '\0'; c++) {
        bool mark = c > text && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*'));
        if (mark) text_char(&out, ' ');
        text_char(&out, (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
    }
    char *copy = arena_copy(pt->emit->arena, out.data, out.length);
    text_free(&out);
    return copy;
}

const char *pthreads_source_text(const Pthreads *pt, Span span) {
    const Source *source = pt->emit->plan->program->source;
    char *text = arena_copy(pt->emit->arena, source->text + span.start, span.end - span.start), *end = text;
    for (const char *c = text; *c != '\0'; c++) { /* one line, single spaces */
        bool space = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        if (!space) *end++ = *c;
        else if (end > text && end[-1] != ' ') *end++ = ' ';
    }
    *end = '\0';
    return text;
}

bool pthreads_is_shared(const Pthreads *pt, const Var *var) { return !plan_scalar_is_private(pt->task, var); }

static bool is_repeated(const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if ((steps->items[i]->kind == PLAN_REPEAT_FOR && steps->items[i]->source->var == var) ||
            is_repeated(&steps->items[i]->body, var))
            return true;
    return false;
}

bool pthreads_is_counter(const Pthreads *pt, const Var *var) {
    return !pthreads_is_shared(pt, var) && is_repeated(&pt->task->flow, var);
}

const char *pthreads_value(Pthreads *pt, const Var *var) {
    return arena_printf(pt->emit->arena, "%s->%s%s", pt->values,
                        var->kind == VAR_PARTITION ? "partition_" : "", emit_symbol(pt->emit, var));
}

const char *pthreads_scalar(Pthreads *pt, const Var *var, int lag) {
    Arena *arena = pt->emit->arena;
    if (var->kind == VAR_PARTITION) return pthreads_value(pt, var);
    if (pthreads_is_shared(pt, var)) {
        const char *space = pthreads_space(pt, var->home);
        if (lag > 0)
            return arena_printf(arena, "%s_scalars->%s_before[%d]", space, emit_symbol(pt->emit, var),
                                lag - 1);
        return arena_printf(arena, "%s_scalars->%s", space, emit_symbol(pt->emit, var));
    }
    return pthreads_is_counter(pt, var) ? emit_counter(pt->emit, var) : pthreads_value(pt, var);
}

const char *pthreads_arg(Pthreads *pt, Expr *expr) {
    if (expr == NULL || (expr->kind == EXPR_INTEGER && expr->integer == 0)) return "HP5_NO_ARG";
    ExprVec *args = &pt->task->dim_args;
    for (size_t i = 0; i < args->count; i++) {
        const Expr *known = args->items[i];
        bool same =
            known->kind == expr->kind && ((expr->kind == EXPR_VAR && known->var == expr->var) ||
                                          (expr->kind == EXPR_INTEGER && known->integer == expr->integer));
        if (same) return arena_printf(pt->emit->arena, "%zu", i);
    }
    vec_push(pt->emit->arena, args, expr);
    return arena_printf(pt->emit->arena, "%zu", args->count - 1);
}

void pthreads_print(Pthreads *pt, int indent, const char *format, ...) {
    text_indent(pt->out, indent);
    va_list args;
    va_start(args, format);
    text_vprintf(pt->out, format, args);
    va_end(args);
    text_char(pt->out, '\n');
}

static void banner(Pthreads *pt) {
    text_printf(pt->out, "/* Written by hp5c from %s for threads on shared memory.%s\n",
                pthreads_comment(pt, pt->emit->source_name),
                pt->emit->options.fast_math
                    ? "\n * --fast-math: results may differ between machines and thread counts."
                    : "");
    text_append(
        pt->out,
        " * Compile with -std=gnu17 -ffp-contract=off -fwrapv and link with the hp5 runtime library. */\n");
    text_append(pt->out, "#include \"runtime/generated.h\"\n\n");
}

static void task_text(Pthreads *pt) {
    Task *task = pt->task->task;
    text_printf(pt->out, "/* ==== Task \"%s\" (%s:%d) ==== */\n\n", pthreads_comment(pt, task->name),
                pthreads_comment(pt, pt->emit->source_name), pthreads_line(pt, task->span));
    pthreads_structs(pt);
    for (size_t i = 0; i < pt->task->uses.count; i++) {
        emit_stage(pt->emit, pt->task->uses.items[i], pt->out);
        emit_stage_cost(pt->emit, pt->task->uses.items[i], pt->out);
    }
    pthreads_mapping_functions(pt);
    pthreads_tables(pt);
    pthreads_flow(pt);
    pthreads_launch(pt);
}

bool emit_pthreads(Emit *emit, Text *out) {
    size_t errors = diags_error_count(emit->diags);
    Pthreads pt = {.emit = emit, .out = out, .values = "task"};
    banner(&pt);
    emit_types(emit, out);
    emit_functions(emit, out);
    for (size_t i = 0; i < emit->plan->tasks.count; i++) {
        pt.task = emit->plan->tasks.items[i];
        pt.symbol = pt.task->task->symbol;
        task_text(&pt);
    }
    pthreads_main(&pt);
    return diags_error_count(emit->diags) == errors;
}
