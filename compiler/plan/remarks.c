/* --remarks: what the planner decided, at the lines that made it so. Needs the finished plan of a
 * task; only adds remarks to the diagnostics, which the driver prints when asked to. */
#include "compiler/plan/internal.h"

static Span span_of(const PlanStep *step) { return step->source->span; }

/* ---- Data --------------------------------------------------------------------------------------- */
static const LpsVar *listed_in(const Lps *lps, const Var *var) { return lps_find_var(lps, var); }

static void remark_copies(Planner *planner, const ArrayPlan *array) {
    const TaskPlan *task = planner->task;
    for (size_t i = 1; i < task->task->spaces.count; i++) {
        const Lps *lps = task->task->spaces.items[i];
        const LpsVar *entry = listed_in(lps, array->var);
        if (entry == NULL) continue;
        Stored stored = task->spaces[i].stored[plan_view_slot(lps, array->var)];
        if (stored == STORED_COPY && array->kept == lps)
            diag_remark(planner->diags, R_PLAN_COPY, entry->span,
                        "each LPU of Space %s keeps a copy of its part of %s; between visits only padding moves, and it is handed back and "
                        "filled anew where stages elsewhere read or write %s",
                        lps->name, array->var->name, array->var->name);
        else if (stored == STORED_COPY)
            diag_remark(planner->diags, R_PLAN_COPY, entry->span,
                        "each LPU of Space %s works on a copy of its part of %s, filled when the Space is "
                        "entered and handed back when it is left: "
                        "parts overlap and are written",
                        lps->name, array->var->name);
        if (stored == STORED_HOME)
            diag_remark(planner->diags, R_PLAN_HOME, entry->span,
                        "%s is kept in the padded parts of Space %s's LPUs; only padding moves, when the "
                        "Space is left",
                        array->var->name, lps->name);
        if (stored == STORED_AT_HOME)
            diag_remark(planner->diags, R_PLAN_HOME, entry->span,
                        "LPUs of Space %s work on %s in the padded parts of Space %s's LPUs, which are divided alike; nothing is copied",
                        lps->name, array->var->name, array->home->name);
    }
}

/* ---- The flow ------------------------------------------------------------------------------------- */
static void remark_epoch(Planner *planner, const PlanStep *step) {
    const char *name = step->array->var->name;
    if (step->rotates) {
        diag_remark(planner->diags, R_PLAN_ROTATES, span_of(step),
                    "the versions of %s change places, nothing is copied%s", name,
                    step->array->oldest_in_current ? "; the oldest is read where the current one is written, and needs no memory" : "");
        return;
    }
    Diag *diag = diag_remark(planner->diags, R_PLAN_NO_ROTATION, span_of(step),
                             "the Epoch copies %s from version to version", name);
    const char *obstacle = plan_rotation_obstacle(planner, step->array);
    if (obstacle == NULL)
        diag_note(diag, step->array->var->span, "they change places in other Epochs: what is written here must be in both");
    else
        diag_note(diag, step->array->var->span, "its versions cannot just change places: %s", obstacle);
}

static void remark_control(Planner *planner, const PlanStep *step) {
    const Step *source = step->source;
    if (step->lps != source->lps)
        diag_remark(planner->diags, R_PLAN_HOISTED, source->span,
                    "this %s runs outside Space %s: in each round LPUs need each other's results, and all of "
                    "them decide alike",
                    source->kind == STEP_IF ? "condition" : "loop", source->lps->name);
    if (step->kind != PLAN_REPEAT_FOR) return;
    if (step->private_counter)
        diag_remark(planner->diags, R_PLAN_PRIVATE, source->span, "each thread counts %s for itself",
                    source->var->name);
    else
        diag_remark(planner->diags, R_PLAN_SHARED_COUNTER, source->span,
                    "%s is shared by the threads of an LPU of Space %s, which wait at its update where others read it: it is "
                    "read outside this loop",
                    source->var->name, step->lps->name);
}

static int visits_of(const PlanStepVec *steps, const Step *source, const Lps *lps) {
    int count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        bool copies = step->body.count > 0 && (step->body.items[0]->kind == PLAN_COPY_IN || step->body.items[0]->kind == PLAN_COPY_OUT);
        if (step->kind == PLAN_LPUS && step->source == source && step->lps == lps && !copies) count++;
        count += visits_of(&step->body, source, lps);
    }
    return count;
}

static void remark_visits(Planner *planner, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        int visits = step->kind == STEP_SPACE ? visits_of(&planner->task->flow, step, step->space) : 0;
        if (visits > 1)
            diag_remark(planner->diags, R_PLAN_CUT, step->span,
                        "the visit of Space %s is cut into %d: half-way LPUs need what others have computed",
                        step->space->name, visits);
        remark_visits(planner, &step->body);
    }
}

static void remark_steps(Planner *planner, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        switch (step->kind) {
        case PLAN_SYNC:
            diag_remark(planner->diags, R_PLAN_SYNC, span_of(step), "threads wait here: %s", step->why);
            break;
        case PLAN_REDUCE:
            diag_remark(planner->diags, R_PLAN_SYNC, span_of(step), "threads wait here: %s", step->why);
            break;
        case PLAN_EXCHANGE:
            diag_remark(planner->diags, R_PLAN_EXCHANGE, span_of(step),
                        "neighbours wait for each other here: %s", step->why);
            break;
        case PLAN_EPOCH: remark_epoch(planner, step); break;
        case PLAN_REPEAT_FOR:
        case PLAN_REPEAT_WHILE:
        case PLAN_IF: remark_control(planner, step); break;
        default: break;
        }
        remark_steps(planner, &step->body);
    }
}

void plan_remarks(Planner *planner) {
    for (int i = 0; i < planner->task->array_count; i++) remark_copies(planner, &planner->task->arrays[i]);
    remark_visits(planner, &planner->task->task->flow);
    remark_steps(planner, &planner->task->flow);
}
