/* Warnings about order dependences that can be proved. No false alarms: whatever
 * is not understood (conditions, computed subscripts, calls) is passed over.
 *
 * For each parallel loop the assignments are looked at that every iteration
 * executes: those directly in its body. The indices of the loop and of the parallel
 * loops directly around it are the `stack`.
 *   same element     x[0] = i, x[i] = y[i][j]: some index is missing from the target,
 *                    the value depends on it and is no accumulation
 *   iteration order  x[i] = x[i - 1]: a read of the target's variable at a constant
 *                    distance from it
 * and for each call
 *   LPUs overlap     all LPUs along a dimension that replicates the variable write it: the subscripts take the same values
 *                    in all of them, and no loop around is empty in some */
#include "compiler/check/declare.h"
#include "compiler/check/needed.h"

typedef struct Nest {
    Check *check;
    const Task *task;
    const StageInstance *stage;
    VEC(const LoopIndex *) stack;
    Block *outermost;            /* body of the loop of stack[0] */
} Nest;

/* ---- Looking into expressions -------------------------------------------------------------- */

typedef struct Mention { const Var *var; bool found; } Mention;

static bool note_mention(Expr *expr, void *data) {
    Mention *mention = data;
    if (expr->var == mention->var) mention->found = true;
    return !mention->found;
}

static bool mentions(Expr *expr, const Var *var) {
    Mention mention = {var, false};
    if (expr != NULL) walk_expr(expr, note_mention, &mention);
    return mention.found;
}

static bool any_mentions(const ExprVec *exprs, const Var *var) {
    for (size_t i = 0; i < exprs->count; i++)
        if (mentions(exprs->items[i], var)) return true;
    return false;
}

/* The variable whose value a place changes. */
static const Var *root_var(const Expr *place) {
    while (place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART) place = place->left;
    return place->var;
}

static bool note_changing_stmt(Stmt *stmt, void *data) {
    Mention *mention = data;
    if (stmt->target != NULL && root_var(stmt->target) == mention->var) mention->found = true;
    if (stmt->external != NULL) mention->found = true;
    return !mention->found;
}

static bool note_changing_call(Expr *expr, void *data) {
    Mention *mention = data;
    if (expr->kind == EXPR_CALL && any_mentions(&expr->arguments, mention->var)) mention->found = true;
    return !mention->found;
}

/* Whether anything in the block may change the scalar `var`. */
static bool may_change(Block *block, const Var *var) {
    Mention mention = {var, false};
    walk_block(block, note_changing_stmt, note_changing_call, &mention);
    return mention.found;
}

static const LoopIndex *stack_index(const Nest *nest, const Var *var) {
    for (size_t i = 0; i < nest->stack.count; i++)
        if (nest->stack.items[i]->var == var) return nest->stack.items[i];
    return NULL;
}

/* Whether some other loop of the nest is narrowed by `index`: then its iterations differ from round to round. */
static bool narrows_others(const Nest *nest, const LoopIndex *index) {
    for (size_t i = 0; i < nest->stack.count; i++) {
        const LoopIndex *other = nest->stack.items[i];
        if (other == index) continue;
        if (any_mentions(&other->lower, index->var) || any_mentions(&other->upper, index->var) ||
            any_mentions(&other->filters, index->var) || mentions(other->domain_range, index->var))
            return true;
    }
    return false;
}

/* ---- Subscripts ------------------------------------------------------------------------------- */

/* A subscript `base + offset`; base NULL: a literal. */
typedef struct Affine { const Var *base; int64_t offset; bool understood; } Affine;

static Affine affine_of(Nest *nest, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER) return (Affine){NULL, expr->integer, true};
    if (expr->kind == EXPR_VAR && expr->lag == 0) {
        bool fixed = expr->var->kind == VAR_INDEX || expr->var->kind == VAR_PARTITION ||
                     ((expr->var->kind == VAR_GLOBAL || expr->var->kind == VAR_PARAM) && !may_change(nest->outermost, expr->var));
        return (Affine){expr->var, 0, fixed};
    }
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return (Affine){0};
    Affine left = affine_of(nest, expr->left), right = affine_of(nest, expr->right);
    if (!left.understood || !right.understood) return (Affine){0};
    if (expr->op == OP_ADD && left.base == NULL) return (Affine){right.base, left.offset + right.offset, true};
    if (right.base != NULL) return (Affine){0};
    return (Affine){left.base, expr->op == OP_ADD ? left.offset + right.offset : left.offset - right.offset, true};
}

/* ---- Every iteration writes the same element ----------------------------------------------------- */

static bool is_private(const Nest *nest, const Var *var) {
    if (var->kind != VAR_LOCAL) return false;
    for (size_t i = 0; i < nest->outermost->locals.count; i++)
        if (nest->outermost->locals.items[i] == var) return true;
    return false;
}

static bool target_is_understood(Nest *nest, const Expr *target) {
    if (target->kind == EXPR_VAR)
        return target->var->kind == VAR_GLOBAL || target->var->kind == VAR_PARAM ||
               (target->var->kind == VAR_LOCAL && nest->stack.count == 1 && !is_private(nest, target->var) &&
                needed_behind_loop(&nest->stage->body.block, nest->outermost, target->var));
    if (target->kind != EXPR_ELEMENT) return false;
    for (size_t i = 0; i < target->arguments.count; i++)
        if (!affine_of(nest, target->arguments.items[i]).understood) return false;
    return true;
}

static bool is_narrowed(const LoopIndex *index) {
    return index->lower.count > 0 || index->upper.count > 0 || index->filters.count > 0 || index->other_dimension >= 0;
}

static void warn_same_element(Nest *nest, const Stmt *stmt) {
    if (!target_is_understood(nest, stmt->target) || mentions(stmt->value, stmt->target->var)) return;
    for (size_t i = 0; i < nest->stack.count; i++) {
        const LoopIndex *index = nest->stack.items[i];
        if (is_narrowed(index) || index->domain_var == NULL || narrows_others(nest, index)) continue;
        if (any_mentions(&stmt->target->arguments, index->var) || !mentions(stmt->value, index->var)) continue;
        const char *name = stmt->target->var->name;
        Diag *diag = diag_warning(nest->check->diags, W_SAME_ELEMENT, stmt->target->span,
                                  stmt->target->kind == EXPR_VAR
                                      ? "every iteration over '%s' writes '%s', so which value stays is undefined"
                                      : "every iteration over '%s' writes the same element of '%s', so which value stays is undefined",
                                  index->var->name, name);
        diag_help(diag, "combine the values with reduce(…), or use '%s' in the subscript", index->var->name);
        return;
    }
}

/* ---- Iterations that depend on each other ----------------------------------------------------------- */

/* A bound that leaves more than one iteration in any run worth having. */
static bool is_plain_bound(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_DIM_RANGE: return true;
    case EXPR_VAR: return expr->type->kind == TYPE_RANGE && expr->var->kind == VAR_LOCAL;
    case EXPR_RANGE_PART: return is_plain_bound(expr->left);
    case EXPR_BINARY: return (expr->op == OP_ADD || expr->op == OP_SUB) && is_plain_bound(expr->left) && is_plain_bound(expr->right);
    default: return false;
    }
}

static bool bounds_are_plain(const LoopIndex *index) {
    for (size_t i = 0; i < index->lower.count; i++)
        if (!is_plain_bound(index->lower.items[i])) return false;
    for (size_t i = 0; i < index->upper.count; i++)
        if (!is_plain_bound(index->upper.items[i])) return false;
    /* Two literals may leave a single iteration. */
    return index->lower.count == 0 || index->upper.count == 0 || index->lower.items[0]->kind != EXPR_INTEGER ||
           index->upper.items[0]->kind != EXPR_INTEGER;
}

/* Which variable of the task a call binds to `var`. */
static const Var *bound_var(const Step *call, const Var *var) {
    if (var->kind != VAR_PARAM) return var;
    for (size_t i = 0; i < call->stage->body.params.count; i++)
        if (call->stage->body.params.items[i] == var) return call->arguments.items[i].var;
    return var;
}

static bool is_strided(const Lps *lps, const Var *var, int dimension) {
    for (; lps != NULL; lps = lps->parent) {
        const LpsVar *listed = lps_find_var(lps, var);
        for (int d = 0; listed != NULL && d < lps->dims; d++) {
            PartFunction function = listed->dims[d].function;
            if (listed->dims[d].array_dimension == dimension && (function == PART_STRIDE || function == PART_BLOCK_STRIDE)) return true;
        }
    }
    return false;
}

/* Whether some call runs the loop over a strided part, where neighbouring indices belong to other LPUs. */
static bool runs_strided(const StepVec *steps, const Nest *nest, const LoopIndex *index) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_CALL && step->stage == nest->stage) {
            const Var *var = bound_var(step, index->domain_var);
            if (var == NULL || is_strided(step->lps, var, index->dimension)) return true;
        }
        if (runs_strided(&step->body, nest, index)) return true;
    }
    return false;
}

static bool carries_order(const Nest *nest, const LoopIndex *index) {
    return index != NULL && index->filters.count == 0 && index->other_dimension < 0 && index->domain_var != NULL &&
           bounds_are_plain(index) && !narrows_others(nest, index) && !runs_strided(&nest->task->flow, nest, index);
}

/* The index over which `read` and `write` of one variable are a constant distance apart; *distance gets it. */
static const LoopIndex *find_distance(Nest *nest, const Expr *write, const Expr *read, int64_t *distance) {
    const LoopIndex *carrier = NULL;
    for (size_t d = 0; d < write->arguments.count; d++) {
        Affine to = affine_of(nest, write->arguments.items[d]), from = affine_of(nest, read->arguments.items[d]);
        if (!to.understood || !from.understood || to.base != from.base) return NULL;
        if (to.offset == from.offset) continue;
        const LoopIndex *index = to.base == NULL ? NULL : stack_index(nest, to.base);
        if (!carries_order(nest, index) || carrier == index) return NULL;
        if (carrier == NULL) *distance = to.offset > from.offset ? to.offset - from.offset : from.offset - to.offset;
        carrier = index;
    }
    return carrier;
}

typedef struct OrderScan { Nest *nest; const Stmt *writer; bool warned; } OrderScan;

static bool scan_order(Expr *expr, void *data) {
    OrderScan *scan = data;
    const Expr *target = scan->writer->target;
    if (scan->warned || expr->kind != EXPR_ELEMENT || expr->var != target->var || expr->lag != target->lag) return !scan->warned;
    int64_t distance = 0;
    const LoopIndex *index = find_distance(scan->nest, target, expr, &distance);
    if (index == NULL) return true;
    scan->warned = true;
    Diag *diag = diag_warning(scan->nest->check->diags, W_ITERATION_ORDER, expr->span,
                              "the iterations over '%s' have no order, but this reads an element of '%s' that another iteration writes, %lld away",
                              index->var->name, expr->var->name, (long long)distance);
    diag_note(diag, target->span, "'%s' is written here", expr->var->name);
    diag_help(diag, "read the previous version, '… at (current - 1)', or use 'do in sequence'");
    return false;
}

static void warn_iteration_order(Nest *nest, const StmtVec *assignments, const Stmt *writer) {
    if (writer->target->kind != EXPR_ELEMENT || writer->target->lag != 0) return;
    OrderScan scan = {nest, writer, false};
    for (size_t i = 0; i < assignments->count; i++) walk_expr(assignments->items[i]->value, scan_order, &scan);
}

/* ---- LPUs that write the same elements ------------------------------------------------------------------ */

/* Two LPUs that differ in this dimension of the Space alone. */
typedef struct OverlapScan { Check *check; const Step *call; const Lps *lps; int dimension; } OverlapScan;

/* Whether both have the same indices of the variable's dimension. */
static bool same_along(const OverlapScan *scan, const Var *var, int dimension) {
    const Var *global = var == NULL ? NULL : bound_var(scan->call, var);
    const LpsVar *listed = global == NULL ? NULL : lps_find_var(scan->lps, global);
    if (global == NULL || listed == NULL) return global != NULL;
    const DimPartition *part = &listed->dims[scan->dimension];
    return part->function == PART_REPLICATED || part->array_dimension != dimension;
}

static bool is_same_range(const OverlapScan *scan, const Expr *range) {
    return range->kind == EXPR_DIM_RANGE && (!range->local || same_along(scan, range->var, range->dimension < 0 ? 0 : range->dimension));
}

/* A number that both compute alike. */
static bool is_same_number(const OverlapScan *scan, const Expr *expr) {
    const Var *var = NULL;
    switch (expr->kind) {
    case EXPR_INTEGER: return true;
    case EXPR_RANGE_PART: return is_same_range(scan, expr->left);
    case EXPR_BINARY: return is_same_number(scan, expr->left) && is_same_number(scan, expr->right);
    case EXPR_UNARY: return is_same_number(scan, expr->left);
    case EXPR_VAR:
        var = bound_var(scan->call, expr->var);
        if (var == NULL) return true; /* a constant argument */
        return var->kind == VAR_PARTITION || (var->kind == VAR_GLOBAL && (var->home == NULL || !lps_is_within(var->home, scan->lps)));
    default: return false;
    }
}

static bool all_same(const OverlapScan *scan, const ExprVec *numbers) {
    for (size_t i = 0; i < numbers->count; i++)
        if (!is_same_number(scan, numbers->items[i])) return false;
    return true;
}

/* Whether the loop visits the same indices in both. */
static bool runs_alike(const OverlapScan *scan, const LoopIndex *index) {
    if (index->filters.count > 0 || index->other_dimension >= 0) return false;
    if (!all_same(scan, &index->lower) || !all_same(scan, &index->upper)) return false;
    if (index->domain_var != NULL) return same_along(scan, index->domain_var, index->dimension);
    const Expr *range = index->domain_range;
    if (range->kind == EXPR_RANGE) return is_same_number(scan, range->left) && is_same_number(scan, range->right);
    return is_same_range(scan, range);
}

/* The first (last) index of a dimension, or a few steps from it. */
static bool is_end(const Expr *expr, RangePart end) {
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB) && expr->right->kind == EXPR_INTEGER) expr = expr->left;
    if (expr->kind == EXPR_INTEGER) return end == RANGE_MIN;
    return expr->kind == EXPR_RANGE_PART && expr->part == end && expr->left->kind == EXPR_DIM_RANGE;
}

/* Whether the loop, over whatever part, has iterations in each LPU of any run worth having: parts are never empty. */
static bool runs_everywhere(const LoopIndex *index) {
    for (size_t i = 0; i < index->lower.count; i++)
        if (!is_end(index->lower.items[i], RANGE_MIN)) return false;
    for (size_t i = 0; i < index->upper.count; i++)
        if (!is_end(index->upper.items[i], RANGE_MAX)) return false;
    const Expr *range = index->domain_range;
    return index->filters.count == 0 && index->other_dimension < 0 &&
           (index->domain_var != NULL || range->kind == EXPR_DIM_RANGE ||
            (range->kind == EXPR_RANGE && is_end(range->left, RANGE_MIN) && is_end(range->right, RANGE_MAX)));
}

/* Whether both come to the same elements of the target. */
static bool meet_in(const OverlapScan *scan, const Nest *nest, const Expr *target) {
    for (size_t i = 0; i < nest->stack.count; i++) {
        const LoopIndex *index = nest->stack.items[i];
        bool moves = any_mentions(&target->arguments, index->var);
        if (!runs_alike(scan, index) && (moves || !runs_everywhere(index))) return false;
    }
    return true;
}

static bool has_plain_subscripts(Nest *nest, const Expr *target) {
    for (size_t i = 0; i < target->arguments.count; i++) {
        Affine subscript = affine_of(nest, target->arguments.items[i]);
        if (!subscript.understood || (subscript.base != NULL && stack_index(nest, subscript.base) == NULL)) return false;
    }
    return true;
}

static void report_overlap(const OverlapScan *scan, const Stmt *stmt, const LpsVar *listed) {
    const char *name = listed->var->name, *space = scan->lps->name;
    bool adds = mentions(stmt->value, stmt->target->var), constant = true;
    for (size_t i = 0; i < stmt->target->arguments.count; i++) constant = constant && stmt->target->arguments.items[i]->kind == EXPR_INTEGER;
    Diag *diag = diag_warning(scan->check->diags, W_LPUS_OVERLAP, stmt->target->span,
                              "all LPUs of Space %s along dimension %d %s the same elements of '%s'", space, scan->dimension + 1,
                              adds ? "update" : "write", name);
    diag_note(diag, scan->call->span, "the stage is called in Space %s here", scan->call->lps->name);
    diag_note(diag, listed->span, "Space %s replicates '%s' in that dimension", space, name);
    if (adds && constant)
        diag_help(diag, "combine what LPUs have with reduce(…) into a variable that Define declares as Reduction");
    else if (adds)
        diag_help(diag, "give each LPU a row of another array to add to, and add these rows up in a stage behind Space %s; or divide '%s'", space, name);
    else diag_help(diag, "divide '%s' in that dimension, or write it in an LPS above", name);
}

/* In the Space of the call or in one above it: LPUs there may have LPUs below, which meet in the same way. */
static void warn_overlap(Nest *nest, const Stmt *stmt, const Step *call) {
    const Expr *target = stmt->target;
    const Var *var = target->kind == EXPR_ELEMENT ? bound_var(call, target->var) : NULL;
    if (var == NULL || !has_plain_subscripts(nest, target)) return;
    for (const Lps *lps = lps_proper(call->lps); lps != NULL; lps = lps->parent == NULL ? NULL : lps_proper(lps->parent)) {
        const LpsVar *listed = lps_find_var(lps, var);
        if (listed == NULL || lps->dynamic) continue;
        for (int d = 0; d < lps->dims; d++) {
            OverlapScan scan = {nest->check, call, lps, d};
            if (listed->dims[d].function != PART_REPLICATED || !lps_has_several(lps, d) || !meet_in(&scan, nest, target)) continue;
            report_overlap(&scan, stmt, listed);
            return;
        }
    }
}

/* ---- Walking the loops ------------------------------------------------------------------------------------- */

/* `call` NULL: look at the iterations; else at the LPUs of that call. */
static void walk_loops(Nest *nest, Block *block, const Step *call);

static void collect_assignments(Nest *nest, const Block *block, StmtVec *assignments) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN) vec_push(nest->check->arena, assignments, stmt);
        if (stmt->kind == STMT_BLOCK) collect_assignments(nest, &stmt->body, assignments);
    }
}

static void look_at_block(Nest *nest, Block *block, const Step *call) {
    StmtVec assignments = {0};
    collect_assignments(nest, block, &assignments);
    for (size_t i = 0; i < assignments.count; i++) {
        const Stmt *stmt = assignments.items[i];
        if (call != NULL) {
            warn_overlap(nest, stmt, call);
        } else {
            warn_same_element(nest, stmt);
            warn_iteration_order(nest, &assignments, stmt);
        }
    }
}

/* A sequential loop, as far as LPUs go. */
static void walk_sequence(Nest *nest, Stmt *stmt, const Step *call) {
    const LoopIndex index = {.var = stmt->index, .dimension = -1, .other_dimension = -1, .domain_range = stmt->value};
    vec_push(nest->check->arena, &nest->stack, &index);
    look_at_block(nest, &stmt->body, call);
    walk_loops(nest, &stmt->body, call);
    nest->stack.count--;
}

static void walk_parallel(Nest *nest, Stmt *stmt, const Step *call) {
    size_t depth = nest->stack.count;
    Block *outermost = nest->outermost;
    if (depth == 0) nest->outermost = &stmt->body;
    for (size_t i = 0; i < stmt->indices.count; i++) vec_push(nest->check->arena, &nest->stack, &stmt->indices.items[i]);
    look_at_block(nest, &stmt->body, call);
    walk_loops(nest, &stmt->body, call);
    nest->stack.count = depth;
    nest->outermost = outermost;
}

static void walk_loops(Nest *nest, Block *block, const Step *call) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) walk_parallel(nest, stmt, call);
        else if (stmt->kind == STMT_BLOCK) walk_loops(nest, &stmt->body, call);
        else if (stmt->kind == STMT_SEQUENCE && call != NULL && stmt->step == NULL) walk_sequence(nest, stmt, call);
        else if (call == NULL) {
            /* Below a condition or a sequential loop not every iteration of the loops around it need come by. */
            Nest inner = {.check = nest->check, .task = nest->task, .stage = nest->stage};
            walk_loops(&inner, &stmt->body, call);
            if (stmt->otherwise != NULL) walk_loops(&inner, stmt->otherwise, call);
        }
    }
}

static bool note_lpu_id(Expr *expr, void *data) {
    if (expr->kind == EXPR_LPU_ID) *(bool *)data = true;
    return true;
}

static bool note_return(Stmt *stmt, void *data) {
    if (stmt->kind == STMT_RETURN) *(bool *)data = true;
    return true;
}

/* Calls under a condition are left out: it may let one LPU pass. */
static void walk_calls(Check *check, const Task *task, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_IF || step->kind == STEP_REPEAT_WHILE) continue;
        walk_calls(check, task, &step->body);
        if (step->kind != STEP_CALL) continue;
        bool may_differ = false; /* some LPUs may leave the stage early, or do something else */
        walk_block(&step->stage->body.block, note_return, note_lpu_id, &may_differ);
        Nest nest = {.check = check, .task = task, .stage = step->stage, .outermost = &step->stage->body.block};
        if (may_differ) continue;
        look_at_block(&nest, &step->stage->body.block, step);
        walk_loops(&nest, &step->stage->body.block, step);
    }
}

void warn_dependences(Check *check, Task *task) {
    for (size_t i = 0; i < task->stages.count; i++) {
        Nest nest = {.check = check, .task = task, .stage = task->stages.items[i]};
        walk_loops(&nest, &task->stages.items[i]->body.block, NULL);
    }
    walk_calls(check, task, &task->flow);
}
