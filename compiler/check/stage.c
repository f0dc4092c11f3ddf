/* What the declarations side calls: instances of stages, the Initialize section, and
 * single expressions of the Computation and Partition sections. */
#include <string.h>
#include "compiler/check/bodies.h"

/* ---- Stage instances ------------------------------------------------------------------- */
typedef struct StageEntry {
    const AstStage *decl;
    Task *task;
    size_t count;
    Type **types;
    bool uses_at;                 /* an `at` stands around parentheses */
    bool *advanced;               /* the argument is written in an Epoch */
    Var **globals;                /* what the first call binds; later calls agree in the flags below */
    StageInstance *instance;      /* NULL after errors */
    ScopeTree *scopes;
    Lps *lps;
    VarVec counters;              /* undeclared Repeat variables that the body names itself */
    int number;                   /* among the instances of the stage */
    int lpu_dims; Span lpu_span;
} StageEntry;

typedef VEC(StageEntry *) StageEntries;        /* of one stage */
struct StageTable { VEC(NameTable *) tasks; }; /* by Task.id: StageEntries * by the stage's name */

static bool is_constant(const Var *var) { return var == NULL || var->kind != VAR_GLOBAL; }
static bool is_reduction(const Var *var) { return var != NULL && var->reduction; }

/* An `at` around parentheses means other parameters when other arguments are advanced by Epochs. */
static bool same_versions(Check *check, const StageEntry *entry, Var *const *vars) {
    for (size_t i = 0; i < entry->count && entry->uses_at; i++)
        if (entry->advanced[i] != var_is_advanced(check, entry->task, vars[i])) return false;
    return true;
}

static bool same_call(const StageEntry *entry, Type *const *types, Var *const *vars) {
    for (size_t i = 0; i < entry->count; i++) {
        if (entry->types[i] != types[i] || is_constant(entry->globals[i]) != is_constant(vars[i])) return false;
        if (is_reduction(entry->globals[i]) != is_reduction(vars[i])) return false;
    }
    return true;
}

/* A Repeat variable that the body names is that of the loop around the call. */
static bool same_counters(const StageEntry *entry) {
    for (size_t i = 0; i < entry->counters.count; i++)
        if (task_find_global(entry->task, entry->counters.items[i]->name) != entry->counters.items[i]) return false;
    return true;
}

static bool stage_is_outer(void *data, const char *name, bool assigned) {
    const StageEntry *entry = data;
    for (size_t i = 0; i < entry->decl->params.count; i++)
        if (strcmp(entry->decl->params.items[i].text, name) == 0) return true;
    const Var *global = task_find_global(entry->task, name);
    /* A name that the body assigns is no Repeat variable of the Computation section. */
    return global != NULL && !(global->implicit && assigned);
}

typedef struct Targets { Arena *arena; VarVec vars; } Targets;

static bool note_counter(Expr *expr, void *data) {
    Targets *counters = data;
    if (expr->var != NULL && expr->var->implicit) vec_push(counters->arena, &counters->vars, expr->var);
    return true;
}

/* The variables that a body reduces into. */

static bool note_target(Stmt *stmt, void *data) {
    Targets *targets = data;
    Var *var = stmt->kind == STMT_REDUCE && stmt->target != NULL ? stmt->target->var : NULL;
    for (size_t i = 0; i < targets->vars.count && var != NULL; i++)
        if (targets->vars.items[i] == var) var = NULL;
    if (var != NULL && var->reduction) vec_push(targets->arena, &targets->vars, var);
    return true;
}

/* Reading a reduction's target where it is being made gives nothing of use. */
static void check_reductions(BodyCheck *c, const Body *body) {
    Targets targets = {.arena = c->arena};
    walk_block((Block *)&body->block, note_target, NULL, &targets);
    const VarVec candidates = targets.vars;
    for (size_t i = 0; i < candidates.count; i++) {
        VarUse use = body_var_use(body, candidates.items[i]);
        if (!use.reduced || (!use.read && !use.written)) continue;
        Diag *d = diag_error(c->check->diags, E_REDUCE_READ, use.read ? use.first_read : use.first_write,
                             "'%s' is the target of a reduction in this stage and cannot be %s in it", candidates.items[i]->name,
                             use.read ? "read" : "assigned");
        diag_help(d, "its result is there when the stage has ended; use it in another stage");
    }
}

static void stage_pass(BodyCheck *c, void *data) {
    StageEntry *entry = data;
    StageInstance *instance = ARENA_NEW(c->arena, StageInstance);
    Body *body = &instance->body;
    *body = (Body){.name = entry->decl->name.text, .span = entry->decl->span, .result = type_void(c->check), .instance = entry->number};
    instance->task = entry->task;
    body_begin(c, body);
    for (size_t i = 0; i < entry->count; i++) {
        const Name *name = &entry->decl->params.items[i];
        Var *var = body_add_var(c, VAR_PARAM, name->text, entry->types[i], name->span);
        var->by_reference = true;
        var->constant_argument = is_constant(entry->globals[i]);
        var->reduction = is_reduction(entry->globals[i]);
        vec_push(c->arena, &body->params, var);
    }
    check_block(c, &entry->decl->body, &body->block);
    if (c->dry) return;
    entry->instance = instance;
    body_report(c);
    check_reductions(c, body);
}

static void build_stage(Check *check, StageEntry *entry) {
    entry->scopes = scope_analyse(check->arena, &entry->decl->body, stage_is_outer, entry);
    BodyCheck c = {.check = check, .arena = check->arena, .place = IN_STAGE, .task = entry->task, .lps = entry->lps,
                   .body_kind = "a stage", .scopes = entry->scopes, .param_advanced = entry->advanced};
    functions_init(check);
    size_t errors = diags_error_count(check->diags);
    infer_run(&c, stage_pass, entry);
    entry->lpu_dims = c.lpu_dims;
    entry->uses_at = c.saw_at;
    entry->lpu_span = c.lpu_span;
    if (diags_error_count(check->diags) != errors) {
        entry->instance = NULL;
        return;
    }
    Targets counters = {.arena = check->arena};
    walk_block(&entry->instance->body.block, NULL, note_counter, &counters);
    entry->counters = counters.vars;
    entry->instance->id = (int)entry->task->stages.count;
    vec_push(check->arena, &entry->task->stages, entry->instance);
}

/* A stage checked for one LPS may be called in another with fewer dimensions. */
static void check_lpu_dims(Check *check, const StageEntry *entry, const Lps *lps, Span call_span) {
    if (lps == NULL || entry->lps == lps) return;
    int dims = lps->sub_partition ? lps->parent->dims : lps->dims;
    if (entry->lpu_dims <= dims) return;
    Diag *d = diag_error(check->diags, E_LPU_ID, call_span, "stage '%s' uses lpuId[%d], and Space %s has %d dimension%s", entry->decl->name.text,
                         entry->lpu_dims - 1, lps->name, dims, dims == 1 ? "" : "s");
    diag_note(d, entry->lpu_span, "used here");
}

static StageEntries *stage_entries(Check *check, const Task *task, const AstStage *stage) {
    struct StageTable *table = check->stage_instances;
    while (table->tasks.count <= (size_t)task->id) vec_push(check->arena, &table->tasks, ARENA_NEW(check->arena, NameTable));
    NameTable *names = table->tasks.items[task->id];
    StageEntries *entries = name_table_find(names, stage->name.text);
    if (entries != NULL) return entries;
    entries = ARENA_NEW(check->arena, StageEntries);
    name_table_put(check->arena, names, stage->name.text, entries);
    return entries;
}

StageInstance *check_stage_instance(Check *check, Task *task, const AstStage *stage, Type *const *arg_types, Var *const *arg_vars,
                                    size_t count, Span call_span, Lps *lps) {
    if (count != stage->params.count) {
        Diag *d = diag_error(check->diags, E_ARGUMENT_COUNT, call_span, "stage '%s' takes %zu argument%s, %zu given", stage->name.text,
                             stage->params.count, stage->params.count == 1 ? "" : "s", count);
        diag_note(d, stage->name.span, "it is declared here");
        return NULL;
    }
    if (check->stage_instances == NULL) check->stage_instances = ARENA_NEW(check->arena, struct StageTable);
    StageEntries *entries = stage_entries(check, task, stage);
    for (size_t i = 0; i < entries->count; i++) {
        StageEntry *entry = entries->items[i];
        if (!same_call(entry, arg_types, arg_vars) || !same_versions(check, entry, arg_vars) || !same_counters(entry)) continue;
        check_lpu_dims(check, entry, lps, call_span);
        return entry->instance;
    }
    StageEntry *entry = ARENA_NEW(check->arena, StageEntry);
    *entry = (StageEntry){.decl = stage, .task = task, .count = count, .lps = lps, .number = (int)entries->count};
    entry->types = ARENA_ARRAY(check->arena, Type *, count + 1);
    entry->globals = ARENA_ARRAY(check->arena, Var *, count + 1);
    entry->advanced = ARENA_ARRAY(check->arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        entry->types[i] = arg_types[i];
        entry->globals[i] = arg_vars[i];
        entry->advanced[i] = var_is_advanced(check, task, arg_vars[i]);
    }
    vec_push(check->arena, entries, entry);
    build_stage(check, entry);
    return entry->instance;
}

/* ---- Single expressions ------------------------------------------------------------------- */
Expr *check_flow_expr(Check *check, Task *task, Lps *lps, const AstExpr *ast, Type *expected) {
    BodyCheck c = {.check = check, .arena = check->arena, .place = IN_FLOW, .task = task, .lps = lps, .body_kind = "the Computation section"};
    Body body = {.name = "Computation"};
    functions_init(check);
    body_begin(&c, &body);
    Expr *expr = check_value(&c, ast);
    return expected == NULL ? expr : expr_coerce(&c, expr, expected, false, "this");
}

Expr *check_partition_expr(Check *check, Task *task, const AstExpr *ast) {
    BodyCheck c = {.check = check, .arena = check->arena, .place = IN_PARTITION, .task = task, .body_kind = "the Partition section"};
    Body body = {.name = "Partition"};
    body_begin(&c, &body);
    return check_value_as(&c, ast, type_basic(check, BASIC_INTEGER), "a partition argument");
}

/* ---- Initialize ------------------------------------------------------------------------------ */
typedef struct InitializeCheck { Task *task; const AstTask *ast; FlexVec flexes; Body *body; } InitializeCheck;

static bool initialize_is_outer(void *data, const char *name, bool assigned) {
    const InitializeCheck *initialize = data;
    for (size_t i = 0; i < initialize->ast->initialize.params.count; i++)
        if (strcmp(initialize->ast->initialize.params.items[i].text, name) == 0) return true;
    const Var *global = task_find_global(initialize->task, name);
    return global != NULL && !(global->implicit && assigned);
}

static void set_global(BodyCheck *c, Var *param, Var *global, Span span) {
    if (global->type->kind == TYPE_ARRAY) {
        Diag *d = diag_error(c->check->diags, E_INITIALIZE_PARAMETER, span, "'%s' is an array and cannot be a parameter of Initialize", global->name);
        diag_help(d, "arrays come from the environment: bind_input(env, \"%s\", path)", global->name);
        return;
    }
    Stmt *stmt = stmt_new(c, STMT_ASSIGN, span);
    stmt->target = expr_var(c, global, span);
    stmt->value = expr_var(c, param, span);
    vec_push(c->arena, &c->body->block.statements, stmt);
}

static void initialize_pass(BodyCheck *c, void *data) {
    InitializeCheck *initialize = data;
    const NameVec *names = (const NameVec *)&initialize->ast->initialize.params;
    Body *body = ARENA_NEW(c->arena, Body);
    *body = (Body){.name = "Initialize", .span = initialize->ast->initialize.span, .result = type_void(c->check)};
    body_begin(c, body);
    for (size_t i = 0; i < names->count; i++) {
        const Name *name = &names->items[i];
        Var *global = task_find_global(c->task, name->text);
        Flex *flex = global == NULL ? initialize->flexes.items[i] : NULL;
        Var *param = body_add_var(c, VAR_PARAM, name->text, global != NULL ? global->type : flex->type, name->span);
        vec_last(&c->flex_of_var) = flex;
        vec_push(c->arena, &body->params, param);
    }
    for (size_t i = 0; i < names->count; i++) {
        Var *global = task_find_global(c->task, names->items[i].text);
        if (global != NULL) set_global(c, body->params.items[i], global, names->items[i].span);
    }
    check_block(c, &initialize->ast->initialize.body, &body->block);
    if (c->dry) return;
    initialize->body = body;
    body_report(c);
}

static void report_flexes(BodyCheck *c, const FlexVec *flexes) {
    for (size_t i = 0; i < flexes->count; i++) {
        Flex *flex = flexes->items[i];
        if (flex == NULL || flex->type != NULL || flex->reported) continue;
        Diag *d = diag_error(c->check->diags, E_TYPE_UNDETERMINED, flex->span, "the type of %s cannot be told from its uses", flex->name);
        diag_help(d, "a parameter that bears the name of a variable of the task has that variable's type");
    }
}

static bool mark_set(Stmt *stmt, void *data) {
    (void)data;
    Expr *place = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    while (place != NULL && place->kind != EXPR_VAR) place = place->left;
    if (place != NULL && place->var->kind == VAR_GLOBAL) place->var->set_by_initialize = true;
    return true;
}

Body *check_initialize(Check *check, Task *task) {
    const AstTask *ast = check_task_ast(check, task);
    if (!ast->initialize.present) return NULL;
    functions_init(check);
    InitializeCheck initialize = {.task = task, .ast = ast};
    BodyCheck c = {.check = check, .arena = check->arena, .place = IN_INITIALIZE, .task = task, .body_kind = "Initialize"};
    FlexVec all = {0};
    c.flexes = &all;
    for (size_t i = 0; i < ast->initialize.params.count; i++) {
        const Name *name = &ast->initialize.params.items[i];
        Flex *flex = flex_new(&c, arena_printf(check->arena, "parameter '%s'", name->text), NULL, name->span);
        vec_push(check->arena, &initialize.flexes, task_find_global(task, name->text) == NULL ? flex : NULL);
    }
    c.scopes = scope_analyse(check->arena, &ast->initialize.body, initialize_is_outer, &initialize);
    size_t errors = diags_error_count(check->diags);
    infer_run(&c, initialize_pass, &initialize);
    report_flexes(&c, &initialize.flexes);
    if (diags_error_count(check->diags) != errors) return NULL;
    walk_block(&initialize.body->block, mark_set, NULL, NULL);
    return initialize.body;
}
