/* The file of CUDA C++ that belongs to a program: for each task that runs on a card its values, stages, flow and kernel. */
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/emit/program/writer.h"
#include <string.h>

/* One more than the largest number of a lockstep. */
static int count_locksteps(const PlanStepVec *steps) {
    int count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const int inside = count_locksteps(&steps->items[i]->body), own = steps->items[i]->kind == PLAN_LOCKSTEP ? steps->items[i]->number + 1 : 0;
        if (inside > count) count = inside;
        if (own > count) count = own;
    }
    return count;
}

static void kernel_text(TaskWriter *tw) {
    text_printf(tw->out, "/* The task on the card: each thread runs the flow. */\nextern \"C\" __global__ void %s_kernel(Hp5CardRun *run) {\n", tw->symbol);
    task_print(tw, 4, "Hp5Worker worker;");
    task_print(tw, 4, "hp5_worker_begin(&worker, run, %s);", cuda_lowest_tier(tw->task));
    task_print(tw, 4, "%s_flow(&worker);", tw->symbol);
    text_append(tw->out, "}\n\n");
    text_printf(tw->out, "static const int %s_tiers[] = {", tw->symbol);
    for (size_t i = 0; i < tw->task->task->spaces.count; i++)
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", cuda_tier(tw->task, tw->task->task->spaces.items[i]));
    text_printf(tw->out, "};\nextern \"C\" const Hp5CardTask %s_card = {%s_tiers, %d, %s, (const void *)%s_kernel, &hp5_cuda_driver, sizeof(struct %s), %d};\n\n",
                tw->symbol, tw->symbol, cuda_card_level(tw->task), cuda_lowest_tier(tw->task), tw->symbol, tw->symbol, count_locksteps(&tw->task->flow));
}

static void task_text(TaskWriter *tw) {
    const Task *task = tw->task->task;
    text_printf(tw->out, "/* ==== Task \"%s\" (%s:%d) ==== */\n\n", task_comment(tw, task->name), task_comment(tw, tw->emit->source_name),
                task_line(tw, task->span));
    task_structs(tw);
    for (size_t i = 0; i < tw->task->uses.count; i++)
        tw->emit->backend->stage(tw->emit, tw->emit->lowered->tasks.items[task->id]->stages.items[i], tw->out);
    task_combine_functions(tw);
    tw->emit->backend->flow(tw);
    kernel_text(tw);
}

static void functions_text(Emit *emit, Text *out) {
    const Program *program = emit->plan->program;
    bool *called = ARENA_ARRAY(emit->arena, bool, program->functions.count + 1);
    memset(called, 0, program->functions.count);
    for (size_t i = 0; i < emit->plan->tasks.count; i++)
        if (backend_on_card(emit->plan->tasks.items[i])) cuda_called(emit->plan->tasks.items[i], called);
    for (size_t i = 0; i < program->functions.count; i++)
        if (called[i]) emit_function(emit, program->functions.items[i], out);
}

bool emit_card_file(Emit *emit, Text *out) {
    const Backend *before = emit->backend;
    Text text = {0};
    TaskWriter tw = {.emit = emit, .out = &text, .values = "task", .on_card = true};
    bool any = false;
    emit->backend = &backend_cuda;
    emit_structs(emit, &text);
    functions_text(emit, &text);
    for (size_t i = 0; i < emit->plan->tasks.count; i++) {
        tw.task = emit->plan->tasks.items[i];
        tw.symbol = tw.task->task->symbol;
        if (!backend_on_card(tw.task)) continue;
        any = true;
        task_text(&tw);
    }
    emit->backend = before;
    if (any) {
        text_printf(out, "/* Written by hp5c from %s for %s.\n * Compile with nvcc -std=c++20 -fmad=false. */\n", task_comment(&tw, emit->source_name),
                    backend_cuda.runs_on);
        text_append(out, "#include \"runtime/card/cuda_driver.h\"\n");
        if (emit->uses_math) text_append(out, "#include \"runtime/math/math.h\"\n");
        text_append(out, "\n/* The program's names are its own, whatever CUDA's headers have. */\nnamespace hp5_program {\n\n");
        text_append_n(out, text.data, text.length);
        text_append(out, "} // namespace hp5_program\n");
    }
    text_free(&text);
    return any;
}
