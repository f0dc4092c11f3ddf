/* A task's values and its launch: what the environment gives, Initialize, the items of created
 * arrays, one run, and what the environment gets back. */
#include "compiler/emit/pthreads.h"
#include "compiler/lower/walk.h"
#include <string.h>

/* ---- Structs ------------------------------------------------------------------------------------- */
static void values_struct(Pthreads *pt) {
    const Task *task = pt->task->task;
    pthreads_print(pt, 0, "/* Partition arguments, start values of scalars, and bounds of arrays. */");
    pthreads_print(pt, 0, "struct %s {", pt->symbol);
    for (size_t i = 0; i < task->partition_params.count; i++)
        pthreads_print(pt, 4, "int64_t partition_%s;",
                       emit_symbol(pt->emit, task->partition_params.items[i]));
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (var_is_array(var)) {
            pthreads_print(pt, 4, "Hp5Range bounds_%s[%d];", var->name, var->type->rank);
            if (var->environment && var->link != LINK_CREATE)
                pthreads_print(pt, 4, "bool linked_%s;", var->name);
        } else if (!pthreads_is_counter(pt, var) || var->set_by_initialize)
            pthreads_print(pt, 4, "%s %s;", emit_storage_type(pt->emit, var->type),
                           emit_symbol(pt->emit, var));
    }
    pthreads_print(pt, 0, "};\n");
}

static void scalars_structs(Pthreads *pt) {
    for (size_t i = 0; i < pt->task->task->spaces.count; i++) {
        const LpsPlan *space = &pt->task->spaces[i];
        if (space->scalars.count == 0) continue;
        pthreads_print(pt, 0, "/* Scalars of which each LPU of Space %s has its own. */", space->lps->name);
        pthreads_print(pt, 0, "struct %s_%s {", pt->symbol, pthreads_space(pt, space->lps));
        for (size_t v = 0; v < space->scalars.count; v++) {
            const Var *var = space->scalars.items[v];
            const char *type = emit_storage_type(pt->emit, var->type), *name = emit_symbol(pt->emit, var);
            pthreads_print(pt, 4, "%s %s;", type, name);
            if (var->versions > 1) pthreads_print(pt, 4, "%s %s_before[%d];", type, name, var->versions - 1);
        }
        pthreads_print(pt, 0, "};\n");
    }
}

static void environment_struct(Pthreads *pt) {
    const Task *task = pt->task->task;
    pthreads_print(pt, 0, "struct Environment_%s {", pt->symbol);
    size_t members = 0;
    for (size_t i = 0; i < task->globals.count; i++) { /* items first: see hp5_session_keep */
        const Var *var = task->globals.items[i];
        if (!var->environment || !var_is_array(var)) continue;
        pthreads_print(pt, 4, "Hp5Item *%s;", emit_symbol(pt->emit, var));
        members++;
    }
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var->environment || var_is_array(var)) continue;
        pthreads_print(pt, 4, "%s %s;", emit_storage_type(pt->emit, var->type), emit_symbol(pt->emit, var));
        pthreads_print(pt, 4, "bool has_%s;", var->name);
        members++;
    }
    if (members == 0) pthreads_print(pt, 4, "char nothing; /* the task shares nothing with its caller */");
    pthreads_print(pt, 0, "};\n");
}

void pthreads_structs(Pthreads *pt) {
    const Task *task = pt->task->task;
    text_append(pt->out, "enum {");
    for (size_t i = 0; i < task->spaces.count; i++)
        text_printf(pt->out, "%s %s_SPACE_%s", i > 0 ? "," : "", pt->symbol,
                    pthreads_space(pt, task->spaces.items[i]));
    text_append(pt->out, " };\n\n");
    values_struct(pt);
    scalars_structs(pt);
    environment_struct(pt);
}

/* ---- Initialize ------------------------------------------------------------------------------------- */
static const char *value_variable(void *data, const Var *var, int lag) {
    (void)lag;
    Pthreads *pt = data;
    if (var->kind == VAR_GLOBAL || var->kind == VAR_PARTITION) return pthreads_value(pt, var);
    return var->kind == VAR_PARAM ? emit_task_local(pt->emit, var) : NULL;
}

static const char *value_dim_range(void *data, const Expr *range) {
    Pthreads *pt = data;
    return arena_printf(pt->emit->arena, "%s->bounds_%s[%d]", pt->values, range->var->name, range->dimension);
}

static EmitNames value_names(Pthreads *pt) {
    return (EmitNames){.variable = value_variable, .dim_range = value_dim_range, .data = pt};
}

static char *value_expr(Pthreads *pt, const Expr *expr) {
    EmitNames names = value_names(pt);
    Text text = {0};
    emit_expr(pt->emit, &names, expr, &text);
    char *result = arena_strdup(pt->emit->arena, text.data == NULL ? "" : text.data);
    text_free(&text);
    return result;
}

/* The environment may give it, with bounds of its own. */
static bool is_linked(const Var *var) { return var->environment && var->link != LINK_CREATE; }

static void one_linked_bound(Pthreads *pt, const Stmt *stmt, int dimension, const char *part,
                             const char *value, Text *out) {
    const Var *var = stmt->var;
    text_printf(out, "hp5_set_bound(&task->bounds_%s[%d].%s, %s, task->linked_%s, \"%s\", %d, %s, %s, %d);\n",
                var->name, dimension, part, value, var->name, part, dimension, pthreads_quote(pt, var->name),
                pthreads_quote(pt, pt->emit->source_name), pthreads_line(pt, stmt->span));
}

static void linked_bounds(Pthreads *pt, const Stmt *stmt, int indent, Text *out) {
    Arena *arena = pt->emit->arena;
    if (!stmt->whole_range) {
        one_linked_bound(pt, stmt, stmt->dimension, stmt->part == RANGE_MIN ? "min" : "max",
                         value_expr(pt, stmt->value), out);
        return;
    }
    const char *range = arena_printf(arena, "range_%s_%u", stmt->var->name, stmt->span.start);
    text_printf(out, "const Hp5Range %s = %s;\n", range, value_expr(pt, stmt->value));
    text_indent(out, indent);
    one_linked_bound(pt, stmt, stmt->dimension, "min", arena_printf(arena, "%s.min", range), out);
    text_indent(out, indent);
    one_linked_bound(pt, stmt, stmt->dimension, "max", arena_printf(arena, "%s.max", range), out);
}

static bool bounds_hook(void *data, const Stmt *stmt, int indent, Text *out) {
    Pthreads *pt = data;
    if (stmt->kind != STMT_SET_BOUNDS) return false;
    if (stmt->dimension < 0) {
        for (int d = 0; d < stmt->var->type->rank; d++) {
            const char *from =
                arena_printf(pt->emit->arena, "task->bounds_%s[%d]", stmt->source_var->name, d);
            text_indent(out, indent);
            if (is_linked(stmt->var)) {
                one_linked_bound(pt, stmt, d, "min", arena_printf(pt->emit->arena, "%s.min", from), out);
                text_indent(out, indent);
                one_linked_bound(pt, stmt, d, "max", arena_printf(pt->emit->arena, "%s.max", from), out);
            } else text_printf(out, "task->bounds_%s[%d] = %s;\n", stmt->var->name, d, from);
        }
        return true;
    }
    text_indent(out, indent);
    if (is_linked(stmt->var)) {
        linked_bounds(pt, stmt, indent, out);
        return true;
    }
    const char *part = stmt->whole_range ? "" : stmt->part == RANGE_MIN ? ".min" : ".max";
    text_printf(out, "task->bounds_%s[%d]%s = %s;\n", stmt->var->name, stmt->dimension, part,
                value_expr(pt, stmt->value));
    return true;
}

static const char *parameter(Pthreads *pt, const Var *param) {
    const char *type = emit_storage_type(pt->emit, param->type);
    return arena_printf(pt->emit->arena, "%s %s", type, emit_task_local(pt->emit, param));
}

static void initialize_function(Pthreads *pt) {
    const Body *body = pt->task->task->initialize;
    if (body == NULL) return;
    Text statements = {0};
    EmitNames names = value_names(pt);
    emit_block(pt->emit, &names, &body->block, 4, &statements, bounds_hook);
    text_printf(pt->out, "/* Initialize (%s:%d) */\nstatic void %s_initialize(struct %s *task",
                pthreads_comment(pt, pt->emit->source_name), pthreads_line(pt, body->span), pt->symbol,
                pt->symbol);
    for (size_t i = 0; i < body->params.count; i++)
        text_printf(pt->out, ", %s", parameter(pt, body->params.items[i]));
    text_printf(pt->out, ") {\n%s}\n\n", statements.data == NULL ? "    (void)task;\n" : statements.data);
    text_free(&statements);
}

/* ---- Start values -----------------------------------------------------------------------------------------
 */
static void start_functions(Pthreads *pt) {
    for (size_t i = 0; i < pt->task->task->spaces.count; i++) {
        const LpsPlan *space = &pt->task->spaces[i];
        if (space->scalars.count == 0) continue;
        const char *name = pthreads_space(pt, space->lps);
        pthreads_print(pt, 0, "static void %s_start_%s(Hp5Lpu *lpu, void *values) {", pt->symbol, name);
        pthreads_print(pt, 4, "const struct %s *task = values;", pt->symbol);
        pthreads_print(pt, 4, "struct %s_%s *scalars = lpu->scalars;", pt->symbol, name);
        for (size_t v = 0; v < space->scalars.count; v++) {
            const Var *var = space->scalars.items[v];
            const char *symbol = emit_symbol(pt->emit, var);
            pthreads_print(pt, 4, "scalars->%s = task->%s;", symbol, symbol);
            for (int lag = 1; lag < var->versions; lag++)
                pthreads_print(pt, 4, "scalars->%s_before[%d] = task->%s;", symbol, lag - 1, symbol);
        }
        pthreads_print(pt, 0, "}\n");
    }
}

/* ---- Launch
 * -------------------------------------------------------------------------------------------------- */
static void take_environment(Pthreads *pt) {
    const Task *task = pt->task->task;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!is_linked(var)) {
            if (var_is_array(var))
                pthreads_print(pt, 4, "hp5_no_bounds(task->bounds_%s, %d);", var->name, var->type->rank);
            continue;
        }
        const char *name = emit_symbol(pt->emit, var), *quoted = pthreads_quote(pt, var->name);
        bool optional = var->link == LINK_LINK_OR_CREATE;
        if (var_is_array(var)) {
            if (!optional)
                pthreads_print(pt, 4, "hp5_require(environment->%s != NULL, %s, %s);", name, quoted,
                               pthreads_quote(pt, task->name));
            pthreads_print(pt, 4, "task->linked_%s = environment->%s != NULL;", var->name, name);
            pthreads_print(pt, 4, "%shp5_item_bounds(environment->%s, task->bounds_%s);",
                           optional ? arena_printf(pt->emit->arena, "if (task->linked_%s) ", var->name) : "",
                           name, var->name);
            if (optional)
                pthreads_print(pt, 4, "else hp5_no_bounds(task->bounds_%s, %d);", var->name, var->type->rank);
        } else {
            bool given = optional || var->set_by_initialize;
            if (!given)
                pthreads_print(pt, 4, "hp5_require(environment->has_%s, %s, %s);", var->name, quoted,
                               pthreads_quote(pt, task->name));
            pthreads_print(pt, 4, "%stask->%s = environment->%s;",
                           given ? arena_printf(pt->emit->arena, "if (environment->has_%s) ", var->name) : "",
                           name, name);
        }
    }
}

static void make_items(Pthreads *pt) {
    TaskPlan *plan = pt->task;
    if (plan->array_count == 0) {
        pthreads_print(pt, 4, "Hp5Item **items = NULL;");
        return;
    }
    pthreads_print(pt, 4, "Hp5Item *items[%d];", plan->array_count);
    for (int i = 0; i < plan->array_count; i++) {
        const Var *var = plan->arrays[i].var;
        const char *name = emit_symbol(pt->emit, var);
        const char *create = arena_printf(
            pt->emit->arena, "hp5_item_create(%s, %s, %d, task->bounds_%s, %s, %s, line)",
            pthreads_quote(pt, var->name), emit_element(pt->emit, var->type->element), var->type->rank,
            var->name, pthreads_quote(pt, plan->task->name), pthreads_quote(pt, pt->emit->source_name));
        if (!var->environment) {
            pthreads_print(pt, 4, "items[%d] = %s;", i, create);
        } else {
            if (var->link == LINK_CREATE)
                pthreads_print(pt, 4, "hp5_item_replace(&environment->%s, %s);", name, create);
            if (var->link == LINK_LINK_OR_CREATE)
                pthreads_print(pt, 4, "if (environment->%s == NULL) environment->%s = %s;", name, name,
                               create);
            pthreads_print(pt, 4, "items[%d] = environment->%s;", i, name);
        }
    }
}

/* C text of the struct of scalars of the one LPU of `lps` (environment scalars live where there is one). */
static const char *single_lpu(Pthreads *pt, const Lps *lps) {
    if (lps->parent == NULL) return "run->root";
    return arena_printf(pt->emit->arena, "%s.children[%d].lpus[0]", single_lpu(pt, lps->parent),
                        pt->task->spaces[lps->id].slot_in_parent);
}

/* Scalars go back when the task has run. */
static bool gives_scalars(const Task *task) {
    for (size_t i = 0; i < task->globals.count; i++)
        if (task->globals.items[i]->environment && !var_is_array(task->globals.items[i])) return true;
    return false;
}

static void finish_function(Pthreads *pt) {
    const Task *task = pt->task->task;
    if (!gives_scalars(task)) return;
    Text *out = pt->out, body = {0};
    pt->out = &body;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var->environment || var_is_array(var)) continue;
        const char *name = emit_symbol(pt->emit, var);
        if (pthreads_is_shared(pt, var))
            pthreads_print(pt, 4, "environment->%s = ((const struct %s_%s *)%s.scalars)->%s;", name,
                           pt->symbol, pthreads_space(pt, var->home), single_lpu(pt, var->home), name);
        else pthreads_print(pt, 4, "environment->%s = task->%s;", name, name);
        pthreads_print(pt, 4, "environment->has_%s = true;", var->name);
    }
    pt->out = out;
    bool uses_run = emit_text_uses(body.data, "run"), uses_task = emit_text_uses(body.data, "task");
    pthreads_print(pt, 0, "/* What the environment gets back. */");
    pthreads_print(pt, 0, "static void %s_finish(Hp5TaskRun *run, void *values, void *caller) {", pt->symbol);
    pthreads_print(pt, 4, "struct Environment_%s *const environment = caller;", pt->symbol);
    if (uses_task) pthreads_print(pt, 4, "const struct %s *const task = values;", pt->symbol);
    else pthreads_print(pt, 4, "(void)values;");
    if (!uses_run) pthreads_print(pt, 4, "(void)run;");
    text_append(pt->out, body.data);
    pthreads_print(pt, 0, "}\n");
    text_free(&body);
}

static void release_own_items(Pthreads *pt) {
    for (int i = 0; i < pt->task->array_count; i++)
        if (!pt->task->arrays[i].var->environment) pthreads_print(pt, 4, "hp5_item_release(items[%d]);", i);
}

static void launch_parameters(Pthreads *pt) {
    const Task *task = pt->task->task;
    for (size_t i = 0; task->initialize != NULL && i < task->initialize->params.count; i++)
        text_printf(pt->out, ", %s", parameter(pt, task->initialize->params.items[i]));
    for (size_t i = 0; i < task->partition_params.count; i++)
        text_printf(pt->out, ", int64_t partition_%s",
                    emit_symbol(pt->emit, task->partition_params.items[i]));
}

static void call_initialize(Pthreads *pt) {
    const Body *body = pt->task->task->initialize;
    if (body == NULL) return;
    text_printf(pt->out, "    %s_initialize(task", pt->symbol);
    for (size_t i = 0; i < body->params.count; i++)
        text_printf(pt->out, ", %s", emit_task_local(pt->emit, body->params.items[i]));
    text_append(pt->out, ");\n");
}

static void run_text(Pthreads *pt) {
    TaskPlan *plan = pt->task;
    if (plan->dim_args.count > 0) {
        text_append(pt->out, "    const int64_t args[] = {");
        for (size_t i = 0; i < plan->dim_args.count; i++)
            text_printf(pt->out, "%s%s", i > 0 ? ", " : "", value_expr(pt, plan->dim_args.items[i]));
        text_append(pt->out, "};\n");
    }
    pthreads_print(pt, 4, "hp5_session_execute(session, &launch, %s, items, task, environment);",
                   plan->dim_args.count > 0 ? "args" : "NULL");
}

/* Start values of all LPUs, before each execution. */
static bool start_all(Pthreads *pt) {
    bool any = false;
    for (size_t i = 0; i < pt->task->task->spaces.count; i++) {
        if (pt->task->spaces[i].scalars.count == 0) continue;
        const char *space = pthreads_space(pt, pt->task->spaces[i].lps);
        if (!any) pthreads_print(pt, 0, "static void %s_start(Hp5TaskRun *run, void *values) {", pt->symbol);
        pthreads_print(pt, 4, "hp5_each_lpu(run, %s_SPACE_%s, %s_start_%s, values);", pt->symbol, space,
                       pt->symbol, space);
        any = true;
    }
    if (any) pthreads_print(pt, 0, "}\n");
    return any;
}

static void find_execution(void *data, const Stmt *stmt) {
    const Task **task = data;
    if (stmt->kind == STMT_EXECUTE && stmt->execute->task == *task) *task = NULL;
}

/* Whether the Program executes the task anywhere. */
static bool is_executed(const Pthreads *pt, const Task *task) {
    const Body *coordinator = pt->emit->plan->program->coordinator;
    if (coordinator != NULL) lower_walk_block(&(Walk){NULL, find_execution, &task}, &coordinator->block);
    return task == NULL;
}

void pthreads_launch(Pthreads *pt) {
    const Task *task = pt->task->task;
    initialize_function(pt);
    start_functions(pt);
    bool starts = start_all(pt), finishes = gives_scalars(task);
    finish_function(pt);
    text_printf(pt->out,
                "%sstatic void %s_execute(Hp5Session *session, struct Environment_%s *environment, int line",
                is_executed(pt, task) ? "" : "/* The Program executes it nowhere. */\n__attribute__((unused)) ", pt->symbol, pt->symbol);
    launch_parameters(pt);
    text_append(pt->out, ") {\n");
    pthreads_print(pt, 4, "static const Hp5Launch launch = {&%s_task, %s_flow, %s, %s};", pt->symbol,
                   pt->symbol, starts ? arena_printf(pt->emit->arena, "%s_start", pt->symbol) : "NULL",
                   finishes ? arena_printf(pt->emit->arena, "%s_finish", pt->symbol) : "NULL");
    pthreads_print(pt, 4, "struct %s *const task = hp5_session_values(sizeof *task);", pt->symbol);
    for (size_t i = 0; i < task->partition_params.count; i++) {
        const char *name = emit_symbol(pt->emit, task->partition_params.items[i]);
        pthreads_print(pt, 4, "task->partition_%s = partition_%s;", name, name);
    }
    if (finishes) pthreads_print(pt, 4, "hp5_session_ready(session, environment); /* its scalars */");
    take_environment(pt);
    call_initialize(pt);
    Text *out = pt->out, items = {0};
    pt->out = &items;
    make_items(pt);
    pt->out = out;
    if (!emit_text_uses(items.data, "line")) pthreads_print(pt, 4, "(void)line;");
    text_append(pt->out, items.data);
    text_free(&items);
    run_text(pt);
    release_own_items(pt);
    pthreads_print(pt, 0, "}\n");
}
