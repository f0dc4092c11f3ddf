/* --dump=typed: the typed program, top down. Bodies are in dump_body.c. */
#include "compiler/check/dump.h"

static const char *const LINK_NAMES[] = {"link", "create", "link_or_create"};
static const char *const FUNCTION_NAMES[] = {"", "replicated", "block_size", "block_count", "stride", "block_stride"};

static void dump_struct(Text *out, const Type *type) {
    text_printf(out, "Type %s:\n", type->name);
    for (size_t i = 0; i < type->fields.count; i++)
        text_printf(out, "    %s: %s\n", type->fields.items[i].name, type->fields.items[i].type->text);
}

static void dump_global(Text *out, const Var *var) {
    text_printf(out, "    %s: %s%s", var->name, var->type->text, var->reduction ? " Reduction" : "");
    if (var->environment) text_printf(out, ", %s", LINK_NAMES[var->link]);
    if (var->implicit) text_append(out, ", implicit");
    if (var->versions > 1) text_printf(out, ", %d versions", var->versions);
    if (!var_is_array(var) && var->home != NULL) text_printf(out, ", lives in %s", var->home->name);
    text_char(out, '\n');
}

/* ---- Spaces -------------------------------------------------------------------------- */
static void dump_dim(Text *out, const DimPartition *dim) {
    text_append(out, FUNCTION_NAMES[dim->function]);
    if (dim->function <= PART_REPLICATED) return;
    text_char(out, '(');
    for (int i = 0; i < 2 && dim->arguments[i] != NULL; i++) {
        if (i > 0) text_append(out, ", ");
        dump_expr(out, dim->arguments[i]);
    }
    text_printf(out, ") of dimension%d", dim->array_dimension + 1);
    if (dim->padding_front == NULL && dim->padding_back == NULL) return;
    text_append(out, " padding(");
    if (dim->padding_front == NULL) text_char(out, '0');
    else dump_expr(out, dim->padding_front);
    text_append(out, ", ");
    if (dim->padding_back == NULL) text_char(out, '0');
    else dump_expr(out, dim->padding_back);
    text_char(out, ')');
}

static void dump_space(Text *out, const Lps *lps) {
    text_printf(out, "    Space %s", lps->name);
    if (lps->dims > 0) text_printf(out, " <%dd>", lps->dims);
    else text_append(out, " <un-partitioned>");
    if (lps->dynamic) text_append(out, " dynamic");
    if (lps->sub_partition) text_append(out, lps->ordered ? " ordered" : " unordered");
    if (lps->parent != NULL) text_printf(out, " divides %s", lps->parent->name);
    text_append(out, "\n");
    for (size_t i = 0; i < lps->vars.count; i++) {
        const LpsVar *entry = &lps->vars.items[i];
        text_printf(out, "        %s", entry->var->name);
        for (int d = 0; d < lps->dims; d++) {
            text_append(out, d == 0 ? ": " : ", ");
            dump_dim(out, &entry->dims[d]);
        }
        if (entry->relative_to != NULL) text_printf(out, " relative to %s", entry->relative_to->name);
        text_char(out, '\n');
    }
}

/* ---- Flow ------------------------------------------------------------------------------ */
static void dump_steps(Text *out, const StepVec *steps, int indent);

static void dump_call_step(Text *out, const Step *step) {
    text_printf(out, "%s#%d(", step->stage->body.name, step->stage->body.instance);
    for (size_t i = 0; i < step->arguments.count; i++) {
        const StageArg *arg = &step->arguments.items[i];
        if (i > 0) text_append(out, ", ");
        if (arg->reduction_space != NULL) text_printf(out, "Space %s: ", arg->reduction_space->name);
        if (arg->var != NULL) text_append(out, arg->var->name);
        else dump_expr(out, arg->constant);
    }
    text_append(out, ")\n");
}

static void dump_step_head(Text *out, const Step *step) {
    switch (step->kind) {
    case STEP_SPACE: text_printf(out, "Space %s", step->space->name); break;
    case STEP_REPEAT_FOR:
        text_printf(out, "Repeat for %s in ", step->var->name);
        dump_expr(out, step->range);
        if (step->step != NULL) {
            text_append(out, " step ");
            dump_expr(out, step->step);
        }
        break;
    case STEP_REPEAT_WHILE:
        text_append(out, "Repeat while ");
        dump_expr(out, step->condition);
        break;
    case STEP_REPEAT_SUB: text_printf(out, "Repeat foreach %s", step->space->name); break;
    case STEP_IF:
        text_append(out, "If ");
        dump_expr(out, step->condition);
        break;
    default:
        text_append(out, "Epoch advances");
        for (size_t i = 0; i < step->advances.count; i++) text_printf(out, " %s", step->advances.items[i]->name);
        break;
    }
}

static void dump_steps(Text *out, const StepVec *steps, int indent) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        text_indent(out, indent);
        if (step->kind == STEP_CALL) {
            dump_call_step(out, step);
            continue;
        }
        dump_step_head(out, step);
        text_append(out, " {\n");
        dump_steps(out, &step->body, indent + 4);
        text_indent(out, indent);
        text_append(out, "}\n");
    }
}

/* ---- The program -------------------------------------------------------------------------- */
static void dump_task(Text *out, const Task *task) {
    text_printf(out, "Task \"%s\" (%s)\n", task->name, task->symbol);
    for (size_t i = 0; i < task->globals.count; i++) dump_global(out, task->globals.items[i]);
    if (task->partition_params.count > 0) text_append(out, "    partition arguments:");
    for (size_t i = 0; i < task->partition_params.count; i++) text_printf(out, " %s", task->partition_params.items[i]->name);
    if (task->partition_params.count > 0) text_char(out, '\n');
    for (size_t i = 0; i < task->spaces.count; i++) dump_space(out, task->spaces.items[i]);
    if (task->initialize != NULL) {
        text_indent(out, 4);
        dump_body(out, task->initialize, 4);
    }
    for (size_t i = 0; i < task->stages.count; i++) {
        text_indent(out, 4);
        dump_body(out, &task->stages.items[i]->body, 4);
    }
    text_append(out, "    Computation {\n");
    dump_steps(out, &task->flow, 8);
    text_append(out, "    }\n");
}

void program_dump(const Program *program, Text *out) {
    for (size_t i = 0; i < program->structs.count; i++) dump_struct(out, program->structs.items[i]);
    for (size_t i = 0; i < program->functions.count; i++) {
        text_append(out, "Function ");
        dump_body(out, &program->functions.items[i]->body, 0);
    }
    for (size_t i = 0; i < program->tasks.count; i++) dump_task(out, program->tasks.items[i]);
    for (size_t i = 0; i < program->args.count; i++) {
        const ProgramArg *arg = &program->args.items[i];
        text_printf(out, "args.#%zu %s: %s, %s\n", i, arg->name, arg->type == NULL ? "?" : arg->type->text, arg->what);
    }
    if (program->coordinator != NULL) dump_body(out, program->coordinator, 0);
}
