/* Waits that a crew need not have twice. A stage ends with a wait of its crew, and begins its first loop with one; the plan's waits stand between stages:
 *
 *     hp5_sync(worker, T_SPACE_Root);
 *     HP5_STAGE(worker, 0, lpu_Root, divide_in_Root, …);      crew.sync(); { … } crew.sync();
 *     hp5_sync(worker, T_SPACE_Root);
 *
 * Where the crew is the same one, the plan's wait behind the stage is the stage's own; and the stage's first one is the plan's in front of it, if its threads touch nothing between them that the stage's loops
 * write: views and scalars, which a stage writes behind its last wait, and elements of arrays that it only reads. A wait of a card takes longer than what many a stage does. */
#include "compiler/base/diag.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/uses.h"
#include "compiler/lower/walk_bodies.h"

bool cuda_has_waited(const TaskPlan *task, const PlanStep *stage, const PlanStep *wait) {
    if (stage == NULL || stage->kind != PLAN_STAGE || stage->settles != NULL || wait->kind != PLAN_SYNC || wait->lps != stage->use->lps) return false;
    return !wait->lps->sub_partition && !backend_on_host(task, wait->lps) && !cuda_by_one_thread(task, wait->lps);
}

/* In front of each call of the stage its crew waits. */
static bool is_waited_for(const PlanStepVec *steps, const StageUse *use) {
    bool waited = true;
    for (size_t i = 0; i < steps->count && waited; i++) {
        const PlanStep *step = steps->items[i], *before = i > 0 ? steps->items[i - 1] : NULL;
        if (step->kind == PLAN_STAGE && step->use == use) waited = before != NULL && before->kind == PLAN_SYNC && before->lps == use->lps && before->settles == NULL;
        else waited = is_waited_for(&step->body, use);
    }
    return waited;
}

typedef struct Front { const StageUse *use; bool fits; } Front;

static void check_expr(void *data, const Expr *expr) {
    Front *front = data;
    const Formal *formal = expr->kind == EXPR_ELEMENT ? lower_formal(front->use, expr->var) : NULL;
    if (expr->kind == EXPR_ELEMENT) front->fits &= formal != NULL && formal->restricted && lower_block_writes(&front->use->stage->body.block, expr->var) == 0;
    front->fits &= expr->kind != EXPR_CALL && expr->type->kind != TYPE_LIST && expr->type->kind != TYPE_STRING;
}

/* The stage as the plan's steps call it: what is printed may have lost something that nothing reads. */
static const StageUse *called_as(const Emit *emit, const TaskPlan *task, const LoweredStage *stage) {
    const LoweredTask *lowered = emit->lowered->tasks.items[task->task->id];
    for (size_t i = 0; i < lowered->stages.count; i++)
        if (lowered->stages.items[i] == stage) return task->uses.items[i];
    internal_error("emit", "a stage is not of its task");
}

const Stmt *cuda_first_in_step(const Emit *emit, const TaskPlan *task, const LoweredStage *stage) {
    const StageUse *use = stage->code.use;
    const StmtVec *statements = &use->stage->body.block.statements;
    Front front = {use, true};
    if (emit->options.checked || use->lps->sub_partition || cuda_relay_stage(emit, use) != NULL || !is_waited_for(&task->flow, called_as(emit, task, stage))) return NULL;
    for (size_t i = 0; i < statements->count && front.fits; i++) {
        const Stmt *stmt = statements->items[i];
        if (stmt->kind == STMT_PARALLEL) return stmt;
        front.fits = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var->kind == VAR_LOCAL;
        if (front.fits) lower_walk_expr(&(Walk){check_expr, NULL, &front}, stmt->value);
    }
    return NULL;
}
