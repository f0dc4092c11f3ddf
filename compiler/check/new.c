/* new T(field: value, …): user types, ranges, static arrays and lists. Environments are in tasks.c. */
#include <string.h>
#include "compiler/check/bodies.h"

static Expr *check_new_struct(BodyCheck *c, const AstExpr *ast, Type *type) {
    Expr *expr = expr_new(c, EXPR_NEW_STRUCT, type, ast->span);
    for (size_t i = 0; i < type->fields.count; i++) vec_push(c->arena, &expr->arguments, NULL);
    for (size_t i = 0; i < ast->named.count; i++) {
        const AstNamedArg *arg = &ast->named.items[i];
        size_t field = 0;
        while (field < type->fields.count && strcmp(type->fields.items[field].name, arg->name.text) != 0) field++;
        if (field == type->fields.count || arg->values.count != 1) {
            Diag *d = diag_error(c->check->diags, E_NEW_FIELD, arg->name.span, "type %s has no field '%s'", type->name, arg->name.text);
            VEC(const char *) names = {0};
            for (size_t f = 0; f < type->fields.count; f++) vec_push(c->arena, &names, type->fields.items[f].name);
            if (arg->values.count == 1) diag_help(d, "it has %s", text_join_or(c->arena, names.items, names.count));
            return NULL;
        }
        if (expr->arguments.items[field] != NULL) {
            diag_error(c->check->diags, E_NEW_FIELD, arg->name.span, "field '%s' is given twice", arg->name.text);
            return NULL;
        }
        Expr *value = check_value(c, arg->values.items[0]);
        value = expr_coerce(c, value, type->fields.items[field].type, true, "the value of a field");
        if (value == NULL) return NULL;
        expr->arguments.items[field] = value;
    }
    return expr;
}

/* With min and max alone it is [min...max] in the syntax tree already. */
static Expr *check_new_range(BodyCheck *c, const AstExpr *ast) {
    VEC(const char *) seen = {0};
    Diag *d = NULL;
    for (size_t i = 0; i < ast->named.count && d == NULL; i++) {
        const Name *name = &ast->named.items[i].name;
        bool known = strcmp(name->text, "min") == 0 || strcmp(name->text, "max") == 0, twice = false;
        for (size_t k = 0; k < seen.count; k++) twice |= strcmp(seen.items[k], name->text) == 0;
        if (!known) d = diag_error(c->check->diags, E_NEW_FIELD, name->span, "a Range has no field '%s' to set", name->text);
        else if (twice) d = diag_error(c->check->diags, E_NEW_FIELD, name->span, "field '%s' is given twice", name->text);
        vec_push(c->arena, &seen, name->text);
    }
    if (d == NULL) d = diag_error(c->check->diags, E_NEW_FIELD, ast->span, "a Range has two ends");
    diag_help(d, "write [first...last], or new Range(min: first, max: last)");
    return NULL;
}

Expr *check_new(BodyCheck *c, const AstExpr *ast) {
    if (ast->type == NULL) return check_new_environment(c, ast);
    Type *type = type_from_ast(c->check, ast->type);
    if (type == NULL) return NULL;
    if (type->kind == TYPE_STRUCT) return check_new_struct(c, ast, type);
    if (type->kind == TYPE_RANGE) return check_new_range(c, ast);
    if (type->kind == TYPE_STATIC_ARRAY && ast->named.count > 0) {
        Diag *d = diag_error(c->check->diags, E_NEW_FIELD, ast->named.items[0].name.span, "%s has no fields", type->text);
        diag_help(d, "its elements start at zero; assign them one by one");
        return NULL;
    }
    if (type->kind == TYPE_STATIC_ARRAY) return expr_new(c, EXPR_NEW_ARRAY, type, ast->span);
    if (type->kind == TYPE_LIST && (c->place == IN_FUNCTION || c->place == IN_COORDINATOR))
        return expr_new(c, EXPR_NEW_LIST, type, ast->span);
    Diag *d = diag_error(c->check->diags, E_NEW_TYPE, ast->span, "'new' cannot make %s here", type->text);
    if (type->kind == TYPE_ARRAY) diag_help(d, "an array is made by a task (create), or read with load_array(path)");
    else diag_help(d, "'new' makes user types, ranges, static arrays, lists (in functions and the coordinator) and task environments");
    return NULL;
}
