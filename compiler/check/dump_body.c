/* Bodies in words close to the source: conversions are written type(x), everything that
 * the checker wrote out (slices, chains, bounds of loops) is shown written out. */
#include "compiler/check/dump.h"
#include "compiler/check/bodies.h"

static const char *const PART_NAMES[] = {"min", "max", "length"};

/* ---- Expressions ------------------------------------------------------------------- */
static void dump_list(Text *out, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++) {
        if (i > 0) text_append(out, ", ");
        if (exprs->items[i] == NULL) text_append(out, "0");
        else dump_expr(out, exprs->items[i]);
    }
}

static void dump_subscripts(Text *out, const Expr *expr) {
    for (size_t i = 0; i < expr->arguments.count; i++) {
        text_char(out, '[');
        dump_expr(out, expr->arguments.items[i]);
        text_char(out, ']');
    }
}

static void dump_lag(Text *out, const Expr *expr) {
    if (expr->lag > 0) text_printf(out, " at (current - %d)", expr->lag);
}

static void dump_literal(Text *out, const Expr *expr) {
    if (expr->kind == EXPR_REAL) {
        text_real(out, expr->real);
        if (expr->type->kind == TYPE_REAL_SINGLE) text_append(out, "f");
    } else if (expr->kind == EXPR_STRING) {
        text_json_string(out, expr->text, expr->text_length);
    } else if (expr->kind == EXPR_BOOLEAN) {
        text_append(out, expr->integer ? "true" : "false");
    } else if (expr->kind == EXPR_CHARACTER && expr->integer > ' ' && expr->integer < 127) {
        text_printf(out, "'%c'", (char)expr->integer);
    } else {
        text_printf(out, "%lld", (long long)expr->integer);
    }
}

static void dump_infix(Text *out, const Expr *left, const char *operator, const Expr *right) {
    text_char(out, '(');
    dump_expr(out, left);
    text_printf(out, " %s ", operator);
    dump_expr(out, right);
    text_char(out, ')');
}

static void dump_call(Text *out, const Expr *expr) {
    if (expr->kind == EXPR_MATH) text_append(out, expr->math);
    else text_printf(out, "%s#%d", expr->function->body.name, expr->function->body.instance);
    text_char(out, '(');
    dump_list(out, &expr->arguments);
    text_char(out, ')');
}

static void dump_coordinator_expr(Text *out, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_ARG: text_printf(out, "args.#%d", expr->argument); break;
    case EXPR_ENV_SCALAR:
        dump_expr(out, expr->left);
        text_printf(out, ".%s", expr->var->name);
        break;
    case EXPR_NEW_ENVIRONMENT: text_printf(out, "new TaskEnvironment(name: \"%s\")", expr->type->task->name); break;
    case EXPR_LOAD_ARRAY:
        text_append(out, "load_array(");
        dump_expr(out, expr->left);
        text_char(out, ')');
        break;
    default:
        text_printf(out, "new %s(", expr->type->text);
        dump_list(out, &expr->arguments);
        text_char(out, ')');
        break;
    }
}

void dump_expr(Text *out, const Expr *expr) {
    if (expr == NULL) {
        text_append(out, "?");
        return;
    }
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: case EXPR_STRING: dump_literal(out, expr); break;
    case EXPR_VAR:
        text_printf(out, "%s%s", expr->var->kind == VAR_PARTITION ? "partition." : "", expr->var->name);
        dump_lag(out, expr);
        break;
    case EXPR_ELEMENT:
        text_append(out, expr->var->name);
        dump_subscripts(out, expr);
        dump_lag(out, expr);
        break;
    case EXPR_AT_INDEX:
        dump_expr(out, expr->left);
        dump_subscripts(out, expr);
        break;
    case EXPR_FIELD:
        dump_expr(out, expr->left);
        text_printf(out, ".%s", expr->left->type->fields.items[expr->field].name);
        break;
    case EXPR_RANGE_PART:
        dump_expr(out, expr->left);
        text_printf(out, ".%s", PART_NAMES[expr->part]);
        break;
    case EXPR_RANGE:
        text_char(out, '[');
        dump_expr(out, expr->left);
        text_append(out, "...");
        dump_expr(out, expr->right);
        text_char(out, ']');
        break;
    case EXPR_DIM_RANGE: text_printf(out, "%s%s.dimension%d.range", expr->var->name, expr->local ? ".local" : "", expr->dimension + 1); break;
    case EXPR_UNARY:
        text_append(out, expr->op == OP_NOT ? "not " : "-");
        dump_expr(out, expr->left);
        break;
    case EXPR_BINARY: dump_infix(out, expr->left, operator_text(expr->op), expr->right); break;
    case EXPR_IN: dump_infix(out, expr->left, "in", expr->right); break;
    case EXPR_CONVERT:
        text_printf(out, "%s(", expr->type->kind == TYPE_INTEGER ? "integer" : expr->type->kind == TYPE_REAL_SINGLE ? "single" : "double");
        dump_expr(out, expr->left);
        text_char(out, ')');
        break;
    case EXPR_CALL: case EXPR_MATH: dump_call(out, expr); break;
    case EXPR_LPU_ID:
        text_append(out, "lpuId[");
        dump_expr(out, expr->left);
        text_char(out, ']');
        break;
    default: dump_coordinator_expr(out, expr); break;
    }
}

/* ---- Statements ------------------------------------------------------------------------- */
static void dump_block(Text *out, const Block *block, int indent);

static void dump_bounds(Text *out, const LoopIndex *index) {
    for (size_t i = 0; i < index->lower.count; i++) {
        text_append(out, i == 0 ? " from " : ", ");
        dump_expr(out, index->lower.items[i]);
    }
    for (size_t i = 0; i < index->upper.count; i++) {
        text_append(out, i == 0 ? " to " : ", ");
        dump_expr(out, index->upper.items[i]);
    }
    for (size_t i = 0; i < index->filters.count; i++) {
        text_append(out, i == 0 ? " where " : " and ");
        dump_expr(out, index->filters.items[i]);
    }
}

static void dump_parallel(Text *out, const Stmt *stmt, int indent) {
    text_append(out, "parallel");
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        text_printf(out, "%s %s in ", i == 0 ? "" : ";", index->var->name);
        if (index->domain_var == NULL) {
            dump_expr(out, index->domain_range);
        } else {
            text_printf(out, "%s.dimension%d", index->domain_var->name, index->dimension + 1);
            if (index->other_dimension >= 0) text_printf(out, " and dimension%d", index->other_dimension + 1);
        }
        dump_bounds(out, index);
    }
    text_append(out, " {\n");
    dump_block(out, &stmt->body, indent + 4);
    text_indent(out, indent);
    text_append(out, "}\n");
}

static void dump_sequence(Text *out, const Stmt *stmt, int indent) {
    text_printf(out, "sequence %s in ", stmt->index->name);
    dump_expr(out, stmt->value);
    if (stmt->step != NULL) {
        text_append(out, " step ");
        dump_expr(out, stmt->step);
    }
    text_append(out, " {\n");
    dump_block(out, &stmt->body, indent + 4);
    text_indent(out, indent);
    text_append(out, "}\n");
}

static void dump_if(Text *out, const Stmt *stmt, int indent) {
    text_append(out, "if ");
    dump_expr(out, stmt->value);
    text_append(out, " {\n");
    dump_block(out, &stmt->body, indent + 4);
    text_indent(out, indent);
    if (stmt->otherwise != NULL) {
        text_append(out, "} else {\n");
        dump_block(out, stmt->otherwise, indent + 4);
        text_indent(out, indent);
    }
    text_append(out, "}\n");
}

static void dump_set_bounds(Text *out, const Stmt *stmt) {
    text_append(out, stmt->var->name);
    if (stmt->dimension < 0) {
        text_printf(out, ".dimension = %s.dimension\n", stmt->source_var->name);
        return;
    }
    text_printf(out, ".dimension%d.range%s%s = ", stmt->dimension + 1, stmt->whole_range ? "" : ".", stmt->whole_range ? "" : PART_NAMES[stmt->part]);
    dump_expr(out, stmt->value);
    text_char(out, '\n');
}

static void dump_execute(Text *out, const ExecuteStmt *execute) {
    text_printf(out, "execute \"%s\" in ", execute->task->name);
    dump_expr(out, execute->environment);
    text_append(out, " initialize (");
    dump_list(out, &execute->initialize);
    text_append(out, ") partition (");
    dump_list(out, &execute->partition);
    text_append(out, ")\n");
}

static void dump_environment_stmt(Text *out, const Stmt *stmt) {
    if (stmt->kind == STMT_BIND_INPUT || stmt->kind == STMT_BIND_OUTPUT) text_append(out, stmt->kind == STMT_BIND_INPUT ? "input " : "output ");
    dump_expr(out, stmt->environment);
    text_printf(out, ".%s = ", stmt->env_var->name);
    if (stmt->kind == STMT_SHARE) {
        dump_expr(out, stmt->environment2);
        text_printf(out, ".%s", stmt->env_var2->name);
    } else {
        dump_expr(out, stmt->path != NULL ? stmt->path : stmt->value);
    }
    text_char(out, '\n');
}

static void dump_extern(Text *out, const ExternBlock *external) {
    const ExternCode *host = external->host, *card = external->card;
    const char *name = host == NULL ? "" : host->language == EXTERN_CPLUSPLUS ? "C++" : "C";
    text_printf(out, "extern %s%s%s uses", name, host != NULL && card != NULL ? " or " : "", card != NULL ? "CUDA" : "");
    for (size_t i = 0; i < external->uses.count; i++) text_printf(out, " %s", external->uses.items[i]->name);
    text_char(out, '\n');
}

static void dump_simple(Text *out, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_ASSIGN:
        dump_expr(out, stmt->target);
        text_append(out, stmt->accumulate == ACCUMULATE_NONE ? " = " : stmt->accumulate == ACCUMULATE_FMA ? " =fma " : " =fms ");
        dump_expr(out, stmt->value);
        break;
    case STMT_CALL: dump_expr(out, stmt->value); break;
    case STMT_RETURN:
        text_append(out, "return ");
        if (stmt->value != NULL) dump_expr(out, stmt->value);
        break;
    case STMT_REDUCE:
        text_printf(out, "reduce %s %s ", stmt->target->var->name, reduce_op_text(stmt->reduce));
        dump_expr(out, stmt->value);
        break;
    case STMT_PRINT:
        text_append(out, "print ");
        dump_list(out, &stmt->arguments);
        break;
    case STMT_STORE_ARRAY:
        text_append(out, "store ");
        dump_expr(out, stmt->value);
        text_append(out, " in ");
        dump_expr(out, stmt->path);
        break;
    default: break;
    }
    text_char(out, '\n');
}

static void dump_stmt(Text *out, const Stmt *stmt, int indent) {
    text_indent(out, indent);
    switch (stmt->kind) {
    case STMT_IF: dump_if(out, stmt, indent); break;
    case STMT_PARALLEL: dump_parallel(out, stmt, indent); break;
    case STMT_SEQUENCE: dump_sequence(out, stmt, indent); break;
    case STMT_WHILE:
        text_append(out, "do {\n");
        dump_block(out, &stmt->body, indent + 4);
        text_indent(out, indent);
        text_append(out, "} while ");
        dump_expr(out, stmt->value);
        text_char(out, '\n');
        break;
    case STMT_BLOCK:
        text_append(out, "{\n");
        dump_block(out, &stmt->body, indent + 4);
        text_indent(out, indent);
        text_append(out, "}\n");
        break;
    case STMT_EXTERN: dump_extern(out, stmt->external); break;
    case STMT_SET_BOUNDS: dump_set_bounds(out, stmt); break;
    case STMT_EXECUTE: dump_execute(out, stmt->execute); break;
    case STMT_BIND_INPUT: case STMT_BIND_OUTPUT: case STMT_SHARE: case STMT_SET_ENV_SCALAR: case STMT_SET_ENV_ARRAY:
        dump_environment_stmt(out, stmt);
        break;
    default: dump_simple(out, stmt); break;
    }
}

static void dump_block(Text *out, const Block *block, int indent) {
    for (size_t i = 0; i < block->locals.count; i++) {
        text_indent(out, indent);
        text_printf(out, "local %s: %s\n", block->locals.items[i]->name, block->locals.items[i]->type->text);
    }
    for (size_t i = 0; i < block->statements.count; i++) dump_stmt(out, block->statements.items[i], indent);
}

void dump_body(Text *out, const Body *body, int indent) {
    text_printf(out, "%s#%d(", body->name, body->instance);
    for (size_t i = 0; i < body->params.count; i++) {
        const Var *var = body->params.items[i];
        text_printf(out, "%s%s%s: %s%s", i == 0 ? "" : ", ", var->by_reference && !var->constant_argument ? "&" : "", var->name, var->type->text,
                    var->reduction ? " Reduction" : "");
    }
    text_append(out, ")");
    if (body->result != NULL && body->result->kind != TYPE_VOID) text_printf(out, ": %s", body->result->text);
    text_append(out, " {\n");
    dump_block(out, &body->block, indent + 4);
    text_indent(out, indent);
    text_append(out, "}\n");
}
