/* Filters of loops that keep what they find in locals, as `reduce(low, "min", label[j])` to a local of a stage does, become conditions of their bodies:
 *
 *     do { low = min(low, label[j]) } for j in label and core[j] and far(i, j) <= radius
 *
 *     do { if (core[j]) { if (far(i, j) <= radius) { low = min(low, label[j]) } } } for j in label
 *
 * What makes vectors of loops knows conditions in bodies: iterations around them go through such a loop side by side (lanes.c), it runs in pieces before and behind
 * the one index that `j != i` leaves out (edges.c), and functions in conditions are put in place (put_in_place.c). Filters that a loop steps by (classes.h) stay.
 *
 * Needs: a copy of the stage's body. */
#include <string.h>

#include "compiler/lower/passes.h"

typedef struct Keeps { const Block *body; bool plain, outside; } Keeps;

static void check_stmt(void *data, const Stmt *stmt) {
    Keeps *keeps = data;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK) return;
    keeps->plain &= stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var->kind == VAR_LOCAL;
    keeps->outside |= keeps->plain && !lower_is_local_of(keeps->body, stmt->target->var);
}

static bool may_step(const Expr *filter) {
    return filter->kind == EXPR_BINARY && filter->op == OP_EQ && filter->left->kind == EXPR_BINARY && filter->left->op == OP_MOD;
}

/* Only the last index has filters, which the loop does not step by. */
static bool may_be_conditions(const Stmt *stmt) {
    for (size_t i = 0; i + 1 < stmt->indices.count; i++)
        if (stmt->indices.items[i].filters.count > 0) return false;
    const ExprVec *filters = &vec_last(&stmt->indices).filters;
    for (size_t f = 0; f < filters->count; f++)
        if (may_step(filters->items[f])) return false;
    return filters->count > 0;
}

static void make_conditions(Arena *arena, Stmt *stmt) {
    const LoopIndex last = vec_last(&stmt->indices);
    const size_t count = stmt->indices.count;
    const LoopIndex *indices = stmt->indices.items;
    Block body = stmt->body;
    for (size_t f = last.filters.count; f-- > 0;) {
        Stmt *condition = ARENA_NEW(arena, Stmt);
        *condition = (Stmt){.kind = STMT_IF, .span = last.filters.items[f]->span, .value = last.filters.items[f], .body = body};
        body = (Block){.span = stmt->body.span};
        vec_push(arena, &body.statements, condition);
    }
    stmt->body = body;
    memset(&stmt->indices, 0, sizeof stmt->indices);
    for (size_t i = 0; i < count; i++) vec_push(arena, &stmt->indices, indices[i]);
    memset(&vec_last(&stmt->indices).filters, 0, sizeof(ExprVec));
}

void lower_make_conditions(Arena *arena, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        lower_make_conditions(arena, &stmt->body);
        if (stmt->otherwise != NULL) lower_make_conditions(arena, stmt->otherwise);
        if (stmt->kind != STMT_PARALLEL || !may_be_conditions(stmt)) continue;
        Keeps keeps = {&stmt->body, true, false};
        lower_walk_block(&(Walk){NULL, check_stmt, &keeps}, &stmt->body);
        if (keeps.plain && keeps.outside) make_conditions(arena, stmt);
    }
}
