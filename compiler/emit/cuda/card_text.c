/* The file of CUDA C++ that belongs to a program: for each task that runs on a card its values, stages, flow and kernel. */
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/emit/program/writer.h"
#include "compiler/mapping/mapping.h"
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

/* Which memory each array has, where the mapping says something of any (Region). */
static const char *memories_table(TaskWriter *tw) {
    static const char *const names[] = {"HP5_FBMEM", "HP5_ZCMEM", "HP5_SYSMEM", "HP5_STAGED"};
    const MappedArray *mapped = tw->task->mapping->arrays;
    bool any = false;
    for (int i = 0; i < tw->task->array_count; i++) any = any || mapped[tw->task->arrays[i].var->id].memory != MEMORY_FBMEM;
    if (!any) return "NULL";
    text_printf(tw->out, "static const Hp5Memory %s_memories[] = {\n", tw->symbol);
    for (int i = 0; i < tw->task->array_count; i++)
        text_printf(tw->out, "    %s, /* %s */\n", names[mapped[tw->task->arrays[i].var->id].memory], tw->task->arrays[i].var->name);
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, "%s_memories", tw->symbol);
}

/* Arrays in which LPUs count, where there are any. */
static bool tallies_table(TaskWriter *tw) {
    if (tw->emit->counted.count == 0) return false;
    text_printf(tw->out, "static const Hp5CardTally %s_tallies[] = {\n", tw->symbol);
    for (size_t i = 0; i < tw->emit->counted.count; i++) {
        const CountedArray *counted = &tw->emit->counted.items[i];
        text_printf(tw->out, "    {%d, %d, %d}, /* %s in Space %s */\n", counted->lps->id, lps_holder(counted->lps, counted->array)->id, plan_array_index(tw->task, counted->array),
                    counted->array->name, counted->lps->name);
    }
    text_append(tw->out, "};\n");
    return true;
}

/* Functions of the text so far use lists. */
static bool uses_lists(const Text *text) { return text->data != NULL && strstr(text->data, "Hp5List") != NULL; }

static void kernel_text(TaskWriter *tw) {
    const bool rows = cuda_task_has_rows(tw->emit, tw->task), spread = rows && cuda_warps_are_free(tw->task);
    text_printf(tw->out, "/* The task on the card: each thread runs the flow. */\nextern \"C\" __global__ void %s%s_kernel(Hp5CardRun *run) {\n",
                cuda_goes_wide(tw->emit, tw->task) ? "HP5_REGISTERS(128) " : "", tw->symbol);
    task_print(tw, 4, "Hp5Worker worker;");
    task_print(tw, 4, "if (run == NULL) return; /* it has only been brought to the card */");
    task_print(tw, 4, "hp5_worker_begin(&worker, run, %s%s);", cuda_lowest_tier(tw->task), spread ? ", true" : "");
    if (cuda_by_one_thread(tw->task, tw->task->task->spaces.items[0])) task_print(tw, 4, "if (worker.number > 0) return; /* Space Root is one lane's */");
    if (uses_lists(tw->out)) task_print(tw, 4, "const Hp5KernelLists lists;");
    if (tw->emit->batches.count > 0) task_print(tw, 4, "hp5_batches_begin(&worker);");
    task_print(tw, 4, "%s_flow(&worker);", tw->symbol);
    text_append(tw->out, "}\n\n");
    text_printf(tw->out, "static const int %s_tiers[] = {", tw->symbol);
    for (size_t i = 0; i < tw->task->task->spaces.count; i++)
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", cuda_tier(tw->task, tw->task->task->spaces.items[i]));
    text_append(tw->out, "};\n");
    const char *memories = memories_table(tw), *checked = tw->emit->options.checked ? "true" : "false";
    const char *tallies = tallies_table(tw) ? arena_printf(tw->emit->arena, "%s_tallies", tw->symbol) : "NULL", *near = cuda_near_table(tw), *batches = cuda_batch_table(tw);
    text_printf(tw->out, "extern \"C\" const Hp5CardTask %s_card = {%s_tiers, %d, %s, (const void *)%s_kernel, &hp5_cuda_%sdriver, sizeof(struct %s), %d, %s, %d, %s, %s, %s, %zu, %s, %zu, %s, %zu};\n\n",
                tw->symbol, tw->symbol, cuda_card_level(tw->task), cuda_lowest_tier(tw->task), tw->symbol, uses_lists(tw->out) ? "list_" : "", tw->symbol, count_locksteps(&tw->task->flow),
                rows ? "true" : "false", tw->emit->stream_bytes, memories, checked, tallies, tw->emit->counted.count, near != NULL ? near : "NULL", tw->emit->near.count, batches != NULL ? batches : "NULL",
                tw->emit->batches.count);
}

/* ---- Lines (-g) ------------------------------------------------------------------------------------------------------------ */
/* Behind a function that was printed from the program; what follows is not in it. */
static const char own_lines[] = EMIT_OWN_LINE_ON_CARD;

static void end_of_source(const Emit *emit, Text *out) {
    if (emit->options.line_directives) text_append(out, own_lines);
}

static bool begins_with(const char *line, size_t length, const char *start) { return length > strlen(start) && memcmp(line, start, strlen(start)) == 0; }

/* Whether a statement may begin behind the line: a directive in the middle of one might stand in a macro's arguments. */
static bool ends_statement(const char *line, size_t length) {
    if (length == 0) return false;
    return strchr(";{}:", line[length - 1]) != NULL || (length > 1 && memcmp(line + length - 2, "*/", 2) == 0);
}

static void append_own_line(const Emit *emit, int line, Text *out) {
    const char *name = arena_printf(emit->arena, "%s.cu", emit->source_name);
    text_printf(out, "#line %d %s\n", line, emit_string_literal(emit->arena, name, strlen(name)));
}

/* The text with all lines of a statement at that statement's line, where a compiler would count on, and all others at their own. */
static void append_with_lines(const Emit *emit, const Text *text, Text *out) {
    const char *source = NULL, *previous = "";
    size_t source_length = 0, previous_length = 0;
    int line = 1;
    for (size_t i = 0; i < out->length; i++) line += out->data[i] == '\n';
    for (const char *at = text->data, *end = text->data + text->length; at < end; line++) {
        const size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
        const bool directive = begins_with(at, length, "#line "), own = directive && strncmp(at, own_lines, length + 1) == 0;
        if (begins_with(at, length, EMIT_LINE_ON_CARD)) source = NULL;
        if (!directive && source != NULL && length > 0 && ends_statement(previous, previous_length)) {
            text_append_n(out, source, source_length + 1);
            line++;
        }
        if (own) append_own_line(emit, line + 1, out);
        else text_append_n(out, at, length + 1);
        if (directive) {
            source = own ? NULL : at;
            source_length = length;
        }
        previous = at;
        previous_length = length;
        at += length + 1;
    }
}

static void append_includes(Emit *emit, Text *out) {
    if (!emit_includes(emit, EXTERN_CUDA, out)) return;
    int line = 2;
    for (size_t i = 0; i < out->length; i++) line += out->data[i] == '\n';
    append_own_line(emit, line, out);
}

static void task_text(TaskWriter *tw) {
    const Task *task = tw->task->task;
    text_printf(tw->out, "/* ==== Task \"%s\" (%s:%d) ==== */\n\n", task_comment(tw, task->name), task_comment(tw, tw->emit->source_name),
                task_line(tw, task->span));
    tw->emit->stream_bytes = 0;
    tw->emit->counted.count = tw->emit->near.count = tw->emit->batches.count = tw->emit->block_users.count = 0;
    cuda_make_relays(tw->emit, tw->task);
    task_structs(tw);
    for (size_t i = 0; i < tw->task->uses.count; i++) {
        if (backend_on_host(tw->task, tw->task->uses.items[i]->lps)) continue; /* the host's stand in the text for processors */
        tw->emit->backend->stage(tw->emit, tw->emit->lowered->tasks.items[task->id]->stages.items[i], tw->out);
        end_of_source(tw->emit, tw->out);
    }
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
        if (called[i]) emit_function(emit, program->functions.items[i], out), end_of_source(emit, out);
}

static size_t count_products(const Emit *emit, const TaskPlan *task) {
    const LoweredTask *lowered = emit->lowered->tasks.items[task->task->id];
    size_t count = 0;
    for (size_t i = 0; i < lowered->stages.count; i++) {
        const LoweredBody *code = &lowered->stages.items[i]->code;
        for (size_t n = 0; n < code->nests.count && !backend_on_host(task, task->uses.items[i]->lps); n++) count += cuda_manner(code, code->nests.items[n]) == CREW_TILES;
    }
    return count;
}

static bool reduces_alike(const TaskPlan *task) {
    for (size_t i = 0; i < task->reductions.count; i++)
        for (size_t j = 0; j < i; j++)
            if (task->reductions.items[i].op == task->reductions.items[j].op && task->reductions.items[i].value_type == task->reductions.items[j].value_type) return true;
    return false;
}

/* Whether functions of the runtime are called in kernels, or are part of them (runtime/card/code.h): several products, or reductions of one kind, are one text. */
static void append_calls(const Emit *emit, Text *out) {
    size_t products = 0;
    bool alike = false;
    for (size_t i = 0; i < emit->plan->tasks.count; i++) {
        const TaskPlan *task = emit->plan->tasks.items[i];
        if (!backend_on_card(task)) continue;
        products += count_products(emit, task);
        alike |= reduces_alike(task);
    }
    if (products > 1 || alike) text_append(out, "#define HP5_CALLS /* kernels call what takes long */\n");
    if (products > 1) text_append(out, "#define HP5_SEVERAL_PRODUCTS\n");
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
        append_calls(emit, out);
        text_append(out, "#include \"runtime/card/cuda_driver.h\"\n");
        if (uses_lists(&text)) text_append(out, "#include \"runtime/card/lists.h\"\n");
        if (emit->uses_math) text_append(out, "#include \"runtime/math/math.h\"\n");
        append_includes(emit, out);
        text_append(out, "\n/* The program's names are its own, whatever CUDA's headers have. */\nnamespace hp5_program {\n\n");
        append_with_lines(emit, &text, out);
        text_append(out, "} // namespace hp5_program\n");
    }
    text_free(&text);
    return any;
}
