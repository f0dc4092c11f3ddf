/* Loops whose rounds come to elements of one array that lie some way apart, how far only the program's run says:
 *
 *     do {
 *         a = x[q + p]  b = x[q + p + h]
 *         x[q + p] = a + b  x[q + p + h] = a - b
 *     } for q in [0...h - 1]
 *
 * All subscripts move by one with the index, so between two of them there is always the same distance. Where it is as large as the loop has rounds, none comes to what
 * another one does, and they may go in vectors; which is asked in front of the loop. In a loop that goes in stretches (quotients.c), it is asked for each of them, and subscripts may
 * move with a local: base = pair / h * 2 * h + pair % h moves by one in a stretch. */
#include "compiler/lower/passes.h"

enum { MOST_PAIRS = 8 };

typedef struct Search {
    Arena *arena;
    const StageUse *use;
    const Nest *nest;
    Spaced *spaced;
    const Expr *target; /* an element that is assigned */
    bool fits;
} Search;

/* ---- Subscripts ------------------------------------------------------------------------------------------- */
typedef enum Movement { STAYS, MOVES_BY_ONE, MOVES } Movement;

static Movement step_of(const Nest *nest, const Expr *expr);

/* What the body sets a local of its own to, once and whatever conditions say; or NULL. */
static const Expr *value_of(const Nest *nest, const Var *var) {
    const Block *body = &nest->stmt->body;
    if (!lower_is_local_of(body, var) || lower_block_writes(body, var) != 1) return NULL;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == var) return stmt->value;
    }
    return NULL;
}

/* A quotient of the index stays where the loop goes in stretches of it, and a remainder moves. */
static Movement step_of_binary(const Nest *nest, const Expr *expr) {
    const Movement left = step_of(nest, expr->left), right = step_of(nest, expr->right);
    const bool same = expr->left->kind == EXPR_VAR && nest->quotient && lower_expr_equal(expr->left, nest->quotient->left) && lower_expr_equal(expr->right, nest->quotient->right);
    switch (expr->op) {
    case OP_ADD: return left == STAYS ? right : right == STAYS ? left : MOVES;
    case OP_SUB: return right == STAYS ? left : left == right && left == MOVES_BY_ONE ? STAYS : MOVES;
    case OP_MUL: return left == STAYS && right == STAYS ? STAYS : MOVES;
    case OP_DIV: return same ? STAYS : MOVES;
    case OP_MOD: return same ? MOVES_BY_ONE : MOVES;
    default: return MOVES;
    }
}

static bool is_outer_index(const Nest *nest, const Expr *expr) {
    for (size_t l = 0; expr->kind == EXPR_VAR && l + 1 < nest->loops.count; l++)
        if (nest->loops.items[l].index->var == expr->var) return true;
    return false;
}

static Movement step_of(const Nest *nest, const Expr *expr) {
    if (is_outer_index(nest, expr)) return STAYS;
    if (lower_is_same_everywhere(nest, expr)) return lower_expr_has_effect(expr) ? MOVES : STAYS;
    if (expr->kind == EXPR_BINARY && expr->type->kind == TYPE_INTEGER) return step_of_binary(nest, expr);
    if (expr->kind != EXPR_VAR) return MOVES;
    if (expr->var == nest_innermost(nest)->index->var) return MOVES_BY_ONE;
    const Expr *value = value_of(nest, expr->var);
    return value ? step_of(nest, value) : MOVES;
}

bool lower_is_offset(const Nest *nest, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER) return true;
    if (expr->kind == EXPR_VAR) return expr->lag == 0 && (is_outer_index(nest, expr) || lower_is_same_everywhere(nest, expr));
    const bool plain = expr->kind == EXPR_BINARY && expr->type->kind == TYPE_INTEGER && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL);
    return plain && lower_is_offset(nest, expr->left) && lower_is_offset(nest, expr->right);
}

const Expr *lower_moving_term(const Nest *nest, const Expr *subscript) {
    if (subscript->kind == EXPR_VAR) return step_of(nest, subscript) == MOVES_BY_ONE ? subscript : NULL;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return NULL;
    if (lower_is_offset(nest, subscript->right)) return lower_moving_term(nest, subscript->left);
    return subscript->op == OP_ADD && lower_is_offset(nest, subscript->left) ? lower_moving_term(nest, subscript->right) : NULL;
}

/* ---- Elements ----------------------------------------------------------------------------------------------- */
static const Expr *without_number(const Expr *subscript) {
    while (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER) subscript = subscript->left;
    return subscript;
}

/* Two elements between which there is always the same distance, along the fastest dimension. */
static bool move_together(const Search *search, const Expr *one, const Expr *other) {
    const int fastest = lower_fastest_dimension(search->use, one);
    for (int d = 0; d < (int)one->arguments.count; d++) {
        const Expr *a = one->arguments.items[d], *b = other->arguments.items[d];
        if (d != fastest && (!lower_expr_equal(a, b) || step_of(search->nest, a) != STAYS)) return false;
        const Expr *term = d == fastest ? lower_moving_term(search->nest, a) : NULL, *same = term ? lower_moving_term(search->nest, b) : NULL;
        if (d == fastest && (!term || !same || !lower_expr_equal(term, same))) return false;
    }
    return true;
}

static void add_pair(Search *search, const Expr *other) {
    for (size_t i = 0; i < search->spaced->pairs.count; i++) {
        const SpacedPair *pair = &search->spaced->pairs.items[i];
        if (lower_expr_equal(pair->one, search->target) && lower_expr_equal(pair->other, other)) return;
        if (lower_expr_equal(pair->other, search->target) && lower_expr_equal(pair->one, other)) return;
    }
    search->fits &= search->spaced->pairs.count < MOST_PAIRS;
    if (search->fits) vec_push(search->arena, &search->spaced->pairs, ((SpacedPair){search->target, other}));
}

static void find_other(void *data, const Expr *expr) {
    Search *search = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) search->fits = false;
    if (!search->fits || expr->kind != EXPR_ELEMENT || expr->var != search->target->var || expr->lag != search->target->lag) return;
    search->fits = move_together(search, search->target, expr);
    if (!search->fits || lower_expr_equal(search->target, expr)) return;
    const int fastest = lower_fastest_dimension(search->use, expr);
    const Expr *one = search->target->arguments.items[fastest], *other = expr->arguments.items[fastest];
    if (lower_expr_equal(without_number(one), without_number(other))) search->fits = false; /* a few elements apart: the next rounds come there */
    else add_pair(search, expr);
}

static void check_stmt(void *data, const Stmt *stmt) {
    Search *search = data;
    const Block *body = &search->nest->stmt->body;
    if (!search->fits || stmt->kind == STMT_IF) return;
    search->fits = stmt->kind == STMT_ASSIGN;
    if (!search->fits || (stmt->target->kind == EXPR_VAR && lower_is_local_of(body, stmt->target->var))) return;
    const Formal *formal = stmt->target->kind == EXPR_ELEMENT ? lower_formal(search->use, stmt->target->var) : NULL;
    search->fits = formal && formal->kind == FORMAL_VIEW && formal->restricted && !formal->layout.split;
    search->target = stmt->target;
    if (search->fits) lower_walk_block(&(Walk){find_other, NULL, search}, body);
}

const Spaced *lower_spaced(Arena *arena, const StageUse *use, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    if (!use || nest->form != FORM_LOOPS || loop_may(loop, LOOP_PARALLEL) || !loop->interval || loop->steps != NULL || loop->other_dimension >= 0 || nest->has_filters) return NULL;
    Search search = {.arena = arena, .use = use, .nest = nest, .spaced = ARENA_NEW(arena, Spaced), .fits = true};
    lower_walk_block(&(Walk){NULL, check_stmt, &search}, &nest->stmt->body);
    return search.fits && search.spaced->pairs.count > 0 ? search.spaced : NULL;
}
