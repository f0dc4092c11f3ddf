/* plan_program: from a checked program to everything that the emitters need to know, task by task. */
#include "compiler/plan/internal.h"

/* Each pass fills what the next ones read (see the comments at their tops). */
static void plan_task(Planner *planner, Task *task) {
    TaskPlan *plan = ARENA_NEW(planner->arena, TaskPlan);
    plan->task = task;
    planner->task = plan;
    planner->calls.count = 0;
    planner->call_uses.count = 0;
    planner->stage_uses.count = 0; /* ids are of one task */
    vec_push(planner->arena, &planner->plan->tasks, plan);
    plan_collect_calls(planner, &task->flow);
    plan_build_uses(planner);
    plan_storage(planner);
    plan_finish_uses(planner);
    plan_flow(planner);
    plan_split(planner);
    plan_synchronise(planner);
    plan_omit(planner);
    plan_remarks(planner);
}

Plan *plan_program(Arena *arena, Program *program, PlanOptions options, Diags *diags) {
    Plan *plan = ARENA_NEW(arena, Plan);
    plan->program = program;
    plan->options = options;
    Planner planner = {.arena = arena, .diags = diags, .plan = plan};
    size_t errors = diags_error_count(diags);
    for (size_t i = 0; i < program->tasks.count; i++) plan_task(&planner, program->tasks.items[i]);
    return diags_error_count(diags) == errors ? plan : NULL;
}

const Lps *plan_body_space(const PlanStep *step, const Lps *lps) {
    if (step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS) return step->lps;
    if (step->kind == PLAN_GUARD && step->source->kind == STEP_REPEAT_SUB) return step->source->space;
    return lps;
}
