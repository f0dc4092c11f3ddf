/* Which functions of a program run on a card: those that a task's stages and the conditions of its flow call, and what these call. */
#include "compiler/emit/cuda/cuda.h"

static void note_call(void *data, const Expr *expr) {
    bool *called = data;
    if (expr->kind != EXPR_CALL || expr->function == NULL || called[expr->function->id]) return;
    called[expr->function->id] = true;
    lower_walk_block(&(Walk){note_call, NULL, called}, &expr->function->body.block);
}

static void note_steps(const PlanStepVec *steps, bool *called) {
    const Walk walk = {note_call, NULL, called};
    for (size_t i = 0; i < steps->count; i++) {
        const Step *source = steps->items[i]->source;
        const Expr *const asked[] = {source ? source->condition : NULL, source ? source->range : NULL, source ? source->step : NULL};
        for (int e = 0; e < 3; e++)
            if (asked[e] != NULL) lower_walk_expr(&walk, asked[e]);
        note_steps(&steps->items[i]->body, called);
    }
}

void cuda_called(const TaskPlan *task, bool *called) {
    for (size_t i = 0; i < task->uses.count; i++)
        if (!backend_on_host(task, task->uses.items[i]->lps)) lower_walk_block(&(Walk){note_call, NULL, called}, &task->uses.items[i]->stage->body.block);
    note_steps(&task->flow, called);
}
