/* Warnings about what a task declares and never uses: LPSes, partition parameters,
 * stages, Reduction variables. They are given for programs without errors only. */
#include "compiler/check/declare.h"

/* ---- LPSes ------------------------------------------------------------------------------ */

static void warn_spaces(Flow *flow) {
    for (size_t i = 1; i < flow->task->spaces.count; i++) {
        const Lps *lps = flow->task->spaces.items[i];
        if (flow->entered[i]) continue;
        /* A sub-partition of an LPS that is not entered either has been spoken of. */
        if (lps->sub_partition && !flow->entered[lps->parent->id]) continue;
        Diag *diag;
        if (lps->sub_partition) {
            diag = diag_warning(flow->check->diags, W_UNUSED_SPACE, lps->span,
                                "the Computation never walks the sub-partitions of Space %s", lps->parent->name);
            diag_help(diag, "walk them with 'Repeat foreach sub-partition { … }' in Space %s", lps->parent->name);
        } else {
            diag = diag_warning(flow->check->diags, W_UNUSED_SPACE, lps->span, "the Computation never enters Space %s", lps->name);
            diag_help(diag, "remove it, or enter it with 'Space %s { … }'", lps->name);
        }
    }
}

/* ---- Partition parameters ---------------------------------------------------------------- */

typedef struct ParamUse { bool *used; } ParamUse;

static bool note_param(Expr *expr, void *data) {
    ParamUse *use = data;
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_PARTITION) use->used[expr->var->id] = true;
    return true;
}

static void note_params_in(ParamUse *use, Expr *expr) {
    if (expr != NULL) walk_expr(expr, note_param, use);
}

static void note_params_of_spaces(const Task *task, ParamUse *use) {
    for (size_t i = 0; i < task->spaces.count; i++) {
        const Lps *lps = task->spaces.items[i];
        for (size_t v = 0; v < lps->vars.count; v++) {
            for (int d = 0; d < lps->dims; d++) {
                const DimPartition *dim = &lps->vars.items[v].dims[d];
                note_params_in(use, dim->arguments[0]);
                note_params_in(use, dim->arguments[1]);
                note_params_in(use, dim->padding_front);
                note_params_in(use, dim->padding_back);
            }
        }
    }
}

static void note_params_of_steps(const StepVec *steps, ParamUse *use) {
    for (size_t i = 0; i < steps->count; i++) {
        Step *step = steps->items[i];
        note_params_in(use, step->range);
        note_params_in(use, step->step);
        note_params_in(use, step->condition);
        for (size_t a = 0; a < step->arguments.count; a++) note_params_in(use, step->arguments.items[a].constant);
        note_params_of_steps(&step->body, use);
    }
}

static void warn_partition_params(Flow *flow) {
    Task *task = flow->task;
    ParamUse use = {ARENA_ARRAY(flow->check->arena, bool, task->partition_params.count + 1)};
    note_params_of_spaces(task, &use);
    note_params_of_steps(&task->flow, &use);
    if (task->initialize != NULL) walk_block(&task->initialize->block, NULL, note_param, &use);
    for (size_t i = 0; i < task->stages.count; i++) walk_block(&task->stages.items[i]->body.block, NULL, note_param, &use);
    for (size_t i = 0; i < task->partition_params.count; i++) {
        const Var *param = task->partition_params.items[i];
        if (!use.used[i])
            diag_warning(flow->check->diags, W_UNUSED_PARAM, param->span, "the partition parameter '%s' is never used",
                         param->name);
    }
}

/* ---- Stages and reductions ------------------------------------------------------------------- */

static void warn_stages(Flow *flow) {
    for (size_t i = 0; i < flow->ast->stages.items.count; i++) {
        Name name = flow->ast->stages.items.items[i].name;
        if (name_table_find(&flow->called, name.text) != NULL) continue;
        Diag *diag = diag_warning(flow->check->diags, W_UNUSED_STAGE, name.span, "no call of stage '%s'", name.text);
        diag_help(diag, "a stage is checked only where it is called: the types of its parameters come from the call");
    }
}

static void warn_reductions(Flow *flow) {
    for (size_t i = 0; i < flow->task->globals.count; i++) {
        const Var *var = flow->task->globals.items[i];
        bool reduced = !var->reduction;
        for (size_t a = 0; a < flow->by_var[i].count && !reduced; a++) reduced = flow->by_var[i].items[a]->use.reduced;
        if (reduced) continue;
        Diag *diag = diag_warning(flow->check->diags, W_UNUSED_REDUCTION, var->span,
                                  "'%s' is a Reduction variable, but no stage that is called reduces into it", var->name);
        diag_help(diag, "reduce(%s, \"sum\", …) in a stage, or leave 'Reduction' out", var->name);
    }
}

void warn_unused(Flow *flow) {
    warn_spaces(flow);
    warn_partition_params(flow);
    warn_stages(flow);
    warn_reductions(flow);
}
