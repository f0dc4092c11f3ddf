/* Loops in three pieces (edges.c), looked at again: each edge is a comparison that the loop does not change, and what is left of
 * conditions in each piece says the same there, whatever their other parts are. */
#include "compiler/lower/verify_loops.h"

/* ---- Edges ------------------------------------------------------------------------------------------- */
typedef struct Bound { const Nest *nest; bool found; } Bound;

/* What makes a bound another one in some iteration, or cannot be computed before the first one. */
static void find_moving(void *data, const Expr *expr) {
    Bound *bound = data;
    const Block *body = &bound->nest->stmt->body;
    bound->found |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
    if (!expr->var || expr->kind == EXPR_DIM_RANGE) return;
    bound->found |= expr->var == nest_innermost(bound->nest)->index->var || verify_is_local_of(body, expr->var) ||
                    lower_block_writes(body, expr->var) > 0;
}

static bool says(const Edge *edge, const Expr *index, const Expr *bound, const Var *var, bool turned) {
    static const Operator others[][2] = {{OP_LT, OP_GT}, {OP_GT, OP_LT}, {OP_LE, OP_GE}, {OP_GE, OP_LE}, {OP_EQ, OP_EQ}, {OP_NE, OP_NE}};
    const bool moved = index->kind == EXPR_BINARY && index->right->kind == EXPR_INTEGER && /* by 0, too */
                       ((index->op == OP_ADD && index->right->integer == edge->offset) || (index->op == OP_SUB && index->right->integer == -edge->offset));
    if (!moved && edge->offset != 0) return false;
    if (moved) index = index->left;
    if (index->kind != EXPR_VAR || index->var != var || bound != edge->bound) return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i][0] == edge->test->op) return edge->op == others[i][turned];
    return false;
}

static const char *edge_fault(const Nest *nest, const Edge *edge) {
    const Expr *test = edge->test;
    const Var *var = nest_innermost(nest)->index->var;
    const bool fits = test->kind == EXPR_BINARY && edge->bound->type->kind == TYPE_INTEGER &&
                      (says(edge, test->left, test->right, var, false) || says(edge, test->right, test->left, var, true));
    if (!fits) return "an edge is not where its condition says";
    Bound bound = {nest, lower_expr_has_effect(edge->bound)};
    lower_walk_expr(&(Walk){find_moving, NULL, &bound}, edge->bound);
    if (edge->offset != 0 && !nest_innermost(nest)->domain_var) return "an edge may lie beyond the limits of an Integer";
    return bound.found ? "an edge moves while its loop runs" : NULL;
}

/* ---- Conditions -------------------------------------------------------------------------------------- */
enum { MOST_PARTS = 10 }; /* edges that differ and other parts of a condition: all combinations are tried */
typedef struct Parts { const Edges *edges; LoopPiece piece; const Expr *items[MOST_PARTS]; size_t count; unsigned values; } Parts;

/* The first of the edges that say the same; the expression itself where it is none. */
static const Expr *first_of(const Edges *edges, const Expr *expr) {
    const Edge *found = NULL;
    for (size_t i = 0; i < edges->count; i++)
        if (edges->items[i].test == expr) found = &edges->items[i];
    for (size_t i = 0; found && i < edges->count; i++)
        if (lower_edges_equal(&edges->items[i], found)) return edges->items[i].test;
    return expr;
}

static bool is_joined(const Expr *expr) {
    return (expr->kind == EXPR_UNARY && expr->op == OP_NOT) || (expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR));
}

/* False: too many. */
static bool find_parts(Parts *parts, const Expr *expr) {
    if (is_joined(expr)) return find_parts(parts, expr->left) && (!expr->right || find_parts(parts, expr->right));
    const Expr *part = first_of(parts->edges, expr);
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i] == part) return true;
    if (parts->count == MOST_PARTS) return false;
    parts->items[parts->count++] = part;
    return true;
}

static bool value_of(const Parts *parts, const Expr *expr) {
    if (is_joined(expr) && expr->kind == EXPR_UNARY) return !value_of(parts, expr->left);
    if (is_joined(expr)) {
        const bool left = value_of(parts, expr->left), right = value_of(parts, expr->right);
        return expr->op == OP_AND ? left && right : left || right;
    }
    const Expr *part = first_of(parts->edges, expr);
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i] == part) return parts->values >> i & 1;
    return false;
}

/* Whether an iteration of the piece may find the parts so. Before the middle is what one of its lower edges keeps out, behind it what
 * one of the upper ones does; a single value that is left out moves either end. */
static bool is_possible(const Parts *parts) {
    bool kept[3] = {true, true, true}, single = false; /* by lower edges, by upper ones, by values that are left out */
    for (size_t i = 0; i < parts->edges->count; i++) {
        const Edge *edge = &parts->edges->items[i];
        const bool lower = edge->op == OP_GT || edge->op == OP_GE, upper = edge->op == OP_LT || edge->op == OP_LE;
        kept[lower ? 0 : upper ? 1 : 2] &= value_of(parts, edge->test) == (edge->op != OP_EQ);
        single |= !lower && !upper;
    }
    switch (parts->piece) {
    case PIECE_BEFORE: return !kept[0] || !kept[2];
    case PIECE_MIDDLE: return kept[0] && kept[1] && kept[2];
    default: return kept[0] && (!kept[1] || single);
    }
}

typedef struct Pieces { const Edges *edges; const char *fault; } Pieces;

static void check_condition(void *data, const Stmt *stmt) {
    Pieces *pieces = data;
    Parts parts = {.edges = pieces->edges};
    bool few = stmt->kind == STMT_IF;
    for (size_t i = 0; few && i < parts.edges->count; i++) few = find_parts(&parts, parts.edges->items[i].test);
    if (!few || !find_parts(&parts, stmt->value)) return;
    for (parts.piece = PIECE_BEFORE; parts.piece <= PIECE_BEHIND; parts.piece++) {
        bool holds = false;
        const Expr *left = lower_in_piece(parts.edges, parts.piece, stmt->value, &holds);
        for (parts.values = 0; parts.values < 1u << parts.count; parts.values++)
            if (is_possible(&parts) && value_of(&parts, stmt->value) != (left ? value_of(&parts, left) : holds))
                pieces->fault = "a condition is taken for another one in a piece of its loop";
    }
}

const char *lower_edges_fault(const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    if (nest->form != FORM_LOOPS || !loop->interval || nest->has_filters || !loop_may(loop, LOOP_PARALLEL))
        return "a loop has edges that does not go in pieces";
    for (size_t i = 0; i < nest->edges->count; i++) {
        const char *fault = edge_fault(nest, &nest->edges->items[i]);
        if (fault) return fault;
    }
    Pieces pieces = {nest->edges, NULL};
    lower_walk_block(&(Walk){NULL, check_condition, &pieces}, &nest->stmt->body);
    return pieces.fault;
}
