/* Statements, blocks and the variables of a body. */
#include <string.h>
#include "compiler/check/bodies.h"

Stmt *stmt_new(BodyCheck *c, StmtKind kind, Span span) {
    Stmt *stmt = ARENA_NEW(c->arena, Stmt);
    stmt->kind = kind;
    stmt->span = span;
    return stmt;
}

Var *body_add_var(BodyCheck *c, VarKind kind, const char *name, Type *type, Span span) {
    Var *var = ARENA_NEW(c->arena, Var);
    *var = (Var){.kind = kind, .name = name, .type = type, .span = span, .id = (int)c->body->vars.count, .versions = 1};
    vec_push(c->arena, &c->body->vars, var);
    vec_push(c->arena, &c->local_of_var, NULL);
    vec_push(c->arena, &c->flex_of_var, NULL);
    return var;
}

void body_begin(BodyCheck *c, Body *body) {
    c->body = body;
    c->scope = NULL;
    c->local_of_var.items = NULL;
    c->local_of_var.count = c->local_of_var.capacity = 0;
    c->flex_of_var.items = NULL;
    c->flex_of_var.count = c->flex_of_var.capacity = 0;
    c->indices.items = NULL;
    c->indices.count = c->indices.capacity = 0;
    c->parallel_depth = 0;
    c->local_reductions = NULL;
    c->in_at = false;
    c->slice = NULL;
    c->result = NULL;
    c->result_weak = false;
    c->saw_return = c->returns_nothing = false;
}

/* ---- Blocks ------------------------------------------------------------------------- */
static void open_locals(BodyCheck *c, ScopeNode *node, Block *out) {
    VarKind kind = c->place == IN_COORDINATOR ? VAR_COORDINATOR : VAR_LOCAL;
    for (size_t i = 0; i < node->locals.count; i++) {
        Local *local = node->locals.items[i];
        local->var = body_add_var(c, kind, local->name, local->type, local->first);
        local->read_this_pass = false;
        local->changes_before = local->changes;
        local->changes = 0;
        vec_last(&c->local_of_var) = local;
        vec_push(c->arena, &out->locals, local->var);
    }
}

static void check_statement(BodyCheck *c, const AstStmt *ast, Block *out);

void check_block(BodyCheck *c, const AstBlock *ast, Block *out) {
    ScopeNode *outer = c->scope;
    c->scope = outer == NULL ? c->scopes->root : scope_child(outer, ast);
    if (c->scope == NULL) internal_error("check", "a block without a scope");
    out->span = ast->span;
    open_locals(c, c->scope, out);
    for (size_t i = 0; i < ast->statements.count;) {
        const size_t group = extern_group(ast, i);
        if (group > 0) check_extern(c, &ast->statements.items[i], group, out);
        else check_statement(c, ast->statements.items[i], out);
        i += group > 0 ? group : 1;
    }
    c->scope = outer;
}

/* ---- Statements ------------------------------------------------------------------------ */
static void check_if(BodyCheck *c, const AstStmt *ast, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_IF, ast->span);
    stmt->value = check_condition(c, ast->expr, "the condition of 'if'");
    check_block(c, &ast->body, &stmt->body);
    if (ast->otherwise != NULL) {
        stmt->otherwise = ARENA_NEW(c->arena, Block);
        check_block(c, ast->otherwise, stmt->otherwise);
    }
    vec_push(c->arena, &out->statements, stmt);
}

static void check_while(BodyCheck *c, const AstStmt *ast, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_WHILE, ast->span);
    check_block(c, &ast->body, &stmt->body);
    stmt->value = check_condition(c, ast->expr, "the condition of 'while'");
    vec_push(c->arena, &out->statements, stmt);
}

static void join_result(BodyCheck *c, const Expr *value, Span span) {
    bool weak = expr_is_weak_real(c, value);
    if (c->result == NULL) {
        c->result = value->type;
        c->result_weak = weak;
        c->result_span = span;
        return;
    }
    Type *joined = c->result == value->type ? c->result : NULL;
    if (type_is_numeric(c->result) && type_is_numeric(value->type)) {
        joined = type_join(c->check, c->result, value->type);
        if (c->result_weak && value->type->kind == TYPE_REAL_SINGLE) joined = value->type;
        if (weak && c->result->kind == TYPE_REAL_SINGLE) joined = c->result;
    }
    if (joined == NULL) {
        Diag *d = diag_error(c->check->diags, E_RETURN_MIXED, span, "this returns %s, but another return gives %s", value->type->text, c->result->text);
        diag_note(d, c->result_span, "the other return is here");
        return;
    }
    c->result = joined;
    c->result_weak = c->result_weak && weak;
}

static void report_return_mixed(BodyCheck *c, Span span) {
    if (c->result == NULL || !c->returns_nothing) return;
    Diag *d = diag_error(c->check->diags, E_RETURN_MIXED, span, "some returns of function '%s' give a value and some do not", c->body->name);
    diag_note(d, c->returns_nothing && span.start != c->nothing_span.start ? c->nothing_span : c->result_span, "compare this return");
}

static void check_return(BodyCheck *c, const AstStmt *ast, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_RETURN, ast->span);
    if (c->parallel_depth > 0) {
        diag_error(c->check->diags, E_RETURN_PLACE, ast->span, "a parallel loop cannot be left with 'return'");
        return;
    }
    if (c->place != IN_FUNCTION && ast->expr != NULL) {
        Diag *d = diag_error(c->check->diags, E_RETURN_PLACE, ast->span, "only a function returns a value, this is %s", c->body_kind);
        if (c->place == IN_STAGE) diag_help(d, "assign the result to a parameter or a variable of the task");
        return;
    }
    c->saw_return = true;
    if (ast->expr == NULL) {
        c->returns_nothing = true;
        c->nothing_span = ast->span;
    } else {
        stmt->value = check_value(c, ast->expr);
        if (stmt->value == NULL || !expr_known(c, stmt->value)) return;
        join_result(c, stmt->value, ast->span);
        warn_unit_quotient(c, stmt->value);
        bool numbers = c->result_known != NULL && type_is_numeric(c->result_known) && type_is_numeric(stmt->value->type);
        if (numbers) stmt->value = expr_convert(c, stmt->value, c->result_known);
    }
    if (c->place == IN_FUNCTION) report_return_mixed(c, ast->span);
    vec_push(c->arena, &out->statements, stmt);
}

static bool is_foreign(Stmt *stmt, void *data) {
    bool *found = data;
    *found |= stmt->kind == STMT_EXTERN || stmt->kind == STMT_CALL;
    return !*found;
}

/* A call that only returns a value: of math.h, or of a function that changes nothing of its caller's. */
static void warn_value_unused(BodyCheck *c, const Expr *call) {
    bool effect = call->kind != EXPR_MATH;
    if (call->kind == EXPR_CALL && call->function != NULL && call->type != NULL && call->type->kind != TYPE_VOID) {
        effect = false;
        for (size_t i = 0; i < call->function->body.params.count; i++) {
            const Var *param = call->function->body.params.items[i];
            effect |= param->by_reference || param->type == NULL || param->type->kind == TYPE_LIST;
        }
        walk_block(&call->function->body.block, is_foreign, NULL, &effect);
    }
    if (effect) return;
    Diag *d = diag_warning(c->check->diags, W_VALUE_UNUSED, call->span, "nobody uses the value of this call");
    diag_help(d, "assign it: y = …; a function changes its argument through a parameter with '&'");
}

static void check_expr_statement(BodyCheck *c, const AstStmt *ast, Block *out) {
    const AstExpr *expr = ast->expr;
    if (expr->kind == AST_ASSIGN) {
        check_assign(c, expr, ast->span, out);
    } else if (expr->kind == AST_EXECUTE) {
        check_execute(c, expr, out);
    } else if (expr->kind == AST_CALL) {
        if (check_coordinator_call(c, expr, out)) return;
        Expr *call = check_call(c, expr);
        if (call == NULL) return;
        Stmt *stmt = stmt_new(c, STMT_CALL, ast->span);
        stmt->value = call;
        warn_value_unused(c, call);
        vec_push(c->arena, &out->statements, stmt);
    }
}

static void check_statement(BodyCheck *c, const AstStmt *ast, Block *out) {
    switch (ast->kind) {
    case AST_EXPR_STMT: check_expr_statement(c, ast, out); break;
    case AST_IF: check_if(c, ast, out); break;
    case AST_PARALLEL: check_parallel(c, ast, out); break;
    case AST_SEQUENCE: check_sequence(c, ast, out); break;
    case AST_WHILE: check_while(c, ast, out); break;
    case AST_RETURN: check_return(c, ast, out); break;
    case AST_REDUCE: check_reduce(c, ast, out); break;
    case AST_EXTERN: break; /* check_block has them together */
    case AST_BLOCK: {
        Stmt *stmt = stmt_new(c, STMT_BLOCK, ast->span);
        check_block(c, &ast->body, &stmt->body);
        vec_push(c->arena, &out->statements, stmt);
        break;
    }
    case AST_STMT_ERROR: break;
    }
}

/* ---- What the whole body shows -------------------------------------------------------------- */
static void report_locals(BodyCheck *c, ScopeNode *node) {
    Diags *diags = c->check->diags;
    for (size_t i = 0; i < node->locals.count; i++) {
        Local *local = node->locals.items[i];
        if (local->conflict != NULL) {
            Diag *d = diag_error(diags, E_LOCAL_CONFLICT, local->conflict_span, "'%s' gets %s here, but %s elsewhere", local->name,
                                 local->conflict->text, local->type->text);
            diag_note(d, local->type_span, "here it gets %s", local->type->text);
            diag_help(d, "use two names: a local has one type");
        } else if (!local->read && diags_error_count(diags) == 0) {
            Diag *d = diag_warning(diags, W_NEVER_READ, local->first, "'%s' is assigned but never read", local->name);
            if (c->task != NULL && c->task->globals.count > 0 && diag_wants_guess(d)) {
                VEC(const char *) names = {0};
                for (size_t k = 0; k < c->task->globals.count; k++) vec_push(c->arena, &names, c->task->globals.items[k]->name);
                help_nearest(d, local->name, names.items, names.count);
            }
        }
    }
    for (size_t i = 0; i < node->children.count; i++) report_locals(c, node->children.items[i]);
}

void body_report(BodyCheck *c) {
    Diags *diags = c->check->diags;
    NameTable unset = {0};
    for (size_t i = 0; i < c->scopes->findings.count; i++) {
        ScopeFinding finding = c->scopes->findings.items[i];
        if (finding.code == W_UNREACHABLE) {
            diag_warning(diags, finding.code, finding.span, "this is never reached");
            continue;
        }
        if (name_table_put(c->arena, &unset, finding.name, (void *)finding.name) != NULL) continue; /* the first one says why */
        Diag *d = diag_error(diags, finding.code, finding.span, "'%s' may be used before it has a value", finding.name);
        if (finding.of_itself) diag_help(d, "its new value is made of its old one: give it a first value before, %s = 0.0, say", finding.name);
        else diag_help(d, "assign it on every path that leads here");
    }
    report_locals(c, c->scopes->root);
}
