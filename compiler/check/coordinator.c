/* Program (args) { … }: its names, environments as values, built-in calls. execute and
 * the tests of task and variable names are in tasks.c. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "compiler/check/bodies.h"
#include "compiler/check/tasks.h"

/* ---- args.name ---------------------------------------------------------------------- */
/* The number in c->flexes of what is called `name`; a new name gets the next number. */
static size_t flex_index(BodyCheck *c, const char *name) {
    Arena *arena = c->check->arena;
    if (c->flex_numbers == NULL) c->flex_numbers = ARENA_NEW(arena, NameTable);
    size_t known = (size_t)(uintptr_t)name_table_find(c->flex_numbers, name);
    if (known > 0) return known - 1;
    name_table_put(arena, c->flex_numbers, arena_strdup(arena, name), (void *)(uintptr_t)(c->flexes->count + 1));
    return c->flexes->count;
}

Expr *check_args_field(BodyCheck *c, const AstExpr *ast) {
    const char *name = ast->name.text;
    size_t number = flex_index(c, name);
    if (number == c->flexes->count) {
        Flex *flex = flex_new(c, arena_printf(c->check->arena, "%s.%s", c->coordinator_args, name), NULL, ast->span);
        flex->argument = name;
    }
    Flex *flex = c->flexes->items[number];
    Expr *expr = expr_new(c, EXPR_ARG, flex->type, ast->span);
    expr->argument = (int)number;
    return expr;
}

void arg_describe(BodyCheck *c, const Expr *expr, const char *what) {
    Flex *flex = c->dry ? expr_flex(c, expr) : NULL;
    if (flex == NULL || flex->origin != NULL) return;
    if (flex->what == NULL) flex->what = arena_strdup(c->check->arena, what);
}

static void arg_is_path(BodyCheck *c, const Expr *expr, bool input, Type *array) {
    Flex *flex = c->dry ? expr_flex(c, expr) : NULL;
    if (flex == NULL || flex->origin != NULL) return;
    if (input) flex->input_path = true;
    else flex->output_path = true;
    if (flex->array_type == NULL) flex->array_type = array;
}

/* ---- Values --------------------------------------------------------------------------- */
/* The environment that `ast` names; NULL after reporting. */
Expr *check_environment(BodyCheck *c, const AstExpr *ast) {
    Expr *expr = check_any(c, ast);
    if (expr == NULL || expr->type == NULL) return NULL;
    if (expr->type->kind == TYPE_ENVIRONMENT) return expr;
    Diag *d = diag_error(c->check->diags, E_NOT_ENVIRONMENT, ast->span, "a task environment is needed here, this is %s", expr->type->text);
    diag_help(d, "make one with: env = new TaskEnvironment(name: \"…\")");
    return NULL;
}

Expr *check_environment_scalar(BodyCheck *c, Expr *environment, const AstExpr *ast) {
    Var *var = environment_var(c, environment, ast->name.text, ast->name.span);
    if (var == NULL) return NULL;
    if (var_is_array(var)) {
        Diag *d = diag_error(c->check->diags, E_ENVIRONMENT_ARRAY, ast->span, "'%s' is an array and cannot be taken out of an environment", var->name);
        diag_help(d, "write it to a file with bind_output, or share it: env2.x = env1.%s", var->name);
        diag_help(d, "elements and bounds are looked at in a task: a scalar that it creates brings them here");
        return NULL;
    }
    Expr *expr = expr_new(c, EXPR_ENV_SCALAR, type_of_value(c->check, var->type), ast->span);
    expr->left = environment;
    expr->var = var;
    return expr;
}

/* `usage` shows the arguments: "env, \"x\", path". */
static bool check_argument_count(BodyCheck *c, const AstExpr *ast, size_t wanted, const char *usage) {
    if (ast->arguments.count == wanted) return true;
    Diag *d = diag_error(c->check->diags, E_ARGUMENT_COUNT, ast->span, "'%s' takes %zu argument%s, %zu given", ast->name.text, wanted,
                         wanted == 1 ? "" : "s", ast->arguments.count);
    diag_help(d, "write %s(%s)", ast->name.text, usage);
    return false;
}

/* load_array(path): what it holds is told by the environment variable that it goes to. */
static Expr *check_load_array(BodyCheck *c, const AstExpr *ast) {
    if (!check_argument_count(c, ast, 1, "path")) return NULL;
    Expr *path = check_value_as(c, ast->arguments.items[0], basic(c, BASIC_STRING), "the path of a file");
    char place[32];              /* no argument has such a name */
    snprintf(place, sizeof place, "(%u)", ast->span.start);
    size_t number = flex_index(c, place);
    if (number == c->flexes->count) flex_new(c, "the array that load_array reads", ast, ast->span);
    Flex *flex = c->flexes->items[number];
    if (path == NULL) return NULL;
    arg_is_path(c, path, true, flex->type);
    if (flex->type != NULL) arg_describe(c, path, arena_printf(c->arena, "input file of a %s", flex->type->text));
    Expr *expr = expr_new(c, EXPR_LOAD_ARRAY, flex->type, ast->span);
    expr->left = path;
    expr->argument = (int)number;
    return expr;
}

Expr *check_coordinator_value(BodyCheck *c, const AstExpr *ast) {
    if (c->place != IN_COORDINATOR) {
        Diag *d = diag_error(c->check->diags, E_COORDINATOR_ONLY, ast->name.span, "'%s' stands only in the coordinator", ast->name.text);
        if (strcmp(ast->name.text, "print") == 0) diag_help(d, "let the task create a scalar, and print(env.scalar) in the Program");
        return NULL;
    }
    if (strcmp(ast->name.text, "load_array") == 0) return check_load_array(c, ast);
    diag_error(c->check->diags, E_NOT_A_VALUE, ast->span, "'%s' returns no value", ast->name.text);
    return NULL;
}

/* ---- Statements ------------------------------------------------------------------------------ */
static void check_print(BodyCheck *c, const AstExpr *ast, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_PRINT, ast->span);
    for (size_t i = 0; i < ast->arguments.count; i++) {
        Expr *value = check_value(c, ast->arguments.items[i]);
        if (value == NULL) continue;
        Flex *flex = expr_flex(c, value);
        if (flex != NULL && flex->origin == NULL) flex->printed = true;
        if (!expr_known(c, value)) continue;
        TypeKind kind = value->type->kind;
        if (kind == TYPE_STRUCT || kind == TYPE_STATIC_ARRAY || kind == TYPE_LIST) {
            Diag *d = diag_error(c->check->diags, E_ARGUMENT_TYPE, value->span, "print takes single values, found %s", value->type->text);
            diag_help(d, "print its parts one by one");
            continue;
        }
        vec_push(c->arena, &stmt->arguments, value);
    }
    vec_push(c->arena, &out->statements, stmt);
}

static void check_bind(BodyCheck *c, const AstExpr *ast, bool input, Block *out) {
    if (!check_argument_count(c, ast, 3, "env, \"x\", path")) return;
    Expr *environment = check_environment(c, ast->arguments.items[0]);
    const AstExpr *name = ast->arguments.items[1];
    Var *var = NULL;
    if (name->kind != AST_STRING) {
        Diag *d = diag_error(c->check->diags, E_VARIABLE_NAME, name->span, "the variable is named by a string");
        diag_help(d, "for example: %s(env, \"x\", args.file)", ast->name.text);
    } else if (environment != NULL) {
        var = environment_var(c, environment, name->text, name->span);
    }
    Expr *path = check_value_as(c, ast->arguments.items[2], basic(c, BASIC_STRING), "the path of a file");
    if (var != NULL && !var_is_array(var)) {
        Diag *d = diag_error(c->check->diags, E_BIND_SCALAR, name->span, "'%s' is %s, and files hold arrays", var->name, var->type->text);
        diag_help(d, input ? "set it with: env.%s = value" : "read it with: x = env.%s", var->name);
        return;
    }
    if (var != NULL && input && var->link == LINK_CREATE) {
        Diag *d = diag_error(c->check->diags, E_BIND_CREATE, name->span, "task \"%s\" creates '%s' itself and takes no input for it",
                             environment->type->task->name, var->name);
        diag_note(d, var->span, "make it 'link' or 'link_or_create' in the Environment section to give it from outside");
        return;
    }
    if (var == NULL || path == NULL) return;
    arg_is_path(c, path, input, var->type);
    arg_describe(c, path, arena_printf(c->arena, "%s file of %s (%s) of task \"%s\"", input ? "input" : "output", var->name, var->type->text,
                                       environment->type->task->name));
    Stmt *stmt = stmt_new(c, input ? STMT_BIND_INPUT : STMT_BIND_OUTPUT, ast->span);
    stmt->environment = environment;
    stmt->env_var = var;
    stmt->path = path;
    vec_push(c->arena, &out->statements, stmt);
}

static void check_store_array(BodyCheck *c, const AstExpr *ast, Block *out) {
    if (!check_argument_count(c, ast, 2, "array, path")) return;
    Expr *array = check_any(c, ast->arguments.items[0]);
    Expr *path = check_value_as(c, ast->arguments.items[1], basic(c, BASIC_STRING), "the path of a file");
    if (array == NULL || path == NULL || !expr_known(c, array)) return;
    if (array->type->kind != TYPE_ARRAY) {
        Diag *d = diag_error(c->check->diags, E_ARGUMENT_TYPE, array->span, "store_array writes an array, this is %s", array->type->text);
        diag_help(d, "write store_array(array, path)");
        return;
    }
    arg_is_path(c, path, false, array->type);
    arg_describe(c, path, arena_printf(c->arena, "output file of a %s", array->type->text));
    Stmt *stmt = stmt_new(c, STMT_STORE_ARRAY, ast->span);
    stmt->value = array;
    stmt->path = path;
    vec_push(c->arena, &out->statements, stmt);
}

bool check_coordinator_call(BodyCheck *c, const AstExpr *ast, Block *out) {
    if (c->place != IN_COORDINATOR) return false;
    const char *name = ast->name.text;
    if (strcmp(name, "print") == 0) check_print(c, ast, out);
    else if (strcmp(name, "bind_input") == 0) check_bind(c, ast, true, out);
    else if (strcmp(name, "bind_output") == 0) check_bind(c, ast, false, out);
    else if (strcmp(name, "store_array") == 0) check_store_array(c, ast, out);
    else return false;
    return true;
}

/* ---- env.v = … ---------------------------------------------------------------------------------- */
static Stmt *env_stmt(BodyCheck *c, StmtKind kind, Span span, Expr *environment, Var *var, Block *out) {
    Stmt *stmt = stmt_new(c, kind, span);
    stmt->environment = environment;
    stmt->env_var = var;
    vec_push(c->arena, &out->statements, stmt);
    return stmt;
}

/* The environment that `ast` (env.name) names a variable of, without complaint when it is none. */
static Expr *environment_of_field(BodyCheck *c, const AstExpr *ast) {
    if (ast->kind != AST_FIELD || ast->left->kind != AST_NAME) return NULL;
    NameRef ref = name_find(c, ast->left->name.text);
    if (ref.local == NULL || ref.local->type == NULL || ref.local->type->kind != TYPE_ENVIRONMENT) return NULL;
    return check_name(c, ast->left);
}

/* env.v = something that is no array: `path` where a file was meant. */
static void report_array_value(BodyCheck *c, const AstExpr *target, const Var *var, const AstExpr *value, const Type *type, const char *found) {
    Diag *d = diag_error(c->check->diags, E_SHARE_TYPES, value->span, "'%s' is %s, %s", var->name, var->type->text, found);
    diag_note(d, var->span, "'%s' is declared here", var->name);
    if (type != NULL && type->kind == TYPE_ENVIRONMENT) {
        diag_help(d, "name the array: %s.%s = %s.x", target->left->name.text, var->name, value->kind == AST_NAME ? value->name.text : "env");
        return;
    }
    const Source *source = c->check->ast->source;
    bool path = value->kind == AST_STRING || value->kind == AST_FIELD || value->kind == AST_NAME;
    const char *text = path ? arena_copy(c->arena, source->text + value->span.start, value->span.end - value->span.start) : "path";
    diag_help(d, "an array comes from a file: bind_input(%s, \"%s\", %s)", target->left->name.text, var->name, text);
    diag_help(d, "or from another environment: %s.%s = other.x", target->left->name.text, var->name);
}

static void assign_env_array(BodyCheck *c, Expr *environment, Var *var, const AstExpr *target, const AstExpr *value, Span span, Block *out) {
    Expr *other = environment_of_field(c, value);
    if (other != NULL) {
        Var *source = environment_var(c, other, value->name.text, value->name.span);
        if (source == NULL) return;
        if (source->type != var->type) {
            Diag *d = diag_error(c->check->diags, E_SHARE_TYPES, span, "'%s' is %s, '%s' is %s: they cannot be one data item", var->name, var->type->text,
                                 source->name, source->type->text);
            diag_note(d, var->span, "'%s' is declared here", var->name);
            diag_note(d, source->span, "'%s' is declared here", source->name);
            diag_help(d, "declare both with one type, or let a task in between make an array of the other type");
            return;
        }
        Stmt *stmt = env_stmt(c, STMT_SHARE, span, environment, var, out);
        stmt->environment2 = other;
        stmt->env_var2 = source;
        return;
    }
    Expr *array = check_any(c, value);
    if (array == NULL) return;
    Flex *flex = expr_flex(c, array);
    if (flex != NULL && flex->origin == NULL) {
        report_array_value(c, target, var, value, NULL, "an argument of the program is a text or a number");
        return;
    }
    flex_demand(c, array, var->type, true);
    if (!expr_known(c, array)) return;
    if (array->type != var->type) {
        report_array_value(c, target, var, value, array->type, arena_printf(c->arena, "this is %s", array->type->text));
        return;
    }
    env_stmt(c, STMT_SET_ENV_ARRAY, span, environment, var, out)->value = array;
}

bool check_coordinator_assign(BodyCheck *c, const AstExpr *target, const AstExpr *value, Span span, Block *out) {
    Expr *environment = environment_of_field(c, target);
    if (environment == NULL) return false;
    Var *var = environment_var(c, environment, target->name.text, target->name.span);
    if (var == NULL) return true;
    if (var->link == LINK_CREATE) {
        Diag *d = diag_error(c->check->diags, E_SET_CREATE, target->span, "task \"%s\" creates '%s' itself: it cannot be given", environment->type->task->name, var->name);
        diag_note(d, var->span, "make it 'link' or 'link_or_create' in the Environment section to give it from outside");
        return true;
    }
    if (var_is_array(var)) {
        assign_env_array(c, environment, var, target, value, span, out);
        return true;
    }
    Expr *source = check_value(c, value);
    if (source != NULL && source->type == NULL)
        arg_describe(c, source, arena_printf(c->arena, "value of %s of task \"%s\"", var->name, environment->type->task->name));
    source = expr_coerce(c, source, var->type, true, "the value assigned");
    if (source != NULL) env_stmt(c, STMT_SET_ENV_SCALAR, span, environment, var, out)->value = source;
    return true;
}

/* ---- The whole coordinator ------------------------------------------------------------------------ */
typedef struct CoordinatorCheck { const AstCoordinator *ast; Body *body; } CoordinatorCheck;

static bool coordinator_is_outer(void *data, const char *name, bool assigned) {
    (void)assigned;
    const CoordinatorCheck *coordinator = data;
    return coordinator->ast->argument.text != NULL && strcmp(coordinator->ast->argument.text, name) == 0;
}

static void coordinator_pass(BodyCheck *c, void *data) {
    CoordinatorCheck *coordinator = data;
    Body *body = ARENA_NEW(c->arena, Body);
    *body = (Body){.name = "Program", .span = coordinator->ast->span, .result = type_void(c->check)};
    body_begin(c, body);
    check_block(c, &coordinator->ast->body, &body->block);
    if (c->dry) return;
    coordinator->body = body;
    body_report(c);
}

static void report_flex_conflict(BodyCheck *c, const Flex *flex) {
    Type *other = flex->strict != NULL && flex->strict != flex->conflict ? flex->strict : flex->loose;
    Span span = other == flex->strict ? flex->strict_span : flex->loose_span;
    Diag *d = diag_error(c->check->diags, E_INFERRED_CONFLICT, flex->conflict_span, "%s is used as %s here, but as %s elsewhere", flex->name,
                         flex->conflict->text, other == NULL ? "something else" : other->text);
    if (other != NULL) diag_note(d, span, "here it is used as %s", other->text);
    diag_help(d, "use two arguments");
}

/* Arguments in the order of their first use; EXPR_ARG is renumbered to match. */
static bool renumber(Expr *expr, void *data) {
    const int *numbers = data;
    if (expr->kind == EXPR_ARG) expr->argument = numbers[expr->argument];
    return true;
}

static void collect_args(BodyCheck *c, Body *body) {
    Program *program = c->check->program;
    int *numbers = ARENA_ARRAY(c->check->arena, int, c->flexes->count + 1);
    for (size_t i = 0; i < c->flexes->count; i++) {
        const Flex *flex = c->flexes->items[i];
        if (flex->conflict != NULL) report_flex_conflict(c, flex);
        if (flex->origin != NULL) continue;
        numbers[i] = (int)program->args.count;
        const char *what = flex->what != NULL ? flex->what : flex->printed ? "text that is printed" : "value used by the coordinator";
        ProgramArg arg = {.name = flex->argument, .type = flex->type, .what = what, .is_input_path = flex->input_path,
                          .is_output_path = flex->output_path, .array_type = flex->array_type, .span = flex->span};
        vec_push(c->check->arena, &program->args, arg);
    }
    if (body != NULL) walk_block(&body->block, NULL, renumber, numbers);
}

Body *check_coordinator(Check *check, const AstCoordinator *ast) {
    CoordinatorCheck coordinator = {.ast = ast};
    functions_init(check);
    BodyCheck c = {.check = check, .arena = check->arena, .place = IN_COORDINATOR, .body_kind = "the coordinator",
                   .coordinator_args = ast->argument.text};
    FlexVec flexes = {0};
    c.flexes = &flexes;
    c.scopes = scope_analyse(check->arena, &ast->body, coordinator_is_outer, &coordinator);
    size_t errors = diags_error_count(check->diags);
    infer_run(&c, coordinator_pass, &coordinator);
    collect_args(&c, coordinator.body);
    if (diags_error_count(check->diags) == 0) functions_report_unused(check);
    if (diags_error_count(check->diags) == errors) check_links_given(&c, coordinator.body);
    if (diags_error_count(check->diags) == 0) warn_results_vanish(&c, coordinator.body);
    return diags_error_count(check->diags) == errors ? coordinator.body : NULL;
}
