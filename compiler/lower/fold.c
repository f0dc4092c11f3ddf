/* Locals of loops that accumulate: what
 *
 *     do { way = x[i][m] - y[j][m]; d[i][j] = d[i][j] + way * way } for i, j in d; m in x.dimension2
 *
 * adds is looked at as one expression, which is what the forms of nests are made of (nest.h). C compilers compute what stands twice once.
 *
 * Needs: a body whose statements may be changed. Gives: loops without those locals. What is rounded once (Accumulate) is what was written so:
 * a local that is a product is rounded before it is added, as it was. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

enum { MOST_NODES = 40 }; /* of what is added, written out */

typedef struct Size { size_t nodes; bool costly; } Size;

static void measure(void *data, const Expr *expr) {
    Size *size = data;
    size->nodes++;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD);
    size->costly = size->costly || divides || expr->kind == EXPR_CALL || expr->kind == EXPR_MATH;
}

static Size size_of(const Expr *expr) {
    Size size = {0, false};
    lower_walk_expr(&(Walk){measure, NULL, &size}, expr);
    return size;
}

/* placed: a function that may change what it is given by reference needs the local itself. */
typedef struct Uses { const Var *var; size_t count; bool placed; } Uses;

static void count_use(void *data, const Expr *expr) {
    Uses *uses = data;
    uses->placed = uses->placed || (expr->kind == EXPR_CALL && expr->function->changes_something);
    uses->count += expr->kind == EXPR_VAR && expr->var == uses->var;
}

static bool is_number(const Type *type) { return type->kind == TYPE_INTEGER || type_is_real(type); }

/* Of assignments, number `at` gives a local of the block a number that later statements of it may have instead. */
static bool may_fold(const Block *block, size_t at) {
    const Stmt *stmt = block->statements.items[at];
    if (stmt->target->kind != EXPR_VAR || stmt->accumulate != ACCUMULATE_NONE) return false;
    const Var *var = stmt->target->var;
    bool own = false;
    for (size_t i = 0; i < block->locals.count; i++) own = own || block->locals.items[i] == var;
    const Expr *value = stmt->value;
    if (!own || !is_number(var->type) || value->type != var->type || lower_expr_has_effect(value)) return false;
    Uses uses = {var, 0, false};
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *other = block->statements.items[i];
        lower_walk_expr(&(Walk){count_use, NULL, &uses}, other->value);
        if (other->target->kind == EXPR_ELEMENT) lower_walk_expr(&(Walk){count_use, NULL, &uses}, other->target);
    }
    return !uses.placed && (uses.count <= 1 || !size_of(value).costly);
}

typedef struct Given { const Var *var; Expr *value; } Given;

static Expr *value_of(void *data, Expr *expr) {
    const Given *given = data;
    return expr->kind == EXPR_VAR && expr->var == given->var ? given->value : NULL;
}

static Expr *with_value(Arena *arena, Expr *expr, const Var *var, Expr *value) {
    return lower_rewritten(&(Rewriting){arena, value_of, &(Given){var, value}, {0}}, expr);
}

/* The last statement adds to an element that one of the loops does not move. */
static bool accumulates(const Stmt *loop) {
    const Block *body = &loop->body;
    const Stmt *last = body->statements.items[body->statements.count - 1];
    if (last->target->kind != EXPR_ELEMENT || !type_is_real(last->target->type)) return false;
    bool still = false;
    for (size_t i = 0; i < loop->indices.count; i++) still = still || !lower_expr_mentions(last->target, loop->indices.items[i].var);
    return still && lower_expr_mentions(last->value, last->target->var);
}

static void fold_loop(Arena *arena, Stmt *loop) {
    Block *body = &loop->body;
    for (size_t i = 0; i < body->statements.count; i++)
        if (body->statements.items[i]->kind != STMT_ASSIGN) return;
    if (body->statements.count < 2 || !accumulates(loop)) return;
    for (size_t i = 0; i + 1 < body->statements.count; i++)
        if (!may_fold(body, i)) return;
    const size_t last = body->statements.count - 1;
    Stmt folded = *body->statements.items[last];
    for (size_t i = last; i-- > 0;) { /* backwards: what is put in names locals from before alone */
        const Stmt *given = body->statements.items[i];
        folded.value = with_value(arena, folded.value, given->target->var, given->value);
        folded.target = with_value(arena, folded.target, given->target->var, given->value);
        if (size_of(folded.value).nodes > MOST_NODES) return;
    }
    if (folded.accumulate != ACCUMULATE_NONE) { /* x = x ± a·b: what was written there, and nothing that came from a local, is rounded once */
        folded.factor_a = folded.value->right->left;
        folded.factor_b = folded.value->right->right;
    }
    *body->statements.items[last] = folded;
    body->statements.items += last;
    body->statements.count = 1;
    body->locals = (VarVec){0};
}

void lower_fold_locals(Arena *arena, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        lower_fold_locals(arena, &stmt->body);
        if (stmt->otherwise != NULL) lower_fold_locals(arena, stmt->otherwise);
        if (stmt->kind == STMT_PARALLEL) fold_loop(arena, stmt);
    }
}
