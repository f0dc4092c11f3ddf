/* Where data lives. An array has one store at Root that all LPUs work on in place, unless
 * padding makes the parts of an LPS overlap while something below writes the array: then each LPU of that LPS
 * needs a copy of its own (language.md 3.3, rule 3). When all work on the array happens inside the innermost
 * such LPS and every element lies in exactly one unpadded part there, those copies are the array (its home)
 * and only paddings ever move; otherwise copies are filled on entry and handed back on leaving. */
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

static bool is_zero(const Expr *expr) {
    return expr == NULL || (expr->kind == EXPR_INTEGER && expr->integer == 0);
}

bool lps_lists_padded(const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    if (entry == NULL) return false;
    for (int d = 0; d < lps->dims; d++)
        if (!is_zero(entry->dims[d].padding_front) || !is_zero(entry->dims[d].padding_back)) return true;
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

static void touch_steps(Planner *planner, const StepVec *steps, const Var *var, TouchVec *touches) {
    for (size_t s = 0; s < steps->count; s++) {
        const Step *step = steps->items[s];
        if (step->kind == STEP_CALL) {
            const StageUse *use = plan_use_of(planner, step);
            for (size_t i = 0; i < use->formals.count; i++)
                if (use->formals.items[i].actual == var)
                    vec_push(planner->arena, touches, ((Touch){step->lps, use->formals.items[i].written}));
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

static bool touched_outside(const TouchVec *touches, const Lps *lps) {
    for (size_t i = 0; i < touches->count; i++)
        if (!lps_is_within(touches->items[i].lps, lps)) return true;
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

static void place_array(Planner *planner, ArrayPlan *array) {
    Task *program = planner->task->task;
    TouchVec touches = {0};
    touch_steps(planner, &program->flow, array->var, &touches);
    Lps *root = program->spaces.items[0], *deepest = NULL;
    bool chain = true;
    for (size_t i = 1; i < program->spaces.count; i++) {
        Lps *lps = program->spaces.items[i];
        if (!lps_lists_padded(lps, array->var) || !written_within(&touches, lps)) continue;
        if (deepest != NULL && !lps_is_within(lps, deepest)) chain = false;
        deepest = lps;
        planner->task->spaces[i].stored[plan_view_slot(lps, array->var)] = STORED_COPY;
    }
    array->home = root;
    array->why = "one store that every LPU works on in place";
    if (deepest == NULL) return;
    array->why = "LPUs with padding work on copies that are filled on entry and handed back on leaving";
    if (!chain || touched_outside(&touches, deepest) || !parts_are_disjoint(deepest, array->var)) return;
    array->home = deepest;
    array->why =
        arena_printf(planner->arena, "the padded parts of Space %s's LPUs are the array; only padding moves",
                     deepest->name);
    for (Lps *lps = deepest->parent; lps != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, array->var);
        if (slot >= 0) planner->task->spaces[lps->id].stored[slot] = STORED_IN_PLACE;
    }
    planner->task->spaces[deepest->id].stored[plan_view_slot(deepest, array->var)] = STORED_HOME;
}

const Lps *plan_store_level(const TaskPlan *task, const Var *var, const Lps *lps) {
    for (; lps->parent != NULL; lps = lps->parent) {
        int slot = plan_view_slot(lps, var);
        if (slot >= 0 && task->spaces[lps->id].stored[slot] != STORED_IN_PLACE) return lps;
    }
    return lps;
}

/* ---- Rotation ------------------------------------------------------------------------------------ *
 * An epoch may exchange two buffers instead of copying when nothing can tell the difference: one stage use
 * writes the array, once in each epoch and unconditionally, always the same set of elements, and reads only
 * the version before; everything else reads the current version outside epochs. Elements outside that set
 * have the same value in both buffers. */
typedef struct Invariance {
    Planner *planner;
    const StageUse *use;
    const Body *body;
    int depth;
} Invariance;

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

static bool expr_invariant(Invariance *inv, const Expr *expr);
static bool var_invariant(Invariance *inv, const Var *var);

static bool local_invariant(Invariance *inv, const Block *block, const Var *var) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_EXTERN) return false;
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == var) {
            if (!expr_invariant(inv, stmt->value)) return false;
        } else if (stmt->kind == STMT_ASSIGN && stmt->target->kind != EXPR_ELEMENT &&
                   stmt->target->kind != EXPR_VAR) {
            return false;
        }
        if (!local_invariant(inv, &stmt->body, var)) return false;
        if (stmt->otherwise != NULL && !local_invariant(inv, stmt->otherwise, var)) return false;
    }
    return true;
}

/* Every call of the stage use passes the same variable, and it is invariant. */
static bool parameter_invariant(Invariance *inv, const Formal *formal) {
    if (formal->kind != FORMAL_VALUE) return false;
    const Var *same = NULL;
    for (size_t c = 0; c < inv->planner->calls.count; c++) {
        if (inv->planner->call_uses.items[c] != inv->use) continue;
        const Var *actual = plan_actual(inv->use, formal, inv->planner->calls.items[c]);
        if (actual == NULL || (same != NULL && actual != same)) return false;
        same = actual;
    }
    return same != NULL && var_invariant(inv, same);
}

static bool var_invariant(Invariance *inv, const Var *var) {
    const Planner *planner = inv->planner;
    switch (var->kind) {
    case VAR_PARTITION:
    case VAR_INDEX: return true;
    case VAR_LOCAL:
        if (inv->depth > 8) return false;
        inv->depth++;
        bool same = local_invariant(inv, &inv->body->block, var);
        inv->depth--;
        return same;
    case VAR_PARAM:
        for (size_t i = 0; i < inv->use->formals.count; i++)
            if (inv->use->formals.items[i].var == var)
                return parameter_invariant(inv, &inv->use->formals.items[i]);
        return false;
    case VAR_GLOBAL:
        return !var_is_array(var) && scalar_is_constant(planner, var) &&
               !repeated_variable(&planner->task->task->flow, var);
    default: return false;
    }
}

static bool expr_invariant(Invariance *inv, const Expr *expr) {
    if (expr == NULL) return true;
    switch (expr->kind) {
    case EXPR_VAR:
        if (!var_invariant(inv, expr->var)) return false;
        break;
    case EXPR_ELEMENT:
    case EXPR_CALL:
    case EXPR_AT_INDEX: return false;
    default: break;
    }
    if (!expr_invariant(inv, expr->left) || !expr_invariant(inv, expr->right)) return false;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!expr_invariant(inv, expr->arguments.items[i])) return false;
    return true;
}

static bool exprs_invariant(Invariance *inv, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++)
        if (!expr_invariant(inv, exprs->items[i])) return false;
    return true;
}

static bool loop_invariant(Invariance *inv, const Stmt *stmt) {
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (!expr_invariant(inv, index->domain_range) || !exprs_invariant(inv, &index->lower) ||
            !exprs_invariant(inv, &index->upper) || !exprs_invariant(inv, &index->filters))
            return false;
    }
    return true;
}

/* Every write of `var` is an unconditional one, at invariant places, under invariant parallel loops. */
static bool writes_are_fixed(Invariance *inv, const Block *block, const Var *var, bool fixed) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool inner =
            fixed && (stmt->kind == STMT_BLOCK || (stmt->kind == STMT_PARALLEL && loop_invariant(inv, stmt)));
        if (stmt->kind == STMT_ASSIGN) {
            const Expr *root = stmt->target;
            while (root->left != NULL && root->kind != EXPR_ELEMENT && root->kind != EXPR_VAR)
                root = root->left;
            if (root->var == var &&
                (root != stmt->target || !fixed || !exprs_invariant(inv, &root->arguments)))
                return false;
        }
        if (stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN) return false;
        if (!writes_are_fixed(inv, &stmt->body, var, inner)) return false;
        if (stmt->otherwise != NULL && !writes_are_fixed(inv, stmt->otherwise, var, false)) return false;
    }
    return true;
}

typedef struct EpochScan {
    Planner *planner;
    const Var *var;
    const StageUse *writer;
    const Lps *store;
    bool ok;
} EpochScan;

static bool advances(const Step *epoch, const Var *var) {
    for (size_t i = 0; i < epoch->advances.count; i++)
        if (epoch->advances.items[i] == var) return true;
    return false;
}

/* The epoch at `lps` ends for the whole store (or for all the copies) at once. */
static bool epoch_covers(const Lps *lps, const Lps *store) {
    return lps_is_within(store, lps) || (lps_is_within(lps, store) && lps_is_single_in(lps, store));
}

/* Checks the calls below `steps`; returns how many calls write the array unconditionally. */
static int scan_calls(EpochScan *scan, const StepVec *steps, bool in_epoch, bool straight) {
    int writes = 0;
    for (size_t i = 0; i < steps->count && (scan->ok || scan->writer == NULL); i++) { /* else all is known */
        const Step *step = steps->items[i];
        bool epoch = step->kind == STEP_EPOCH && advances(step, scan->var);
        if (step->kind == STEP_CALL) {
            const StageUse *use = plan_use_of(scan->planner, step);
            for (size_t f = 0; f < use->formals.count; f++) {
                const Formal *formal = &use->formals.items[f];
                if (formal->actual != scan->var) continue;
                const BodyUseVec *uses = plan_stage_uses(scan->planner, use->stage);
                bool current = false;
                for (size_t u = 0; u < uses->count; u++)
                    if (uses->items[u].var == formal->var) current = uses->items[u].read_current;
                if (in_epoch ? current : formal->max_lag > 0) scan->ok = false;
                if (!formal->written) continue;
                if (!in_epoch || !straight || (scan->writer != NULL && scan->writer != use)) scan->ok = false;
                scan->writer = use;
                writes++;
            }
        }
        if (epoch && (in_epoch || !epoch_covers(step->lps, scan->store))) scan->ok = false;
        bool below = epoch || (straight && (step->kind == STEP_SPACE || step->kind == STEP_EPOCH));
        int inner = scan_calls(scan, &step->body, in_epoch || epoch, below);
        if (epoch && inner != 1) scan->ok = false;
        writes += inner;
    }
    return writes;
}

static bool flow_reads(Planner *planner, const StepVec *steps, const Var *var) {
    TouchVec touches = {0};
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind != STEP_CALL) {
            touch_expr(planner, step->condition, step->lps, var, &touches);
            touch_expr(planner, step->range, step->lps, var, &touches);
        }
        if (flow_reads(planner, &step->body, var)) return true;
    }
    return touches.count > 0;
}

const char *plan_rotation_obstacle(Planner *planner, const ArrayPlan *array) {
    Task *program = planner->task->task;
    Arena *arena = planner->arena;
    if (array->var->versions != 2) return arena_printf(arena, "it has %d, not two", array->var->versions);
    if (flow_reads(planner, &program->flow, array->var))
        return "a condition or range of the Computation reads it";
    for (size_t i = 1; i < program->spaces.count; i++) {
        int slot = plan_view_slot(program->spaces.items[i], array->var);
        if (slot >= 0 && planner->task->spaces[i].stored[slot] == STORED_COPY)
            return arena_printf(arena, "LPUs of Space %s work on copies that are handed back",
                                program->spaces.items[i]->name);
    }
    EpochScan scan = {.planner = planner, .var = array->var, .store = array->home, .ok = true};
    scan_calls(&scan, &program->flow, false, false);
    if (scan.writer == NULL) return "no stage writes it in an Epoch";
    if (!scan.ok)
        return "that needs one stage call that writes it in each Epoch, without a condition, and nothing in "
               "the Epoch that reads it at current";
    for (size_t f = 0; f < scan.writer->formals.count; f++) {
        const Formal *formal = &scan.writer->formals.items[f];
        Invariance inv = {.planner = planner, .use = scan.writer, .body = &scan.writer->stage->body};
        if (formal->actual == array->var && formal->written &&
            !writes_are_fixed(&inv, &scan.writer->stage->body.block, formal->var, true))
            return arena_printf(arena, "stage %s may write other elements in one Epoch than in the next",
                                scan.writer->stage->body.name);
    }
    return NULL;
}

/* ---- Scalars ----------------------------------------------------------------------------------------- *
 * A scalar that nothing in the flow writes is a constant of the run. A Repeat variable that is read only
 * inside its Repeats is a counter that each thread keeps for itself. All others are shared, one for each LPU
 * of their home. */
static bool expr_reads(Planner *planner, const Expr *expr, const Var *var) {
    BodyUseVec uses = {0};
    plan_expr_uses(planner->arena, expr, &uses);
    for (size_t i = 0; i < uses.count; i++)
        if (uses.items[i].var == var && uses.items[i].read) return true;
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
