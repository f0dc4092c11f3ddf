/* What a call of a user function does beside giving its value, and whether its body is short and straight enough to stand in
 * the place of each call. A function is complete when its callers ask: there is no recursion. */
#include "compiler/check/internal.h"
#include "compiler/check/walk.h"

enum { MOST_SIZE = 100, SIZE_OF_MATH = 8 }; /* in expressions, those of the functions that it calls included */

static bool is_plain(const Type *type) { return type->kind != TYPE_LIST && type->kind != TYPE_STRING && !type->has_string; }

static bool is_list_element(const Expr *place) {
    for (; place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART; place = place->left)
        if (place->kind == EXPR_AT_INDEX && place->left->type->kind == TYPE_LIST) return true;
    return false;
}

static bool is_given_list(const Function *function) {
    for (size_t i = 0; i < function->body.params.count; i++)
        if (function->body.params.items[i]->type->kind == TYPE_LIST) return true;
    return false;
}

static bool look_at_stmt(Stmt *stmt, void *data) {
    Function *function = data;
    function->changes_lists |= stmt->kind == STMT_ASSIGN && is_list_element(stmt->target);
    function->runs_extern |= stmt->kind == STMT_EXTERN; /* which may have variables of its own */
    if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF && stmt->kind != STMT_RETURN && stmt->kind != STMT_BLOCK) function->in_place = false;
    return true;
}

static bool look_at_expr(Expr *expr, void *data) {
    Function *function = data;
    function->size += expr->kind == EXPR_MATH ? SIZE_OF_MATH : 1;
    if (expr->kind != EXPR_CALL) return true;
    /* what it gives by reference is a variable of its own, or one that it has been given so itself, or an element of a list */
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < params->count; i++) function->changes_lists |= params->items[i]->by_reference && is_list_element(expr->arguments.items[i]);
    function->runs_extern |= expr->function->runs_extern;
    function->changes_lists |= expr->function->changes_lists;
    function->in_place &= expr->function->in_place;
    function->size += expr->function->size;
    if (function->size > MOST_SIZE) function->size = MOST_SIZE + 1; /* callers add it up */
    return true;
}

void function_note_effects(Function *function) {
    function->in_place = is_plain(function->body.result);
    for (size_t i = 0; i < function->body.params.count; i++) function->changes_arguments |= function->body.params.items[i]->by_reference;
    for (size_t i = 0; i < function->body.vars.count; i++) function->in_place &= is_plain(function->body.vars.items[i]->type);
    walk_block(&function->body.block, look_at_stmt, look_at_expr, function);
    function->changes_lists &= is_given_list(function); /* else they are its own */
    function->changes_something = function->changes_arguments || function->changes_lists || function->runs_extern;
    function->in_place &= !function->changes_something && function->size <= MOST_SIZE;
}
