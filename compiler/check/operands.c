/* What is said where an operator does not take its operands: which ones it takes, and what was probably meant. */
#include <string.h>
#include "compiler/check/bodies.h"

const char *body_text(BodyCheck *c, Span span) { return arena_copy(c->arena, c->check->ast->source->text + span.start, span.end - span.start); }

bool op_is_comparison(Operator op) { return op >= OP_EQ && op <= OP_GE; }
bool op_needs_integers(Operator op) {
    return op == OP_BITOR || op == OP_BITXOR || op == OP_BITAND || op == OP_SHL || op == OP_SHR || op == OP_MOD;
}

/* ---- Characters ------------------------------------------------------------------------ */
void help_codes(Diag *d) {
    diag_help(d, "Characters are compared and stored; what computes with codes has them as Integers, which files of int8 or uint8 give as well");
}

void help_letter(BodyCheck *c, Diag *d, const Expr *text) {
    const char *quoted = body_text(c, text->span);
    const int inside = (int)strlen(quoted) - 2;
    if (text->kind != EXPR_STRING || text->text_length != 1) diag_help(d, "a Character is one byte, in single quotes: 'x'");
    else diag_help(d, "a Character stands in single quotes: '%s%.*s'", text->text[0] == '\'' && inside == 1 ? "\\" : "", inside, quoted + 1);
}

static bool help_characters(BodyCheck *c, Diag *d, const Expr *left, const Expr *right) {
    const bool first = left->type->kind == TYPE_CHARACTER;
    if (!first && right->type->kind != TYPE_CHARACTER) return false;
    const Expr *other = first ? right : left;
    if (other->type->kind == TYPE_STRING) help_letter(c, d, other);
    else if (type_is_numeric(other->type) || other->type->kind == TYPE_CHARACTER) help_codes(d);
    else return false;
    return true;
}

/* ---- Bits beside a comparison ------------------------------------------------------------- */
static bool is_bare_comparison(const AstExpr *ast) { return ast->kind == AST_BINARY && !ast->parenthesised && op_is_comparison(ast->op); }

/* x & 1 == 1, which C has from its ancestors: 1 == 1 comes first. */
static bool help_bits(BodyCheck *c, Diag *d, const AstExpr *ast, const Expr *left, const Expr *right) {
    if (ast->op != OP_BITAND && ast->op != OP_BITOR && ast->op != OP_BITXOR) return false;
    const char *bits = operator_text(ast->op);
    if (left->type->kind == TYPE_INTEGER && is_bare_comparison(ast->right)) {
        const AstExpr *compared = ast->right;
        diag_help(d, "'%s' binds tighter than '%s': (%s %s %s) %s %s", operator_text(compared->op), bits, body_text(c, ast->left->span), bits,
                  body_text(c, compared->left->span), operator_text(compared->op), body_text(c, compared->right->span));
    } else if (right->type->kind == TYPE_INTEGER && is_bare_comparison(ast->left)) {
        const AstExpr *compared = ast->left;
        diag_help(d, "'%s' binds tighter than '%s': %s %s (%s %s %s)", operator_text(compared->op), bits, body_text(c, compared->left->span),
                  operator_text(compared->op), body_text(c, compared->right->span), bits, body_text(c, ast->right->span));
    } else {
        return false;
    }
    return true;
}

/* ---- Conditions among numbers --------------------------------------------------------------- */
/* 1 * (u[i] > 0), n + (a == b). */
static bool help_condition(BodyCheck *c, Diag *d, const AstExpr *ast, const Expr *left, const Expr *right) {
    const bool arithmetic = ast->op == OP_ADD || ast->op == OP_SUB || ast->op == OP_MUL || ast->op == OP_DIV, first = left->type->kind == TYPE_BOOLEAN;
    const Expr *other = first ? right : left;
    if (!arithmetic || (!first && right->type->kind != TYPE_BOOLEAN) || (!type_is_numeric(other->type) && other->type->kind != TYPE_BOOLEAN)) return false;
    const AstExpr *condition = first ? ast->left : ast->right;
    const char *text = body_text(c, condition->span);
    if (!condition->parenthesised) text = arena_printf(c->arena, "(%s)", text);
    const bool factor = ast->op == OP_MUL && type_is_numeric(other->type) && !(other->kind == EXPR_INTEGER && other->integer == 1);
    if (factor) diag_help(d, "a condition is no number: write x = 0 and then if %s { x = %s }", text, body_text(c, other->span));
    else diag_help(d, "a condition is no number: write if %s { n = n + 1 }, or reduce(n, \"sum\", 1) in such an if", text);
    return true;
}

/* ---- The message ----------------------------------------------------------------------------- */
Expr *operand_error(BodyCheck *c, const AstExpr *ast, const Expr *left, const Expr *right) {
    Diag *d = diag_error(c->check->diags, E_OPERAND_TYPES, ast->operator_span, "'%s' does not take %s and %s",
                         operator_text(ast->op), left->type->text, right->type->text);
    diag_label(d, "%s", op_is_comparison(ast->op) ? "these cannot be compared" : op_needs_integers(ast->op) ? "needs Integers" : "needs numbers");
    bool reals = type_is_real(left->type) || type_is_real(right->type);
    if (help_characters(c, d, left, right) || help_bits(c, d, ast, left, right) || help_condition(c, d, ast, left, right)) return NULL;
    if (ast->op == OP_MOD && reals) diag_help(d, "write fmod(a, b) for Reals");
    else if ((ast->op == OP_BITAND || ast->op == OP_BITOR) && left->type->kind == TYPE_BOOLEAN)
        diag_help(d, "write '%s' to combine conditions", ast->op == OP_BITAND ? "and" : "or");
    else if (ast->op == OP_BITXOR && left->type->kind == TYPE_BOOLEAN) diag_help(d, "one of two conditions alone holds where they differ: a != b");
    else if (ast->op == OP_BITXOR && reals) diag_help(d, "'^' works on bits; a power is written x ** y");
    else if (op_is_comparison(ast->op) && ast->left->kind == AST_BINARY && op_is_comparison(ast->left->op))
        diag_help(d, "compare two by two: a < b and b < c");
    else if (ast->op == OP_ADD && (left->type->kind == TYPE_STRING || right->type->kind == TYPE_STRING))
        diag_help(d, "texts are not joined; print takes several values: print(\"n is\", n)");
    return NULL;
}
