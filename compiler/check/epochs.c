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

static bool contains_var(const VarVec *vars, const Var *var) {
    for (size_t i = 0; i < vars->count; i++)
        if (vars->items[i] == var) return true;
    return false;
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

static void find_advances(Flow *flow, Step *epoch) {
    int end = step_end(epoch);
    for (size_t i = 0; i < flow->accesses.count; i++) {
        const Access *access = &flow->accesses.items[i];
        if (access->step->id <= epoch->id || access->step->id >= end) continue;
        if (access->var->versions < 2 || !(access->use.written || access->use.reduced)) continue;
        if (contains_var(&epoch->advances, access->var)) continue;
        vec_push(flow->check->arena, &epoch->advances, access->var);
        check_advance(flow, epoch, access);
    }
    if (epoch->advances.count > 0) return;
    Diag *diag = diag_warning(flow->check->diags, W_EPOCH_EMPTY, epoch->span, "this Epoch advances nothing");
    diag_help(diag, "an Epoch advances the variables that are written in it and read 'at (current - 1)' somewhere");
}

static void find_epochs(Flow *flow, const StepVec *steps, VarVec *advanced) {
    for (size_t i = 0; i < steps->count; i++) {
        Step *step = steps->items[i];
        if (step->kind == STEP_EPOCH) {
            find_advances(flow, step);
            for (size_t v = 0; v < step->advances.count; v++) vec_push(flow->check->arena, advanced, step->advances.items[v]);
        }
        find_epochs(flow, &step->body, advanced);
    }
}

void check_epochs(Flow *flow) {
    VarVec advanced = {0};
    count_versions(flow);
    find_epochs(flow, &flow->task->flow, &advanced);
    for (size_t i = 0; i < flow->task->globals.count; i++) {
        const Var *var = flow->task->globals.items[i];
        if (var->versions < 2 || contains_var(&advanced, var)) continue;
        Diag *diag = diag_warning(flow->check->diags, W_NEVER_ADVANCED, var->span,
                                  "'%s' is read at (current - %d), but no Epoch advances it", var->name, var->versions - 1);
        diag_help(diag, "its versions stay equal; put the call that writes it into 'Epoch { … }'");
    }
}
