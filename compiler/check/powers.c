/* Warnings about powers that are something else in mathematics, or in other languages: of Integers with negative exponents, 10 ** -3, and with a
 * minus in front, -x ** 2. */
#include <math.h>
#include "compiler/check/bodies.h"

/* 1 and -1 have such powers; those of 0 stop the program. */
void warn_zero_power(BodyCheck *c, const Expr *power) {
    const Expr *base = power->left, *exponent = power->right;
    if (exponent->kind != EXPR_INTEGER || exponent->integer >= 0) return;
    const bool literal = base->kind == EXPR_INTEGER;
    if (literal && base->integer >= -1 && base->integer <= 1) return;
    const char *of = body_text(c, base->span);
    Diag *d = diag_warning(c->check->diags, W_INTEGER_DIVISION, power->span, "this power of Integers is 0%s",
                           literal ? "" : arena_printf(c->arena, " unless %s is 1 or -1", of));
    if (exponent->integer == -1) diag_help(d, "write 1.0 / %s for a quotient with digits behind the point; powers of Integers are Integers", of);
    else diag_help(d, "write 1.0 / %s ** %llu for a quotient with digits behind the point; powers of Integers are Integers", of, 0 - (unsigned long long)exponent->integer);
}

/* The power of the negative is the negative of the power. */
static bool is_odd(const AstExpr *exponent) {
    if (exponent->kind == AST_UNARY && exponent->op == OP_NEG) exponent = exponent->left;
    if (exponent->kind == AST_REAL) return fmod(exponent->real, 2) == 1;
    return exponent->kind == AST_INTEGER && exponent->integer % 2 != 0;
}

void warn_minus_power(BodyCheck *c, const AstExpr *power) {
    const AstExpr *base = power->left;
    if (base->kind != AST_UNARY || base->op != OP_NEG || base->parenthesised || is_odd(power->right)) return;
    const char *of = body_text(c, base->left->span), *exponent = body_text(c, power->right->span);
    Diag *d = diag_warning(c->check->diags, W_MINUS_OF_POWER, base->span, "this is (-%s) ** %s: a minus in front binds tighter than '**'", of, exponent);
    diag_help(d, "write -(%s ** %s) for the negative of the power, or (-%s) ** %s if that is meant", of, exponent, of, exponent);
}
