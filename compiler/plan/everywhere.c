/* Stages above the segments that every segment runs alike. The leader of a Space's LPU runs its stages, and what they read comes to it and what
 * they write goes from it to all who need that. Where each segment has the arrays that a stage writes anyway, whole, each may as well write them
 * itself: what the stage reads goes to all, and nothing comes back. That pays where the stage reads less of what is dealt out than others need of
 * what it writes: the best of each row, say, from which it fills a diagonal of a table that all look things up in.
 *
 * All segments run the LPU, with the same values. So what such a stage has written is new wherever somebody has it, and what moves
 * between segments later is new wherever it comes from.
 *
 * Needs: the flow, storage, footprints, the resolved mapping. Gives: PlanStep.everywhere. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"

typedef struct Choice {
    Arena *arena;
    TaskPlan *task;
    const PlanStep *stage; /* the one that is asked about */
    const Var *var;        /* that is looked for among what other steps touch */
    bool divided;          /* some segment has parts of it */
    bool led;              /* leaders touch it by themselves */
    int read_below;        /* how much of it (growth) stages of the segments' own LPUs read, at most; -1: nothing */
} Choice;

/* In how many dimensions it has more than one index: how fast it grows. */
static int growth(const Region *region) {
    int dimensions = 0;
    for (int d = 0; d < region->rank; d++) dimensions += region_rank(&region->dims[d]) > 0;
    return dimensions;
}

/* LPUs of the Space have all of the array, each. */
static bool has_whole(const TaskPlan *task, const Lps *lps, const Var *var) {
    for (const Lps *at = lps; at->parent != NULL; at = at->parent) {
        const LpsVar *entry = lps_find_var(at, var);
        if (entry != NULL && task->spaces[at->id].stored[plan_view_slot(at, var)] != STORED_IN_PLACE) return false;
        for (int d = 0; entry != NULL && d < at->dims; d++)
            if (entry->dims[d].function != PART_REPLICATED) return false;
    }
    return true;
}

static void look_at_touch(void *data, const MoveTouch *touch) {
    Choice *choice = data;
    if (touch->var != choice->var || touch->everyone) return;
    const bool below = hold_is_local(choice->task, touch->lps);
    choice->led = choice->led || !below;
    choice->divided = choice->divided || touch->copies != NULL || (below && !has_whole(choice->task, touch->lps, touch->var));
    if (below && !touch->write && growth(touch->region) > choice->read_below) choice->read_below = growth(touch->region);
}

/* What all steps but the one that is asked about, and those that run everywhere, do with the array. */
static void look_at_steps(Choice *choice, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step != choice->stage && !step->everywhere) move_touches(choice->arena, choice->task, step, look_at_touch, choice);
        look_at_steps(choice, &step->body);
    }
}

/* Each segment has all of the array, whichever stage touches it there. */
static bool all_have(Choice *choice, const Var *var) {
    const ArrayPlan *array = plan_array(choice->task, var);
    choice->var = var;
    choice->divided = choice->led = false;
    choice->read_below = -1;
    if (array->home->parent != NULL || array->collected || var->versions > 1) return false;
    look_at_steps(choice, &choice->task->flow);
    return !choice->divided;
}

static bool find_extern(Stmt *stmt, void *found) {
    if (stmt->kind == STMT_EXTERN) *(bool *)found = true;
    return true;
}

/* It runs once in the task's whole machine, on its own, with nothing but arrays in their own stores. */
static bool may_run(const TaskPlan *task, const PlanStep *step) {
    const StageUse *use = step->use;
    bool foreign = false;
    if (hold_is_local(task, use->lps) || use->lps->sub_partition || !move_decides_for_all(task, use->lps)) return false;
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].kind == FORMAL_PARTIAL) return false;
    for (size_t i = 0; i < step->regions.count; i++) {
        const Var *var = step->regions.items[i]->var;
        if (var_is_array(var) && (plan_store_level(task, var, use->lps)->parent != NULL || inspect_region(step->regions.items[i]))) return false;
    }
    walk_block((Block *)&use->stage->body.block, find_extern, NULL, &foreign);
    return !foreign;
}

/* What others need of what it writes grows at least as fast as what it reads of what lies here and there; there is room for all that it writes, and what each has
 * to have room for besides is not of a higher rank: no process gets a matrix for the sake of a vector. */
static bool pays(Choice *choice, const PlanStep *step) {
    int needed = -1, asked = 0, has = 0, gets = 0;
    choice->stage = step;
    for (size_t i = 0; i < step->regions.count; i++) {
        const Region *region = step->regions.items[i];
        const bool whole = var_is_array(region->var) && all_have(choice, region->var);
        if (!var_is_array(region->var)) continue;
        if (region->write && !whole) return false;
        const int read = growth(region) < choice->read_below ? growth(region) : choice->read_below;
        if (region->write && read > needed) needed = read;
        if (region->write && read >= 0 && region->rank > has) has = region->rank;
        if (!region->write && (!whole || choice->led) && growth(region) > asked) asked = growth(region);
        if (!region->write && !whole && region->rank > gets) gets = region->rank;
    }
    return needed >= asked && has >= gets;
}

static void mark(Choice *choice, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        step->everywhere = step->kind == PLAN_STAGE && may_run(choice->task, step);
        mark(choice, &step->body);
    }
}

/* Leaves out a stage that does not pay as long as these others run everywhere, if there is one. */
static bool leave_out(Choice *choice, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        PlanStep *step = steps->items[i];
        if (step->everywhere && !pays(choice, step)) {
            step->everywhere = false;
            return true;
        }
        if (leave_out(choice, &step->body)) return true;
    }
    return false;
}

void plan_everywhere(Arena *arena, TaskPlan *task) {
    Choice choice = {.arena = arena, .task = task};
    if (mapping_on_card(task->mapping)) return; /* leaders there are cards or hosts */
    mark(&choice, &task->flow);
    while (leave_out(&choice, &task->flow)) continue;
}

bool plan_at_leaders(const PlanStepVec *steps) {
    bool any = false;
    for (size_t i = 0; i < steps->count; i++) {
        any = plan_at_leaders(&steps->items[i]->body) || steps->items[i]->everywhere || any;
        steps->items[i]->everywhere = false;
    }
    return any;
}
