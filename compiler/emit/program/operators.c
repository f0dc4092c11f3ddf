/* See operators.h. */
#include "compiler/emit/program/operators.h"

#include <string.h>
#include "compiler/emit/backend.h"
#include "compiler/lower/passes.h"

Level emit_level_of(Operator op) {
    switch (op) {
    case OP_OR: return LEVEL_OR;
    case OP_AND: return LEVEL_AND;
    case OP_BITOR: return LEVEL_BITOR;
    case OP_BITXOR: return LEVEL_BITXOR;
    case OP_BITAND: return LEVEL_BITAND;
    case OP_EQ: case OP_NE: return LEVEL_EQUAL;
    case OP_LT: case OP_GT: case OP_LE: case OP_GE: return LEVEL_LESS;
    case OP_SHL: case OP_SHR: return LEVEL_SHIFT;
    case OP_ADD: case OP_SUB: return LEVEL_ADD;
    default: return LEVEL_MULTIPLY;
    }
}

const char *emit_operator(Operator op) {
    static const char *const texts[] = {"||", "&&", "|", "^", "&", "==", "!=", "<", ">", "<=", ">=",
                                        "<<", ">>", "+", "-", "*", "/", "%", "**", "-", "!"};
    return texts[op];
}

bool emit_needs_paren(Level inner, Operator op, bool right) {
    Level outer = emit_level_of(op);
    if (inner >= LEVEL_UNARY) return false;
    if (inner == outer) return right || outer == LEVEL_EQUAL || outer == LEVEL_LESS;
    if (inner < outer) return true;
    if (outer == LEVEL_OR) return inner == LEVEL_AND || (inner >= LEVEL_BITOR && inner <= LEVEL_BITAND);
    if (outer == LEVEL_AND) return inner >= LEVEL_BITOR && inner <= LEVEL_BITAND;
    if (outer == LEVEL_ADD) return false;
    if (outer == LEVEL_EQUAL || outer == LEVEL_LESS) return inner < LEVEL_ADD;
    return true; /* bit operations and shifts: anything inside */
}

/* ---- Both sides of and, or -------------------------------------------------------------------------------- */
static bool is_scalar(const Type *type) {
    return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER || type_is_real(type);
}

static bool is_free(const Expr *expr, const Expr *left);

static bool is_free_operator(const Expr *expr, const Expr *left) {
    switch (expr->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_BITAND: case OP_BITOR: case OP_BITXOR:
    case OP_EQ: case OP_NE: case OP_LT: case OP_GT: case OP_LE: case OP_GE:
    case OP_AND: case OP_OR: return is_scalar(expr->left->type) && is_free(expr->left, left) && is_free(expr->right, left);
    default: return false;
    }
}

static bool is_free(const Expr *expr, const Expr *left) {
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: return true;
    case EXPR_VAR: return is_scalar(expr->type);
    case EXPR_ELEMENT: return is_scalar(expr->type) && lower_always_touches(left, expr);
    case EXPR_UNARY: return is_free(expr->left, left);
    case EXPR_CONVERT: return is_scalar(expr->left->type) && !(expr->type->kind == TYPE_INTEGER && type_is_real(expr->left->type)) && is_free(expr->left, left);
    case EXPR_MATH: return expr->arguments.count == 1 && (strcmp(expr->math, "fabs") == 0 || strcmp(expr->math, "llabs") == 0) && is_free(expr->arguments.items[0], left);
    case EXPR_BINARY: return is_free_operator(expr, left);
    default: return false;
    }
}

bool emit_has_both_sides(const Expr *expr) { return is_free(expr->right, expr->left); }

/* ---- Booleans of arrays ------------------------------------------------------------------------------------ */
char *emit_truth(Emit *emit, const EmitNames *names, const Expr *expr, char *text) {
    const bool of_array = expr->type->kind == TYPE_BOOLEAN && expr->kind == EXPR_ELEMENT && text[strlen(text) - 1] == ']';
    const bool in_vectors = names && names->in_vectors && !emit->options.checked && emit->backend != &backend_cuda;
    return of_array && in_vectors ? arena_printf(emit->arena, "hp5_is_true(&%s)", text) : text;
}
