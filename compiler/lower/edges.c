/* Conditions at the edges of a loop. Iterations of
 *
 *     do {
 *         sum = x[i]
 *         if (i > range.min) { sum = sum + x[i - 1] }
 *         if (i < range.max) { sum = sum + x[i + 1] }
 *         y[i] = sum
 *     } for i in y
 *
 * compare their index with what the loop does not change: all but those at the edges with the same result. C compilers test each
 * of them, in masks of 64 bits beside vectors of narrower elements. So such loops run in three pieces: in the middle one
 * comparisons by < <= > >= hold, and the index equals none of what it is compared with by == or !=. Where the middle lies is found
 * when the loop runs; it may be empty, as any part is right that the conditions allow. */
#include "compiler/lower/passes.h"
#include "compiler/lower/range.h"

enum { MOST_STATEMENTS = 32 }; /* of a body that is written out three times */

/* ---- Tests ------------------------------------------------------------------------------------------- */
typedef struct Plain { const Nest *nest; bool holds; } Plain;

static void check_plain(void *data, const Expr *expr) {
    Plain *plain = data;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_UNARY: case EXPR_BINARY: case EXPR_RANGE_PART: case EXPR_DIM_RANGE: case EXPR_LPU_ID: break;
    case EXPR_VAR: plain->holds &= !lower_is_local_of(&plain->nest->stmt->body, expr->var); break;
    default: plain->holds = false;
    }
}

bool lower_is_bound(const Nest *nest, const Expr *expr) {
    Plain plain = {nest, expr->type->kind == TYPE_INTEGER && lower_is_fixed(nest, expr)};
    if (plain.holds) lower_walk_expr(&(Walk){check_plain, NULL, &plain}, expr);
    return plain.holds;
}

enum { MOST_OFFSET = 1 << 30 };

/* The index, or the index of an array, which is far from the limits of an Integer, plus or minus a small number: *offset. */
static bool is_index(const Nest *nest, const Expr *expr, int64_t *offset) {
    const Loop *innermost = nest_innermost(nest);
    *offset = 0;
    if (innermost->domain_var && expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB) && expr->right->kind == EXPR_INTEGER &&
        expr->right->integer > -MOST_OFFSET && expr->right->integer < MOST_OFFSET) {
        *offset = expr->op == OP_ADD ? expr->right->integer : -expr->right->integer;
        expr = expr->left;
    }
    return expr->kind == EXPR_VAR && expr->var == innermost->index->var;
}

static Operator mirrored(Operator op) {
    switch (op) {
    case OP_LT: return OP_GT;
    case OP_GT: return OP_LT;
    case OP_LE: return OP_GE;
    case OP_GE: return OP_LE;
    default: return op;
    }
}

static bool compares(Operator op) {
    return op == OP_LT || op == OP_GT || op == OP_LE || op == OP_GE || op == OP_EQ || op == OP_NE;
}

static void find_tests(Arena *arena, const Nest *nest, const Expr *condition, Edges *edges) {
    int64_t offset;
    if (condition->kind == EXPR_UNARY && condition->op == OP_NOT) find_tests(arena, nest, condition->left, edges);
    if (condition->kind != EXPR_BINARY) return;
    if (condition->op == OP_AND || condition->op == OP_OR) {
        find_tests(arena, nest, condition->left, edges);
        find_tests(arena, nest, condition->right, edges);
    } else if (compares(condition->op)) {
        if (is_index(nest, condition->left, &offset) && lower_is_bound(nest, condition->right))
            vec_push(arena, edges, ((Edge){condition, condition->op, condition->right, offset}));
        else if (is_index(nest, condition->right, &offset) && lower_is_bound(nest, condition->left))
            vec_push(arena, edges, ((Edge){condition, mirrored(condition->op), condition->left, offset}));
    }
}

/* ---- Loops ------------------------------------------------------------------------------------------- */
typedef struct Search { Arena *arena; const Nest *nest; Edges *edges; size_t statements; bool plain; } Search;

static void search_stmt(void *data, const Stmt *stmt) {
    Search *search = data;
    search->statements++;
    search->plain &= stmt->kind == STMT_IF || stmt->kind == STMT_ASSIGN || stmt->kind == STMT_BLOCK;
    if (stmt->kind == STMT_IF) find_tests(search->arena, search->nest, stmt->value, search->edges);
}

const Edges *lower_edges(Arena *arena, const StageUse *use, const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    const LoopIndex *index = innermost->index;
    if (!use || nest->has_filters || !innermost->interval || !loop_may(innermost, LOOP_PARALLEL)) return NULL;
    if (!index->domain_var && lower_trip_count(index->domain_range) > 0) return NULL; /* its rounds are written one after the other */
    Edges *edges = ARENA_NEW(arena, Edges);
    Search search = {arena, nest, edges, 0, true};
    lower_walk_block(&(Walk){NULL, search_stmt, &search}, &nest->stmt->body);
    return edges->count > 0 && search.plain && search.statements <= MOST_STATEMENTS ? edges : NULL;
}

/* ---- In the pieces ----------------------------------------------------------------------------------- */
static bool is_lower(const Edge *edge) { return edge->op == OP_GT || edge->op == OP_GE; }

bool lower_edges_equal(const Edge *a, const Edge *b) { return a->op == b->op && a->offset == b->offset && lower_expr_equal(a->bound, b->bound); }

/* Whether all edges at this end of the middle are one, and no single value is left out of it, either. */
static bool is_only_one(const Edges *edges, const Edge *one) {
    for (size_t i = 0; i < edges->count; i++) {
        const Edge *other = &edges->items[i];
        if (other->op == OP_EQ || other->op == OP_NE) return false;
        if (is_lower(other) == is_lower(one) && !lower_edges_equal(other, one)) return false;
    }
    return true;
}

/* Behind the middle, where it begins is passed. Beyond the only edge at an end, its test fails. */
static bool is_known(const Edges *edges, LoopPiece piece, const Edge *edge, bool *holds) {
    const bool value = edge->op == OP_EQ || edge->op == OP_NE;
    *holds = piece == PIECE_MIDDLE ? edge->op != OP_EQ : piece == PIECE_BEHIND && is_lower(edge);
    if (piece == PIECE_MIDDLE || *holds) return true;
    return !value && is_lower(edge) == (piece == PIECE_BEFORE) && is_only_one(edges, edge);
}

const Expr *lower_in_piece(const Edges *edges, LoopPiece piece, const Expr *condition, bool *holds) {
    for (size_t i = 0; i < edges->count; i++)
        if (edges->items[i].test == condition) return is_known(edges, piece, &edges->items[i], holds) ? NULL : condition;
    if (condition->kind == EXPR_UNARY && condition->op == OP_NOT) {
        if (lower_in_piece(edges, piece, condition->left, holds)) return condition;
        return *holds = !*holds, NULL;
    }
    if (condition->kind != EXPR_BINARY || (condition->op != OP_AND && condition->op != OP_OR)) return condition;
    const bool decisive = condition->op == OP_OR; /* the value of one side that decides */
    bool left_holds, right_holds;
    const Expr *left = lower_in_piece(edges, piece, condition->left, &left_holds);
    if (!left && left_holds == decisive) return *holds = decisive, NULL;
    const Expr *right = lower_in_piece(edges, piece, condition->right, &right_holds);
    if (!left && right) return right;
    if (!left) return *holds = right_holds, NULL;
    if (right) return condition;
    if (right_holds != decisive) return left;
    return lower_expr_has_effect(left) ? condition : (*holds = decisive, NULL);
}
