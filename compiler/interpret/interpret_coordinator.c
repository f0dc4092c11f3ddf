/* What only the coordinator does: environments, binding, sharing, files, lists, printing. */
#include "compiler/interpret/internal.h"
#include "runtime/io/files.h"
#include "runtime/io/print.h"
#include "runtime/report/error.h"
#include <string.h>

/* ---- Printing ---------------------------------------------------------------------- */

static void print_value(Value value, const Type *type) {
    switch (type->kind) {
    case TYPE_INTEGER: hp5_print_integer(value.integer); break;
    case TYPE_REAL_DOUBLE: hp5_print_real(value.real); break;
    case TYPE_REAL_SINGLE: hp5_print_single(value.single); break;
    case TYPE_BOOLEAN: hp5_print_boolean(value.integer != 0); break;
    case TYPE_CHARACTER: hp5_print_character((char)value.integer); break;
    case TYPE_STRING: hp5_print_string(value.string != NULL ? value.string : ""); break;
    case TYPE_RANGE: hp5_print_range(value.range.min, value.range.max); break;
    default: internal_error("interpret", "print of %s", type->text);
    }
}

static void print_line(Machine *m, const Stmt *stmt) {
    for (size_t i = 0; i < stmt->arguments.count; i++) {
        const Expr *argument = stmt->arguments.items[i];
        Value value = eval(m, argument);
        if (i > 0) hp5_print_space();
        print_value(value, argument->type);
    }
    hp5_print_end();
}

/* ---- Expressions ---------------------------------------------------------------------- */

static Value environment_value(Machine *m, const Expr *e) {
    Environment *environment = eval(m, e->left).pointer;
    Item *item = environment->items[e->var->id];
    if (item == NULL)
        machine_fail(m, e->span, "the environment of task '%s' has no value for '%s' yet; execute the task first",
                     environment->task->name, e->var->name);
    if (item->type->kind != TYPE_ARRAY) return memory_load(m, item->data, item->type, e->var->name, e->span);
    item->pinned = true;
    return (Value){.pointer = item};
}

static Value argument_value(Machine *m, const Expr *e) {
    const Hp5ArgValue *argument = &m->args[e->argument];
    switch (e->type->kind) {
    case TYPE_REAL_DOUBLE: return (Value){.real = argument->real};
    case TYPE_REAL_SINGLE: return (Value){.single = (float)argument->real};
    case TYPE_BOOLEAN: return (Value){.integer = argument->boolean};
    case TYPE_STRING: return (Value){.string = argument->string};
    default: return (Value){.integer = argument->integer};
    }
}

static Value new_list(Machine *m, const Expr *e) {
    ListValue *list = ARENA_NEW(m->arena, ListValue);
    list->element = e->type->element;
    return (Value){.pointer = list};
}

static Value load_array(Machine *m, const Expr *e) {
    Item *item = item_new(m, e->type);
    item->pinned = true;
    item->path = eval(m, e->left).string;
    item->what = "load_array";
    hp5_file_reads(item->path, item->what);
    item_load(m, item, e->span);
    return (Value){.pointer = item};
}

Value eval_coordinator(Machine *m, const Expr *e) {
    switch (e->kind) {
    case EXPR_ARG: return argument_value(m, e);
    case EXPR_ENV_SCALAR: return environment_value(m, e);
    case EXPR_NEW_ENVIRONMENT: return (Value){.pointer = environment_new(m, e->type->task)};
    case EXPR_NEW_LIST: return new_list(m, e);
    case EXPR_NEW_ARRAY: return (Value){.pointer = memory_push(m, memory_size(m, e->type), true)};
    case EXPR_LOAD_ARRAY: return load_array(m, e);
    default: internal_error("interpret", "expression kind %d", (int)e->kind);
    }
}

/* ---- Statements --------------------------------------------------------------------------- */

static Environment *environment_of(Machine *m, const Expr *e) { return eval(m, e).pointer; }

static void bind_input(Machine *m, const Stmt *stmt) {
    Environment *environment = environment_of(m, stmt->environment);
    Item *item = item_new(m, stmt->env_var->type);
    item->path = eval(m, stmt->path).string;
    item->what = stmt->env_var->name;
    hp5_file_reads(item->path, item->what);
    environment_bind(environment, stmt->env_var, item);
}

static void bind_output(Machine *m, const Stmt *stmt) {
    Output *output = ARENA_NEW(m->arena, Output);
    *output = (Output){environment_of(m, stmt->environment), stmt->env_var, eval(m, stmt->path).string, NULL};
    hp5_file_writes(output->path, output->var->name, true);
    *m->last_output = output;
    m->last_output = &output->next;
}

static void share(Machine *m, const Stmt *stmt) {
    Environment *to = environment_of(m, stmt->environment), *from = environment_of(m, stmt->environment2);
    Item *item = from->items[stmt->env_var2->id];
    if (item == NULL)
        machine_fail(m, stmt->span, "the environment of task '%s' has no data for '%s' yet; execute the task first",
                     from->task->name, stmt->env_var2->name);
    environment_bind(to, stmt->env_var, item);
}

static void set_scalar(Machine *m, const Stmt *stmt) {
    Environment *environment = environment_of(m, stmt->environment);
    Value value = eval(m, stmt->value);
    Item *item = item_new(m, stmt->env_var->type);
    memory_store(m, item->data, item->type, value, stmt->span);
    environment_bind(environment, stmt->env_var, item);
}

static void set_array(Machine *m, const Stmt *stmt) {
    Environment *environment = environment_of(m, stmt->environment);
    environment_bind(environment, stmt->env_var, eval(m, stmt->value).pointer);
}

static void store_array(Machine *m, const Stmt *stmt) {
    Item *item = eval(m, stmt->value).pointer;
    const char *path = eval(m, stmt->path).string;
    hp5_file_writes(path, "store_array", false);
    item_write(m, item, path, "store_array", stmt->span);
    hp5_file_written(path);
}

bool run_coordinator_statement(Machine *m, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_EXECUTE: execute_task(m, stmt->execute, stmt->span); return true;
    case STMT_BIND_INPUT: bind_input(m, stmt); return true;
    case STMT_BIND_OUTPUT: bind_output(m, stmt); return true;
    case STMT_SHARE: share(m, stmt); return true;
    case STMT_SET_ENV_SCALAR: set_scalar(m, stmt); return true;
    case STMT_SET_ENV_ARRAY: set_array(m, stmt); return true;
    case STMT_STORE_ARRAY: store_array(m, stmt); return true;
    case STMT_PRINT: print_line(m, stmt); return true;
    default: return false;
    }
}
