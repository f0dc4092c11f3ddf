/* A task's values and its launch: what the environment gives, Initialize, the items of created
 * arrays, one run, and what the environment gets back. */
#include "compiler/emit/program/task_writer.h"
#include "compiler/lower/walk_bodies.h"
#include <string.h>

/* ---- Structs ------------------------------------------------------------------------------------- */
static void values_struct(TaskWriter *tw) {
    const Task *task = tw->task->task;
    task_print(tw, 0, "/* Partition arguments, start values of scalars, and bounds of arrays. */");
    task_print(tw, 0, "struct %s {", tw->symbol);
    for (size_t i = 0; i < task->partition_params.count; i++)
        task_print(tw, 4, "int64_t partition_%s;",
                       emit_symbol(tw->emit, task->partition_params.items[i]));
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (var_is_array(var)) {
            task_print(tw, 4, "Hp5Range bounds_%s[%d];", var->name, var->type->rank);
            if (var->environment && var->link != LINK_CREATE)
                task_print(tw, 4, "bool linked_%s;", var->name);
        } else if (!task_is_counter(tw, var) || var->set_by_initialize)
            task_print(tw, 4, "%s %s;", emit_storage_type(tw->emit, var->type),
                           emit_symbol(tw->emit, var));
    }
    task_print(tw, 0, "};\n");
}

static void scalars_structs(TaskWriter *tw) {
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const LpsPlan *space = &tw->task->spaces[i];
        if (space->scalars.count == 0) continue;
        task_print(tw, 0, "/* Scalars of which each LPU of Space %s has its own. */", space->lps->name);
        task_print(tw, 0, "struct %s_%s {", tw->symbol, task_space(tw, space->lps));
        for (size_t v = 0; v < space->scalars.count; v++) {
            const Var *var = space->scalars.items[v];
            const char *type = emit_storage_type(tw->emit, var->type), *name = emit_symbol(tw->emit, var);
            task_print(tw, 4, "%s %s;", type, name);
            if (var->versions > 1) task_print(tw, 4, "%s %s_before[%d];", type, name, var->versions - 1);
        }
        task_print(tw, 0, "};\n");
    }
}

static void environment_struct(TaskWriter *tw) {
    const Task *task = tw->task->task;
    task_print(tw, 0, "struct Environment_%s {", tw->symbol);
    size_t members = 0;
    for (size_t i = 0; i < task->globals.count; i++) { /* items first: see hp5_session_keep */
        const Var *var = task->globals.items[i];
        if (!var->environment || !var_is_array(var)) continue;
        task_print(tw, 4, "Hp5Item *%s;", emit_symbol(tw->emit, var));
        members++;
    }
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var->environment || var_is_array(var)) continue;
        task_print(tw, 4, "%s %s;", emit_storage_type(tw->emit, var->type), emit_symbol(tw->emit, var));
        task_print(tw, 4, "bool has_%s;", var->name);
        members++;
    }
    if (members == 0) task_print(tw, 4, "char nothing; /* the task shares nothing with its caller */");
    task_print(tw, 0, "};\n");
}

void task_structs(TaskWriter *tw) {
    const Task *task = tw->task->task;
    text_append(tw->out, "enum {");
    for (size_t i = 0; i < task->spaces.count; i++)
        text_printf(tw->out, "%s %s_SPACE_%s", i > 0 ? "," : "", tw->symbol,
                    task_space(tw, task->spaces.items[i]));
    text_append(tw->out, " };\n\n");
    values_struct(tw);
    scalars_structs(tw);
    environment_struct(tw);
}

/* ---- Initialize ------------------------------------------------------------------------------------- */
static const char *value_variable(void *data, const Var *var, int lag) {
    (void)lag;
    TaskWriter *tw = data;
    if (var->kind == VAR_GLOBAL || var->kind == VAR_PARTITION) return task_value(tw, var);
    return var->kind == VAR_PARAM ? emit_task_local(tw->emit, var) : NULL;
}

static const char *value_dim_range(void *data, const Expr *range) {
    TaskWriter *tw = data;
    return arena_printf(tw->emit->arena, "%s->bounds_%s[%d]", tw->values, range->var->name, range->dimension);
}

static EmitNames value_names(TaskWriter *tw) {
    return (EmitNames){.variable = value_variable, .dim_range = value_dim_range, .data = tw};
}

static char *value_expr(TaskWriter *tw, const Expr *expr) {
    EmitNames names = value_names(tw);
    Text text = {0};
    emit_expr(tw->emit, &names, expr, &text);
    char *result = arena_strdup(tw->emit->arena, text.data == NULL ? "" : text.data);
    text_free(&text);
    return result;
}

/* The environment may give it, with bounds of its own. */
static bool is_linked(const Var *var) { return var->environment && var->link != LINK_CREATE; }

static void one_linked_bound(TaskWriter *tw, const Stmt *stmt, int dimension, const char *part,
                             const char *value, Text *out) {
    const Var *var = stmt->var;
    text_printf(out, "hp5_set_bound(&task->bounds_%s[%d].%s, %s, task->linked_%s, \"%s\", %d, %s, %s, %d);\n",
                var->name, dimension, part, value, var->name, part, dimension, task_quote(tw, var->name),
                task_quote(tw, tw->emit->source_name), task_line(tw, stmt->span));
}

static void linked_bounds(TaskWriter *tw, const Stmt *stmt, int indent, Text *out) {
    Arena *arena = tw->emit->arena;
    if (!stmt->whole_range) {
        one_linked_bound(tw, stmt, stmt->dimension, stmt->part == RANGE_MIN ? "min" : "max",
                         value_expr(tw, stmt->value), out);
        return;
    }
    const char *range = arena_printf(arena, "range_%s_%u", stmt->var->name, stmt->span.start);
    text_printf(out, "const Hp5Range %s = %s;\n", range, value_expr(tw, stmt->value));
    text_indent(out, indent);
    one_linked_bound(tw, stmt, stmt->dimension, "min", arena_printf(arena, "%s.min", range), out);
    text_indent(out, indent);
    one_linked_bound(tw, stmt, stmt->dimension, "max", arena_printf(arena, "%s.max", range), out);
}

static bool bounds_hook(void *data, const Stmt *stmt, int indent, Text *out) {
    TaskWriter *tw = data;
    if (stmt->kind != STMT_SET_BOUNDS) return false;
    if (stmt->dimension < 0) {
        for (int d = 0; d < stmt->var->type->rank; d++) {
            const char *from =
                arena_printf(tw->emit->arena, "task->bounds_%s[%d]", stmt->source_var->name, d);
            text_indent(out, indent);
            if (is_linked(stmt->var)) {
                one_linked_bound(tw, stmt, d, "min", arena_printf(tw->emit->arena, "%s.min", from), out);
                text_indent(out, indent);
                one_linked_bound(tw, stmt, d, "max", arena_printf(tw->emit->arena, "%s.max", from), out);
            } else text_printf(out, "task->bounds_%s[%d] = %s;\n", stmt->var->name, d, from);
        }
        return true;
    }
    text_indent(out, indent);
    if (is_linked(stmt->var)) {
        linked_bounds(tw, stmt, indent, out);
        return true;
    }
    const char *part = stmt->whole_range ? "" : stmt->part == RANGE_MIN ? ".min" : ".max";
    text_printf(out, "task->bounds_%s[%d]%s = %s;\n", stmt->var->name, stmt->dimension, part,
                value_expr(tw, stmt->value));
    return true;
}

static const char *parameter(TaskWriter *tw, const Var *param) {
    const char *type = emit_storage_type(tw->emit, param->type);
    return arena_printf(tw->emit->arena, "%s %s", type, emit_task_local(tw->emit, param));
}

static void initialize_function(TaskWriter *tw) {
    const Body *body = tw->task->task->initialize;
    if (body == NULL) return;
    Text statements = {0};
    EmitNames names = value_names(tw);
    emit_block(tw->emit, &names, tw->emit->lowered->tasks.items[tw->task->task->id]->initialize, 4, &statements, bounds_hook);
    text_printf(tw->out, "/* Initialize (%s:%d) */\nstatic void %s_initialize(struct %s *task",
                task_comment(tw, tw->emit->source_name), task_line(tw, body->span), tw->symbol,
                tw->symbol);
    for (size_t i = 0; i < body->params.count; i++)
        text_printf(tw->out, ", %s", parameter(tw, body->params.items[i]));
    text_printf(tw->out, ") {\n%s}\n\n", statements.data == NULL ? "    (void)task;\n" : statements.data);
    text_free(&statements);
}

/* ---- Start values -----------------------------------------------------------------------------------------
 */
static void start_functions(TaskWriter *tw) {
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const LpsPlan *space = &tw->task->spaces[i];
        if (space->scalars.count == 0) continue;
        const char *name = task_space(tw, space->lps);
        task_print(tw, 0, "static void %s_start_%s(Hp5Lpu *lpu, void *values) {", tw->symbol, name);
        task_print(tw, 4, "const struct %s *task = values;", tw->symbol);
        task_print(tw, 4, "struct %s_%s *scalars = lpu->scalars;", tw->symbol, name);
        for (size_t v = 0; v < space->scalars.count; v++) {
            const Var *var = space->scalars.items[v];
            const char *symbol = emit_symbol(tw->emit, var);
            task_print(tw, 4, "scalars->%s = task->%s;", symbol, symbol);
            for (int lag = 1; lag < var->versions; lag++)
                task_print(tw, 4, "scalars->%s_before[%d] = task->%s;", symbol, lag - 1, symbol);
        }
        task_print(tw, 0, "}\n");
    }
}

/* ---- Launch
 * -------------------------------------------------------------------------------------------------- */
static void take_environment(TaskWriter *tw) {
    const Task *task = tw->task->task;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!is_linked(var)) {
            if (var_is_array(var))
                task_print(tw, 4, "hp5_no_bounds(task->bounds_%s, %d);", var->name, var->type->rank);
            continue;
        }
        const char *name = emit_symbol(tw->emit, var), *quoted = task_quote(tw, var->name);
        bool optional = var->link == LINK_LINK_OR_CREATE;
        if (var_is_array(var)) {
            if (!optional)
                task_print(tw, 4, "hp5_require(environment->%s != NULL, %s, %s);", name, quoted,
                               task_quote(tw, task->name));
            task_print(tw, 4, "task->linked_%s = environment->%s != NULL;", var->name, name);
            task_print(tw, 4, "%shp5_item_bounds(environment->%s, task->bounds_%s);",
                           optional ? arena_printf(tw->emit->arena, "if (task->linked_%s) ", var->name) : "",
                           name, var->name);
            if (optional)
                task_print(tw, 4, "else hp5_no_bounds(task->bounds_%s, %d);", var->name, var->type->rank);
        } else {
            bool given = optional || var->set_by_initialize;
            if (!given)
                task_print(tw, 4, "hp5_require(environment->has_%s, %s, %s);", var->name, quoted,
                               task_quote(tw, task->name));
            task_print(tw, 4, "%stask->%s = environment->%s;",
                           given ? arena_printf(tw->emit->arena, "if (environment->has_%s) ", var->name) : "",
                           name, name);
        }
    }
}

static void make_items(TaskWriter *tw) {
    const TaskPlan *plan = tw->task;
    if (plan->array_count == 0) {
        task_print(tw, 4, "Hp5Item **items = NULL;");
        return;
    }
    task_print(tw, 4, "Hp5Item *items[%d];", plan->array_count);
    for (int i = 0; i < plan->array_count; i++) {
        const Var *var = plan->arrays[i].var;
        const char *name = emit_symbol(tw->emit, var);
        const char *create = arena_printf(
            tw->emit->arena, "hp5_item_create(%s, %s, %d, task->bounds_%s, %s, %s, line)",
            task_quote(tw, var->name), emit_element(tw->emit, var->type->element), var->type->rank,
            var->name, task_quote(tw, plan->task->name), task_quote(tw, tw->emit->source_name));
        if (!var->environment) {
            task_print(tw, 4, "items[%d] = %s;", i, create);
        } else {
            if (var->link == LINK_CREATE)
                task_print(tw, 4, "hp5_item_replace(&environment->%s, %s);", name, create);
            if (var->link == LINK_LINK_OR_CREATE)
                task_print(tw, 4, "if (environment->%s == NULL) environment->%s = %s;", name, name,
                               create);
            task_print(tw, 4, "items[%d] = environment->%s;", i, name);
        }
    }
}

/* C text of the struct of scalars of the one LPU of `lps` (environment scalars live where there is one). */
static const char *single_lpu(TaskWriter *tw, const Lps *lps) {
    if (lps->parent == NULL) return "run->root";
    return arena_printf(tw->emit->arena, "%s.children[%d].lpus[0]", single_lpu(tw, lps->parent),
                        tw->task->spaces[lps->id].slot_in_parent);
}

/* Scalars go back when the task has run. */
static bool gives_scalars(const Task *task) {
    for (size_t i = 0; i < task->globals.count; i++)
        if (task->globals.items[i]->environment && !var_is_array(task->globals.items[i])) return true;
    return false;
}

static void finish_function(TaskWriter *tw) {
    const Task *task = tw->task->task;
    if (!gives_scalars(task)) return;
    Text *out = tw->out, body = {0};
    tw->out = &body;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var->environment || var_is_array(var)) continue;
        const char *name = emit_symbol(tw->emit, var);
        if (task_is_shared(tw, var))
            task_print(tw, 4, "environment->%s = ((const struct %s_%s *)%s.scalars)->%s;", name,
                           tw->symbol, task_space(tw, var->home), single_lpu(tw, var->home), name);
        else task_print(tw, 4, "environment->%s = task->%s;", name, name);
        task_print(tw, 4, "environment->has_%s = true;", var->name);
    }
    tw->out = out;
    bool uses_run = emit_text_uses(body.data, "run"), uses_task = emit_text_uses(body.data, "task");
    task_print(tw, 0, "/* What the environment gets back. */");
    task_print(tw, 0, "static void %s_finish(Hp5TaskRun *run, void *values, void *caller) {", tw->symbol);
    task_print(tw, 4, "struct Environment_%s *const environment = caller;", tw->symbol);
    if (uses_task) task_print(tw, 4, "const struct %s *const task = values;", tw->symbol);
    else task_print(tw, 4, "(void)values;");
    if (!uses_run) task_print(tw, 4, "(void)run;");
    text_append(tw->out, body.data);
    task_print(tw, 0, "}\n");
    text_free(&body);
}

static void release_own_items(TaskWriter *tw) {
    for (int i = 0; i < tw->task->array_count; i++)
        if (!tw->task->arrays[i].var->environment) task_print(tw, 4, "hp5_item_release(items[%d]);", i);
}

static void launch_parameters(TaskWriter *tw) {
    const Task *task = tw->task->task;
    for (size_t i = 0; task->initialize != NULL && i < task->initialize->params.count; i++)
        text_printf(tw->out, ", %s", parameter(tw, task->initialize->params.items[i]));
    for (size_t i = 0; i < task->partition_params.count; i++)
        text_printf(tw->out, ", int64_t partition_%s",
                    emit_symbol(tw->emit, task->partition_params.items[i]));
}

static void call_initialize(TaskWriter *tw) {
    const Body *body = tw->task->task->initialize;
    if (body == NULL) return;
    text_printf(tw->out, "    %s_initialize(task", tw->symbol);
    for (size_t i = 0; i < body->params.count; i++)
        text_printf(tw->out, ", %s", emit_task_local(tw->emit, body->params.items[i]));
    text_append(tw->out, ");\n");
}

/* Before Initialize, which may compute with them. */
static void check_partition(TaskWriter *tw) {
    const TaskPlan *plan = tw->task;
    if (plan->dim_args.count == 0) return;
    text_append(tw->out, "    const int64_t args[] = {");
    for (size_t i = 0; i < plan->dim_args.count; i++) text_printf(tw->out, "%s%s", i > 0 ? ", " : "", value_expr(tw, plan->dim_args.items[i]));
    text_append(tw->out, "};\n");
    task_print(tw, 4, "hp5_check_args(&%s_task, args);", tw->symbol);
}

static void run_text(TaskWriter *tw) {
    const TaskPlan *plan = tw->task;
    task_print(tw, 4, "hp5_session_execute(session, &launch, %s, items, task, environment);",
                   plan->dim_args.count > 0 ? "args" : "NULL");
}

/* Start values of all LPUs, before each execution. */
static bool start_all(TaskWriter *tw) {
    bool any = false;
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        if (tw->task->spaces[i].scalars.count == 0) continue;
        const char *space = task_space(tw, tw->task->spaces[i].lps);
        if (!any) task_print(tw, 0, "static void %s_start(Hp5TaskRun *run, void *values) {", tw->symbol);
        task_print(tw, 4, "hp5_each_lpu(run, %s_SPACE_%s, %s_start_%s, values);", tw->symbol, space,
                       tw->symbol, space);
        any = true;
    }
    if (any) task_print(tw, 0, "}\n");
    return any;
}

static void find_execution(void *data, const Stmt *stmt) {
    const Task **task = data;
    if (stmt->kind == STMT_EXECUTE && stmt->execute->task == *task) *task = NULL;
}

/* Whether the Program executes the task anywhere. */
static bool is_executed(const TaskWriter *tw, const Task *task) {
    const Body *coordinator = tw->emit->plan->program->coordinator;
    if (coordinator != NULL) lower_walk_block(&(Walk){NULL, find_execution, &task}, &coordinator->block);
    return task == NULL;
}

void task_launch(TaskWriter *tw) {
    const Task *task = tw->task->task;
    initialize_function(tw);
    start_functions(tw);
    bool starts = start_all(tw), finishes = gives_scalars(task);
    finish_function(tw);
    text_printf(tw->out,
                "%sstatic void %s_execute(Hp5Session *session, struct Environment_%s *environment, int line",
                is_executed(tw, task) ? "" : "/* The Program executes it nowhere. */\n__attribute__((unused)) ", tw->symbol, tw->symbol);
    launch_parameters(tw);
    text_append(tw->out, ") {\n");
    task_print(tw, 4, "static const Hp5Launch launch = {&%s_task, %s_flow, %s, %s};", tw->symbol, tw->symbol, starts ? arena_printf(tw->emit->arena, "%s_start", tw->symbol) : "NULL",
                   finishes ? arena_printf(tw->emit->arena, "%s_finish", tw->symbol) : "NULL");
    task_print(tw, 4, "struct %s *const task = hp5_session_values(sizeof *task);", tw->symbol);
    for (size_t i = 0; i < task->partition_params.count; i++) {
        const char *name = emit_symbol(tw->emit, task->partition_params.items[i]);
        task_print(tw, 4, "task->partition_%s = partition_%s;", name, name);
    }
    check_partition(tw);
    if (finishes) task_print(tw, 4, "hp5_session_ready(session, environment); /* its scalars */");
    take_environment(tw);
    call_initialize(tw);
    Text *out = tw->out, items = {0};
    tw->out = &items;
    make_items(tw);
    tw->out = out;
    if (!emit_text_uses(items.data, "line")) task_print(tw, 4, "(void)line;");
    text_append(tw->out, items.data);
    text_free(&items);
    run_text(tw);
    release_own_items(tw);
    task_print(tw, 0, "}\n");
}
