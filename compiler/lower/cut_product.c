/* m * x + (x >> n) of an x that is not negative: m 2^n + 1 times x, without its last n bits. Integers have no 64 bits for products without a
 * sign, which generators of random numbers take the upper half of; this is how one gets all but the last bits of such a product. */
#include "compiler/lower/lower.h"

static bool is_factor(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer > 0; }

static bool find(const LoweredBody *code, const Expr *product, const Expr *shift, CutProduct *cut) {
    if (product->kind != EXPR_BINARY || product->op != OP_MUL || shift->kind != EXPR_BINARY || shift->op != OP_SHR) return false;
    const bool turned = is_factor(product->left);
    const Expr *x = turned ? product->right : product->left, *factor = turned ? product->left : product->right, *bits = shift->right;
    if (!is_factor(factor) || !is_factor(bits) || bits->integer > 31 || !lower_expr_equal(x, shift->left) || lower_expr_has_effect(x)) return false;
    const Interval values = lower_values_of(code, x);
    const unsigned __int128 by = ((unsigned __int128)factor->integer << bits->integer) + 1;
    if (values.min < 0 || by > UINT64_MAX || by * (unsigned __int128)values.max > UINT64_MAX) return false;
    *cut = (CutProduct){x, (uint64_t)by, (int)bits->integer};
    return true;
}

bool lower_cut_product(const LoweredBody *code, const Expr *expr, CutProduct *cut) {
    if (expr->kind != EXPR_BINARY || expr->op != OP_ADD || expr->type->kind != TYPE_INTEGER) return false;
    return find(code, expr->left, expr->right, cut) || find(code, expr->right, expr->left, cut);
}
