/* Elements that one iteration hands to the next. Read lower_carry last: the loop has to look like
 *
 *     do {
 *         first = 0
 *         if (i > 0) { first = ends[i - 1] }
 *         … a loop over [first...ends[i] - 1] …
 *     } for i in …
 *
 * What it reads at i - 1, the iteration before has read at i. C compilers find that out in innermost loops only. A read that
 * an `if` guards is one of the iterations from the guard's bound on: the loop is cut there. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

/* ---- Reads that every iteration does -------------------------------------------------------------- */
typedef struct Reads { Arena *arena; VEC(const Expr *) elements; } Reads;

static void collect_expr(Reads *reads, const Expr *expr) {
    if (!expr) return;
    bool first_only = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    if (expr->kind == EXPR_ELEMENT) vec_push(reads->arena, &reads->elements, expr);
    collect_expr(reads, expr->left);
    if (!first_only) collect_expr(reads, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) collect_expr(reads, expr->arguments.items[i]);
}

/* What the statement reads in any case; inside of loops and branches, nothing. */
static void collect_stmt(Reads *reads, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_SEQUENCE) collect_expr(reads, stmt->value);
    if (stmt->kind == STMT_PARALLEL) collect_expr(reads, stmt->indices.items[0].domain_range);
}

static void collect_block(Reads *reads, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) collect_stmt(reads, block->statements.items[i]);
}

/* Whether nothing writes the element's array as long as the stage runs, and its subscript is the index itself (or one less). */
static bool is_read_at(const StageUse *use, const Expr *element, const Var *index, bool one_less) {
    const Formal *formal = lower_formal(use, element->var);
    bool scalar = type_is_real(element->type) || element->type->kind == TYPE_INTEGER;
    if (!formal || formal->kind != FORMAL_VIEW || formal->written || !formal->restricted || !scalar || element->arguments.count != 1) return false;
    const Expr *subscript = element->arguments.items[0];
    if (!one_less) return subscript->kind == EXPR_VAR && subscript->var == index;
    return subscript->kind == EXPR_BINARY && subscript->op == OP_SUB && subscript->left->kind == EXPR_VAR &&
           subscript->left->var == index && subscript->right->kind == EXPR_INTEGER && subscript->right->integer == 1;
}

static bool find_pair(const StageUse *use, const Var *index, const Reads *before, const Reads *now, Carry *carry) {
    for (size_t b = 0; b < before->elements.count; b++) {
        const Expr *element = before->elements.items[b];
        if (!is_read_at(use, element, index, true)) continue;
        for (size_t n = 0; n < now->elements.count; n++) {
            const Expr *other = now->elements.items[n];
            if (other->var != element->var || other->lag != element->lag || !is_read_at(use, other, index, false)) continue;
            carry->before = element;
            carry->now = other;
            return true;
        }
    }
    return false;
}

/* ---- Guards ----------------------------------------------------------------------------------------- */
typedef struct Fixed { const Nest *nest; bool holds; } Fixed;

static void check_fixed(void *data, const Expr *expr) {
    Fixed *fixed = data;
    const Loop *innermost = &fixed->nest->loops.items[fixed->nest->loops.count - 1];
    fixed->holds &= expr->kind != EXPR_ELEMENT && expr->kind != EXPR_CALL && expr->var != innermost->index->var;
    if (expr->var && expr->kind != EXPR_DIM_RANGE) fixed->holds &= lower_block_writes(&fixed->nest->stmt->body, expr->var) == 0;
}

bool lower_is_fixed(const Nest *nest, const Expr *expr) {
    Fixed fixed = {nest, !lower_expr_has_effect(expr)};
    lower_walk_expr(&(Walk){check_fixed, NULL, &fixed}, expr);
    return fixed.holds;
}

typedef struct Locals { const Block *body; bool found; } Locals;

static void find_local(void *data, const Expr *expr) {
    Locals *locals = data;
    for (size_t i = 0; i < locals->body->locals.count; i++) locals->found |= expr->var == locals->body->locals.items[i];
}

/* Only assignments of values that need no local of the body: a copy of the body without the branch uses all that it has. */
static bool is_plain_branch(const Nest *nest, const Block *branch) {
    for (size_t i = 0; branch && i < branch->statements.count; i++) {
        const Stmt *stmt = branch->statements.items[i];
        Locals locals = {&nest->stmt->body, branch->locals.count > 0};
        if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE) return false;
        lower_walk_expr(&(Walk){find_local, NULL, &locals}, stmt->value);
        if (locals.found || stmt->target->kind != EXPR_VAR) return false;
    }
    return true;
}

/* `i > bound` or `i >= bound`. */
static bool is_guard(const Nest *nest, const Stmt *stmt, const Var *index) {
    if (stmt->kind != STMT_IF || stmt->value->kind != EXPR_BINARY) return false;
    const Expr *condition = stmt->value;
    bool from = (condition->op == OP_GT || condition->op == OP_GE) && condition->left->kind == EXPR_VAR && condition->left->var == index;
    return from && lower_is_fixed(nest, condition->right) && is_plain_branch(nest, &stmt->body) && is_plain_branch(nest, stmt->otherwise);
}

/* ---- The loop ----------------------------------------------------------------------------------------- */
static void find_leaving(void *data, const Stmt *stmt) {
    *(bool *)data |= stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN;
}

/* A loop in the body that C compilers leave a loop. */
static bool has_inner_loop(const Block *body) {
    bool found = false;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        found |= (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE) && lower_short_rounds(stmt) == 0;
    }
    return found;
}

const Carry *lower_carry(Arena *arena, const StageUse *use, const Nest *nest) {
    const Block *body = &nest->stmt->body;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1];
    bool leaves = false;
    lower_walk_block(&(Walk){NULL, find_leaving, &leaves}, body);
    if (!use || leaves || !loop->interval || nest->has_filters || !has_inner_loop(body)) return NULL;
    Carry *carry = ARENA_NEW(arena, Carry);
    Reads now = {.arena = arena};
    collect_block(&now, body);
    if (find_pair(use, loop->index->var, &now, &now, carry)) return carry;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        Reads guarded = {.arena = arena};
        if (!is_guard(nest, stmt, loop->index->var)) continue;
        collect_block(&guarded, &stmt->body);
        carry->guard = stmt;
        if (find_pair(use, loop->index->var, &guarded, &now, carry)) return carry;
    }
    return NULL;
}
