/* Loops whose rounds wait for the one before: what a round computes, the next one reads, as in a filter along a row (lanes.c). */
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

/* A loop without loops in it, of which rounds may wait for the one before. */
typedef struct Rounds {
    const Stmt *loop, *assign;
    bool wait, loops;
} Rounds;

/* index + offset */
static bool offset_of(const Expr *subscript, const Var *index, int64_t *offset) {
    const bool sum = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER;
    const Expr *place = sum ? subscript->left : subscript;
    *offset = !sum ? 0 : subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return place->kind == EXPR_VAR && place->var == index;
}

static bool descends(const Stmt *loop) {
    const Expr *step = loop->step;
    return step != NULL && (step->kind == EXPR_UNARY || (step->kind == EXPR_INTEGER && step->integer < 0));
}

/* An element that a round before has set. */
static bool is_behind(const Stmt *loop, const Expr *element, const Expr *target) {
    bool behind = false;
    for (size_t d = 0; d < target->arguments.count; d++) {
        const Expr *here = element->arguments.items[d], *there = target->arguments.items[d];
        int64_t from, to;
        if (lower_expr_equal(here, there)) continue;
        if (behind || !offset_of(here, loop->index, &from) || !offset_of(there, loop->index, &to)) return false;
        behind = descends(loop) ? from > to : from < to;
        if (!behind) return false;
    }
    return behind;
}

typedef struct Handed { const Stmt *loop; const Expr *element; bool found; } Handed;

static void find_setter(void *data, const Stmt *stmt) {
    Handed *handed = data;
    const Expr *element = handed->element, *target = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    if (target == NULL || target->kind != EXPR_ELEMENT || target->var != element->var || target->lag != element->lag) return;
    handed->found |= is_behind(handed->loop, element, target);
}

bool lower_is_handed_on(const Stmt *loop, const Expr *element) {
    Handed handed = {loop, element, false};
    lower_walk_block(&(Walk){NULL, find_setter, &handed}, &loop->body);
    return handed.found;
}

/* Such an element, or a local that lives on. */
static void find_wait(void *data, const Expr *expr) {
    Rounds *rounds = data;
    const Expr *target = rounds->assign->target;
    if (expr->var != target->var || expr->kind != target->kind) return;
    if (expr->kind == EXPR_ELEMENT) rounds->wait |= expr->lag == target->lag && is_behind(rounds->loop, expr, target);
    else rounds->wait |= type_is_real(expr->type) && !lower_is_local_of(&rounds->loop->body, expr->var);
}

static void find_waits_of(void *data, const Stmt *stmt) {
    Rounds *rounds = data;
    rounds->loops |= stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF;
    if (stmt->kind != STMT_ASSIGN || (stmt->target->kind != EXPR_ELEMENT && stmt->target->kind != EXPR_VAR)) return;
    rounds->assign = stmt;
    lower_walk_block(&(Walk){find_wait, NULL, rounds}, &rounds->loop->body);
}

/* Of a loop that all lanes go through together: a parallel one inside goes in vectors of its own, one lane after the other. */
bool lower_has_waiting_loop(const Block *block) {
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        Rounds rounds = {.loop = stmt};
        if (stmt->kind == STMT_PARALLEL || lower_short_rounds(stmt) > 0) continue;
        if (stmt->kind == STMT_SEQUENCE) lower_walk_block(&(Walk){NULL, find_waits_of, &rounds}, &stmt->body);
        if ((rounds.wait && !rounds.loops) || lower_has_waiting_loop(&stmt->body) || lower_has_waiting_loop(stmt->otherwise)) return true;
    }
    return false;
}
