/* See uses.h. */
#include "compiler/lower/uses.h"

typedef struct Counting { const Body *body; VarUses *uses; int by; } Counting;

bool lower_is_counted(const Body *body, const Var *var) {
    return var && var->kind == VAR_LOCAL && (size_t)var->id < body->vars.count && body->vars.items[var->id] == var;
}

static void note(const Counting *counting, const Var *var, int reads, int writes) {
    if (!lower_is_counted(counting->body, var)) return;
    counting->uses[var->id].reads += counting->by * reads;
    counting->uses[var->id].writes += counting->by * writes;
}

static void note_expr(void *data, const Expr *expr) {
    note(data, expr->var, 1, 0);
    if (expr->kind != EXPR_CALL) return;
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < expr->arguments.count && i < params->count; i++)
        if (params->items[i]->by_reference) note(data, lower_place_root(expr->arguments.items[i]), 0, 1);
}

static void note_stmt(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN) note(data, lower_place_root(stmt->target), stmt->target->kind == EXPR_VAR ? -1 : 0, 1);
    if (stmt->kind == STMT_REDUCE) note(data, lower_place_root(stmt->target), 0, 1);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) note(data, stmt->external->uses.items[i], 1, 1);
    for (size_t i = 0; i < stmt->indices.count; i++) note(data, stmt->indices.items[i].domain_var, 1, 0);
}

VarUses *lower_count_uses(Arena *arena, const Body *body) {
    Counting counting = {body, ARENA_ARRAY(arena, VarUses, body->vars.count + 1), 1};
    lower_walk_block(&(Walk){note_expr, note_stmt, &counting}, &body->block);
    return counting.uses;
}

void lower_forget_assignment(const Body *body, VarUses *uses, const Stmt *stmt) {
    Counting counting = {body, uses, -1};
    lower_walk_expr(&(Walk){note_expr, NULL, &counting}, stmt->target);
    lower_walk_expr(&(Walk){note_expr, NULL, &counting}, stmt->value);
    note_stmt(&counting, stmt);
}
