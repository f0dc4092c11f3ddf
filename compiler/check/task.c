/* Tasks: the variables of the Define section, what the Environment section says
 * of them, partition parameters, and the Repeat variables that nobody declared.
 * Nothing here looks into stage bodies; computation.c does, through the calls. */
#include <ctype.h>
#include <string.h>
#include "compiler/check/declare.h"

const AstTask *check_task_ast(Check *check, const Task *task) { return check->task_asts.items[task->id]; }

Task *check_find_task(Check *check, const char *name) { return name_table_find(&check->task_names, name); }

Var *task_find_global(const Task *task, const char *name) {
    Var *var = name_table_find(task->names, name);
    if (var == NULL || !var->implicit) return var;
    return var->counting && strcmp(var->name, name) == 0 ? var : NULL;
}

Var *task_find_partition_param(const Task *task, const char *name) {
    for (size_t i = 0; i < task->partition_params.count; i++)
        if (strcmp(task->partition_params.items[i]->name, name) == 0) return task->partition_params.items[i];
    return NULL;
}

void help_nearest_global(Check *check, Diag *diag, const Task *task, const char *word) {
    VEC(const char *) names = {0};
    if (!diag_wants_guess(diag)) return;
    for (size_t i = 0; i < task->globals.count; i++) vec_push(check->arena, &names, task->globals.items[i]->name);
    help_nearest(diag, word, names.items, names.count);
}

void help_define(Diag *diag, const char *name, int rank, bool local) {
    if (!diag_wants_guess(diag)) return;
    if (rank > 0) {
        diag_help(diag, "an array of the task is declared in its Define section: '%s: %dd Array of Real double-precision'", name, rank);
        if (local && rank == 1)
            diag_help(diag, "a static array of a fixed size is made before its elements are used: %s = new Array[4] of Integer", name);
    }
    if (rank < 0)
        diag_help(diag, "a variable of the task is declared in its Define section: '%s: Real double-precision', or '%s: 1d Array of …'", name, name);
    if (rank == 0)
        diag_help(diag, "a variable of the task is declared in its Define section: '%s: Real double-precision'%s", name,
                  local ? "; a local gets its value before it is read" : "");
}

static Var *add_global(Check *check, Task *task, Name name, Type *type) {
    Var *var = ARENA_NEW(check->arena, Var);
    *var = (Var){.kind = VAR_GLOBAL, .name = name.text, .type = type, .span = name.span,
                 .id = (int)task->globals.count, .versions = 1};
    vec_push(check->arena, &task->globals, var);
    return var;
}

static Var *add_implicit(Check *check, Task *task, Name name) {
    Var *var = add_global(check, task, name, type_basic(check, BASIC_INTEGER));
    var->implicit = true;
    return var;
}

Var *task_repeat_variable(Check *check, Task *task, Name name) {
    NameTable *table = check->task_globals.items[task->id];
    Var *var = name_table_find(table, name.text);
    if (!var->implicit || var->counting || var->span.start == name.span.start) return var;
    Var *own = add_implicit(check, task, name);
    for (int n = 2; own->symbol == NULL || name_table_find(table, own->symbol) != NULL; n++)
        own->symbol = arena_printf(check->arena, "%s_%d", name.text, n);
    /* So that no other variable gets it; a program cannot name it. */
    name_table_put(check->arena, table, own->symbol, own);
    name_table_replace(table, name.text, own);
    return own;
}

bool help_ended_repeat(Check *check, Diag *diag, const Task *task, const char *word) {
    const Var *var = name_table_find(check->task_globals.items[task->id], word);
    if (var == NULL || !var->implicit || strcmp(var->name, word) != 0) return false;
    diag_help(diag, "'%s' belongs to its Repeat; declare '%s: Integer' in the Define section to use it outside", word, word);
    return true;
}

/* ---- Duplicates ---------------------------------------------------------------------- */

static void report_duplicate(Check *check, const char *what, Name name, Span first) {
    Diag *diag = diag_error(check->diags, E_DUPLICATE_NAME, name.span, "%s '%s' is declared twice", what, name.text);
    diag_note(diag, first, "the first '%s' is here", name.text);
}

static void check_distinct(Check *check, const char *what, const NameVec *names) {
    NameTable seen = {0};
    for (size_t i = 0; i < names->count; i++) {
        Name *first = name_table_put(check->arena, &seen, names->items[i].text, &names->items[i]);
        if (first != NULL) report_duplicate(check, what, names->items[i], first->span);
    }
}

static void check_stage_names(Check *check, const AstTask *ast) {
    NameTable seen = {0};
    for (size_t i = 0; i < ast->stages.items.count; i++) {
        AstStage *stage = &ast->stages.items.items[i];
        AstStage *first = name_table_put(check->arena, &seen, stage->name.text, stage);
        if (first != NULL) report_duplicate(check, "stage", stage->name, first->name.span);
        check_distinct(check, "parameter", &stage->params);
    }
}

/* ---- Define ----------------------------------------------------------------------------- */

static bool check_global_type(Check *check, const AstDefinition *definition, const Type *type) {
    if (type->kind == TYPE_LIST || type->kind == TYPE_STRING) {
        Diag *diag = diag_error(check->diags, E_GLOBAL_TYPE, definition->type->span,
                                "a task variable cannot have type '%s'", type->text);
        diag_help(diag, type->kind == TYPE_LIST ? "Lists belong to functions and the coordinator; a task works on arrays"
                                                : "Strings belong to the coordinator and to user types");
        return false;
    }
    bool reducible = type_is_numeric(type) || type->kind == TYPE_BOOLEAN;
    if (definition->reduction && !reducible) {
        Diag *diag = diag_error(check->diags, E_REDUCTION_TYPE, definition->type->span,
                                "a Reduction variable cannot have type '%s'", type->text);
        diag_help(diag, "a reduction gives one Integer, Real or Boolean for each LPU of its target's LPS");
        return false;
    }
    return true;
}

static Type *stand_in_type(Check *check, const AstType *ast) {
    Type *integer = type_basic(check, BASIC_INTEGER);
    bool array = ast->kind == AST_TYPE_ARRAY && ast->rank >= 1 && ast->rank <= MAX_RANK;
    return array ? type_array(check, integer, ast->rank) : integer;
}

static void declare_globals(Check *check, Task *task, const AstTask *ast) {
    NameTable *table = check->task_globals.items[task->id];
    for (size_t i = 0; i < ast->define.items.count; i++) {
        const AstDefinition *definition = &ast->define.items.items[i];
        Type *type = type_from_ast(check, definition->type);
        /* A variable whose type is wrong is declared all the same, so that its uses are not reported as well. */
        if (type == NULL || !check_global_type(check, definition, type)) type = stand_in_type(check, definition->type);
        for (size_t n = 0; n < definition->names.count; n++) {
            Name name = definition->names.items[n];
            Var *first = name_table_find(table, name.text);
            if (first != NULL) {
                report_duplicate(check, "variable", name, first->span);
                continue;
            }
            Var *var = add_global(check, task, name, type);
            var->reduction = definition->reduction;
            name_table_put(check->arena, table, name.text, var);
        }
    }
}

/* ---- Environment --------------------------------------------------------------------------- */

static void link_variable(Check *check, Task *task, Name name, LinkMode mode, NameTable *linked) {
    Var *var = name_table_find(check->task_globals.items[task->id], name.text);
    if (var == NULL) {
        Diag *diag = diag_error(check->diags, E_ENVIRONMENT_NAME, name.span,
                                "the Environment names '%s', which the Define section does not declare", name.text);
        help_nearest_global(check, diag, task, name.text);
        return;
    }
    Name *first = name_table_find(linked, name.text);
    if (first != NULL) {
        Diag *diag = diag_error(check->diags, E_ENVIRONMENT_TWICE, name.span, "the Environment names '%s' twice", name.text);
        diag_note(diag, first->span, "the first '%s' is here", name.text);
        return;
    }
    var->environment = true;
    var->link = mode;
}

static void declare_environment(Check *check, Task *task, const AstTask *ast) {
    NameTable linked = {0};
    for (size_t i = 0; i < ast->environment.items.count; i++) {
        const AstLinkage *linkage = &ast->environment.items.items[i];
        for (size_t n = 0; n < linkage->names.count; n++) {
            link_variable(check, task, linkage->names.items[n], linkage->mode, &linked);
            name_table_put(check->arena, &linked, linkage->names.items[n].text, &linkage->names.items[n]);
        }
    }
}

/* ---- Partition parameters and Repeat variables ------------------------------------------------ */

static void declare_partition_params(Check *check, Task *task, const AstTask *ast) {
    const NameVec *params = &ast->partition.params;
    check_distinct(check, "partition parameter", params);
    for (size_t i = 0; i < params->count; i++) {
        Name name = params->items[i];
        if (task_find_partition_param(task, name.text) != NULL) continue;
        Var *global = name_table_find(check->task_globals.items[task->id], name.text);
        if (global != NULL) {
            Diag *diag = diag_error(check->diags, E_PARTITION_CLASH, name.span,
                                    "'%s' is both a partition parameter and a variable of the task", name.text);
            diag_note(diag, global->span, "the variable is declared here");
            diag_help(diag, "rename one of them");
        }
        Var *var = ARENA_NEW(check->arena, Var);
        *var = (Var){.kind = VAR_PARTITION, .name = name.text, .type = type_basic(check, BASIC_INTEGER),
                     .span = name.span, .id = (int)task->partition_params.count};
        vec_push(check->arena, &task->partition_params, var);
    }
}

static void declare_repeat_variables(Check *check, Task *task, const AstFlowVec *flow) {
    NameTable *table = check->task_globals.items[task->id];
    for (size_t i = 0; i < flow->count; i++) {
        const AstFlow *step = flow->items[i];
        if (step->kind == FLOW_REPEAT_FOR && name_table_find(table, step->name.text) == NULL) {
            Var *param = task_find_partition_param(task, step->name.text);
            if (param != NULL) {
                Diag *diag = diag_error(check->diags, E_PARTITION_CLASH, step->name.span,
                                        "'%s' is both a partition parameter and a Repeat variable", step->name.text);
                diag_note(diag, param->span, "the partition parameter is declared here");
                diag_help(diag, "rename one of them");
            }
            Var *var = add_implicit(check, task, step->name);
            name_table_put(check->arena, table, var->name, var);
        }
        declare_repeat_variables(check, task, &step->body);
    }
}

/* ---- Tasks -------------------------------------------------------------------------------------- */

/* An identifier that no C keyword or library name equals: words of small letters alone get a prefix. */
static char *make_symbol(Check *check, const char *name) {
    char *symbol = arena_strdup(check->arena, name);
    bool plain = true;
    for (char *c = symbol; *c != '\0'; c++) {
        if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c)) *c = '_';
        if (!islower((unsigned char)*c)) plain = false;
    }
    bool starts_well = isalpha((unsigned char)symbol[0]);
    if (plain || !starts_well) symbol = arena_printf(check->arena, "task_%s", symbol);
    for (size_t i = 0; i < check->program->tasks.count; i++) {
        if (strcmp(check->program->tasks.items[i]->symbol, symbol) != 0) continue;
        symbol = arena_printf(check->arena, "%s_t%zu", symbol, check->program->tasks.count);
        i = (size_t)-1;   /* the longer symbol may be another task's */
    }
    return symbol;
}

static void check_sections(Check *check, const AstTask *ast) {
    const struct { bool present; const char *name, *purpose; } sections[] = {
        {ast->define.present, "Define", "declares the task's variables"},
        {ast->stages.present, "Stages", "holds its parallel procedures"},
        {ast->computation.present, "Computation", "says in which order its stages run"},
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (sections[i].present) continue;
        Diag *diag = diag_error(check->diags, E_MISSING_SECTION, ast->name.span, "task \"%s\" has no %s section",
                                ast->name.text, sections[i].name);
        diag_help(diag, "the %s section %s", sections[i].name, sections[i].purpose);
    }
}

static void declare_task(Check *check, const AstTask *ast) {
    Task *task = ARENA_NEW(check->arena, Task);
    *task = (Task){.name = ast->name.text, .symbol = make_symbol(check, ast->name.text),
                   .id = (int)check->program->tasks.count, .span = ast->name.span};
    vec_push(check->arena, &check->program->tasks, task);
    vec_push(check->arena, &check->task_asts, ast);
    vec_push(check->arena, &check->task_globals, ARENA_NEW(check->arena, NameTable));
    task->names = vec_last(&check->task_globals);
    name_table_put(check->arena, &check->task_names, task->name, task);
    size_t errors = diags_error_count(check->diags);
    check_sections(check, ast);
    declare_globals(check, task, ast);
    declare_environment(check, task, ast);
    declare_partition_params(check, task, ast);
    declare_repeat_variables(check, task, &ast->computation.body);
    check_distinct(check, "parameter", &ast->initialize.params);
    check_stage_names(check, ast);
    vec_push(check->arena, &check->task_sound, diags_error_count(check->diags) == errors);
}

void declare_tasks(Check *check) {
    for (size_t i = 0; i < check->ast->parts.count; i++) {
        if (check->ast->parts.items[i].kind != AST_PART_TASK) continue;
        const AstTask *ast = check->ast->parts.items[i].task;
        Task *first = check_find_task(check, ast->name.text);
        if (first == NULL) {
            declare_task(check, ast);
            continue;
        }
        Diag *diag = diag_error(check->diags, E_DUPLICATE_TASK, ast->name.span, "task \"%s\" is declared twice",
                                ast->name.text);
        diag_note(diag, first->span, "the first task of this name is here");
    }
}
