/* Whether a loop that goes in vectors where elements lie apart asks for all that rounds may meet at (spaced.c): each element that is assigned, and each other one of its array. */
#include "compiler/lower/passes.h"
#include "compiler/lower/verify_loops.h"

typedef struct Look { const LoweredBody *code; const Nest *nest; const Expr *target; const char *fault; } Look;

static bool is_asked(const Nest *nest, const Expr *one, const Expr *other) {
    for (size_t i = 0; i < nest->spaced->pairs.count; i++) {
        const SpacedPair *pair = &nest->spaced->pairs.items[i];
        if (lower_expr_equal(pair->one, one) && lower_expr_equal(pair->other, other)) return true;
        if (lower_expr_equal(pair->one, other) && lower_expr_equal(pair->other, one)) return true;
    }
    return false;
}

static void find_other(void *data, const Expr *expr) {
    Look *look = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) look->fault = "a loop whose elements lie apart calls what changes something";
    if (expr->kind != EXPR_ELEMENT || expr->var != look->target->var || expr->lag != look->target->lag || lower_expr_equal(expr, look->target)) return;
    if (!is_asked(look->nest, look->target, expr)) look->fault = "it is not asked whether elements that rounds come to lie apart";
    const int fastest = lower_fastest_dimension(look->code->use, expr);
    for (int d = 0; d < (int)expr->arguments.count; d++)
        if (d != fastest && !lower_expr_equal(expr->arguments.items[d], look->target->arguments.items[d])) look->fault = "elements that are to lie apart move in more than one dimension";
}

static void check_stmt(void *data, const Stmt *stmt) {
    Look *look = data;
    if (look->fault || stmt->kind == STMT_IF) return;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && verify_is_local_of(&look->nest->stmt->body, stmt->target->var)) return;
    const Formal *formal = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? lower_formal(look->code->use, stmt->target->var) : NULL;
    if (!formal || !formal->restricted) {
        look->fault = "a loop whose elements lie apart does more than assign them";
        return;
    }
    if (!lower_moves_by_one(look->nest, stmt->target->arguments.items[lower_fastest_dimension(look->code->use, stmt->target)])) look->fault = "rounds of a loop whose elements lie apart write the same one";
    look->target = stmt->target;
    lower_walk_block(&(Walk){find_other, NULL, look}, &look->nest->stmt->body);
}

const char *lower_spaced_fault(const LoweredBody *code, const Nest *nest) {
    Look look = {code, nest, NULL, NULL};
    lower_walk_block(&(Walk){NULL, check_stmt, &look}, &nest->stmt->body);
    return look.fault;
}
