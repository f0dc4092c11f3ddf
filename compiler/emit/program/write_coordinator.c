/* The coordinator and main: sequential code around task launches. */
#include "compiler/emit/program/task_writer.h"
#include "compiler/emit/program/writer.h"
#include "compiler/mapping/mapping.h"
#include <string.h>

static char *text_of(TaskWriter *tw, const Expr *expr);

static const char *arg_field(ProgramArg *arg) {
    switch (arg->type->kind) {
    case TYPE_INTEGER: return "integer";
    case TYPE_BOOLEAN: return "boolean";
    case TYPE_STRING: return "string";
    default: return "real";
    }
}

static const char *arg_kind(const ProgramArg *arg) {
    if (arg->is_input_path) return "HP5_ARG_INPUT";
    if (arg->is_output_path) return "HP5_ARG_OUTPUT";
    switch (arg->type->kind) {
    case TYPE_INTEGER: return arg->type->stored_single ? "HP5_ARG_SINGLE" : "HP5_ARG_INTEGER";
    case TYPE_BOOLEAN: return "HP5_ARG_BOOLEAN";
    case TYPE_STRING: return "HP5_ARG_STRING";
    default: return "HP5_ARG_REAL";
    }
}

/* ---- Expressions that only the coordinator has ----------------------------------------------------- */
static int item_count(const Task *task) {
    int count = 0;
    for (size_t i = 0; i < task->globals.count; i++)
        count += task->globals.items[i]->environment && var_is_array(task->globals.items[i]);
    return count;
}

/* A scalar of an environment, once the tasks that may write it have finished. */
static const char *ready_member(TaskWriter *tw, const Expr *environment, const Var *var) {
    return arena_printf(tw->emit->arena, "((struct Environment_%s *)hp5_session_ready(session, %s))->%s",
                        environment->type->task->symbol, text_of(tw, environment),
                        emit_symbol(tw->emit, var));
}

/* The same where it must be there. */
static const char *given_member(TaskWriter *tw, const Expr *environment, const Var *var, Span span) {
    const Task *task = environment->type->task;
    return arena_printf(tw->emit->arena,
                        "((struct Environment_%s *)hp5_session_scalar(session, %s, offsetof(struct "
                        "Environment_%s, has_%s), %s, %s, %s, %d))->%s",
                        task->symbol, text_of(tw, environment), task->symbol, var->name,
                        task_quote(tw, var->name), task_quote(tw, task->name),
                        task_quote(tw, tw->emit->source_name), task_line(tw, span),
                        emit_symbol(tw->emit, var));
}

static const char *coordinator_expr(void *data, const Expr *expr) {
    TaskWriter *tw = data;
    Arena *arena = tw->emit->arena;
    switch (expr->kind) {
    case EXPR_ARG:
        return arena_printf(arena, "args[%d].%s", expr->argument,
                            arg_field(&tw->emit->plan->program->args.items[expr->argument]));
    case EXPR_ENV_SCALAR: return given_member(tw, expr->left, expr->var, expr->span);
    case EXPR_NEW_ENVIRONMENT:
        return arena_printf(arena, "hp5_session_keep(session, sizeof(struct Environment_%s), %d)",
                            expr->type->task->symbol, item_count(expr->type->task));
    case EXPR_LOAD_ARRAY:
        return arena_printf(
            arena, "hp5_session_item(session, hp5_item_from_file(%s, \"load_array\", %s, %d))",
            text_of(tw, expr->left), emit_element(tw->emit, expr->type->element), expr->type->rank);
    default: return NULL;
    }
}

static const char *coordinator_variable(void *data, const Var *var, int lag) {
    const TaskWriter *tw = data;
    (void)lag;
    return emit_task_local(tw->emit, var);
}

static EmitNames coordinator_names(TaskWriter *tw) {
    return (EmitNames){.variable = coordinator_variable, .other = coordinator_expr, .data = tw};
}

static char *text_of(TaskWriter *tw, const Expr *expr) {
    const EmitNames names = coordinator_names(tw);
    Text text = {0};
    emit_expr(tw->emit, &names, expr, &text);
    char *result = arena_strdup(tw->emit->arena, text.data == NULL ? "" : text.data);
    text_free(&text);
    return result;
}

/* ---- Statements -------------------------------------------------------------------------------------- */
static void execute_text(TaskWriter *tw, const Stmt *stmt, Text *out) {
    const ExecuteStmt *execute = stmt->execute;
    const EmitNames names = coordinator_names(tw);
    ExprVec values = {0};
    Text before = {0};
    for (size_t i = 0; i < execute->initialize.count; i++) vec_push(tw->emit->arena, &values, execute->initialize.items[i]);
    for (size_t i = 0; i < execute->partition.count; i++) vec_push(tw->emit->arena, &values, execute->partition.items[i]);
    values = emit_values_in_order(tw->emit, &names, &values, &before);
    if (before.data) text_printf(out, "({ %s", before.data);
    text_printf(out, "%s_execute(session, %s, %d", execute->task->symbol, text_of(tw, execute->environment),
                task_line(tw, stmt->span));
    for (size_t i = 0; i < values.count; i++) {
        const Expr *value = i < execute->initialize.count ? execute->initialize.items[i] : NULL;
        const bool single = value != NULL && execute->task->initialize->params.items[i]->type->stored_single;
        text_printf(out, ", %s", emit_stored(tw->emit, single, value, text_of(tw, values.items[i])));
    }
    text_append(out, before.data ? "); });\n" : ");\n");
    text_free(&before);
}

static const char *print_function(const Type *type) {
    switch (type->kind) {
    case TYPE_INTEGER: return "hp5_print_integer";
    case TYPE_REAL_SINGLE: return "hp5_print_single";
    case TYPE_BOOLEAN: return "hp5_print_boolean";
    case TYPE_CHARACTER: return "hp5_print_character";
    case TYPE_STRING: return "hp5_print_string";
    default: return "hp5_print_real";
    }
}

static void print_text(TaskWriter *tw, const Stmt *stmt, int indent, Text *out) {
    for (size_t i = 0; i < stmt->arguments.count; i++) {
        const Expr *value = stmt->arguments.items[i];
        if (i > 0) text_append(out, "hp5_print_space();\n"), text_indent(out, indent);
        if (value->type->kind == TYPE_RANGE && emit_changes_something(tw->emit, value))
            text_printf(out, "({ const Hp5Range hp5_value = %s; hp5_print_range(hp5_value.min, hp5_value.max); });\n", text_of(tw, value));
        else if (value->type->kind == TYPE_RANGE)
            text_printf(out, "hp5_print_range(%s.min, %s.max);\n", text_of(tw, value), text_of(tw, value));
        else text_printf(out, "%s(%s);\n", print_function(value->type), text_of(tw, value));
        text_indent(out, indent);
    }
    text_append(out, "hp5_print_end();\n");
}

static const char *member(TaskWriter *tw, const Expr *environment, const Var *var) {
    return arena_printf(tw->emit->arena, "%s->%s", text_of(tw, environment), emit_symbol(tw->emit, var));
}

static void bind_text(TaskWriter *tw, const Stmt *stmt, Text *out) {
    const Var *var = stmt->env_var;
    const char *place = member(tw, stmt->environment, var),
               *element = emit_element(tw->emit, var->type->element);
    if (stmt->kind == STMT_BIND_INPUT)
        text_printf(out, "hp5_item_replace(&%s, hp5_item_from_file(%s, %s, %s, %d));\n", place,
                    text_of(tw, stmt->path), task_quote(tw, var->name), element, var->type->rank);
    else
        text_printf(out, "hp5_session_output(session, &%s, %s, %s);\n", place, text_of(tw, stmt->path),
                    task_quote(tw, var->name));
}

static void share_text(TaskWriter *tw, const Stmt *stmt, int indent, Text *out) {
    const char *to = member(tw, stmt->environment, stmt->env_var),
               *from = member(tw, stmt->environment2, stmt->env_var2);
    if (var_is_array(stmt->env_var)) {
        text_printf(out, "hp5_item_replace(&%s, hp5_item_shared(%s, %s, %s, %s, %d));\n", to, from,
                    task_quote(tw, stmt->env_var2->name),
                    task_quote(tw, stmt->environment2->type->task->name),
                    task_quote(tw, tw->emit->source_name), task_line(tw, stmt->span));
        return;
    }
    text_printf(out, "%s = %s;\n", ready_member(tw, stmt->environment, stmt->env_var),
                given_member(tw, stmt->environment2, stmt->env_var2, stmt->span));
    text_indent(out, indent);
    text_printf(out, "%s->has_%s = true;\n", text_of(tw, stmt->environment), stmt->env_var->name);
}

static bool coordinator_hook(void *data, const Stmt *stmt, int indent, Text *out) {
    TaskWriter *tw = data;
    switch (stmt->kind) {
    case STMT_EXECUTE:
        text_indent(out, indent);
        execute_text(tw, stmt, out);
        return true;
    case STMT_BIND_INPUT:
    case STMT_BIND_OUTPUT:
        text_indent(out, indent);
        bind_text(tw, stmt, out);
        return true;
    case STMT_SHARE:
        text_indent(out, indent);
        share_text(tw, stmt, indent, out);
        return true;
    case STMT_SET_ENV_SCALAR:
        text_indent(out, indent);
        text_printf(out, "%s = %s;\n", ready_member(tw, stmt->environment, stmt->env_var),
                    emit_stored(tw->emit, stmt->env_var->type->stored_single, stmt->value, text_of(tw, stmt->value)));
        text_indent(out, indent);
        text_printf(out, "%s->has_%s = true;\n", text_of(tw, stmt->environment), stmt->env_var->name);
        return true;
    case STMT_SET_ENV_ARRAY:
        text_indent(out, indent);
        text_printf(out, "hp5_item_replace(&%s, hp5_item_retain(%s));\n",
                    member(tw, stmt->environment, stmt->env_var), text_of(tw, stmt->value));
        return true;
    case STMT_STORE_ARRAY:
        text_indent(out, indent);
        text_printf(out, "hp5_session_store(session, %s, %s);\n", text_of(tw, stmt->value),
                    text_of(tw, stmt->path));
        return true;
    case STMT_PRINT:
        text_indent(out, indent);
        print_text(tw, stmt, indent, out);
        return true;
    default: return false;
    }
}

/* ---- main ------------------------------------------------------------------------------------------------
 */
static void arguments_table(TaskWriter *tw) {
    const Program *program = tw->emit->plan->program;
    if (program->args.count == 0) return;
    text_append(tw->out, "static const Hp5ArgSpec program_args[] = {\n");
    for (size_t i = 0; i < program->args.count; i++) {
        ProgramArg *arg = &program->args.items[i];
        text_printf(tw->out, "    {%s, %s, %s},\n", task_quote(tw, arg->name), arg_kind(arg),
                    task_quote(tw, arg->what == NULL ? "" : arg->what));
    }
    text_append(tw->out, "};\n\n");
}

static void tasks_table(TaskWriter *tw) {
    const Plan *plan = tw->emit->plan;
    if (plan->tasks.count < 2) return;
    text_append(tw->out, "static const Hp5TaskDesc *const program_tasks[] = {");
    for (size_t i = 0; i < plan->tasks.count; i++)
        text_printf(tw->out, "%s&%s_task", i > 0 ? ", " : "", plan->tasks.items[i]->task->symbol);
    text_append(tw->out, "};\n\n");
}

/* What the program runs on, for its --help. */
static const char *machine_of(const TaskWriter *tw) {
    const Plan *plan = tw->emit->plan;
    bool cards = false, processes = false;
    for (size_t i = 0; i < plan->tasks.count; i++) {
        cards = cards || backend_on_card(plan->tasks.items[i]);
        processes = processes || plan->tasks.items[i]->mapping->segments > 1;
    }
    if (processes) return cards ? "several processes, with cards" : "several processes";
    return cards ? "a card" : tw->emit->backend->machine;
}

void coordinator_and_main(TaskWriter *tw) {
    const Program *program = tw->emit->plan->program;
    Text body = {0};
    EmitNames names = {.other = coordinator_expr, .data = tw};
    emit_block(tw->emit, &names, tw->emit->lowered->coordinator, 4, &body, coordinator_hook);
    const char *text = body.data == NULL ? "" : body.data;
    text_printf(tw->out, "/* ==== Program (%s:%d) ==== */\n\n", task_comment(tw, tw->emit->source_name),
                task_line(tw, program->coordinator->span));
    arguments_table(tw);
    tasks_table(tw);
    bool uses_args = emit_text_uses(text, "args"), uses_session = emit_text_uses(text, "session");
    text_printf(tw->out, "static void coordinate(%sHp5Session *session%s) {\n",
                uses_session ? "" : "__attribute__((unused)) ", uses_args ? ", const Hp5ArgValue *args" : "");
    if (strstr(text, "hp5_list_new(") != NULL || strstr(text, "Hp5List *") != NULL)
        text_append(tw->out, "    HP5_LISTS_SCOPE;\n");
    text_append(tw->out, text);
    text_append(tw->out, "}\n\nint main(int argc, char **argv) {\n");
    text_printf(tw->out, "    hp5_crash_watch(%s);\n    hp5_comm_begin(argc, argv, HP5_FOLDER);\n", tw->emit->options.checked ? "true" : "false");
    text_printf(tw->out, "    static const Hp5Program program = {%s, %s, %s, %s, %zu};\n",
                task_quote(tw, tw->emit->source_name),
                task_quote(tw, arena_printf(tw->emit->arena, "an HP5 program for %s%s", machine_of(tw),
                                            tw->emit->options.fast_math
                                                ? ", with --fast-math: results may differ between machines and thread counts"
                                                : "")),
                task_quote(tw, tw->emit->source_name), program->args.count > 0 ? "program_args" : "NULL",
                program->args.count);
    text_printf(tw->out, "    Hp5ArgValue args[%zu];\n    Hp5Options options;\n    Hp5Session session;\n",
                program->args.count + 1);
    text_append(tw->out, "    hp5_args_parse(&program, argc, argv, args, &options);\n    "
                         "hp5_session_begin(&session, &options);\n");
    if (tw->emit->plan->tasks.count > 1)
        text_printf(tw->out, "    hp5_session_tasks(&session, program_tasks, %zu);\n",
                    tw->emit->plan->tasks.count);
    text_printf(tw->out, "    coordinate(&session%s);\n    hp5_session_end(&session);\n    hp5_comm_end();\n    return 0;\n}\n",
                uses_args ? ", args" : "");
    text_free(&body);
}
