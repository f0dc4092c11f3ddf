/* Where data lives. An array has one store at Root that all LPUs work on in place, unless
 * padding makes the parts of an LPS overlap while something below writes the array: then each LPU of that LPS
 * needs a copy of its own (language.md 3.3, rule 3). When all work on the array happens inside the innermost
 * such LPS and every element lies in exactly one unpadded part there, those copies are the array (its home)
 * and only paddings ever move; otherwise copies are filled on entry and handed back on leaving. */
#include "compiler/plan/internal.h"

int plan_array_index(const TaskPlan *plan, const Var *var) {
    for (int i = 0; i < plan->array_count; i++)
        if (plan->arrays[i].var == var) return i;
    return -1;
}

ArrayPlan *plan_array(const TaskPlan *task, const Var *var) {
    int index = plan_array_index(task, var);
    return index < 0 ? NULL : &task->arrays[index];
}

int plan_view_slot(const Lps *lps, const Var *var) {
    for (size_t i = 0; i < lps->vars.count; i++)
        if (lps->vars.items[i].var == var) return (int)i;
    return -1;
}

static bool is_zero(const Expr *expr) {
    return expr == NULL || (expr->kind == EXPR_INTEGER && expr->integer == 0);
}

bool lps_lists_padded(const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    if (entry == NULL) return false;
    for (int d = 0; d < lps->dims; d++)
        if (!is_zero(entry->dims[d].padding_front) || !is_zero(entry->dims[d].padding_back)) return true;
    return false;
}

bool lps_is_single_in(const Lps *lps, const Lps *ancestor) {
    for (; lps != ancestor; lps = lps->parent)
        if (lps->dims > 0 || lps->sub_partition) return false;
    return true;
}

/* ---- Who touches an array where --------------------------------------------------------------- */
typedef struct Touch {
    const Lps *lps;
    bool written;
} Touch;
typedef VEC(Touch) TouchVec;

static void touch_expr(Planner *planner, const Expr *expr, const Lps *lps, const Var *var,
                       TouchVec *touches) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].var == var && uses.items[i].read)
            vec_push(planner->arena, touches, ((Touch){lps, false}));
}

static void touch_steps(Planner *planner, const StepVec *steps, const Var *var, TouchVec *touches) {
    for (size_t s = 0; s < steps->count; s++) {
        const Step *step = steps->items[s];
        if (step->kind == STEP_CALL) {
            const StageUse *use = plan_use_of(planner, step);
            for (size_t i = 0; i < use->formals.count; i++)
                if (use->formals.items[i].actual == var)
                    vec_push(planner->arena, touches, ((Touch){step->lps, use->formals.items[i].written}));
        } else {
            touch_expr(planner, step->condition, step->lps, var, touches);
            touch_expr(planner, step->range, step->lps, var, touches);
            touch_expr(planner, step->step, step->lps, var, touches);
        }
        touch_steps(planner, &step->body, var, touches);
    }
}

static bool written_within(const TouchVec *touches, const Lps *lps) {
    for (size_t i = 0; i < touches->count; i++)
        if (touches->items[i].written && lps_is_within(touches->items[i].lps, lps)) return true;
    return false;
}

static bool touched_outside(const TouchVec *touches, const Lps *lps) {
    for (size_t i = 0; i < touches->count; i++)
        if (!lps_is_within(touches->items[i].lps, lps)) return true;
    return false;
}

/* Every LPS down to `lps` gives each element to exactly one of its LPUs' unpadded parts, an interval. */
static bool parts_are_disjoint(const Lps *lps, const Var *var) {
    for (; lps->parent != NULL; lps = lps->parent) {
        const LpsVar *entry = lps_find_var(lps, var);
        if (lps->sub_partition || (entry == NULL && lps->dims > 0)) return false;
        for (int d = 0; d < lps->dims; d++) {
            PartFunction function = entry->dims[d].function;
            if (function != PART_BLOCK_SIZE && function != PART_BLOCK_COUNT) return false;
        }
    }
    return true;
}

static void place_array(Planner *planner, ArrayPlan *array) {
    Task *program = planner->task->task;
    TouchVec touches = {0};
    touch_steps(planner, &program->flow, array->var, &touches);
    Lps *root = program->spaces.items[0], *deepest = NULL;
    bool chain = true;
    for (size_t i = 1; i < program->spaces.count; i++) {
        Lps *lps = program->spaces.items[i];
        if (!lps_lists_padded(lps, array->var) || !written_within(&touches, lps)) continue;
        if (deepest != NULL && !lps_is_within(lps, deepest)) chain = false;
        deepest = lps;
        planner->task->spaces[i].stored[plan_view_slot(lps, array->var)] = STORED_COPY;
    }
    array->home = root;
    array->why = "one store that every LPU works on in place";
    if (deepest == NULL) return;
    array->why = "LPUs with padding work on copies that are filled on entry and handed back on leaving";
    if (!chain || touched_outside(&touches, deepest) || !parts_are_disjoint(deepest, array->var)) return;
    array->home = deepest;
    array->why =
        arena_printf(planner->arena, "the padded parts of Space %s's LPUs are the array; only padding moves",
                     deepest->name);
    for (Lps *lps = deepest->parent; lps != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, array->var);
        if (slot >= 0) planner->task->spaces[lps->id].stored[slot] = STORED_IN_PLACE;
    }
    planner->task->spaces[deepest->id].stored[plan_view_slot(deepest, array->var)] = STORED_HOME;
}

const Lps *plan_store_level(const TaskPlan *task, const Var *var, const Lps *lps) {
    for (; lps->parent != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, var);
        if (slot >= 0 && task->spaces[lps->id].stored[slot] != STORED_IN_PLACE) return lps;
    }
    return lps;
}

/* ---- Scalars ----------------------------------------------------------------------------------------- *
 * A scalar that nothing in the flow writes is a constant of the run. A Repeat variable that is read only
 * inside its Repeats is a counter that each thread keeps for itself. All others are shared, one for each LPU
 * of their home. */

/* Calls share a StageUse whatever scalars they pass, so what a formal is bound to is asked of each call. */
static bool scalar_is_constant(const Planner *planner, const Var *var) {
    for (size_t c = 0; c < planner->calls.count; c++) {
        const StageUse *use = planner->call_uses.items[c];
        for (size_t i = 0; i < use->formals.count; i++) {
            const Formal *formal = &use->formals.items[i];
            if (formal->kind != FORMAL_VALUE && plan_actual(use, formal, planner->calls.items[c]) == var)
                return false;
        }
    }
    return true;
}

static bool repeated_variable(const StepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i]->var == var || repeated_variable(&steps->items[i]->body, var)) return true;
    return false;
}

bool plan_is_constant_of_run(const Planner *planner, const Var *var) {
    return !var_is_array(var) && scalar_is_constant(planner, var) && !repeated_variable(&planner->task->task->flow, var);
}

bool plan_expr_reads(Planner *planner, const Expr *expr, const Var *var) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].var == var && uses.items[i].read) return true;
    return false;
}

static bool call_reads(const Planner *planner, const Step *call, const Var *var) {
    const StageUse *use = plan_use_of(planner, call);
    for (size_t i = 0; i < use->formals.count; i++)
        if (plan_actual(use, &use->formals.items[i], call) == var) return true;
    return false;
}

/* Every read stands inside a Repeat over the variable, and every Repeat in its home. */
static bool counts_privately(Planner *planner, const StepVec *steps, const Var *var, bool inside) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        bool repeats = step->kind == STEP_REPEAT_FOR && step->var == var;
        if (repeats && (step->lps != var->home || inside)) return false;
        bool reads = step->kind == STEP_CALL
                         ? call_reads(planner, step, var)
                         : plan_expr_reads(planner, step->condition, var) ||
                               plan_expr_reads(planner, step->range, var) || plan_expr_reads(planner, step->step, var);
        if (reads && !inside) return false;
        if (!counts_privately(planner, &step->body, var, inside || repeats)) return false;
    }
    return true;
}

bool plan_scalar_is_private(const TaskPlan *task, const Var *var) {
    const LpsPlan *space = &task->spaces[var->home == NULL ? 0 : var->home->id];
    for (size_t i = 0; i < space->scalars.count; i++)
        if (space->scalars.items[i] == var) return false;
    return true;
}

static void place_scalars(Planner *planner) {
    TaskPlan *task = planner->task;
    for (size_t i = 0; i < task->task->globals.count; i++) {
        Var *var = task->task->globals.items[i];
        if (var_is_array(var)) continue;
        if (var->home == NULL) var->home = task->task->spaces.items[0];
        bool repeated = repeated_variable(&task->task->flow, var),
             written = var->reduction || !scalar_is_constant(planner, var);
        bool counter =
            repeated && !var->environment && counts_privately(planner, &task->task->flow, var, false);
        if (written || (repeated && !counter))
            vec_push(planner->arena, &task->spaces[var->home->id].scalars, var);
    }
}

void plan_storage(Planner *planner) {
    TaskPlan *task = planner->task;
    Task *program = task->task;
    task->spaces = ARENA_ARRAY(planner->arena, LpsPlan, program->spaces.count);
    for (size_t i = 0; i < program->spaces.count; i++) {
        Lps *lps = program->spaces.items[i];
        task->spaces[i].lps = lps;
        task->spaces[i].stored = ARENA_ARRAY(planner->arena, Stored, lps->vars.count + 1);
        task->spaces[i].ppus = 1;
        task->spaces[i].level_name = "";
        for (size_t c = 0; lps->parent != NULL && c < lps->parent->children.count; c++)
            if (lps->parent->children.items[c] == lps) task->spaces[i].slot_in_parent = (int)c;
    }
    task->arrays = ARENA_ARRAY(planner->arena, ArrayPlan, program->globals.count + 1);
    for (size_t i = 0; i < program->globals.count; i++)
        if (var_is_array(program->globals.items[i]))
            task->arrays[task->array_count++].var = program->globals.items[i];
    for (int i = 0; i < task->array_count; i++) place_array(planner, &task->arrays[i]);
    for (int i = 0; i < task->array_count; i++)
        task->arrays[i].rotates = plan_rotation_obstacle(planner, &task->arrays[i]) == NULL;
    place_scalars(planner);
}
