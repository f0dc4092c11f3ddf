/* Versions and epochs (language.md, section 3.3, rule 7): a variable has as many
 * versions as its largest lag plus one, and an Epoch advances those that are
 * written at `current` in it. */
#include "compiler/check/declare.h"

static void count_versions(Flow *flow) {
    for (size_t i = 0; i < flow->accesses.count; i++) {
        Access *access = &flow->accesses.items[i];
        if (access->var->versions < access->use.max_lag + 1) access->var->versions = access->use.max_lag + 1;
    }
}

/* ---- Epochs ----------------------------------------------------------------------------------- */

/* The first access of a step from `id` on: accesses stand in the order of Step.id. */
static size_t first_access(const Flow *flow, int id) {
    size_t low = 0, high = flow->accesses.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->accesses.items[middle].step->id < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* One LPU's epoch must not advance what other LPUs are still using. (A scalar that
 * several LPUs would advance is written by several, which access.c reports.) */
static void check_advance(Flow *flow, const Step *epoch, const Access *access) {
    const Var *var = access->var;
    if (!var_is_array(var)) return;
    Lps *lps = lps_proper(epoch->lps);
    const Lps *holder = lps_holder(lps, var);
    if (lps_is_one_within(lps, holder)) return;
    Diag *diag = diag_error(flow->check->diags, E_EPOCH_NOT_LISTED, epoch->span,
                            "this Epoch stands in Space %s, which does not list '%s', so each of its LPUs would advance the same data",
                            lps->name, var->name);
    diag_help(diag, "list '%s' in Space %s, or put the Epoch into Space %s", var->name, lps->name, holder->name);
    diag_note(diag, access->span, "'%s' is written in the Epoch here", var->name);
}

/* `advanced`: by Var.id, 1 + the id of the last epoch that advances the variable. */
static void find_advances(Flow *flow, Step *epoch, int *advanced) {
    size_t end = first_access(flow, step_end(epoch));
    for (size_t i = first_access(flow, epoch->id + 1); i < end; i++) {
        const Access *access = &flow->accesses.items[i];
        if (access->var->versions < 2 || !(access->use.written || access->use.reduced)) continue;
        if (advanced[access->var->id] == epoch->id + 1) continue;
        advanced[access->var->id] = epoch->id + 1;
        vec_push(flow->check->arena, &epoch->advances, access->var);
        check_advance(flow, epoch, access);
    }
    if (epoch->advances.count > 0) return;
    Diag *diag = diag_warning(flow->check->diags, W_EPOCH_EMPTY, epoch->span, "this Epoch advances nothing");
    diag_help(diag, "an Epoch advances the variables that are written in it and read 'at (current - 1)' somewhere");
}

static void find_epochs(Flow *flow, const StepVec *steps, int *advanced) {
    for (size_t i = 0; i < steps->count; i++) {
        Step *step = steps->items[i];
        if (step->kind == STEP_EPOCH) find_advances(flow, step, advanced);
        find_epochs(flow, &step->body, advanced);
    }
}

void check_epochs(Flow *flow) {
    int *advanced = ARENA_ARRAY(flow->check->arena, int, flow->task->globals.count + 1);
    count_versions(flow);
    find_epochs(flow, &flow->task->flow, advanced);
    for (size_t i = 0; i < flow->task->globals.count; i++) {
        const Var *var = flow->task->globals.items[i];
        if (var->versions < 2 || advanced[i] != 0) continue;
        Diag *diag = diag_warning(flow->check->diags, W_NEVER_ADVANCED, var->span,
                                  "'%s' is read at (current - %d), but no Epoch advances it", var->name, var->versions - 1);
        diag_help(diag, "its versions stay equal; put the call that writes it into 'Epoch { … }'");
    }
}

bool step_advances(const Step *step, const Var *var) {
    for (size_t i = 0; step->kind == STEP_EPOCH && i < step->advances.count; i++)
        if (step->advances.items[i] == var) return true;
    return false;
}
