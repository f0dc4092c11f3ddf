/* Parts of whole products. Integers have no 64 bits for products without a sign, of which generators of random numbers take the halves; this is how one gets
 * them:
 *
 *     half = m * x + (x >> n)                            all but the last n bits of f x, where f = m 2^n + 1, and x is not negative
 *     half >> k                                          all but the last n + k
 *     ((half & (2 ** k - 1)) << n) | (x & (2 ** n - 1))  the last n + k
 *
 * The text computes f x, and takes each part of that alone. `half` is a local that is assigned once and of which nothing else is read; both stand behind that
 * in its block, before x changes. */
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

/* ---- m * x + (x >> n) ---------------------------------------------------------------------------------- */
static bool is_binary(const Expr *expr, Operator op) { return expr->kind == EXPR_BINARY && expr->op == op && expr->type->kind == TYPE_INTEGER; }

static bool is_number(const Expr *expr, int64_t least, int64_t most) { return expr->kind == EXPR_INTEGER && expr->integer >= least && expr->integer <= most; }

static bool find_sum(const LoweredBody *code, const Expr *product, const Expr *shift, ProductPart *part) {
    if (!is_binary(product, OP_MUL) || !is_binary(shift, OP_SHR)) return false;
    const bool turned = is_number(product->left, 1, INT64_MAX);
    const Expr *x = turned ? product->right : product->left, *factor = turned ? product->left : product->right, *bits = shift->right;
    if (!is_number(factor, 1, INT64_MAX) || !is_number(bits, 1, 31) || !lower_expr_equal(x, shift->left) || lower_expr_has_effect(x)) return false;
    const Interval values = lower_values_of(code, x);
    const unsigned __int128 by = ((unsigned __int128)factor->integer << bits->integer) + 1;
    if (values.min < 0 || by > UINT64_MAX || by * (unsigned __int128)values.max > UINT64_MAX) return false;
    *part = (ProductPart){.of = x, .factor = (uint64_t)by, .bits = (int)bits->integer};
    return true;
}

static bool is_sum(const LoweredBody *code, const Expr *expr, ProductPart *part) {
    return is_binary(expr, OP_ADD) && (find_sum(code, expr->left, expr->right, part) || find_sum(code, expr->right, expr->left, part));
}

/* ---- What is taken of `half` --------------------------------------------------------------------------- */
typedef struct Half { Arena *arena; const Var *var; const ProductPart *product; VEC(ProductPart) parts; } Half;

static bool is_var(const Expr *expr, const Var *var) { return expr->kind == EXPR_VAR && expr->var == var; }

/* expr & (2 ** bits - 1), either way round: expr; else NULL. */
static const Expr *masked(const Expr *expr, int *bits) {
    if (!is_binary(expr, OP_BITAND)) return NULL;
    const bool turned = expr->left->kind == EXPR_INTEGER;
    const Expr *mask = turned ? expr->left : expr->right;
    if (!is_number(mask, 1, INT64_MAX) || (mask->integer & (mask->integer + 1)) != 0) return NULL;
    *bits = 64 - __builtin_clzll((uint64_t)mask->integer);
    return turned ? expr->right : expr->left;
}

static bool is_last(const Half *half, const Expr *high, const Expr *low, int *bits) {
    int above = 0, below = 0;
    if (!is_binary(high, OP_SHL) || !is_number(high->right, half->product->bits, half->product->bits)) return false;
    const Expr *upper = masked(high->left, &above), *lower = masked(low, &below);
    *bits = above + half->product->bits;
    return upper && lower && is_var(upper, half->var) && is_var(lower, half->product->of->var) && below == half->product->bits && *bits < 64;
}

static void find_part(void *data, const Expr *expr) {
    Half *half = data;
    ProductPart part = *half->product;
    part.expr = expr;
    part.last = is_binary(expr, OP_BITOR) && (is_last(half, expr->left, expr->right, &part.bits) || is_last(half, expr->right, expr->left, &part.bits));
    const bool cut = is_binary(expr, OP_SHR) && is_var(expr->left, half->var) && is_number(expr->right, 1, 63 - part.bits);
    if (cut) part.bits += (int)expr->right->integer;
    if (cut || part.last) vec_push(half->arena, &half->parts, part);
}

/* Looks behind statement `i` of the block, which assigns the local. */
static void find_parts(Half *half, const Block *block, size_t i) {
    const Walk walk = {find_part, NULL, half};
    for (size_t k = i + 1; k < block->statements.count; k++) {
        const Stmt *stmt = block->statements.items[k];
        const bool changes = lower_stmt_writes(stmt, half->product->of->var) > 0;
        const bool in_the_end = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && !lower_expr_has_effect(stmt->value);
        if (!changes) lower_walk_block(&walk, &(Block){.statements = {.items = block->statements.items + k, .count = 1}});
        else if (in_the_end) lower_walk_expr(&walk, stmt->value);
        if (changes) return;
    }
}

/* Then nothing reads the local any more, and x is read where the local alone was. */
static void take_parts(const Half *half, LoweredBody *code) {
    VarUses *uses = code->uses;
    if (uses[half->var->id].reads != (int)half->parts.count) return;
    uses[half->var->id].reads = 0;
    if (lower_is_counted(code->body, half->product->of->var)) uses[half->product->of->var->id].reads += (int)half->parts.count;
    for (size_t i = 0; i < half->parts.count; i++) vec_push(half->arena, &code->parts, half->parts.items[i]);
}

/* The same place wherever it is read: nothing else names it. */
static bool is_own(const LoweredBody *code, const Expr *expr) {
    if (expr->kind != EXPR_VAR) return false;
    return lower_is_counted(code->body, expr->var) || (expr->var->kind == VAR_PARAM && (!expr->var->by_reference || lower_bytes_of(code, expr->var) != 0));
}

static void find_in_block(Arena *arena, LoweredBody *code, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        ProductPart product;
        find_in_block(arena, code, &stmt->body);
        if (stmt->otherwise) find_in_block(arena, code, stmt->otherwise);
        if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE || stmt->target->kind != EXPR_VAR || !lower_is_counted(code->body, stmt->target->var)) continue;
        if (code->uses[stmt->target->var->id].writes != 1 || !is_sum(code, stmt->value, &product) || !is_own(code, product.of)) continue;
        Half half = {.arena = arena, .var = stmt->target->var, .product = &product};
        find_parts(&half, block, i);
        take_parts(&half, code);
    }
}

void lower_find_product_parts(Arena *arena, LoweredBody *code) {
    if (code->ranges) find_in_block(arena, code, &code->body->block);
}

bool lower_product_part(const LoweredBody *code, const Expr *expr, ProductPart *part) {
    for (size_t i = 0; code && i < code->parts.count; i++)
        if (lower_expr_equal(code->parts.items[i].expr, expr)) {
            *part = code->parts.items[i];
            return true;
        }
    return is_sum(code, expr, part);
}
