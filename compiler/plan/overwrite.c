/* Stages that overwrite: what the array held before does not matter to them, and need not move to where they run. Such a stage has,
 * on its way from its first statement to its last, parallel loops over all dimensions of the array with nothing that leaves
 * out an index, in which it assigns the element at these indices; and nothing in front of that, or in these loops, reads the array.
 *
 * Needs: a checked program. Gives: yes, or no where it cannot tell. Breaks: nothing. */
#include "compiler/check/walk.h"
#include "compiler/plan/footprint.h"

typedef struct Writing {
    const Step *call;
    const Var *array;
    const Expr *target; /* of the assignment that is met: written, not read */
    bool spoilt;        /* the array may have been read, or the stage may have ended */
} Writing;

/* A loop, and those around it. */
typedef struct Loops {
    const struct Loops *outer;
    const Stmt *loop;
} Loops;

static bool is_array(const Writing *writing, const Var *var) {
    const VarVec *params = &writing->call->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == var) return writing->call->arguments.items[i].var == writing->array;
    return var == writing->array;
}

/* ---- What must not stand in front ------------------------------------------------------------------------------ */
static bool spoil_stmt(Stmt *stmt, void *data) {
    Writing *writing = data;
    writing->target = stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE ? stmt->target : NULL;
    writing->spoilt = writing->spoilt || stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN;
    return true;
}

static bool spoil_expr(Expr *expr, void *data) {
    Writing *writing = data;
    bool names = expr->kind == EXPR_ELEMENT || expr->kind == EXPR_VAR;
    if (names && expr != writing->target && is_array(writing, expr->var)) writing->spoilt = true;
    return true;
}

/* ---- What must stand there ---------------------------------------------------------------------------------------- */
static bool is_whole(const Writing *writing, const LoopIndex *index) {
    bool all = index->other_dimension < 0 && index->lower.count == 0 && index->upper.count == 0 && index->filters.count == 0;
    return all && index->domain_var != NULL && is_array(writing, index->domain_var);
}

/* Each index of the loops runs over a dimension of the array and is the subscript there, and there are no others. */
static bool assigns_all(const Writing *writing, const Expr *target, const Loops *loops) {
    size_t found = 0;
    if (target->kind != EXPR_ELEMENT || target->lag > 0 || !is_array(writing, target->var)) return false;
    for (; loops != NULL; loops = loops->outer)
        for (size_t i = 0; i < loops->loop->indices.count; i++) {
            const LoopIndex *index = &loops->loop->indices.items[i];
            if (!is_whole(writing, index)) return false;
            const Expr *subscript = target->arguments.items[index->dimension];
            if (subscript->kind != EXPR_VAR || subscript->var != index->var) return false;
            found++;
        }
    return found == target->arguments.count;
}

static bool overwrites(const Writing *writing, const Block *block, const Loops *loops) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const Loops inner = {loops, stmt};
        if (stmt->kind == STMT_BLOCK && overwrites(writing, &stmt->body, loops)) return true;
        if (stmt->kind == STMT_PARALLEL && overwrites(writing, &stmt->body, &inner)) return true;
        if (stmt->kind == STMT_ASSIGN && assigns_all(writing, stmt->target, loops)) return true;
    }
    return false;
}

bool footprint_overwrites(const Step *call, const Var *array) {
    const Block *block = &call->stage->body.block;
    Writing writing = {call, array, NULL, false};
    for (size_t i = 0; i < block->statements.count; i++) {
        Block one = *block;
        one.statements.items = &block->statements.items[i];
        one.statements.count = 1;
        walk_block(&one, spoil_stmt, spoil_expr, &writing);
        if (writing.spoilt) return false;
        if (overwrites(&writing, &one, NULL)) return true;
    }
    return false;
}
