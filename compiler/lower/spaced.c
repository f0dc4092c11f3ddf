/* Loops whose rounds come to elements of one array that lie some way apart, how far only the program's run says:
 *
 *     do {
 *         a = x[q + p]  b = x[q + p + h]
 *         x[q + p] = a + b  x[q + p + h] = a - b
 *     } for q in [0...h - 1]
 *
 * All subscripts move by one with the index, so between two of them there is always the same distance. Where it is as large as the loop has rounds, none comes to what
 * another one does, and they may go in vectors; which is asked in front of the loop. (Of few elements gcc asks by itself, of those of a Fourier transform it does not. In loops that go in
 * stretches, quotients.c, it does: Walsh's transform took 1.1 of the time with a question for each of them.) */
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
static bool is_outer_index(const Nest *nest, const Expr *expr) {
    for (size_t l = 0; expr->kind == EXPR_VAR && l + 1 < nest->loops.count; l++)
        if (nest->loops.items[l].index->var == expr->var) return true;
    return false;
}

bool lower_is_offset(const Nest *nest, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER) return true;
    if (expr->kind == EXPR_VAR) return expr->lag == 0 && (is_outer_index(nest, expr) || lower_is_same_everywhere(nest, expr));
    const bool plain = expr->kind == EXPR_BINARY && expr->type->kind == TYPE_INTEGER && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL);
    return plain && lower_is_offset(nest, expr->left) && lower_is_offset(nest, expr->right);
}

bool lower_moves_by_one(const Nest *nest, const Expr *expr) {
    if (expr->kind == EXPR_VAR) return expr->var == nest_innermost(nest)->index->var;
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return false;
    if (lower_is_offset(nest, expr->right)) return lower_moves_by_one(nest, expr->left);
    return expr->op == OP_ADD && lower_is_offset(nest, expr->left) && lower_moves_by_one(nest, expr->right);
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
        if (d == fastest ? !lower_moves_by_one(search->nest, a) || !lower_moves_by_one(search->nest, b) : !lower_expr_equal(a, b) || !lower_is_offset(search->nest, a)) return false;
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
    if (!use || nest->form != FORM_LOOPS || nest->quotient || loop_may(loop, LOOP_PARALLEL) || !loop->interval || loop->steps != NULL || loop->other_dimension >= 0 || nest->has_filters) return NULL;
    Search search = {.arena = arena, .use = use, .nest = nest, .spaced = ARENA_NEW(arena, Spaced), .fits = true};
    lower_walk_block(&(Walk){NULL, check_stmt, &search}, &nest->stmt->body);
    return search.fits && search.spaced->pairs.count > 0 ? search.spaced : NULL;
}
