/* Tasks as the coordinator sees them: their names, environments and execution. */
#include <stdio.h>
#include <string.h>
#include "compiler/check/tasks.h"

static Task *find_task(BodyCheck *c, const AstExpr *ast) {
    Diags *diags = c->check->diags;
    if (ast->kind != AST_STRING) {
        Diag *d = diag_error(diags, E_UNKNOWN_TASK, ast->span, "a task is named by a string");
        diag_help(d, "for example: \"Matrix Multiply\"");
        return NULL;
    }
    Task *task = check_find_task(c->check, ast->text);
    if (task != NULL) return task;
    VEC(const char *) names = {0};
    for (size_t i = 0; i < c->check->program->tasks.count; i++) vec_push(c->arena, &names, c->check->program->tasks.items[i]->name);
    Diag *d = diag_error(diags, E_UNKNOWN_TASK, ast->span, "there is no task \"%s\"", ast->text);
    const char *near = text_nearest(ast->text, names.items, names.count);
    if (near != NULL) diag_help(d, "did you mean \"%s\"?", near);
    return NULL;
}

Expr *check_new_environment(BodyCheck *c, const AstExpr *ast) {
    if (c->place != IN_COORDINATOR) {
        diag_error(c->check->diags, E_COORDINATOR_ONLY, ast->span, "task environments are made only in the coordinator");
        return NULL;
    }
    bool named = ast->named.count == 1 && strcmp(ast->named.items[0].name.text, "name") == 0 && ast->named.items[0].values.count == 1;
    if (!named) {
        Diag *d = diag_error(c->check->diags, E_UNKNOWN_TASK, ast->span, "a new environment needs the name of its task, and nothing else");
        diag_help(d, "write new TaskEnvironment(name: \"…\")");
        return NULL;
    }
    Task *task = find_task(c, ast->named.items[0].values.items[0]);
    if (task == NULL) return NULL;
    return expr_new(c, EXPR_NEW_ENVIRONMENT, type_environment(c->check, task), ast->span);
}

Var *environment_var(BodyCheck *c, const Expr *environment, const char *name, Span span) {
    const Task *task = environment->type->task;
    Var *var = task_find_global(task, name);
    if (var != NULL && var->environment) return var;
    VEC(const char *) names = {0};
    for (size_t i = 0; i < task->globals.count; i++)
        if (task->globals.items[i]->environment) vec_push(c->arena, &names, task->globals.items[i]->name);
    Diag *d = diag_error(c->check->diags, E_UNKNOWN_ENVIRONMENT_VARIABLE, span, "the environment of task \"%s\" has no variable '%s'", task->name, name);
    if (var != NULL) diag_note(d, var->span, "it is internal to the task; list it in the Environment section");
    else {
        const char *list = "";
        for (size_t i = 0; i < names.count && i < 8; i++)
            list = arena_printf(c->arena, "%s%s%s%s", list, i == 0 ? "" : ", ", names.items[i], i == 7 && names.count > 8 ? ", …" : "");
        help_nearest(d, name, names.items, names.count);
        if (names.count > 0) diag_help(d, "its Environment section lists %s", list);
        else diag_help(d, "its Environment section lists nothing");
    }
    return NULL;
}

/* ---- execute --------------------------------------------------------------------------- */
typedef struct ExecuteParts { const AstNamedArg *task, *environment, *initialize, *partition; } ExecuteParts;

static bool sort_parts(BodyCheck *c, const AstExpr *ast, ExecuteParts *parts) {
    static const char *const names[] = {"task", "environment", "initialize", "partition"};
    const AstNamedArg **slots[] = {&parts->task, &parts->environment, &parts->initialize, &parts->partition};
    bool good = true;
    for (size_t i = 0; i < ast->named.count; i++) {
        const AstNamedArg *arg = &ast->named.items[i];
        size_t slot = 0;
        while (slot < 4 && strcmp(names[slot], arg->name.text) != 0) slot++;
        if (slot < 4 && *slots[slot] == NULL) {
            *slots[slot] = arg;
            continue;
        }
        Diag *d = diag_error(c->check->diags, E_EXECUTE, arg->name.span, slot == 4 ? "execute has no part '%s'" : "execute has two parts '%s'", arg->name.text);
        if (slot == 4) help_nearest(d, arg->name.text, names, 4);
        good = false;
    }
    bool complete = parts->task != NULL && parts->task->values.count == 1 && parts->environment != NULL && parts->environment->values.count == 1;
    if (good && !complete) {
        Diag *d = diag_error(c->check->diags, E_EXECUTE, ast->span, "execute needs one task and one environment");
        diag_help(d, "write execute(task: \"…\"; environment: env; initialize: …; partition: …)");
    }
    return good && complete;
}

static bool check_part_count(BodyCheck *c, const AstExpr *ast, const AstNamedArg *part, const char *what, const char *task, const VarVec *params) {
    size_t given = part == NULL ? 0 : part->values.count;
    size_t wanted = params == NULL ? 0 : params->count;
    if (given == wanted) return true;
    char *names = arena_strdup(c->arena, "");
    for (size_t i = 0; i < wanted; i++) names = arena_printf(c->arena, "%s%s%s", names, i == 0 ? "" : ", ", params->items[i]->name);
    Diag *d = diag_error(c->check->diags, E_EXECUTE_ARGUMENTS, part == NULL ? ast->span : part->span, "task \"%s\" takes %zu %s argument%s, %zu given", task,
                         wanted, what, wanted == 1 ? "" : "s", given);
    if (wanted > 0) diag_help(d, "write %s: %s", what, names);
    return false;
}

static bool check_part(BodyCheck *c, const AstNamedArg *part, const VarVec *params, const char *what, const char *task, ExprVec *out) {
    bool good = true;
    for (size_t i = 0; part != NULL && i < part->values.count; i++) {
        Var *param = params->items[i];
        const char *name = arena_printf(c->arena, "%s argument '%s'", what, param->name);
        Expr *value = check_value(c, part->values.items[i]);
        if (value != NULL) arg_describe(c, value, arena_printf(c->arena, "%s argument %s of task \"%s\"", what, param->name, task));
        value = expr_coerce(c, value, param->type, false, name);
        if (value == NULL) good = false;
        else vec_push(c->arena, out, value);
    }
    return good;
}

void check_execute(BodyCheck *c, const AstExpr *ast, Block *out) {
    if (c->place != IN_COORDINATOR) {
        diag_error(c->check->diags, E_COORDINATOR_ONLY, ast->span, "tasks are executed only by the coordinator");
        return;
    }
    ExecuteParts parts = {0};
    if (!sort_parts(c, ast, &parts)) return;
    Task *task = find_task(c, parts.task->values.items[0]);
    Expr *environment = check_environment(c, parts.environment->values.items[0]);
    if (task == NULL || environment == NULL) return;
    if (environment->type->task != task) {
        Diag *d = diag_error(c->check->diags, E_EXECUTE, environment->span, "this is an environment of task \"%s\", not of \"%s\"", environment->type->task->name,
                             task->name);
        diag_help(d, "each task runs in an environment made with its own name");
        return;
    }
    ExecuteStmt *execute = ARENA_NEW(c->arena, ExecuteStmt);
    execute->task = task;
    execute->environment = environment;
    const AstTask *task_ast = check_task_ast(c->check, task);
    /* An Initialize section with errors has no typed parameters to compare with. */
    bool broken = task->initialize == NULL && task_ast->initialize.present;
    const VarVec *initialize = task->initialize == NULL ? NULL : &task->initialize->params;
    bool good = !broken && check_part_count(c, ast, parts.initialize, "initialize", task->name, initialize);
    good = check_part_count(c, ast, parts.partition, "partition", task->name, &task->partition_params) && good;
    if (!good) return;
    good = check_part(c, parts.initialize, initialize, "initialize", task->name, &execute->initialize);
    good = check_part(c, parts.partition, &task->partition_params, "partition", task->name, &execute->partition) && good;
    if (!good) return;
    Stmt *stmt = stmt_new(c, STMT_EXECUTE, ast->span);
    stmt->execute = execute;
    vec_push(c->arena, &out->statements, stmt);
}

/* ---- Linked variables that are never given -------------------------------------------------- */
typedef struct Given {
    BodyCheck *c;
    NameTable given;              /* pairs of environment and variable */
    VEC(Stmt *) executes;
    bool aliased;                 /* an environment has a second name: nothing can be told */
} Given;

enum { PAIR = 48 };
static void name_pair(char *text, const Var *environment, const Var *var) {
    snprintf(text, PAIR, "%p %p", (const void *)environment, (const void *)var);
}

static void give(Given *given, const Stmt *stmt) {
    char pair[PAIR];
    name_pair(pair, stmt->environment->var, stmt->env_var);
    if (name_table_find(&given->given, pair) != NULL) return;
    name_table_put(given->c->arena, &given->given, arena_strdup(given->c->arena, pair), stmt->env_var);
}

static bool note_giving(Stmt *stmt, void *data) {
    Given *given = data;
    Arena *arena = given->c->arena;
    switch (stmt->kind) {
    case STMT_SHARE: case STMT_SET_ENV_ARRAY: stmt->env_var->from_files = false; give(given, stmt); break;
    case STMT_BIND_INPUT: case STMT_SET_ENV_SCALAR: give(given, stmt); break;
    case STMT_EXECUTE: vec_push(arena, &given->executes, stmt); break;
    case STMT_ASSIGN:
        if (stmt->value->type->kind == TYPE_ENVIRONMENT && stmt->value->kind != EXPR_NEW_ENVIRONMENT) given->aliased = true;
        break;
    default: break;
    }
    return true;
}

static bool is_given(const Given *given, const Var *environment, const Var *var) {
    char pair[PAIR];
    name_pair(pair, environment, var);
    return name_table_find(&given->given, pair) != NULL;
}

static void expect_files(const Check *check) {
    for (size_t t = 0; t < check->program->tasks.count; t++)
        for (size_t i = 0; i < check->program->tasks.items[t]->globals.count; i++) {
            Var *var = check->program->tasks.items[t]->globals.items[i];
            var->from_files = var->environment && var->link == LINK_LINK && var_is_array(var);
        }
}

void check_links_given(BodyCheck *c, Body *body) {
    Given given = {.c = c};
    expect_files(c->check);
    walk_block(&body->block, note_giving, NULL, &given);
    for (size_t i = 0; i < given.executes.count && !given.aliased; i++) {
        Stmt *stmt = given.executes.items[i];
        const Task *task = stmt->execute->task;
        const Var *environment = stmt->execute->environment->var;
        for (size_t k = 0; k < task->globals.count; k++) {
            const Var *var = task->globals.items[k];
            if (!var->environment || var->link != LINK_LINK || is_given(&given, environment, var)) continue;
            Diag *d = diag_error(c->check->diags, E_LINK_NOT_GIVEN, stmt->span, "task \"%s\" is executed, but nothing gives its linked variable '%s' to '%s'",
                                 task->name, var->name, environment->name);
            if (var_is_array(var)) diag_help(d, "write bind_input(%s, \"%s\", path) before it", environment->name, var->name);
            else diag_help(d, "write %s.%s = value before it", environment->name, var->name);
        }
    }
}
