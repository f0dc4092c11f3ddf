/* Where an array's oldest version lies in the memory of the current one (plan/oldest.c), the stage reads it there: its elements are printed, and looked
 * at, as those of the current version that the stage has not written yet.
 *
 * Needs: a body whose blocks may be changed. Gives: other expressions in it; subscripts stay the same ones (StageUse.gathers). */
#include "compiler/lower/passes.h"

typedef struct Copied { const Expr *expr; Expr *as; } Copied;
typedef struct Reading {
    Arena *arena;
    const Var *var;
    int oldest;
    VEC(Copied) copies; /* of a statement: factors are parts of its value */
} Reading;

static Expr *at_current(Reading *reading, Expr *expr) {
    if (expr == NULL || !lower_expr_mentions(expr, reading->var)) return expr;
    for (size_t i = 0; i < reading->copies.count; i++)
        if (reading->copies.items[i].expr == expr) return reading->copies.items[i].as;
    Expr *copy = ARENA_NEW(reading->arena, Expr);
    *copy = *expr;
    if (expr->kind == EXPR_ELEMENT) {
        if (expr->var == reading->var && expr->lag == reading->oldest) copy->lag = 0;
    } else {
        copy->left = at_current(reading, expr->left);
        copy->right = at_current(reading, expr->right);
        copy->arguments = (ExprVec){0};
        for (size_t i = 0; i < expr->arguments.count; i++) vec_push(reading->arena, &copy->arguments, at_current(reading, expr->arguments.items[i]));
    }
    vec_push(reading->arena, &reading->copies, ((Copied){expr, copy}));
    return copy;
}

static void read_in_block(Reading *reading, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        reading->copies.count = 0;
        stmt->value = at_current(reading, stmt->value);
        stmt->factor_a = at_current(reading, stmt->factor_a);
        stmt->factor_b = at_current(reading, stmt->factor_b);
        read_in_block(reading, &stmt->body);
        if (stmt->otherwise != NULL) read_in_block(reading, stmt->otherwise);
    }
}

void lower_read_at_current(Arena *arena, const TaskPlan *task, const StageUse *use, Body *body) {
    for (int i = 0; i < task->array_count; i++) {
        const ArrayPlan *array = &task->arrays[i];
        for (size_t f = 0; array->oldest_in_current && f < use->formals.count; f++)
            if (use->formals.items[f].actual == array->var)
                read_in_block(&(Reading){.arena = arena, .var = use->formals.items[f].var, .oldest = array->var->versions - 1}, &body->block);
    }
}
