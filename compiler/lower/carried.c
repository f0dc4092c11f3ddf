/* What lanes hand on. Between the loops that lanes go through together, each iteration may change a local from outside, as `reduce(highest, "max", score)` to a
 * local of the stage does:
 *
 *     do {
 *         score = 0.0
 *         do in sequence { score = score + q[i][c] * k[j][c] } for c in k.dimension2.range
 *         highest = max(highest, score)
 *     } for j in k.dimension1
 *
 * The statement runs lane after lane then, in the order of the iterations, while everything around it goes side by side. It must be the only one that names the
 * local: what stands in front of it has been done for all lanes, and what stands behind it for none. */
#include "compiler/lower/passes.h"

static void find_loop(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_WHILE || stmt->kind == STMT_REDUCE; }

static Block alone(Stmt *const *stmt) { return (Block){.statements = {.items = (Stmt **)stmt, .count = 1}}; }

bool lower_nest_bounds_mention(const Nest *nest, const Var *var) {
    for (size_t l = 0; l < nest->loops.count; l++) {
        const LoopIndex *index = nest->loops.items[l].index;
        if (lower_bounds_mention(index, var) || (index->domain_range != NULL && lower_expr_mentions(index->domain_range, var))) return true;
    }
    return false;
}

bool lower_may_carry(const Nest *nest, const Var *var) {
    const StmtVec *statements = &nest->stmt->body.statements;
    size_t names = 0;
    if (var->kind != VAR_LOCAL || lower_is_local_of(&nest->stmt->body, var) || lower_nest_bounds_mention(nest, var)) return false;
    for (size_t i = 0; i < statements->count; i++) {
        const Block one = alone(&statements->items[i]);
        bool loop = false;
        if (!lower_block_mentions(&one, var)) continue;
        lower_walk_block(&(Walk){NULL, find_loop, &loop}, &one);
        if (loop) return false;
        names++;
    }
    return names == 1;
}

typedef struct Carried { const Nest *nest; bool found; } Carried;

static void find_carried(void *data, const Stmt *stmt) {
    Carried *carried = data;
    const VarVec *sums = &carried->nest->lanes.sums;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || lower_is_local_of(&carried->nest->stmt->body, stmt->target->var)) return;
    for (size_t i = 0; i < sums->count; i++)
        if (sums->items[i] == stmt->target->var) return;
    carried->found = true;
}

bool lower_carries(const Nest *nest, const Stmt *stmt) {
    Carried carried = {nest, false};
    const Block one = alone((Stmt *const *)&stmt);
    lower_walk_block(&(Walk){NULL, find_carried, &carried}, &one);
    return carried.found;
}
