/* What can be told of a region where it moves (TellingPlace): every segment that takes part must find the same value for each of its
 * expressions, the one that it has where the stage runs.
 *
 * Needs: PLAN_MOVE, PLAN_WROTE. Gives: move_can_tell. Breaks: nothing. */
#include "compiler/plan/moves.h"

/* Everybody who takes part is in one LPU of that Space, or in it all alike. */
static bool is_above(const PlanStep *at, const Lps *lps) { return lps_is_within(at->lps, lps); }

static bool is_above_step(const PlanStep *at, const PlanStep *step, const Var *array) {
    return step == NULL || is_above(at, array == NULL ? step->lps : lps_holder(step->lps, array));
}

/* The Space in which the stages run: what their expressions mean by the LPU. */
static bool runs_within(const TellingPlace *place, const Var *array) {
    if (place->writer != NULL) return is_above_step(place->at, place->writer, array);
    const Transfer *transfer = place->at->transfer;
    if (transfer == NULL) return false;
    bool same = is_above_step(place->at, transfer->before, array);
    for (size_t i = 0; i < transfer->after.count; i++) same = same && is_above_step(place->at, transfer->after.items[i], array);
    return same;
}

/* The step or one in it is in a loop that counts with the variable. */
static bool counts_around(const PlanStepVec *steps, const Var *counter, const PlanStep *at, bool inside) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step == at) return inside;
        if (counts_around(&step->body, counter, at, inside || (step->kind == PLAN_REPEAT_FOR && step->source->var == counter))) return true;
    }
    return false;
}

static bool is_repeated(const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if ((steps->items[i]->source->kind == STEP_REPEAT_FOR && steps->items[i]->source->var == var) || is_repeated(&steps->items[i]->body, var)) return true;
    return false;
}

/* The step, or one in it, gives the scalar another value. */
static bool changes(const TaskPlan *task, const PlanStep *step, const Var *var) {
    if (step->source->kind == STEP_REPEAT_FOR && step->source->var == var && step->kind != PLAN_MOVE && step->kind != PLAN_WROTE) return true;
    if (step->kind == PLAN_REDUCE && task->reductions.items[step->reduce].target == var) return true;
    if (step->kind == PLAN_ADVANCE_SCALAR && step->scalar == var) return true;
    for (size_t i = 0; step->kind == PLAN_STAGE && i < step->use->formals.count; i++) {
        const Formal *formal = &step->use->formals.items[i];
        if (formal->kind == FORMAL_PLACE && plan_actual(step->use, formal, step->source) == var) return true;
    }
    for (size_t i = 0; i < step->body.count; i++)
        if (changes(task, step->body.items[i], var)) return true;
    return false;
}

static bool changes_in(const TaskPlan *task, const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if (changes(task, steps->items[i], var)) return true;
    return false;
}

static bool can_tell_variable(const TaskPlan *task, const TellingPlace *place, const Var *var) {
    if (var->kind == VAR_PARTITION) return true;
    if (var->kind != VAR_GLOBAL || var_is_array(var) || !is_above(place->at, var->home)) return false;
    const Transfer *transfer = place->at->transfer;
    if (place->writer == NULL && transfer == NULL) return !changes_in(task, &task->flow, var);
    const PlanStep *beside = place->at->beside, *stage = place->writer != NULL ? place->writer : transfer->before;
    if (beside != NULL && (place->writer != NULL || beside != stage) && changes(task, beside, var)) return false;
    return !plan_scalar_is_private(task, var) || !is_repeated(&task->flow, var) || counts_around(&task->flow, var, place->at, false);
}

bool move_can_tell(const TaskPlan *task, const TellingPlace *place, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: return true;
    case EXPR_VAR: return can_tell_variable(task, place, expr->var);
    case EXPR_DIM_RANGE: return !expr->local || runs_within(place, expr->var);
    case EXPR_LPU_ID: return runs_within(place, NULL) && move_can_tell(task, place, expr->left);
    case EXPR_RANGE_PART:
    case EXPR_RANGE:
    case EXPR_UNARY:
    case EXPR_FIELD:
    case EXPR_CONVERT:
    case EXPR_BINARY:
        if (expr->left != NULL && !move_can_tell(task, place, expr->left)) return false;
        return expr->right == NULL || move_can_tell(task, place, expr->right);
    default: return false;
    }
}
