/* Where an array's oldest version lies in the memory of the current one (plan/oldest.c), the stage reads it there: its elements are printed, and looked
 * at, as those of the current version that the stage has not written yet.
 *
 * Needs: a body whose blocks may be changed. Gives: other expressions in it; subscripts stay the same ones (StageUse.gathers). */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

typedef struct Oldest { Arena *arena; const Var *var; int lag; } Oldest;

static Expr *at_current(void *data, Expr *expr) {
    const Oldest *oldest = data;
    if (expr->kind != EXPR_ELEMENT) return NULL;
    if (expr->var != oldest->var || expr->lag != oldest->lag) return expr;
    Expr *copy = ARENA_NEW(oldest->arena, Expr);
    *copy = *expr;
    copy->lag = 0;
    return copy;
}

static void read_in_block(Rewriting *reading, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        lower_rewrite_stmt(reading, stmt);
        read_in_block(reading, &stmt->body);
        if (stmt->otherwise != NULL) read_in_block(reading, stmt->otherwise);
    }
}

void lower_read_at_current(Arena *arena, const TaskPlan *task, const StageUse *use, Body *body) {
    for (int i = 0; i < task->array_count; i++) {
        const ArrayPlan *array = &task->arrays[i];
        for (size_t f = 0; array->oldest_in_current && f < use->formals.count; f++)
            if (use->formals.items[f].actual == array->var)
                read_in_block(&(Rewriting){arena, at_current, &(Oldest){arena, use->formals.items[f].var, array->var->versions - 1}, {0}}, &body->block);
    }
}
