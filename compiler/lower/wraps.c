/* Neighbours on a ring:
 *
 *     do {
 *         above = (i + rows - 1) % rows
 *         left = (j + columns - 1) % columns
 *         right = (j + 1) % columns
 *         u[i][j] = 0.25 * (v[above][j] + … + v[i][left] + v[i][right])
 *     } for i, j in u
 *
 * A division takes longer than all that stands beside it, and C compilers see no neighbours behind it. The remainder of a sum moves by one with the innermost index, from one multiple
 * of the divisor to the next: so the loop goes in pieces, of which each has one division for each remainder, and what does not move with the index is divided in front of it.
 *
 * So may locals that move with the index, from = x - shift + 4 * columns: what is divided is made of them.
 *
 * Needed are divisors that do not change in the loop, and that each round comes to the division, so that what is divided by zero is told where the program would. (Plain quotients and
 * remainders of the index itself: quotients.c.) */
#include "compiler/lower/passes.h"

enum { MOST_WRAPS = 8 };

typedef struct Search { Arena *arena; const Nest *nest; Wraps *wraps; } Search;

/* ---- What moves with the index -------------------------------------------------------------------------------- */

/* The only assignment of a local of the body, which each round comes to; or NULL. */
static const Stmt *assignment_of(const Nest *nest, const Var *var) {
    const Block *body = &nest->stmt->body;
    if (!lower_is_local_of(body, var) || lower_block_writes(body, var) != 1) return NULL;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        const bool found = stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && stmt->target->var == var;
        if (found) return stmt->value->type == stmt->target->type ? stmt : NULL;
    }
    return NULL;
}

/* The index, plus and minus what does not change, by way of locals or not. */
static bool moves(const Nest *nest, const Expr *expr) {
    if (lower_moves_by_one(nest, expr)) return true;
    const Stmt *assignment = expr->kind == EXPR_VAR ? assignment_of(nest, expr->var) : NULL;
    if (assignment != NULL) return moves(nest, assignment->value);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return false;
    if (lower_is_offset(nest, expr->right)) return moves(nest, expr->left);
    return expr->op == OP_ADD && lower_is_offset(nest, expr->left) && moves(nest, expr->right);
}

/* The locals that what is divided is made of, those first that others are made of. */
static void add_locals(Search *search, const Expr *expr) {
    const Stmt *assignment = expr->kind == EXPR_VAR ? assignment_of(search->nest, expr->var) : NULL;
    if (expr->kind == EXPR_BINARY) {
        add_locals(search, expr->left);
        add_locals(search, expr->right);
    }
    if (assignment == NULL) return;
    add_locals(search, assignment->value);
    for (size_t i = 0; i < search->wraps->locals.count; i++)
        if (search->wraps->locals.items[i] == assignment) return;
    vec_push(search->arena, &search->wraps->locals, (Stmt *)assignment);
}

/* ---- Remainders ------------------------------------------------------------------------------------------------ */

static void add(Search *search, ExprVec *wraps, const Expr *expr) {
    for (size_t i = 0; i < wraps->count; i++)
        if (lower_expr_equal(wraps->items[i], expr)) return;
    if (wraps->count < MOST_WRAPS) vec_push(search->arena, wraps, (Expr *)expr);
}

static void look_at(Search *search, const Expr *expr) {
    const Nest *nest = search->nest;
    const bool divides = (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER && expr->right->kind != EXPR_INTEGER && lower_is_offset(nest, expr->right);
    if (!divides) return;
    if (lower_is_offset(nest, expr->left)) add(search, &search->wraps->fixed, expr);
    else if (expr->op == OP_MOD && moves(nest, expr->left)) add(search, &search->wraps->moving, expr);
}

/* What is computed whenever the expression is. */
static void look_into(Search *search, const Expr *expr) {
    if (expr == NULL || expr->kind == EXPR_CALL) return;
    if (expr->kind == EXPR_BINARY) look_at(search, expr);
    look_into(search, expr->left);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) look_into(search, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) look_into(search, expr->arguments.items[i]);
}

const Wraps *lower_wraps(Arena *arena, const StageUse *use, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    if (!use || nest->form != FORM_LOOPS || !loop_may(loop, LOOP_PARALLEL) || !loop->interval || loop->steps != NULL || loop->other_dimension >= 0 || nest->has_filters) return NULL;
    Search search = {arena, nest, ARENA_NEW(arena, Wraps)};
    for (size_t i = 0; i < nest->stmt->body.statements.count; i++) {
        const Stmt *stmt = nest->stmt->body.statements.items[i];
        if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF) return NULL;
        look_into(&search, stmt->target);
        look_into(&search, stmt->value);
    }
    for (size_t i = 0; i < search.wraps->moving.count; i++) add_locals(&search, search.wraps->moving.items[i]->left);
    return search.wraps->moving.count + search.wraps->fixed.count > 0 ? search.wraps : NULL;
}
