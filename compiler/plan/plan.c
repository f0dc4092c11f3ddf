/* plan_program: from a checked program to everything that the emitters need to know, task by task. */
#include "compiler/plan/levels.h"
#include "compiler/plan/moves.h"

/* ---- Arguments of the partition ------------------------------------------------------------------------ */
static bool is_zero(const Expr *expr) { return expr == NULL || (expr->kind == EXPR_INTEGER && expr->integer == 0); }

static bool same_argument(const Expr *a, const Expr *b) {
    return a == b || (a->kind == b->kind && ((a->kind == EXPR_VAR && a->var == b->var) || (a->kind == EXPR_INTEGER && a->integer == b->integer)));
}

int plan_dim_arg(const TaskPlan *task, const Expr *expr) {
    for (size_t i = 0; !is_zero(expr) && i < task->dim_args.count; i++)
        if (same_argument(task->dim_args.items[i], expr)) return (int)i;
    return -1;
}

static void add_argument(Planner *planner, Expr *expr) {
    if (!is_zero(expr) && plan_dim_arg(planner->task, expr) < 0) vec_push(planner->arena, &planner->task->dim_args, expr);
}

/* Needs: nothing. Gives: TaskPlan.dim_args, in the order of the program's text. */
static void plan_arguments(Planner *planner) {
    const Task *task = planner->task->task;
    for (size_t s = 0; s < task->spaces.count; s++)
        for (size_t v = 0; v < task->spaces.items[s]->vars.count; v++)
            for (int d = 0; d < task->spaces.items[s]->dims; d++) {
                const DimPartition *dim = &task->spaces.items[s]->vars.items[v].dims[d];
                add_argument(planner, dim->arguments[0]);
                add_argument(planner, dim->arguments[1]);
                add_argument(planner, dim->padding_front);
                add_argument(planner, dim->padding_back);
            }
}

/* A stage may write it. */
static void plan_written(TaskPlan *task) {
    for (size_t u = 0; u < task->uses.count; u++)
        for (size_t f = 0; f < task->uses.items[u]->formals.count; f++) {
            const Formal *formal = &task->uses.items[u]->formals.items[f];
            int array = formal->written && formal->kind == FORMAL_VIEW ? plan_array_index(task, formal->actual) : -1;
            if (array >= 0) task->arrays[array].written = true;
        }
}

/* Calls of one use have one footprint, unless a scalar that some call passes may be written by it under another name. */
static bool writes_scalar(const StageUse *use) {
    for (size_t f = 0; f < use->formals.count; f++)
        if (use->formals.items[f].kind == FORMAL_PLACE) return true;
    return false;
}

static bool same_arguments(const Step *a, const Step *b) {
    for (size_t i = 0; i < a->arguments.count; i++)
        if (a->arguments.items[i].var != b->arguments.items[i].var || a->arguments.items[i].constant != b->arguments.items[i].constant) return false;
    return true;
}

/* Needs: the flow. Gives: PlanStep.regions. */
static void find_footprints(Planner *planner, PlanStepVec *steps, PlanStep **known) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        find_footprints(planner, &step->body, known);
        if (step->kind != PLAN_STAGE) continue;
        PlanStep *last = known[step->use->id];
        bool same = last != NULL && !writes_scalar(step->use) && same_arguments(last->source, step->source);
        step->regions = same ? last->regions : footprint_of_call(planner->arena, step->source);
        plan_own_regions(planner->task, &step->regions);
        known[step->use->id] = step;
    }
}

typedef struct Side {
    Planner *planner;
    const Var *var;
    bool write;
    RegionVec *regions;
} Side;

static void add_to_side(void *data, const MoveTouch *touch) {
    const Side *side = data;
    if (touch->var == side->var && touch->write == side->write) vec_push(side->planner->arena, side->regions, (Region *)touch->region);
}

/* What the step touches of an array; all of it where it is no stage, condition or copy. */
static void find_side(Planner *planner, const PlanStep *step, const Var *var, bool write, RegionVec *regions) {
    Side side = {planner, var, write, regions};
    if (!var_is_array(var)) return;
    move_touches(planner->arena, planner->task, step, add_to_side, &side);
    if (regions->count == 0) vec_push(planner->arena, regions, (Region *)move_whole(planner->arena, var, step->lps, REGION_PART));
}

/* Needs: dependences and footprints. Gives: the regions of their two sides. */
static void find_sides(Planner *planner) {
    for (size_t i = 0; i < planner->task->dependences.count; i++) {
        Dependence *dependence = planner->task->dependences.items[i];
        find_side(planner, dependence->first, dependence->var, dependence->kind != DEPENDENCE_ANTI, &dependence->first_regions);
        find_side(planner, dependence->second, dependence->var, dependence->kind != DEPENDENCE_FLOW, &dependence->second_regions);
    }
}

/* Each pass fills what the next ones read (see the comments at their tops). */
static void plan_task(Planner *planner, Task *task) {
    TaskPlan *plan = ARENA_NEW(planner->arena, TaskPlan);
    plan->task = task;
    planner->task = plan;
    planner->calls.count = 0;
    planner->call_uses.count = 0;
    planner->stage_uses.count = 0; /* ids are of one task */
    vec_push(planner->arena, &planner->plan->tasks, plan);
    planner->mapping = plan_mapping_ahead(planner->arena, planner->plan->program, task, planner->plan->options);
    plan_collect_calls(planner, &task->flow);
    plan_build_uses(planner);
    plan_storage(planner);
    plan_arguments(planner);
    plan_written(plan);
    plan_finish_uses(planner);
    plan_gathers(planner);
    plan_flow(planner);
    plan_oldest(planner);
    plan_keep(planner);
    plan_split(planner);
    plan_synchronise(planner);
    find_footprints(planner, &plan->flow, ARENA_ARRAY(planner->arena, PlanStep *, plan->uses.count + 1));
    if (planner->plan->options.moves) find_sides(planner);
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
