/* The Computation section → steps.
 *
 * Space blocks are written out (`Space C` in A becomes A → B → C when C divides B)
 * or flattened (`Space A` in A), calls are resolved to stage instances by the types
 * of their arguments, and every access to a task-global is noted for the rules of
 * access.c and epoch_versions.c, which run when the whole flow is known. */
#include <string.h>
#include "compiler/check/declare.h"

/* What an instance does with each parameter and with each global that it names. */
typedef struct NamedUse { Var *var; VarUse use; } NamedUse;
typedef struct InstanceUse { VEC(NamedUse) params, globals; } InstanceUse;

static void build_steps(Flow *flow, const AstFlowVec *ast, Lps *lps, StepVec *out);

int step_end(const Step *step) {
    while (step->body.count > 0) step = vec_last(&step->body);
    return step->id + 1;
}

static Step *add_step(Flow *flow, StepKind kind, Span span, Lps *lps, StepVec *out) {
    Step *step = ARENA_NEW(flow->check->arena, Step);
    *step = (Step){.kind = kind, .id = flow->task->step_count++, .span = span, .lps = lps};
    vec_push(flow->check->arena, out, step);
    return step;
}

/* ---- Space ------------------------------------------------------------------------------- */

static void report_nesting(Flow *flow, Name name, const Lps *current, const Lps *target) {
    Diag *diag;
    if (current->sub_partition && lps_is_within(target, current->parent)) {
        diag = diag_error(flow->check->diags, E_FLOW_NESTING, name.span,
                          "Space %s cannot be entered while the sub-partitions of Space %s are walked", name.text,
                          current->parent->name);
        if (target == current->parent) diag_help(diag, "the flow is in Space %s already: leave this Space out", target->name);
        else diag_help(diag, "move it out of the Repeat, or let it 'divides Space %s sub-partitions'", current->parent->name);
        return;
    }
    diag = diag_error(flow->check->diags, E_FLOW_NESTING, name.span, "Space %s cannot be entered from Space %s", name.text,
                      lps_proper((Lps *)current)->name);
    if (lps_is_within(current, target))
        diag_help(diag, "Space %s lies below Space %s: close the braces of Space %s first", lps_proper((Lps *)current)->name,
                  name.text, lps_proper((Lps *)current)->name);
    else
        diag_help(diag, "Space %s divides Space %s: close the braces of Space %s first", name.text,
                  lps_proper(target->parent)->name, lps_proper((Lps *)current)->name);
}

static void build_space(Flow *flow, const AstFlow *ast, Lps *lps, StepVec *out) {
    Check *check = flow->check;
    Lps *target = task_find_lps(flow->task, ast->name.text);
    if (target == NULL) {
        Diag *diag = diag_error(check->diags, E_FLOW_SPACE, ast->name.span, "the Partition section has no Space %s",
                                ast->name.text);
        help_nearest_lps(check, diag, flow->task, ast->name.text);
        return;
    }
    if (target != lps && !lps_is_within(target, lps)) {
        report_nesting(flow, ast->name, lps, target);
        return;
    }
    VEC(Lps *) path = {0};       /* lowest first */
    for (Lps *on = target; on != lps; on = on->parent) vec_push(check->arena, &path, on);
    for (size_t i = path.count; i-- > 0;) {
        Lps *on = path.items[i];
        if (on->sub_partition) {
            Diag *diag = diag_error(check->diags, E_FLOW_SUB_PARTITION, ast->name.span,
                                    "Space %s divides the sub-partitions of Space %s, which are not being walked here",
                                    target->name, on->parent->name);
            diag_help(diag, "put it into 'Repeat foreach sub-partition { … }' in Space %s", on->parent->name);
            return;
        }
    }
    for (size_t i = path.count; i-- > 0;) {
        Step *step = add_step(flow, STEP_SPACE, ast->span, lps, out);
        step->space = lps = path.items[i];
        flow->entered[lps->id] = true;
        out = &step->body;
    }
    build_steps(flow, &ast->body, lps, out);
}

/* ---- Stage calls ----------------------------------------------------------------------------- */

/* Whether an expression has the same value throughout the task. */
static bool is_constant(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: case EXPR_STRING: return true;
    case EXPR_VAR: return expr->var->kind == VAR_PARTITION;
    case EXPR_UNARY: case EXPR_CONVERT: return is_constant(expr->left);
    case EXPR_BINARY: case EXPR_RANGE: return is_constant(expr->left) && is_constant(expr->right);
    case EXPR_MATH:
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (!is_constant(expr->arguments.items[i])) return false;
        return true;
    default: return false;
    }
}

static bool build_constant_arg(Flow *flow, const AstExpr *ast, Lps *lps, StageArg *arg) {
    arg->constant = check_flow_expr(flow->check, flow->task, lps, ast, NULL);
    if (arg->constant == NULL) return false;
    if (is_constant(arg->constant)) return true;
    Diag *diag = diag_error(flow->check->diags, E_CALL_ARGUMENT, ast->span,
                            "a stage argument is a variable of the task or a constant");
    diag_help(diag, "pass the variable itself and compute in the stage; constants are literals and partition arguments");
    return false;
}

static bool build_space_arg(Flow *flow, const AstExpr *ast, const Lps *lps, StageArg *arg) {
    Lps *space = task_find_lps(flow->task, ast->name.text);
    if (space == NULL) {
        Diag *diag = diag_error(flow->check->diags, E_FLOW_SPACE, ast->name.span, "the Partition section has no Space %s",
                                ast->name.text);
        help_nearest_lps(flow->check, diag, flow->task, ast->name.text);
        return false;
    }
    if (!lps_is_within(lps, space)) {
        Diag *diag = diag_error(flow->check->diags, E_REDUCTION_SPACE, ast->name.span,
                                "the result of a reduction in Space %s cannot go to Space %s",
                                lps_proper((Lps *)lps)->name, space->name);
        diag_help(diag, "it goes to the LPS of the call or to one that it divides, directly or not");
        return false;
    }
    arg->reduction_space = space;
    return true;
}

static bool build_arg(Flow *flow, const AstExpr *ast, Lps *lps, StageArg *arg) {
    Check *check = flow->check;
    if (ast->kind == AST_SPACE_ARG) {
        if (!build_space_arg(flow, ast, lps, arg)) return false;
        ast = ast->left;
    }
    if (ast->kind != AST_NAME) return build_constant_arg(flow, ast, lps, arg);
    arg->var = task_find_global(flow->task, ast->name.text);
    if (arg->var != NULL) return true;
    Var *param = task_find_partition_param(flow->task, ast->name.text);
    if (param != NULL) {
        arg->constant = ARENA_NEW(check->arena, Expr);
        *arg->constant = (Expr){.kind = EXPR_VAR, .type = param->type, .span = ast->span, .var = param};
        return true;
    }
    Diag *diag = diag_error(check->diags, E_UNKNOWN_NAME, ast->span, "the task has no variable '%s'", ast->name.text);
    if (!help_ended_repeat(check, diag, flow->task, ast->name.text)) help_nearest_global(check, diag, flow->task, ast->name.text);
    if (!diag_has_help(diag)) help_define(diag, ast->name.text, -1, false);
    return false;
}

static const AstStage *find_stage(Flow *flow, Name name) {
    AstStage *stage = name_table_find(&flow->stages, name.text);
    if (stage != NULL) {
        name_table_put(flow->check->arena, &flow->called, name.text, stage);
        return stage;
    }
    Diag *diag = diag_error(flow->check->diags, E_CALL_STAGE, name.span, "the task has no stage '%s'", name.text);
    VEC(const char *) names = {0};
    for (size_t i = 0; i < flow->ast->stages.items.count && diag_wants_guess(diag); i++)
        vec_push(flow->check->arena, &names, flow->ast->stages.items.items[i].name.text);
    help_nearest(diag, name.text, names.items, names.count);
    return NULL;
}

static bool check_call_count(Flow *flow, const AstFlow *ast, const AstStage *stage) {
    size_t given = ast->arguments.count, wanted = stage->params.count;
    if (given == wanted) return true;
    Diag *diag = diag_error(flow->check->diags, E_CALL_COUNT, ast->span, "stage '%s' has %zu parameter%s, but gets %zu argument%s",
                            stage->name.text, wanted, wanted == 1 ? "" : "s", given, given == 1 ? "" : "s");
    diag_note(diag, stage->name.span, "stage '%s' is here", stage->name.text);
    return false;
}

static bool use_is_empty(const VarUse *use) { return !use->read && !use->written && !use->reduced && use->max_lag == 0; }

/* The globals that a body names itself, found in one walk. */
typedef struct NamedGlobals { Arena *arena; VarVec vars; } NamedGlobals;

static void note_global(NamedGlobals *named, Var *var) {
    if (var == NULL || var->kind != VAR_GLOBAL) return;
    for (size_t i = 0; i < named->vars.count; i++)
        if (named->vars.items[i] == var) return;
    vec_push(named->arena, &named->vars, var);
}

static bool note_global_expr(Expr *expr, void *data) {
    note_global(data, expr->var);
    return true;
}

static bool note_global_stmt(Stmt *stmt, void *data) {
    for (size_t i = 0; stmt->external != NULL && i < stmt->external->uses.count; i++)
        note_global(data, stmt->external->uses.items[i]);
    return true;
}

/* Walks an instance's body once for each variable in it, the first time it is called. */
static const InstanceUse *find_uses(Flow *flow, const StageInstance *instance) {
    Arena *arena = flow->check->arena;
    while (flow->uses.count <= (size_t)instance->id) vec_push(arena, &flow->uses, NULL);
    InstanceUse **slot = &flow->uses.items[instance->id];
    if (*slot != NULL) return *slot;
    *slot = ARENA_NEW(arena, InstanceUse);
    for (size_t i = 0; i < instance->body.params.count; i++) {
        Var *param = instance->body.params.items[i];
        vec_push(arena, &(*slot)->params, ((NamedUse){param, body_var_use(&instance->body, param)}));
    }
    NamedGlobals named = {.arena = arena};
    walk_block((Block *)&instance->body.block, note_global_stmt, note_global_expr, &named);
    for (size_t i = 0; i < named.vars.count; i++) {
        NamedUse use = {named.vars.items[i], body_var_use(&instance->body, named.vars.items[i])};
        if (!use_is_empty(&use.use)) vec_push(arena, &(*slot)->globals, use);
    }
    return *slot;
}

static void check_space_arg(Flow *flow, const AstExpr *ast, const StageArg *arg, const VarUse *use, const AstStage *stage) {
    if (ast->kind != AST_SPACE_ARG || use->reduced) return;
    Diag *diag = diag_error(flow->check->diags, E_SPACE_ARGUMENT, ast->span,
                            "'Space %s:' names the LPS of a reduction, but stage '%s' reduces nothing into '%s'",
                            arg->reduction_space->name, stage->name.text, arg->var == NULL ? "it" : arg->var->name);
    diag_help(diag, "pass the variable alone");
}

static void note_call(Flow *flow, Step *step, const AstFlow *ast, const AstStage *stage) {
    const InstanceUse *uses = find_uses(flow, step->stage);
    for (size_t i = 0; i < step->arguments.count; i++) {
        StageArg *arg = &step->arguments.items[i];
        const VarUse *use = &uses->params.items[i].use;
        check_space_arg(flow, ast->arguments.items[i], arg, use, stage);
        if (arg->var == NULL || use_is_empty(use)) continue;
        if (use->reduced && arg->reduction_space == NULL) arg->reduction_space = lps_proper(step->lps);
        vec_push(flow->check->arena, &flow->accesses,
                 ((Access){step, arg->var, *use, ast->arguments.items[i]->span, arg->reduction_space}));
    }
    for (size_t i = 0; i < uses->globals.count; i++) {
        NamedUse named = uses->globals.items[i];
        Lps *space = named.use.reduced ? lps_proper(step->lps) : NULL;
        vec_push(flow->check->arena, &flow->accesses, ((Access){step, named.var, named.use, ast->name.span, space}));
    }
}

static void build_call(Flow *flow, const AstFlow *ast, Lps *lps, StepVec *out) {
    Arena *arena = flow->check->arena;
    const AstStage *stage = find_stage(flow, ast->name);
    if (stage == NULL || !check_call_count(flow, ast, stage)) return;
    size_t count = ast->arguments.count;
    Type **types = ARENA_ARRAY(arena, Type *, count + 1);
    Var **vars = ARENA_ARRAY(arena, Var *, count + 1);
    Step *step = add_step(flow, STEP_CALL, ast->span, lps, out);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        StageArg arg = {0};
        if (!build_arg(flow, ast->arguments.items[i], lps, &arg)) {
            good = false;
            continue;
        }
        vars[i] = arg.var;
        types[i] = arg.var != NULL ? arg.var->type : arg.constant->type;
        vec_push(arena, &step->arguments, arg);
    }
    if (good) step->stage = check_stage_instance(flow->check, flow->task, stage, types, vars, count, ast->span, lps);
    if (step->stage != NULL) note_call(flow, step, ast, stage);
}

/* ---- Expressions of the flow -------------------------------------------------------------------- */

typedef struct ExprReads { Flow *flow; Step *step; } ExprReads;

static bool note_expr_read(Expr *expr, void *data) {
    ExprReads *reads = data;
    if ((expr->kind != EXPR_VAR && expr->kind != EXPR_ELEMENT) || expr->var->kind != VAR_GLOBAL) return true;
    VarUse use = {.read = true, .read_current = expr->lag == 0, .max_lag = expr->lag, .first_read = expr->span};
    vec_push(reads->flow->check->arena, &reads->flow->accesses, ((Access){reads->step, expr->var, use, expr->span, NULL}));
    return true;
}

/* Checks an expression of `step` and notes what it reads. */
static Expr *build_expr(Flow *flow, Step *step, const AstExpr *ast, BasicType type) {
    Expr *expr = check_flow_expr(flow->check, flow->task, step->lps, ast, type_basic(flow->check, type));
    ExprReads reads = {flow, step};
    if (expr != NULL) walk_expr(expr, note_expr_read, &reads);
    return expr;
}

/* ---- Repeat, If, Epoch ------------------------------------------------------------------------- */

static bool is_repeat_variable(void *data, const char *name) {
    const Flow *flow = data;
    const Var *var = task_find_global(flow->task, name);
    return var != NULL && var->implicit;
}

static void check_rounds(Flow *flow, const AstFlow *ast, const Step *step) {
    CountsUp names = {is_repeat_variable, flow, false};
    warn_backwards(flow->check, ast->condition, ast->step, &names);
    if (step->step != NULL && step->step->kind == EXPR_INTEGER && step->step->integer == 0) {
        Diag *diag = diag_error(flow->check->diags, E_STEP_ZERO, ast->step->span, "a step of 0 never ends");
        diag_help(diag, "a negative step runs from the end of the range to its start");
    }
}

static void build_repeat_for(Flow *flow, const AstFlow *ast, Lps *lps, StepVec *out) {
    Check *check = flow->check;
    Step *step = add_step(flow, STEP_REPEAT_FOR, ast->span, lps, out);
    step->var = task_repeat_variable(check, flow->task, ast->name);
    if (step->var->type->kind != TYPE_INTEGER) {
        Diag *diag = diag_error(check->diags, E_REPEAT_TYPE, ast->name.span, "the Repeat variable '%s' has type '%s', not Integer",
                                ast->name.text, step->var->type->text);
        diag_note(diag, step->var->span, "'%s' is declared here", ast->name.text);
        diag_help(diag, "a Repeat variable that no Define section declares is an Integer");
    }
    step->range = build_expr(flow, step, ast->condition, BASIC_RANGE);
    if (ast->step != NULL) step->step = build_expr(flow, step, ast->step, BASIC_INTEGER);
    check_rounds(flow, ast, step);
    VarUse use = {.written = true, .first_write = ast->name.span};
    vec_push(check->arena, &flow->accesses, ((Access){step, step->var, use, ast->name.span, NULL}));
    bool around = step->var->counting;
    step->var->counting = true;
    build_steps(flow, &ast->body, lps, &step->body);
    step->var->counting = around;
}

static void build_repeat_sub(Flow *flow, const AstFlow *ast, Lps *lps, StepVec *out) {
    if (lps->sub == NULL) {
        Diag *diag = diag_error(flow->check->diags, E_FLOW_NO_SUB, ast->span, lps->sub_partition
                                ? "the sub-partitions of Space %s are being walked already"
                                : "Space %s has no sub-partition to walk", lps_proper(lps)->name);
        if (lps->sub_partition)
            diag_help(diag, "an LPS that 'divides Space %s sub-partitions' can have sub-partitions of its own",
                      lps->parent->name);
        else diag_help(diag, "give it a 'Sub-partition <1d> <unordered> { … }' in the Partition section");
        return;
    }
    Step *step = add_step(flow, STEP_REPEAT_SUB, ast->span, lps, out);
    step->space = lps->sub;
    flow->entered[lps->sub->id] = true;
    build_steps(flow, &ast->body, lps->sub, &step->body);
}

static void build_conditional(Flow *flow, StepKind kind, const AstFlow *ast, Lps *lps, StepVec *out) {
    Step *step = add_step(flow, kind, ast->span, lps, out);
    step->condition = build_expr(flow, step, ast->condition, BASIC_BOOLEAN);
    build_steps(flow, &ast->body, lps, &step->body);
}

static void build_steps(Flow *flow, const AstFlowVec *ast, Lps *lps, StepVec *out) {
    for (size_t i = 0; i < ast->count; i++) {
        const AstFlow *part = ast->items[i];
        switch (part->kind) {
        case FLOW_SPACE: build_space(flow, part, lps, out); break;
        case FLOW_CALL: build_call(flow, part, lps, out); break;
        case FLOW_REPEAT_FOR: build_repeat_for(flow, part, lps, out); break;
        case FLOW_REPEAT_WHILE: build_conditional(flow, STEP_REPEAT_WHILE, part, lps, out); break;
        case FLOW_REPEAT_SUB_PARTITION: build_repeat_sub(flow, part, lps, out); break;
        case FLOW_IF: build_conditional(flow, STEP_IF, part, lps, out); break;
        case FLOW_EPOCH: {
            Step *step = add_step(flow, STEP_EPOCH, part->span, lps, out);
            build_steps(flow, &part->body, lps, &step->body);
            break;
        }
        case FLOW_ERROR: break;
        }
    }
}

void declare_flow(Check *check, Task *task) {
    Flow flow = {.check = check, .task = task, .ast = check_task_ast(check, task)};
    flow.entered = ARENA_ARRAY(check->arena, bool, task->spaces.count);
    for (size_t i = 0; i < flow.ast->stages.items.count; i++) {
        AstStage *stage = &flow.ast->stages.items.items[i];
        name_table_put(check->arena, &flow.stages, stage->name.text, stage);
    }
    size_t errors = diags_error_count(check->diags);
    build_steps(&flow, &flow.ast->computation.body, task->spaces.items[0], &task->flow);
    if (diags_error_count(check->diags) > errors) return;
    check_accesses(&flow);
    check_epochs(&flow);
    if (diags_error_count(check->diags) > 0) return;
    warn_unused(&flow);
    warn_unasked_writes(&flow);
}
