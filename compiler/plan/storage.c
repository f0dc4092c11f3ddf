/* Where data lives. An array has one store at Root that all LPUs work on in place, unless
 * padding makes the parts of an LPS overlap while something below writes the array: then each LPU of that LPS
 * needs a copy of its own (language.md 3.3, rule 3), if it could tell the difference (own_parts.c). When all work on the array happens inside the innermost
 * such LPS, or in others beside it that are divided in the same way, and every element lies in exactly one unpadded part there,
 * those copies are the array (its home) and only paddings ever move; otherwise copies are filled on entry and handed back on leaving. */
#include "compiler/mapping/mapping.h"
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

bool lps_lists_padded(const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    if (entry == NULL) return false;
    for (int d = 0; d < lps->dims; d++)
        if (partition_is_padded(&entry->dims[d])) return true;
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

/* There, stores are for LPUs that have elements. */
static bool on_card(const Planner *planner) { return planner->mapping != NULL && mapping_on_card(planner->mapping); }

static void touch_steps(Planner *planner, const StepVec *steps, const Var *var, TouchVec *touches) {
    for (size_t s = 0; s < steps->count; s++) {
        const Step *step = steps->items[s];
        if (step->kind == STEP_CALL) {
            const StageUse *use = plan_use_of(planner, step);
            for (size_t i = 0; i < use->formals.count; i++) {
                const Formal *formal = &use->formals.items[i];
                const bool bounds = !formal->read && !formal->written && !on_card(planner); /* which every LPU has */
                if (formal->actual == var && !bounds) vec_push(planner->arena, touches, ((Touch){step->lps, formal->written}));
            }
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

/* ---- Several Spaces with the same parts --------------------------------------------------------- *
 * Where the padded parts of a Space are the array, LPUs of a Space beside it that is divided in the same way, without padding or with as
 * much of it, work on them in place: each on the part of the LPU with its number. */
static bool is_same_division(const Lps *lps, const Lps *home, const Var *var) {
    const LpsVar *a = lps_find_var(lps, var), *b = lps_find_var(home, var);
    if (a == NULL || lps->parent != home->parent || lps->dims != home->dims || lps->sub_partition || a->relative_to != b->relative_to) return false;
    const bool padded = lps_lists_padded(lps, var);
    for (int d = 0; d < lps->dims; d++) {
        const DimPartition *x = &a->dims[d], *y = &b->dims[d];
        if (x->array_dimension != y->array_dimension || !partition_is_like(x, y)) return false;
        if (padded && !partition_pads_like(x, y)) return false;
    }
    return true;
}

/* An Epoch inside the Space takes its own LPUs' elements on into older versions. */
static bool advances_within(const StepVec *steps, const Lps *lps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step_advances(step, var) && lps_is_within(step->lps, lps)) return true;
        if (advances_within(&step->body, lps, var)) return true;
    }
    return false;
}

bool plan_home_is_shared(const TaskPlan *task, const ArrayPlan *array) {
    for (size_t i = 1; i < task->task->spaces.count; i++) {
        const int slot = plan_view_slot(task->task->spaces.items[i], array->var);
        if (slot >= 0 && task->spaces[i].stored[slot] == STORED_AT_HOME) return true;
    }
    return false;
}

bool plan_padding_is_shared(const TaskPlan *task, const ArrayPlan *array) {
    for (size_t i = 1; i < task->task->spaces.count; i++) {
        const Lps *lps = task->task->spaces.items[i];
        const int slot = plan_view_slot(lps, array->var);
        if (slot >= 0 && task->spaces[i].stored[slot] == STORED_AT_HOME && lps_lists_padded(lps, array->var)) return true;
    }
    return false;
}

/* The Space's LPUs have parts of another Space's. */
static bool is_guest(const TaskPlan *task, const Lps *lps) {
    for (size_t v = 0; v < lps->vars.count; v++)
        if (task->spaces[lps->id].stored[v] == STORED_AT_HOME) return true;
    return false;
}

static bool is_host(const TaskPlan *task, const Lps *lps) {
    for (int i = 0; i < task->array_count; i++)
        if (task->arrays[i].home == lps && plan_home_is_shared(task, &task->arrays[i])) return true;
    return false;
}

/* Both have their LPUs in the same address spaces. */
static bool are_together(const Planner *planner, const Lps *lps, const Lps *home) {
    if (planner->plan->options.machine == NULL) return true;
    return planner->mapping != NULL && mapping_keeps_together(planner->mapping, lps->id, home->id);
}

/* The Space around a touch outside of `home` whose LPUs can work on the home's parts; NULL: none. LPUs are built in order:
 * no Space is both host and guest. */
static const Lps *guest_of(const Planner *planner, const Lps *home, const Lps *touching, const Var *var) {
    const TaskPlan *task = planner->task;
    while (touching->parent != NULL && touching->parent != home->parent) touching = touching->parent;
    if (touching->parent == NULL || !is_same_division(touching, home, var) || is_host(task, touching)) return NULL;
    if (advances_within(&task->task->flow, touching, var)) return NULL;
    return are_together(planner, touching, home) ? touching : NULL;
}

/* All that touches the array lies in `home` or in such Spaces. */
static bool are_at_home(const Planner *planner, const TouchVec *touches, const Lps *home, const Var *var) {
    bool guests = !is_guest(planner->task, home) && !plan_is_collected(planner, var);
    for (const Lps *lps = home->parent; lps != NULL; lps = lps->parent) guests = guests && !lps_lists_padded(lps, var);
    for (size_t i = 0; i < touches->count; i++)
        if (!lps_is_within(touches->items[i].lps, home) && (!guests || guest_of(planner, home, touches->items[i].lps, var) == NULL)) return false;
    return true;
}

/* The copies of `home` are the array, and who else touches it works in them. */
static void settle_at_home(Planner *planner, ArrayPlan *array, const TouchVec *touches, Lps *home) {
    array->home = home;
    array->why = arena_printf(planner->arena, "the padded parts of Space %s's LPUs are the array; only padding moves", home->name);
    for (Lps *lps = home->parent; lps != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, array->var);
        if (slot >= 0) planner->task->spaces[lps->id].stored[slot] = STORED_IN_PLACE;
    }
    planner->task->spaces[home->id].stored[plan_view_slot(home, array->var)] = STORED_HOME;
    for (size_t i = 0; i < touches->count; i++) {
        if (lps_is_within(touches->items[i].lps, home)) continue;
        const Lps *guest = guest_of(planner, home, touches->items[i].lps, array->var);
        Stored *stored = &planner->task->spaces[guest->id].stored[plan_view_slot(guest, array->var)];
        if (*stored != STORED_AT_HOME) array->why = arena_printf(planner->arena, "%s; Space %s's LPUs work in them, too", array->why, guest->name);
        *stored = STORED_AT_HOME;
    }
}

/* Whether no LPU of the Spaces with copies needs them. */
static bool may_do_without_copies(Planner *planner, const Var *var) {
    Task *program = planner->task->task;
    for (size_t i = 1; i < program->spaces.count; i++) {
        Lps *lps = program->spaces.items[i];
        const int slot = plan_view_slot(lps, var);
        if (slot < 0 || planner->task->spaces[i].stored[slot] != STORED_COPY) continue;
        if (!parts_are_disjoint(lps, var) || !plan_keeps_to_own_parts(planner, lps, var)) return false;
    }
    return true;
}

static void do_without_copies(Planner *planner, ArrayPlan *array) {
    Task *program = planner->task->task;
    for (size_t i = 1; i < program->spaces.count; i++) {
        const int slot = plan_view_slot(program->spaces.items[i], array->var);
        if (slot >= 0) planner->task->spaces[i].stored[slot] = STORED_IN_PLACE;
    }
    array->overlaps = true;
    array->why = "one store that every LPU works on in place, padding included: LPUs write their own elements, and read older versions of others";
}

static void place_array(Planner *planner, ArrayPlan *array) {
    Task *program = planner->task->task;
    TouchVec touches = {0};
    touch_steps(planner, &program->flow, array->var, &touches);
    Lps *root = program->spaces.items[0], *deepest = NULL;
    bool chain = true;
    int copied = 0;
    for (size_t i = 1; i < program->spaces.count; i++) {
        Lps *lps = program->spaces.items[i];
        if (!lps_lists_padded(lps, array->var) || !written_within(&touches, lps)) continue;
        planner->task->spaces[i].stored[plan_view_slot(lps, array->var)] = STORED_COPY;
        copied++;
        if (deepest != NULL && is_same_division(lps, deepest, array->var)) continue;
        if (deepest != NULL && !lps_is_within(lps, deepest)) chain = false;
        deepest = lps;
    }
    array->home = root;
    array->why = "one store that every LPU works on in place";
    if (deepest == NULL) return;
    array->why = "LPUs with padding work on copies that are filled on entry and handed back on leaving";
    const bool at_home = chain && parts_are_disjoint(deepest, array->var) && are_at_home(planner, &touches, deepest, array->var);
    if (!at_home && may_do_without_copies(planner, array->var)) {
        do_without_copies(planner, array);
        return;
    }
    if (!chain || !parts_are_disjoint(deepest, array->var)) return;
    if (!at_home) {
        if (copied > 1 || !plan_may_keep(planner, array->var, deepest)) return;
        array->kept = deepest;
        array->why = arena_printf(planner->arena, "LPUs of Space %s keep copies of their padded parts, which are filled and handed back where others want it", deepest->name);
        return;
    }
    settle_at_home(planner, array, &touches, deepest);
}

const Lps *plan_store_level(const TaskPlan *task, const Var *var, const Lps *lps) {
    for (; lps->parent != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, var);
        if (slot < 0 || task->spaces[lps->id].stored[slot] == STORED_IN_PLACE) continue;
        return task->spaces[lps->id].stored[slot] == STORED_AT_HOME ? plan_array(task, var)->home : lps;
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

static bool expr_reads(Planner *planner, const Expr *expr, const Var *var) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].var == var && uses.items[i].read) return true;
    return false;
}

bool plan_flow_reads(Planner *planner, const StepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        bool reads = step->kind != STEP_CALL && (expr_reads(planner, step->condition, var) ||
                                                 expr_reads(planner, step->range, var) || expr_reads(planner, step->step, var));
        if (reads || plan_flow_reads(planner, &step->body, var)) return true;
    }
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
                         : expr_reads(planner, step->condition, var) ||
                               expr_reads(planner, step->range, var) || expr_reads(planner, step->step, var);
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
