/* Warnings: numbers that lose the digits behind their point: quotients of Integers where Reals are computed, Real literals
 * for Integers, and Reals that functions give to locals that are Integers.
 *
 * `1 / 2 * x` is 0, as in C. What is said, and what is left alone:
 *   - 1 / 2, 2 / 3: a quotient of 0, wherever it stands;
 *   - h = 1 / n: 0 for every n but 1, where it is all that a local gets or a function returns;
 *   - 3 / 2 and 2 / n, where the quotient becomes a Real: an operand of one, an argument of sqrt, a value for a Real;
 *   - down = (a - 1) / (b - 1), where it is all that a Real variable or element gets;
 *   - n / 2 and i / n elsewhere are said nothing of: the middle of a range and the row of an index are meant so. */
#include <math.h>
#include "compiler/check/bodies.h"

static bool is_constant(const Expr *expr) {
    return expr->kind == EXPR_INTEGER || (expr->kind == EXPR_UNARY && expr->op == OP_NEG && expr->left->kind == EXPR_INTEGER);
}

static bool is_quotient(const Expr *expr) {
    return expr->kind == EXPR_BINARY && expr->op == OP_DIV && expr->type != NULL && expr->type->kind == TYPE_INTEGER && !expr->truncated;
}

static bool is_division(const Expr *expr) { return is_quotient(expr) && is_constant(expr->left); }

/* An operand that is an Integer because it meets one, not because anything says so: it may have been meant to be a Real. */
static void help_inferred(BodyCheck *c, Diag *d, const Expr *operand) {
    const Flex *flex = expr_flex(c, operand);
    if (flex == NULL || flex->strict != NULL) return;
    const char *name = body_text(c, operand->span);
    if (c->place == IN_INITIALIZE) diag_help(d, "%s is an Integer only because it meets Integers; to have a Real, declare it in Define: %s: Real double-precision", name, name);
    else diag_help(d, "%s is an Integer only because it meets Integers; 1.0 * %s makes it a Real", name, name);
}

/* How to say what was probably meant: a literal numerator as a Real. */
static void help_real(BodyCheck *c, Diag *d, const Expr *division) {
    diag_help(d, "write %s.0 / %s for a quotient with digits behind the point; Integers are divided as in C", body_text(c, division->left->span),
              body_text(c, division->right->span));
}

void warn_zero_quotient(BodyCheck *c, const Expr *division) {
    if (!is_division(division) || !is_constant(division->right) || division->left->integer == 0) return;
    if (division->right->integer == 0 || division->left->integer / division->right->integer != 0) return;
    Diag *d = diag_warning(c->check->diags, W_INTEGER_DIVISION, division->span, "this quotient of Integers is 0");
    help_real(c, d, division);
}

void warn_unit_quotient(BodyCheck *c, const Expr *value) {
    if (!is_division(value) || is_constant(value->right) || (value->left->integer != 1 && value->left->integer != -1)) return;
    Diag *d = diag_warning(c->check->diags, W_INTEGER_DIVISION, value->span, "this quotient of Integers is 0 unless %s is 1 or -1",
                           body_text(c, value->right->span));
    help_real(c, d, value);
}

void warn_lost_digits(BodyCheck *c, const Expr *value) {
    if (value->kind == EXPR_BINARY && (value->op == OP_ADD || value->op == OP_SUB || value->op == OP_MUL)) {
        warn_lost_digits(c, value->left);
        warn_lost_digits(c, value->right);
    }
    if (value->kind == EXPR_UNARY) warn_lost_digits(c, value->left);
    if (!is_division(value) || value->left->integer == 0) return;
    bool constant = is_constant(value->right);
    if (constant && (value->right->integer == 0 || value->left->integer % value->right->integer == 0)) return;
    Diag *d = diag_warning(c->check->diags, W_INTEGER_DIVISION, value->span, "this quotient of Integers loses its digits before it becomes a Real");
    help_real(c, d, value);
}

void warn_whole_quotient(BodyCheck *c, const Expr *value) {
    if (value->kind == EXPR_UNARY && value->op == OP_NEG) value = value->left;
    if (!is_quotient(value) || is_constant(value->left)) return;
    Diag *d = diag_warning(c->check->diags, W_INTEGER_DIVISION, value->span, "this quotient of Integers loses its digits before it becomes a Real");
    const char *left = body_text(c, value->left->span), *right = body_text(c, value->right->span);
    diag_help(d, "write 1.0 * %s / %s for a quotient with digits behind the point; Integers are divided as in C", left, right);
    diag_help(d, "or Integer(%s / %s), if the whole number is meant", left, right);
    help_inferred(c, d, value->left);
    help_inferred(c, d, value->right);
}

void warn_cut_literal(BodyCheck *c, const Expr *value) {
    if (value->kind != EXPR_REAL || value->real == trunc(value->real)) return;
    Diag *d = diag_warning(c->check->diags, W_CUT_LITERAL, value->span, "%s becomes %.0f here, where an Integer stands", body_text(c, value->span),
                           trunc(value->real));
    diag_help(d, "declare a Real, or write Integer(%s) if that is meant", body_text(c, value->span));
}

/* ---- Parameters by reference ------------------------------------------------------------------------------ */

typedef struct Cut { const Var *param; const Stmt *stmt; } Cut;

static bool find_cut(const Function *function, const Var *param, Cut *cut);

/* A Real becomes an Integer here, and nobody wrote Integer(…). */
static bool is_cut(const Expr *value) {
    return value->kind == EXPR_CONVERT && value->type->kind == TYPE_INTEGER && type_is_real(value->left->type) && value->span.start == value->left->span.start &&
           value->span.end == value->left->span.end;
}

static bool note_cut(Stmt *stmt, void *data) {
    Cut *cut = data;
    if (stmt->kind == STMT_ASSIGN && cut->stmt == NULL && stmt->target->kind == EXPR_VAR && stmt->target->var == cut->param && is_cut(stmt->value)) cut->stmt = stmt;
    return true;
}

static bool note_call(Expr *expr, void *data) {
    Cut *cut = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && cut->stmt == NULL && i < expr->function->body.params.count; i++) {
        const Var *param = expr->function->body.params.items[i];
        const Expr *argument = expr->arguments.items[i];
        Cut inner = {0};
        if (param->by_reference && argument->kind == EXPR_VAR && argument->var == cut->param && find_cut(expr->function, param, &inner)) cut->stmt = inner.stmt;
    }
    return true;
}

static bool find_cut(const Function *function, const Var *param, Cut *cut) {
    *cut = (Cut){.param = param};
    walk_block((Block *)&function->body.block, note_cut, note_call, cut);
    return cut->stmt != NULL;
}

/* A local is an Integer because of what it was assigned; what the function assigns does not count, and is cut. */
void warn_cut_by_reference(BodyCheck *c, const Expr *call) {
    const VarVec *params = &call->function->body.params;
    for (size_t i = 0; i < params->count; i++) {
        const Expr *argument = call->arguments.items[i];
        Cut cut;
        if (!params->items[i]->by_reference || argument->kind != EXPR_VAR || argument->var->kind != VAR_LOCAL || argument->type->kind != TYPE_INTEGER) continue;
        if (!find_cut(call->function, params->items[i], &cut)) continue;
        const char *name = body_text(c, argument->span);
        Diag *d = diag_warning(c->check->diags, W_CUT_BY_REFERENCE, argument->span, "function '%s' gives %s a Real, which loses its digits: %s is an Integer, as what it was assigned",
                               call->function->body.name, name, name);
        diag_note(d, cut.stmt->span, "it is assigned here");
        diag_help(d, "make it a Real before: %s = 0.0; or write Integer(…) in the function if that is meant", name);
    }
}
