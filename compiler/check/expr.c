/* Expressions: names, literals, operators. Places (x[i], x.f) are in lvalue.c, calls in call.c. */
#include <string.h>
#include "compiler/check/bodies.h"

/* ---- Names ----------------------------------------------------------------------- */
static NameRef global_ref(BodyCheck *c, const char *name) {
    if (c->task == NULL) return (NameRef){0};
    if (c->place == IN_PARTITION) {
        Var *param = task_find_partition_param(c->task, name);
        return param == NULL ? (NameRef){0} : (NameRef){.kind = NAME_PARTITION_PARAM, .var = param};
    }
    Var *global = task_find_global(c->task, name);
    return global == NULL ? (NameRef){0} : (NameRef){.kind = NAME_GLOBAL, .var = global};
}

NameRef name_find(BodyCheck *c, const char *name) {
    for (size_t i = c->indices.count; i-- > 0;)
        if (strcmp(c->indices.items[i]->name, name) == 0) return (NameRef){.kind = NAME_INDEX, .var = c->indices.items[i]};
    for (ScopeNode *node = c->scope; node != NULL; node = node->parent) {
        Local *local = scope_local(node, name);
        if (local != NULL) return (NameRef){.kind = NAME_LOCAL, .var = local->var, .local = local};
    }
    for (size_t i = 0; c->body != NULL && i < c->body->params.count; i++)
        if (strcmp(c->body->params.items[i]->name, name) == 0) {
            /* A parameter of Initialize that bears a global's name has set it before the body starts. */
            NameRef global = c->place == IN_INITIALIZE ? global_ref(c, name) : (NameRef){0};
            return global.var != NULL ? global : (NameRef){.kind = NAME_PARAM, .var = c->body->params.items[i]};
        }
    return global_ref(c, name);
}

typedef VEC(const char *) Words;

static void collect_locals(BodyCheck *c, Words *words) {
    for (size_t i = 0; i < c->indices.count; i++) vec_push(c->arena, words, c->indices.items[i]->name);
    for (ScopeNode *node = c->scope; node != NULL; node = node->parent)
        for (size_t i = 0; i < node->locals.count; i++) vec_push(c->arena, words, node->locals.items[i]->name);
    for (size_t i = 0; c->body != NULL && i < c->body->params.count; i++) vec_push(c->arena, words, c->body->params.items[i]->name);
}

/* What other languages call so. */
static bool help_foreign_name(Diag *d, const char *name) {
    static const char *const others[][2] = {{"True", "write true"}, {"False", "write false"}, {"pi", "write 3.141592653589793"},
                                            {"PI", "write 3.141592653589793"}, {"M_PI", "write 3.141592653589793"},
                                            {"inf", "write 1.0 / 0.0"}, {"INFINITY", "write 1.0 / 0.0"}, {"nan", "write 0.0 / 0.0"},
                                            {"NAN", "write 0.0 / 0.0"}, {"null", "HP5 has no null: numbers and fields start at zero"},
                                            {"None", "HP5 has no None: numbers and fields start at zero"},
                                            {"NULL", "HP5 has no null: numbers and fields start at zero"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(name, others[i][0]) != 0) continue;
        diag_help(d, "%s", others[i][1]);
        return true;
    }
    return false;
}

Diag *name_report_unknown(BodyCheck *c, const char *name, Span span) {
    Diag *d = diag_error(c->check->diags, E_UNKNOWN_NAME, span, "unknown name '%s'", name);
    if (c->dry || help_foreign_name(d, name) || !diag_wants_guess(d)) return d;
    Words words = {0};
    collect_locals(c, &words);
    if (c->coordinator_args != NULL) vec_push(c->arena, &words, c->coordinator_args);
    if (c->task != NULL && c->place != IN_PARTITION)
        for (size_t i = 0; i < c->task->globals.count; i++) vec_push(c->arena, &words, c->task->globals.items[i]->name);
    if (c->task != NULL && c->place == IN_PARTITION)
        for (size_t i = 0; i < c->task->partition_params.count; i++)
            vec_push(c->arena, &words, c->task->partition_params.items[i]->name);
    if (c->place == IN_PARTITION && task_find_global(c->task, name) != NULL)
        diag_help(d, "partition arguments are those in the head of the section: Partition (%s)", name);
    else if (c->task != NULL && task_find_partition_param(c->task, name) != NULL)
        diag_help(d, "a partition argument is written partition.%s here", name);
    else if (c->task == NULL || !help_ended_repeat(c->check, d, c->task, name)) help_nearest(d, name, words.items, words.count);
    bool in_task = c->place == IN_STAGE || c->place == IN_INITIALIZE || c->place == IN_FLOW;
    if (in_task && !diag_has_help(d)) help_define(d, name, c->subscripts < MAX_RANK ? c->subscripts : MAX_RANK, c->place == IN_STAGE);
    return d;
}

/* Whether some read of the local is reported because it has no value there: that says why it has no type either. */
static bool lacks_value(const BodyCheck *c, const char *name) {
    for (size_t i = 0; c->scopes != NULL && i < c->scopes->findings.count; i++) {
        const ScopeFinding *finding = &c->scopes->findings.items[i];
        if (finding->code == E_USED_BEFORE_VALUE && strcmp(finding->name, name) == 0) return true;
    }
    return false;
}

static Expr *local_value(BodyCheck *c, Local *local, Span span) {
    local->read_this_pass = true;
    if (!c->dry) local->read = true;
    if (local->var == NULL || (!c->dry && local->conflict != NULL)) return NULL;
    Expr *expr = expr_var(c, local->var, span);
    expr->type = local->type == NULL ? NULL : type_of_value(c->check, local->type);
    if (expr->type != NULL || local->flex != NULL) return expr;
    if (!c->dry && diags_error_count(c->check->diags) == 0 && !lacks_value(c, local->name))
        diag_error(c->check->diags, E_TYPE_UNDETERMINED, span, "the type of '%s' cannot be told from its assignments", local->name);
    return NULL;
}

Expr *check_name(BodyCheck *c, const AstExpr *ast) {
    const char *name = ast->name.text;
    NameRef ref = name_find(c, name);
    switch (ref.kind) {
    case NAME_LOCAL: return local_value(c, ref.local, ast->span);
    case NAME_INDEX: case NAME_PARTITION_PARAM: return expr_var(c, ref.var, ast->span);
    case NAME_PARAM: case NAME_GLOBAL: {
        Expr *expr = expr_var(c, ref.var, ast->span);
        return expr->type != NULL && expr->type->kind != TYPE_ARRAY ? apply_lag(c, expr) : expr;
    }
    case NAME_UNKNOWN: break;
    }
    if (c->coordinator_args != NULL && strcmp(name, c->coordinator_args) == 0) {
        Diag *d = diag_error(c->check->diags, E_NOT_A_VALUE, ast->span, "'%s' holds the program's arguments and is no value itself", name);
        diag_help(d, "name one argument: %s.name", name);
        return NULL;
    }
    if (strcmp(name, "lpuId") == 0) {
        Diag *d = diag_error(c->check->diags, E_LPU_ID, ast->span, "lpuId needs the dimension as a subscript");
        diag_help(d, "dimensions are counted from 0: lpuId[0]");
    } else {
        name_report_unknown(c, name, ast->span);
    }
    return NULL;
}

/* ---- Literals ---------------------------------------------------------------------- */
static Expr *check_literal(BodyCheck *c, const AstExpr *ast) {
    Expr *expr;
    switch (ast->kind) {
    case AST_INTEGER: return expr_integer(c, ast->integer, ast->span);
    case AST_REAL:
        expr = expr_new(c, EXPR_REAL, real_double(c), ast->span);
        expr->real = ast->real;
        return expr;
    case AST_BOOLEAN:
        expr = expr_new(c, EXPR_BOOLEAN, basic(c, BASIC_BOOLEAN), ast->span);
        expr->integer = ast->integer;
        return expr;
    case AST_CHARACTER:
        expr = expr_new(c, EXPR_CHARACTER, basic(c, BASIC_CHARACTER), ast->span);
        expr->integer = ast->integer;
        return expr;
    default:
        expr = expr_new(c, EXPR_STRING, basic(c, BASIC_STRING), ast->span);
        expr->text = ast->text;
        expr->text_length = ast->text_length;
        return expr;
    }
}

/* ---- Operators ----------------------------------------------------------------------- */
static Expr *check_unary(BodyCheck *c, const AstExpr *ast) {
    Expr *operand = check_any(c, ast->left);
    if (operand == NULL) return NULL;
    if (ast->op == OP_NOT) {
        if (operand->type != NULL && type_is_numeric(operand->type)) {
            Diag *d = diag_error(c->check->diags, E_TYPE_MISMATCH, operand->span, "the operand of 'not' must be Boolean, found %s", operand->type->text);
            diag_help(d, "'not' binds tighter than comparisons: not (a > b); of a number: a == 0");
            return NULL;
        }
        operand = expr_coerce(c, operand, basic(c, BASIC_BOOLEAN), false, "the operand of 'not'");
        if (operand == NULL) return NULL;
    } else if (operand->type == NULL) {
        flex_number(c, operand);
        expr_known(c, operand);
        return NULL;
    } else if (!type_is_numeric(operand->type)) {
        diag_error(c->check->diags, E_OPERAND_TYPES, ast->operator_span, "'-' needs a number, found %s", operand->type->text);
        return NULL;
    }
    if (ast->op == OP_NEG && (operand->kind == EXPR_INTEGER || operand->kind == EXPR_REAL)) {
        Expr *negated = expr_shallow_copy(c, operand);
        negated->integer = (int64_t)(0 - (uint64_t)operand->integer);
        negated->real = -operand->real;
        negated->span = ast->span;
        return negated;
    }
    Expr *expr = expr_new(c, EXPR_UNARY, operand->type, ast->span);
    expr->op = ast->op;
    expr->left = operand;
    return expr;
}

static Expr *finish_binary(BodyCheck *c, const AstExpr *ast, Expr *left, Expr *right, Type *type) {
    Expr *expr = expr_binary(c, ast->op, left, right, type);
    expr->span = ast->span;
    return expr;
}

static Expr *check_logic(BodyCheck *c, const AstExpr *ast) {
    const char *what = ast->op == OP_AND ? "an operand of 'and'" : "an operand of 'or'";
    Expr *left = check_value_as(c, ast->left, basic(c, BASIC_BOOLEAN), what);
    Expr *right = check_value_as(c, ast->right, basic(c, BASIC_BOOLEAN), what);
    if (left == NULL || right == NULL) return NULL;
    return finish_binary(c, ast, left, right, basic(c, BASIC_BOOLEAN));
}

static bool comparable(Operator op, TypeKind kind) {
    if (kind == TYPE_CHARACTER) return true;
    return (op == OP_EQ || op == OP_NE) && (kind == TYPE_BOOLEAN || kind == TYPE_STRING);
}

/* Both operands have types. */
static Expr *combine(BodyCheck *c, const AstExpr *ast, Expr *left, Expr *right) {
    Type *boolean = basic(c, BASIC_BOOLEAN);
    if (op_is_comparison(ast->op) && left->type == right->type && comparable(ast->op, left->type->kind))
        return finish_binary(c, ast, left, right, boolean);
    bool integers = left->type->kind == TYPE_INTEGER && right->type->kind == TYPE_INTEGER;
    if (op_needs_integers(ast->op)) {
        if (!integers) return operand_error(c, ast, left, right);
        return finish_binary(c, ast, left, right, left->type);
    }
    if (ast->op == OP_POW && type_is_real(left->type) && right->type->kind == TYPE_INTEGER)
        return finish_binary(c, ast, left, right, left->type);
    Type *type = expr_join(c, left, right);
    if (type == NULL) return operand_error(c, ast, left, right);
    left = expr_convert(c, left, type);
    right = expr_convert(c, right, type);
    Expr *expr = finish_binary(c, ast, left, right, op_is_comparison(ast->op) ? boolean : type);
    if (integers && ast->op == OP_DIV) warn_zero_quotient(c, expr);
    if (integers && ast->op == OP_POW) warn_zero_power(c, expr);
    return expr;
}

static Expr *check_binary(BodyCheck *c, const AstExpr *ast) {
    if (ast->op == OP_AND || ast->op == OP_OR) return check_logic(c, ast);
    if (ast->op == OP_POW) warn_minus_power(c, ast);
    Expr *left = check_value(c, ast->left), *right = check_value(c, ast->right);
    if (left == NULL || right == NULL) return NULL;
    bool integers = op_needs_integers(ast->op);
    Type *integer = basic(c, BASIC_INTEGER);
    if (ast->op == OP_POW && right->type == integer)
        flex_number(c, left); /* x ** 2 says nothing of x */
    else
        flex_demand(c, left, integers ? integer : right->type, integers);
    flex_demand(c, right, integers ? integer : left->type, integers);
    if (left->type == NULL && right->type == NULL && ast->op >= OP_ADD) {
        flex_number(c, left);
        flex_number(c, right);
    }
    if (left->type == NULL || right->type == NULL) {
        expr_known(c, left->type == NULL ? left : right);
        return NULL;
    }
    return combine(c, ast, left, right);
}

static Expr *check_in(BodyCheck *c, const AstExpr *ast) {
    Expr *left = check_value_as(c, ast->left, basic(c, BASIC_INTEGER), "the left side of 'in'");
    Expr *right = check_value_as(c, ast->right, basic(c, BASIC_RANGE), "the right side of 'in'");
    if (left == NULL || right == NULL) return NULL;
    Expr *expr = expr_new(c, EXPR_IN, basic(c, BASIC_BOOLEAN), ast->span);
    expr->left = left;
    expr->right = range_as_part(c, right);
    return expr;
}

Expr *check_range(BodyCheck *c, const AstExpr *ast) {
    Expr *left = check_value_as(c, ast->left, basic(c, BASIC_INTEGER), "the start of a range");
    Expr *right = check_value_as(c, ast->right, basic(c, BASIC_INTEGER), "the end of a range");
    if (left == NULL || right == NULL) return NULL;
    if (left->kind == EXPR_INTEGER && right->kind == EXPR_INTEGER && left->integer > right->integer + 1) {
        Diag *d = diag_warning(c->check->diags, W_EMPTY_RANGE, ast->span, "this range is empty: %lld is larger than %lld",
                               (long long)left->integer, (long long)right->integer);
        diag_help(d, "a loop that runs downwards has a negative step: in [%lld...%lld] step -1", (long long)right->integer,
                  (long long)left->integer);
    }
    Expr *expr = expr_new(c, EXPR_RANGE, basic(c, BASIC_RANGE), ast->span);
    expr->left = left;
    expr->right = right;
    return expr;
}

/* ---- Dispatch --------------------------------------------------------------------------- */
static Expr *misplaced(BodyCheck *c, const AstExpr *ast) {
    Diags *diags = c->check->diags;
    Diag *d = NULL;
    if (ast->kind == AST_ASSIGN) {
        d = diag_error(diags, E_ASSIGN_IN_EXPRESSION, ast->operator_span, "'=' assigns and has no value here");
        diag_help(d, "write '==' to compare");
    } else if (ast->kind == AST_ALL) {
        d = diag_error(diags, E_SLICE_PLACE, ast->span, "'...' stands for a whole dimension only in an assignment of slices");
        if (c->assigned == NULL) diag_help(d, "for example: row[...] = matrix[k][...]");
        else diag_help(d, "a slice is assigned to an array of the task, and '%s' is a local: declare it in Define, or use elements of the array itself, m[k][j]", c->assigned->name.text);
    } else if (ast->kind == AST_EXECUTE) {
        d = diag_error(diags, E_NOT_A_VALUE, ast->span, "execute(…) has no value");
        diag_help(d, "read a result as env.name after it");
    } else if (ast->kind == AST_SPACE_ARG) {
        d = diag_error(diags, E_NOT_A_VALUE, ast->span, "'Space %s: …' stands only among the arguments of a stage in the Computation section", ast->name.text);
    }
    return NULL;
}

Expr *check_any(BodyCheck *c, const AstExpr *ast) {
    switch (ast->kind) {
    case AST_INTEGER: case AST_REAL: case AST_CHARACTER: case AST_STRING: case AST_BOOLEAN: return check_literal(c, ast);
    case AST_NAME: return check_name(c, ast);
    case AST_FIELD: return check_field(c, ast);
    case AST_INDEX: return check_index_chain(c, ast);
    case AST_CALL: return check_call(c, ast);
    case AST_UNARY: return check_unary(c, ast);
    case AST_BINARY: return check_binary(c, ast);
    case AST_IN: return check_in(c, ast);
    case AST_RANGE: return check_range(c, ast);
    case AST_AT: return check_at(c, ast);
    case AST_NEW: return check_new(c, ast);
    case AST_ALL: case AST_ASSIGN: case AST_EXECUTE: case AST_SPACE_ARG: case AST_ERROR: break;
    }
    return misplaced(c, ast);
}

/* A value may still lack its type when uses decide it; whole arrays and voids never are values. */
Expr *check_value(BodyCheck *c, const AstExpr *ast) {
    Expr *expr = check_any(c, ast);
    if (expr == NULL || expr->type == NULL) return expr;
    if (expr->type->kind == TYPE_ARRAY && c->slice != NULL && expr->kind == EXPR_VAR) return check_index_chain(c, ast);
    if (expr->type->kind == TYPE_ARRAY) {
        Diag *d = diag_error(c->check->diags, E_WHOLE_ARRAY, ast->span, "a whole array (%s) stands where one value is needed", expr->type->text);
        if (ast == c->argument) diag_help(d, "functions get single values: give it elements, or put the loop around the call");
        else if (ast->kind == AST_NAME && expr->type->rank > 0)
            diag_help(d, "name an element: %s%s", ast->name.text, expr->type->rank == 1 ? "[i]" : expr->type->rank == 2 ? "[i][j]" : "[i][j][k]…");
        return NULL;
    }
    if (expr->type->kind == TYPE_VOID) {
        Diag *d = diag_error(c->check->diags, E_NOT_A_VALUE, ast->span, "this function returns no value");
        diag_help(d, "a function hands its result back with 'return x'");
        return NULL;
    }
    if (expr->type->kind == TYPE_ENVIRONMENT) {
        Diag *d = diag_error(c->check->diags, E_NOT_A_VALUE, ast->span, "a task environment stands where one value is needed");
        diag_help(d, "name one of its variables: env.name");
        return NULL;
    }
    return expr;
}

Expr *check_value_as(BodyCheck *c, const AstExpr *ast, Type *type, const char *what) {
    if (ast->kind == AST_ASSIGN) return misplaced(c, ast);
    return expr_coerce(c, check_value(c, ast), type, false, what);
}

Expr *check_condition(BodyCheck *c, const AstExpr *ast, const char *what) {
    return check_value_as(c, ast, basic(c, BASIC_BOOLEAN), what);
}
