/* Rows that lanes read side by side. Where several rows go through a loop together,
 *
 *     do { y[i] = y[i] + a[i][j] * x[j] } for i, j in a
 *
 * each round takes one element of each row, and these lie apart. As many rounds as there are rows take as many elements of each that lie side by
 * side: vectors, which are transposed in registers. What is read in a block of rounds is read before the first of them. */
#include "compiler/lower/passes.h"

enum { MOST_TRANSPOSED = 2 };
typedef struct Search { Arena *arena; const StageUse *use; const Block *body; const Var *lane, *round; ExprVec found; } Search;

/* The round's index itself, or a literal away from it. */
static bool is_next(const Search *search, const Expr *subscript) {
    const bool moved = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER;
    const Expr *base = moved ? subscript->left : subscript;
    return base->kind == EXPR_VAR && base->var == search->round;
}

typedef struct Subscript { const Block *body; bool stays; } Subscript;

static void look_at_part(void *data, const Expr *expr) {
    Subscript *subscript = data;
    const bool changes = expr->var && expr->kind != EXPR_DIM_RANGE && lower_block_writes(subscript->body, expr->var) > 0;
    if (changes || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX) subscript->stays = false;
}

/* Whether the subscript is the same in all rounds, and is not looked up. */
static bool stays(const Search *search, const Expr *expr) {
    Subscript subscript = {search->body, !lower_expr_mentions(expr, search->round)};
    lower_walk_expr(&(Walk){look_at_part, NULL, &subscript}, expr);
    return subscript.stays;
}

static bool is_row(const Search *search, const Expr *element) {
    const Formal *formal = lower_formal(search->use, element->var);
    const int fastest = lower_fastest_dimension(search->use, element);
    if (!formal || formal->layout.split || lower_has_gaps(search->use, element, (size_t)fastest) || lower_expr_has_effect(element) || lower_block_writes(search->body, element->var) > 0) return false;
    if (!type_is_real(element->type) && element->type->kind != TYPE_INTEGER) return false;
    bool fits = is_next(search, element->arguments.items[fastest]), apart = false;
    for (int d = 0; d < (int)element->arguments.count; d++) {
        if (d == fastest) continue;
        fits = fits && stays(search, element->arguments.items[d]);
        apart |= lower_expr_mentions(element->arguments.items[d], search->lane);
    }
    return fits && apart;
}

static bool is_known(const Search *search, const Expr *element) {
    for (size_t i = 0; i < search->found.count; i++)
        if (lower_expr_equal(search->found.items[i], element)) return true;
    return false;
}

/* What is evaluated in every round. */
static void look_at(Search *search, const Expr *expr) {
    if (expr == NULL) return;
    if (expr->kind == EXPR_ELEMENT && is_row(search, expr)) {
        if (!is_known(search, expr)) vec_push(search->arena, &search->found, (Expr *)expr);
        return;
    }
    look_at(search, expr->left);
    for (size_t i = 0; i < expr->arguments.count; i++) look_at(search, expr->arguments.items[i]);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) look_at(search, expr->right);
}

ExprVec lower_transposed(Arena *arena, const StageUse *use, const Block *body, const Var *lane, const Var *round) {
    Search search = {arena, use, body, lane, round, {0}};
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF) return (ExprVec){0};
        look_at(&search, stmt->value);
    }
    return search.found.count <= MOST_TRANSPOSED ? search.found : (ExprVec){0};
}
