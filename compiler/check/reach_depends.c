/* --remarks: for each partition argument, whether results depend on it, as far as is seen.
 *
 * Each thing that might make a difference is noted as a reason, with the Space where it happens; it concerns the partition
 * arguments that divide or pad something in that Space or in those above it. What the rest of the analysis has understood (loops over parts,
 * guards that padding covers) is no reason; what knows of parts in any other way is one. So "do not depend" is said only
 * where nothing was found; "may" is no proof that they do. */
#include "compiler/check/reach.h"

static bool mentions(const Expr *expr, const Var *param) {
    return expr != NULL && (expr->var == param || mentions(expr->left, param) || mentions(expr->right, param));
}

static bool divides_by(const Lps *lps, const Var *param) {
    for (; lps != NULL; lps = lps->parent)
        for (size_t i = 0; i < lps->vars.count; i++)
            for (int d = 0; d < lps->dims; d++) {
                const DimPartition *part = &lps->vars.items[i].dims[d];
                if (mentions(part->arguments[0], param) || mentions(part->arguments[1], param) ||
                    mentions(part->padding_front, param) || mentions(part->padding_back, param))
                    return true;
            }
    return false;
}

void reach_note_reason(Reach *reach, ReasonKind kind, const Lps *lps, Span span, const Var *param) {
    if (reach->reasons == NULL) return;
    for (size_t i = 0; i < reach->reasons->count; i++) {
        const Reason *reason = &reach->reasons->items[i];
        /* One of each kind is enough for each Space. */
        if (reason->kind == kind && reason->lps == lps && reason->param == param) return;
    }
    vec_push(reach->check->arena, reach->reasons, ((Reason){kind, lps, span, param}));
}

/* ---- Expressions that know of parts ------------------------------------------------------------------- */

typedef struct Naming { Reach *reach; bool any; } Naming;

static bool note_argument(Expr *expr, void *data) {
    Naming *naming = data;
    const Var *var = expr->kind == EXPR_VAR ? expr->var : NULL;
    if (var != NULL && naming->reach->call != NULL && var->kind == VAR_PARAM) {
        const Var *global = reach_global(naming->reach, var);
        if (global != NULL) var = global;
        /* A constant argument: noted at the call. */
        else if (!reach_is_blind(naming->reach, expr)) naming->any = true;
    }
    if (var == NULL || var->kind != VAR_PARTITION) return true;
    reach_note_reason(naming->reach, REASON_COMPUTES, NULL, expr->span, var);
    naming->any = true;
    return true;
}

static bool knows_nothing(Reach *reach, const Expr *expr) {
    reach->effort = REACH_EFFORT;
    reach->blocks_are_blind = true;
    const bool blind = reach_is_blind(reach, expr);
    reach->blocks_are_blind = false;
    return blind;
}

void reach_note_value(Reach *reach, const Expr *expr, const Lps *lps) {
    if (expr == NULL || reach->reasons == NULL) return;
    Naming naming = {reach, false};
    reach->effort = REACH_EFFORT;
    walk_expr((Expr *)expr, note_argument, &naming);
    /* A local alone: what it is made of is noted where it gets that. */
    if (naming.any || (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL && expr->type->kind != TYPE_RANGE)) return;
    if (!knows_nothing(reach, expr)) reach_note_reason(reach, REASON_KNOWS, lps, expr->span, NULL);
}

/* ---- What is summed ------------------------------------------------------------------------------------- */

/* A guard that lets an index of one of these loops go as far as the part alone. */
static bool stops_at_parts(const Reach *reach, size_t first) {
    for (size_t g = 0; g < reach->guards.count; g++)
        for (size_t i = first; i < reach->scopes.count; i++)
            if (reach->guards.items[g].array != NULL && reach->guards.items[g].index == reach->scopes.items[i].var) return true;
    return false;
}

/* Whether some loop around, from the given one on, runs over a part. */
static bool runs_over_parts(Reach *reach, size_t first) {
    if (stops_at_parts(reach, first)) return true;
    for (size_t i = first; i < reach->scopes.count; i++) {
        const LoopIndex *index = reach->scopes.items[i].index;
        const Stmt *sequence = reach->scopes.items[i].sequence;
        if (sequence != NULL && !(knows_nothing(reach, sequence->value) && knows_nothing(reach, sequence->step))) return true;
        if (index == NULL) continue;
        const Var *array = index->domain_var == NULL ? NULL : reach_global(reach, index->domain_var);
        if (array == NULL && index->domain_range != NULL && !knows_nothing(reach, index->domain_range)) return true;
        if (array != NULL && reach_chain(reach, array, index->dimension)->count > 0) return true;
    }
    return false;
}

/* A loop over padding: its indices are in several LPUs. */
static bool runs_over_padding(Reach *reach) {
    for (size_t i = 0; i < reach->scopes.count; i++) {
        const LoopIndex *index = reach->scopes.items[i].index;
        const Var *array = index == NULL || index->domain_var == NULL ? NULL : reach_global(reach, index->domain_var);
        if (array == NULL) continue;
        const Chain *chain = reach_chain(reach, array, index->dimension);
        for (int l = 0; l < chain->count; l++)
            if (chain->levels[l].part->padding_front != NULL || chain->levels[l].part->padding_back != NULL) return true;
    }
    return false;
}

/* Of the loops around, the first one that a local is outside of. */
static size_t first_scope(const Reach *reach, const Var *local) {
    size_t first = 0;
    for (size_t i = 0; i < reach->blocks.count; i++) {
        const Block *block = reach->blocks.items[i].block;
        for (size_t k = 0; k < block->locals.count; k++)
            if (block->locals.items[k] == local) first = reach->blocks.items[i].scopes;
    }
    return first;
}

void reach_note_reduction(Reach *reach, const Stmt *stmt) {
    const Lps *lps = reach->call->lps;
    bool sums = stmt->reduce == REDUCE_SUM || stmt->reduce == REDUCE_PRODUCT;
    if (stmt->target->var->kind == VAR_LOCAL) {
        if (runs_over_parts(reach, first_scope(reach, stmt->target->var))) reach_note_reason(reach, REASON_PART_SUM, lps, stmt->span, NULL);
    } else if (sums && (runs_over_padding(reach) || !runs_over_parts(reach, 0))) {
        reach_note_reason(reach, REASON_COUNTED_TWICE, lps, stmt->span, NULL);
    } else if (sums && type_is_real(stmt->value->type)) {
        reach_note_reason(reach, REASON_ROUNDING, lps, stmt->span, NULL);
    }
}

/* t = t + u[i] with a local from outside the loop. */
void reach_note_assignment(Reach *reach, const Stmt *stmt) {
    const Expr *target = stmt->target;
    while (target != NULL && target->kind != EXPR_VAR && target->kind != EXPR_ELEMENT) target = target->left;
    if (target == NULL || target->kind != EXPR_VAR || target->var->kind != VAR_LOCAL || reach->reasons == NULL) return;
    if (!mentions(stmt->value, target->var)) {
        bool mentioned = false;
        for (size_t i = 0; stmt->value != NULL && i < stmt->value->arguments.count; i++)
            mentioned = mentioned || mentions(stmt->value->arguments.items[i], target->var);
        if (!mentioned) return;
    }
    if (runs_over_parts(reach, first_scope(reach, target->var))) reach_note_reason(reach, REASON_PART_SUM, reach->call->lps, stmt->span, NULL);
}

/* ---- Padding that is older than what it is read for ------------------------------------------------------- */

static bool uses_neighbours(const Reach *reach, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        for (size_t n = 0; n < reach->neighbours.count; n++)
            if (reach->neighbours.items[n] == steps->items[i]->stage && steps->items[i]->kind == STEP_CALL) return true;
        if (uses_neighbours(reach, &steps->items[i]->body)) return true;
    }
    return false;
}

static bool is_repeat(const Step *step) {
    return step->kind == STEP_REPEAT_FOR || step->kind == STEP_REPEAT_WHILE || step->kind == STEP_REPEAT_SUB;
}

/* Rounds within one visit of a Space, or several stages of which a later one uses neighbours. */
static void note_visits(Reach *reach, const StepVec *steps, const Lps *visited) {
    size_t calls = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        StepVec alone = {.items = (Step **)&steps->items[i], .count = 1};
        bool again = visited != NULL && (is_repeat(step) || calls > 0);
        if (again && uses_neighbours(reach, &alone)) reach_note_reason(reach, REASON_ROUNDS, visited, step->span, NULL);
        calls++;
        note_visits(reach, &step->body, step->kind == STEP_SPACE && step->space->dims > 0 ? step->space : visited);
    }
}

/* ---- The remarks --------------------------------------------------------------------------------------------- */

static const char *reason_text(const Check *check, const Reason *reason, const char *param) {
    const char *space = reason->lps == NULL ? "" : reason->lps->name;
    switch (reason->kind) {
    case REASON_WARNED: return arena_printf(check->arena, "see the warning about this element");
    case REASON_DOUBT: return arena_printf(check->arena, "it was not seen whether this element is always in the LPU's part in Space %s", space);
    case REASON_COMPUTES: return arena_printf(check->arena, "the program computes with %s here", param);
    case REASON_KNOWS: return arena_printf(check->arena, "this may know of the LPU of Space %s that it runs in, or of its part", space);
    case REASON_ROUNDING:
        return arena_printf(check->arena, "Reals are added up LPU by LPU of Space %s, and rounded on the way", space);
    case REASON_PART_SUM: return arena_printf(check->arena, "each LPU of Space %s adds up, or goes through, its own part here", space);
    case REASON_COUNTED_TWICE:
        return arena_printf(check->arena, "several LPUs of Space %s may add the same elements here, in padding or all of them", space);
    case REASON_ROUNDS:
        return arena_printf(check->arena, "in one visit of Space %s neighbours are used after the LPU has computed: right as long as the padding "
                            "is as deep as these steps reach", space);
    case REASON_SCALAR: return arena_printf(check->arena, "each LPU of Space %s has one of its own", space);
    case REASON_FOREIGN: return "foreign code is not looked into";
    }
    return "";
}

static void remark_param(Reach *reach, const Var *param) {
    enum { MOST = 4 };
    size_t count = 0, rounding = 0;
    const Reason *shown[MOST];
    for (size_t i = 0; i < reach->reasons->count; i++) {
        const Reason *reason = &reach->reasons->items[i];
        bool concerns = reason->param != NULL ? reason->param == param : divides_by(reason->lps, param);
        if (!concerns) continue;
        if (count < MOST) shown[count] = reason;
        count++;
        rounding += reason->kind == REASON_ROUNDING;
    }
    const char *what = count == 0          ? "results do not depend on %s"
                       : count == rounding ? "results depend on %s in their last bits only"
                                           : "results may depend on %s";
    Diag *diag = diag_remark(reach->check->diags, R_PARTITION_ARGUMENT, param->span, what, param->name);
    for (size_t i = 0; i < count && i < MOST; i++)
        diag_note(diag, shown[i]->span, "%s", reason_text(reach->check, shown[i], param->name));
}

void reach_remark(Reach *reach) {
    const Task *task = reach->task;
    reach->call = NULL;
    if (task->initialize != NULL) walk_block(&task->initialize->block, NULL, note_argument, &(Naming){reach, false});
    for (size_t i = 0; i < reach->findings->count; i++)
        reach_note_reason(reach, REASON_WARNED, reach->findings->items[i].level.lps, reach->findings->items[i].element->span, NULL);
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var_is_array(var) && !var->implicit && var->home != NULL && !lps_is_one_within(var->home, task->spaces.items[0]))
            reach_note_reason(reach, REASON_SCALAR, var->home, var->span, NULL);
    }
    note_visits(reach, &task->flow, NULL);
    for (size_t i = 0; i < task->partition_params.count; i++) remark_param(reach, task->partition_params.items[i]);
}
