/* Conversions and the small constructors of typed expressions. A literal is weak: beside a
 * single-precision value a Real literal is single, beside a Real an Integer literal is Real. */
#include <string.h>
#include "compiler/check/bodies.h"

Expr *expr_new(BodyCheck *c, ExprKind kind, Type *type, Span span) {
    Expr *expr = ARENA_NEW(c->arena, Expr);
    expr->kind = kind;
    expr->type = type;
    expr->span = span;
    return expr;
}

Expr *expr_integer(BodyCheck *c, int64_t value, Span span) {
    Expr *expr = expr_new(c, EXPR_INTEGER, basic(c, BASIC_INTEGER), span);
    expr->integer = value;
    return expr;
}

Expr *expr_var(BodyCheck *c, Var *var, Span span) {
    Expr *expr = expr_new(c, EXPR_VAR, var->type == NULL ? NULL : type_of_value(c->check, var->type), span);
    expr->var = var;
    return expr;
}

Expr *expr_binary(BodyCheck *c, Operator op, Expr *left, Expr *right, Type *type) {
    Expr *expr = expr_new(c, EXPR_BINARY, type, span_join(left->span, right->span));
    expr->op = op;
    expr->left = left;
    expr->right = right;
    return expr;
}

Expr *expr_shallow_copy(BodyCheck *c, const Expr *expr) {
    Expr *copy = ARENA_NEW(c->arena, Expr);
    *copy = *expr;
    return copy;
}

/* A Real made of literals alone, or (while types are being found) a local that has only seen such. */
bool expr_is_weak_real(BodyCheck *c, const Expr *expr) {
    if (expr->type == NULL || expr->type->kind != TYPE_REAL_DOUBLE) return false;
    switch (expr->kind) {
    case EXPR_REAL: return true;
    case EXPR_UNARY: return expr_is_weak_real(c, expr->left);
    case EXPR_BINARY:
        return expr_is_weak_real(c, expr->left) && (expr->right->kind == EXPR_INTEGER || expr_is_weak_real(c, expr->right));
    case EXPR_VAR: {
        size_t id = (size_t)expr->var->id;
        return expr->var->kind == VAR_LOCAL && id < c->local_of_var.count && c->local_of_var.items[id] != NULL
            && c->local_of_var.items[id]->weak;
    }
    default: return false;
    }
}

/* Rebuilds an expression of literals in single precision. */
static Expr *retype_literals(BodyCheck *c, const Expr *expr, Type *type) {
    Expr *copy = expr_shallow_copy(c, expr);
    if (expr->kind == EXPR_INTEGER) return copy;
    copy->type = type;
    if (expr->kind == EXPR_REAL) copy->real = (double)(float)expr->real;
    if (expr->left != NULL) copy->left = retype_literals(c, expr->left, type);
    if (expr->right != NULL) copy->right = retype_literals(c, expr->right, type);
    return copy;
}

Expr *expr_convert(BodyCheck *c, Expr *expr, Type *type) {
    type = type_of_value(c->check, type);
    if (expr->type == type) return expr;
    if (type->kind == TYPE_REAL_SINGLE && expr_is_weak_real(c, expr)) return retype_literals(c, expr, type);
    if (expr->kind == EXPR_INTEGER && type_is_real(type)) {
        Expr *real = expr_new(c, EXPR_REAL, type, expr->span);
        real->real = type->kind == TYPE_REAL_SINGLE ? (double)(float)expr->integer : (double)expr->integer;
        return real;
    }
    if (type_is_real(type) && expr->type->kind == TYPE_INTEGER) warn_lost_digits(c, expr);
    Expr *converted = expr_new(c, EXPR_CONVERT, type, expr->span);
    converted->left = expr;
    return converted;
}

Type *expr_join(BodyCheck *c, const Expr *a, const Expr *b) {
    if (!type_is_numeric(a->type) || !type_is_numeric(b->type)) return NULL;
    if (a->type->kind == TYPE_REAL_SINGLE && expr_is_weak_real(c, b)) return a->type;
    if (b->type->kind == TYPE_REAL_SINGLE && expr_is_weak_real(c, a)) return b->type;
    return type_join(c->check, a->type, b->type);
}

static void report_undetermined(BodyCheck *c, const Expr *expr) {
    Flex *flex = expr_flex(c, expr);
    if (flex == NULL || flex->reported || c->dry) return;
    flex->reported = true;
    Diag *d = diag_error(c->check->diags, E_TYPE_UNDETERMINED, expr->span, "the type of %s cannot be told from its uses", flex->name);
    if (flex->origin != NULL) diag_help(d, "assign it to a variable of an environment: env.name = …");
    else diag_help(d, "use it where a type is known: a partition argument, a variable of the task, or beside a number");
}

bool expr_known(BodyCheck *c, const Expr *expr) {
    Flex *flex = expr_flex(c, expr);
    if (flex != NULL && flex->conflict != NULL && !c->dry) return false;   /* reported with the arguments */
    if (expr->type != NULL) return true;
    report_undetermined(c, expr);
    return false;
}

Expr *expr_coerce(BodyCheck *c, Expr *expr, Type *type, bool narrow, const char *what) {
    if (expr == NULL) return NULL;
    flex_demand(c, expr, type, true);
    if (!expr_known(c, expr)) return NULL;
    Type *wanted = type_of_value(c->check, type);
    if (expr->type == wanted) return expr;
    if (type_is_numeric(expr->type) && type_is_numeric(wanted)) {
        bool widens = type_join(c->check, expr->type, wanted) == wanted || type_is_real(wanted);
        if (narrow && wanted->kind == TYPE_INTEGER) warn_cut_literal(c, expr);
        if (narrow && type_is_real(wanted)) warn_whole_quotient(c, expr);
        if (widens || narrow) return expr_convert(c, expr, wanted);
    }
    Diag *d = diag_error(c->check->diags, E_TYPE_MISMATCH, expr->span, "%s must be %s, found %s", what, wanted->text, expr->type->text);
    if (type_is_real(expr->type) && wanted->kind == TYPE_INTEGER && expr->kind != EXPR_REAL)
        diag_help(d, "write Integer(…), which truncates, or lround(…)");
    else if (wanted->kind == TYPE_CHARACTER && expr->type->kind == TYPE_STRING) help_letter(c, d, expr);
    else if (wanted->kind == TYPE_BOOLEAN && type_is_numeric(expr->type)) diag_help(d, "compare the number: … != 0");
    else if (wanted->kind == TYPE_RANGE && expr->type->kind == TYPE_INTEGER) diag_help(d, "a range is written [0...n - 1]");
    return NULL;
}

static bool vectors_equal(const ExprVec *a, const ExprVec *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!expr_equal(a->items[i], b->items[i])) return false;
    return true;
}

bool expr_equal(const Expr *a, const Expr *b) {
    if (a == NULL || b == NULL) return a == b;
    if (a->kind != b->kind || a->type != b->type) return false;
    switch (a->kind) {
    case EXPR_INTEGER: case EXPR_BOOLEAN: case EXPR_CHARACTER:
        if (a->integer != b->integer) return false;
        break;
    case EXPR_REAL: return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    case EXPR_STRING: return a->text_length == b->text_length && memcmp(a->text, b->text, a->text_length) == 0;
    case EXPR_CALL: return false;
    case EXPR_MATH:
        if (strcmp(a->math, b->math) != 0) return false;
        break;
    default: break;
    }
    return a->var == b->var && a->lag == b->lag && a->op == b->op && a->field == b->field && a->dimension == b->dimension
        && a->argument == b->argument && a->local == b->local && a->part == b->part && expr_equal(a->left, b->left)
        && expr_equal(a->right, b->right) && vectors_equal(&a->arguments, &b->arguments);
}
