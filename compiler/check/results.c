/* Warnings: a task is executed, and nobody ever reads what it computes; or it is not executed at all.
 *
 * A result leaves an environment by bind_output, as a scalar that the coordinator reads, or as an array that another
 * environment shares. Environments that share data are looked at together, because a task may change the data of another's
 * name. Foreign code may do anything, so a task with some of it is left alone, and so is everything when an environment has
 * a second name. */
#include "compiler/check/tasks.h"

typedef struct Group { const Var *environment; struct Group *with; bool read; } Group;
typedef struct Made { const Var *environment; Span span; const Task *task; } Made;

typedef struct Results {
    BodyCheck *c;
    VEC(Group *) groups;
    VEC(const Stmt *) executes;
    VEC(Made) made;              /* environments: env = new TaskEnvironment(…) */
    VEC(const Var *) holders;    /* share data with others: they keep something, executed or not */
    bool aliased;
} Results;

static Group *group_of(Results *r, const Expr *environment) {
    const Var *var = environment->var;
    Group *found = NULL;
    for (size_t i = 0; i < r->groups.count && found == NULL; i++)
        if (r->groups.items[i]->environment == var) found = r->groups.items[i];
    if (found == NULL) {
        found = ARENA_NEW(r->c->arena, Group);
        found->environment = var;
        vec_push(r->c->arena, &r->groups, found);
    }
    while (found->with != NULL) found = found->with;
    return found;
}

static void join(Results *r, const Stmt *share) {
    Group *a = group_of(r, share->environment), *b = group_of(r, share->environment2);
    if (a == b) return;
    a->with = b;
    b->read |= a->read;
}

static bool look_at_stmt(Stmt *stmt, void *data) {
    Results *r = data;
    switch (stmt->kind) {
    case STMT_BIND_OUTPUT: group_of(r, stmt->environment)->read = true; break;
    case STMT_SET_ENV_ARRAY: group_of(r, stmt->environment)->read = true; break; /* the array has a name here, for store_array */
    case STMT_SHARE:
        join(r, stmt);
        vec_push(r->c->arena, &r->holders, stmt->environment->var);
        vec_push(r->c->arena, &r->holders, stmt->environment2->var);
        break;
    case STMT_EXECUTE: vec_push(r->c->arena, &r->executes, stmt); break;
    case STMT_ASSIGN:
        if (stmt->value->type->kind != TYPE_ENVIRONMENT) break;
        if (stmt->value->kind != EXPR_NEW_ENVIRONMENT || stmt->target->kind != EXPR_VAR) r->aliased = true;
        else vec_push(r->c->arena, &r->made, ((Made){stmt->target->var, stmt->value->span, stmt->value->type->task}));
        break;
    default: break;
    }
    return true;
}

static bool look_at_expr(Expr *expr, void *data) {
    if (expr->kind == EXPR_ENV_SCALAR) group_of(data, expr->left)->read = true;
    return true;
}

typedef struct Foreign { bool found, *seen; /* functions, by id */ } Foreign;

static bool find_extern(Stmt *stmt, void *data) {
    Foreign *foreign = data;
    foreign->found |= stmt->external != NULL;
    return !foreign->found;
}

static bool find_call(Expr *expr, void *data) {
    Foreign *foreign = data;
    if (expr->kind == EXPR_CALL && !foreign->seen[expr->function->id]) {
        foreign->seen[expr->function->id] = true;
        walk_block(&expr->function->body.block, find_extern, find_call, data);
    }
    return !foreign->found;
}

static bool has_foreign_code(Results *r, const Task *task) {
    Foreign foreign = {.seen = ARENA_ARRAY(r->c->arena, bool, r->c->check->program->functions.count + 1)};
    if (task->initialize != NULL) walk_block(&task->initialize->block, find_extern, find_call, &foreign);
    for (size_t i = 0; i < task->stages.count; i++) walk_block(&task->stages.items[i]->body.block, find_extern, find_call, &foreign);
    return foreign.found;
}

/* What is most probably the result: something that the task makes, and an array before a scalar. */
static const Var *some_result(const Task *task) {
    const Var *best = NULL;
    int rank = 0;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        bool made = var->link != LINK_LINK;
        int value = !var->environment ? 0 : made && var_is_array(var) ? 3 : made ? 2 : var_is_array(var) ? 1 : 0;
        if (value <= rank) continue;
        best = var;
        rank = value;
    }
    return best;
}

static void report(Results *r, const Stmt *stmt) {
    const Task *task = stmt->execute->task;
    const Var *environment = stmt->execute->environment->var, *var = some_result(task);
    Diag *d = diag_warning(r->c->check->diags, W_RESULTS_VANISH, stmt->span, "nobody reads what task \"%s\" computes", task->name);
    if (environment == NULL) {
        diag_help(d, "give the environment a name: env = new TaskEnvironment(name: \"%s\")", task->name);
        return;
    }
    const char *name = environment->name;
    if (var == NULL) diag_help(d, "list its results in the Environment section of the task ('create'), and take them out here");
    else if (var_is_array(var)) diag_help(d, "write bind_output(%s, \"%s\", path), or hand it on: env2.x = %s.%s", name, var->name, name, var->name);
    else diag_help(d, "for example: print(%s.%s)", name, var->name);
}

/* ---- What is never executed ------------------------------------------------------------------ */

static bool runs_task(const Results *r, const Task *task) {
    for (size_t i = 0; i < r->executes.count; i++)
        if (r->executes.items[i]->execute->task == task) return true;
    return false;
}

static bool runs_in(const Results *r, const Var *environment) {
    for (size_t i = 0; i < r->holders.count; i++)
        if (r->holders.items[i] == environment) return true;
    for (size_t i = 0; i < r->executes.count; i++)
        if (r->executes.items[i]->execute->environment->var == environment) return true;
    return false;
}

/* A program whose coordinator executes nothing may be one of functions, or half written: its tasks are checked all the same. */
static void warn_never_executed(Results *r) {
    const Program *program = r->c->check->program;
    for (size_t i = 0; i < r->made.count; i++) {
        const Made *made = &r->made.items[i];
        if (runs_in(r, made->environment)) continue;
        Diag *d = diag_warning(r->c->check->diags, W_NEVER_EXECUTED, made->span, "no task is executed in '%s'", made->environment->name);
        diag_help(d, "write execute(task: \"%s\"; environment: %s; …)", made->task->name, made->environment->name);
    }
    for (size_t i = 0; i < program->tasks.count && r->executes.count > 0; i++) {
        const Task *task = program->tasks.items[i];
        bool made = runs_task(r, task);
        for (size_t k = 0; k < r->made.count; k++) made |= r->made.items[k].task == task; /* has been spoken of */
        if (!made) diag_warning(r->c->check->diags, W_NEVER_EXECUTED, task->span, "task \"%s\" is never executed", task->name);
    }
}

void warn_results_vanish(BodyCheck *c, Body *body) {
    Results r = {.c = c};
    walk_block(&body->block, look_at_stmt, look_at_expr, &r);
    if (r.aliased) return;
    warn_never_executed(&r);
    /* The last of several: what is missing is missing behind it. */
    for (size_t i = r.executes.count; i-- > 0;) {
        const Stmt *stmt = r.executes.items[i];
        Group *group = group_of(&r, stmt->execute->environment);
        if (group->read || has_foreign_code(&r, stmt->execute->task)) continue;
        report(&r, stmt);
        group->read = group->environment != NULL;
    }
}
