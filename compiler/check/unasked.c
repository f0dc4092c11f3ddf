/* Warnings: a stage sets a variable of the task that it is not handed.
 *
 * A stage may name any variable of its task, so `w = 5` in a stage sets the task's w, and is a local of the stage where the
 * task has no w. The two look alike. What stands in the parameters was asked for; anything else may be a local that somebody
 * gave the name of a variable, before or after that variable came into the Define section. Elements (`u[i] = …`) and fields
 * are left alone: a local of that name would have been assigned as a whole before. */
#include "compiler/check/declare.h"

typedef struct Unasked {
    Flow *flow;
    const Body *body;
    VarVec said;                 /* in this stage: the first place is enough */
} Unasked;

static const char *parameters_with(Unasked *u, const Var *var) {
    const char *list = "";
    for (size_t i = 0; i < u->body->params.count; i++)
        list = arena_printf(u->flow->check->arena, "%s%s, ", list, u->body->params.items[i]->name);
    return arena_printf(u->flow->check->arena, "%s(%s%s)", u->body->name, list, var->name);
}

static bool look_at(Stmt *stmt, void *data) {
    Unasked *u = data;
    bool sets = stmt->kind == STMT_ASSIGN || stmt->kind == STMT_REDUCE;
    if (!sets || stmt->target == NULL || stmt->target->kind != EXPR_VAR || stmt->target->var->kind != VAR_GLOBAL) return true;
    Var *var = stmt->target->var;
    for (size_t i = 0; i < u->said.count; i++)
        if (u->said.items[i] == var) return true;
    vec_push(u->flow->check->arena, &u->said, var);
    Diag *diag = diag_warning(u->flow->check->diags, W_UNASKED_WRITE, stmt->target->span,
                              "stage '%s' sets '%s' of the task, which is not one of its parameters", u->body->name, var->name);
    diag_note(diag, var->span, "'%s' of the task is declared here", var->name);
    diag_help(diag, "if that is meant, make it a parameter: %s; if not, give the local another name", parameters_with(u, var));
    return true;
}

void warn_unasked_writes(Flow *flow) {
    for (size_t i = 0; i < flow->task->stages.count; i++) {
        StageInstance *instance = flow->task->stages.items[i];
        Unasked unasked = {.flow = flow, .body = &instance->body};
        walk_block(&instance->body.block, look_at, NULL, &unasked);
    }
}
