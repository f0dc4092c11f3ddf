/* Rotation: an epoch may exchange buffers instead of copying when nothing can tell the difference: the same stage uses write the
 * array in each epoch, or others that write the same elements (a first step, say), unconditionally, always the same set of elements, and reads only versions before, or of the current one what they
 * have written themselves, or a few lines that do not change from epoch to epoch, as walls do: these take the content of the version before when buffers have changed places;
 * everything else reads the current version outside epochs, or writes it in epochs of its own, which copy (start values, say: then both
 * versions are equal again). Elements outside that set have the same value in all buffers, or
 * they are padding, which takes what its owner has in each version before another epoch begins: with two versions that may
 * be many epochs later, because then the padding has one value in both.
 *
 * How to read it: which variables of the stage have other values in one epoch than in the next, from what is assigned and
 * from all that decides whether and how often it is; then the writes; then the calls. plan_rotation_obstacle puts the
 * three together. */
#include "compiler/check/bodies.h"
#include "compiler/check/walk.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/internal.h"

/* ---- What changes from epoch to epoch ------------------------------------------------------------- */
typedef struct Variance {
    Planner *planner;
    const StageUse *use;
    const Body *body;
    bool *varies; /* by Var.id: locals and indices of the body */
    bool more;    /* something was found in this pass */
} Variance;

/* Every call of the stage use passes the same variable, and it is a constant of the run. */
static bool parameter_varies(const Variance *v, const Var *var) {
    const Formal *formal = NULL;
    for (size_t i = 0; i < v->use->formals.count; i++)
        if (v->use->formals.items[i].var == var) formal = &v->use->formals.items[i];
    if (formal == NULL || formal->kind != FORMAL_VALUE) return true;
    const Var *same = NULL;
    for (size_t c = 0; c < v->planner->calls.count; c++) {
        if (v->planner->call_uses.items[c] != v->use) continue;
        const Var *actual = plan_actual(v->use, formal, v->planner->calls.items[c]);
        if (actual == NULL || (same != NULL && actual != same)) return true;
        same = actual;
    }
    return same == NULL || (same->kind != VAR_PARTITION && !plan_is_constant_of_run(v->planner, same));
}

static bool var_varies(const Variance *v, const Var *var) {
    switch (var->kind) {
    case VAR_PARTITION: return false;
    case VAR_LOCAL:
    case VAR_INDEX: return v->varies[var->id];
    case VAR_PARAM: return parameter_varies(v, var);
    case VAR_GLOBAL: return !plan_is_constant_of_run(v->planner, var);
    default: return true;
    }
}

static bool exprs_vary(const Variance *v, const ExprVec *exprs);

/* Elements and results of functions may be other ones each time. */
static bool expr_varies(const Variance *v, const Expr *expr) {
    if (expr == NULL) return false;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) return true;
    if (expr->kind == EXPR_VAR && var_varies(v, expr->var)) return true;
    return expr_varies(v, expr->left) || expr_varies(v, expr->right) || exprs_vary(v, &expr->arguments);
}

static bool exprs_vary(const Variance *v, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++)
        if (expr_varies(v, exprs->items[i])) return true;
    return false;
}

static bool index_varies(const Variance *v, const LoopIndex *index) {
    return expr_varies(v, index->domain_range) || exprs_vary(v, &index->lower) || exprs_vary(v, &index->upper) ||
           exprs_vary(v, &index->filters);
}

static bool loop_varies(const Variance *v, const Stmt *stmt) {
    for (size_t i = 0; i < stmt->indices.count; i++)
        if (index_varies(v, &stmt->indices.items[i])) return true;
    return false;
}

static void mark(Variance *v, const Var *var) {
    if (var == NULL || (var->kind != VAR_LOCAL && var->kind != VAR_INDEX) || v->varies[var->id]) return;
    v->varies[var->id] = v->more = true;
}

const Var *plan_root_of(const Expr *place) {
    while (place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD || place->kind == EXPR_RANGE_PART) place = place->left;
    return place->var;
}

/* What functions are given by reference may hold anything afterwards. */
static bool mark_references(Expr *expr, void *data) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) mark(data, plan_root_of(expr->arguments.items[i]));
    return true;
}

/* Whether and how often the statement's body runs differs. */
static bool control_varies(Variance *v, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_IF:
    case STMT_WHILE: return expr_varies(v, stmt->value);
    case STMT_SEQUENCE:
        if (!expr_varies(v, stmt->value) && !expr_varies(v, stmt->step)) return false;
        mark(v, stmt->index);
        return true;
    case STMT_PARALLEL:
        for (size_t i = 0; i < stmt->indices.count; i++)
            if (index_varies(v, &stmt->indices.items[i])) mark(v, stmt->indices.items[i].var);
        return loop_varies(v, stmt);
    default: return false;
    }
}

/* One pass over the statements, of which it differs (`control`) whether and how often they run. */
static void mark_block(Variance *v, const Block *block, bool control) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool inside = control_varies(v, stmt) || control;
        if (stmt->kind == STMT_ASSIGN && (control || expr_varies(v, stmt->value) || plan_root_of(stmt->target) != stmt->target->var))
            mark(v, plan_root_of(stmt->target));
        if (stmt->kind == STMT_REDUCE) mark(v, plan_root_of(stmt->target));
        mark_block(v, &stmt->body, inside);
        if (stmt->otherwise != NULL) mark_block(v, stmt->otherwise, inside);
    }
}

/* The variables of the body start as unchanging ones; what one pass finds may make others change. A stage that ends early, or
 * has extern code, does not come into question (writes_are_fixed). */
static Variance find_variance(Planner *planner, const StageUse *use) {
    const Body *body = &use->stage->body;
    Variance v = {.planner = planner, .use = use, .body = body, .more = true};
    v.varies = ARENA_ARRAY(planner->arena, bool, body->vars.count + 1);
    walk_block((Block *)&body->block, NULL, mark_references, &v);
    while (v.more) {
        v.more = false;
        mark_block(&v, &body->block, false);
    }
    return v;
}

static bool writes_are_fixed(const Variance *v, const Block *block, const Var *var, bool fixed);

/* The same element each time, or the same part of it. */
static bool is_fixed_write(const Variance *v, const Stmt *stmt) {
    const Expr *place = stmt->target;
    for (; place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD; place = place->left)
        if (exprs_vary(v, &place->arguments)) return false;
    return place->kind == EXPR_ELEMENT && !exprs_vary(v, &place->arguments);
}

/* A loop that has the same rounds each time. */
static bool has_fixed_rounds(const Variance *v, const Stmt *stmt) {
    if (stmt->kind == STMT_PARALLEL) return !loop_varies(v, stmt);
    return stmt->kind == STMT_SEQUENCE && !expr_varies(v, stmt->value) && !expr_varies(v, stmt->step);
}

/* Whether the statements of the block itself assign this element. */
static bool assigns(const Block *block, const Expr *element) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && expr_equal(stmt->target, element)) return true;
    }
    return false;
}

/* Statements of the arm itself write `var`, if any do, at places that the other arm writes as well. */
static bool writes_what_other_does(const Variance *v, const Block *arm, const Block *other, const Var *var) {
    for (size_t i = 0; i < arm->statements.count; i++) {
        const Stmt *stmt = arm->statements.items[i];
        const Block alone = {.statements = {.items = arm->statements.items + i, .count = 1}};
        if (stmt->kind == STMT_ASSIGN && plan_root_of(stmt->target) == var) {
            if (!is_fixed_write(v, stmt) || !assigns(other, stmt->target)) return false;
        } else if (!writes_are_fixed(v, &alone, var, false)) {
            return false;
        }
    }
    return true;
}

/* What an `if` writes whatever its condition says is written without one. */
static bool both_arms_write(const Variance *v, const Stmt *stmt, const Var *var) {
    return stmt->kind == STMT_IF && stmt->otherwise != NULL && writes_what_other_does(v, &stmt->body, stmt->otherwise, var) &&
           writes_what_other_does(v, stmt->otherwise, &stmt->body, var);
}

static bool find_local(Expr *expr, void *data) {
    *(bool *)data |= expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL;
    return true;
}

/* Subscripts of what the statements themselves write name no local, so that they are the same wherever they stand in a round. */
static bool names_no_local(const Block *block, const Var *var) {
    bool found = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || plan_root_of(stmt->target) != var) continue;
        walk_expr(stmt->target, find_local, &found);
    }
    return !found;
}

/* What an `if` writes under its condition is written in front of it or behind, by the block that it stands in, in any case. */
static bool block_writes_as_well(const Variance *v, const Stmt *stmt, const Block *block, const Var *var) {
    const Block *arms[] = {&stmt->body, stmt->otherwise};
    for (int a = 0; a < 2; a++)
        if (arms[a] != NULL && (!names_no_local(arms[a], var) || !writes_what_other_does(v, arms[a], block, var))) return false;
    return stmt->kind == STMT_IF;
}

/* Every write of `var` is an unconditional one, at the same places, under loops that are the same. */
static bool writes_are_fixed(const Variance *v, const Block *block, const Var *var, bool fixed) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool inner = fixed && (stmt->kind == STMT_BLOCK || has_fixed_rounds(v, stmt));
        if (stmt->kind == STMT_ASSIGN && plan_root_of(stmt->target) == var && (!fixed || !is_fixed_write(v, stmt))) return false;
        if (fixed && (both_arms_write(v, stmt, var) || block_writes_as_well(v, stmt, block, var))) continue;
        if (stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN) return false;
        if (!writes_are_fixed(v, &stmt->body, var, inner)) return false;
        if (stmt->otherwise != NULL && !writes_are_fixed(v, stmt->otherwise, var, false)) return false;
    }
    return true;
}

/* ---- Which calls write and read the array ------------------------------------------------------------ */
typedef VEC(const StageUse *) StageUseVec;

/* What the calls in an Epoch do with it. */
typedef struct EpochUse {
    StageUseVec writers;    /* in the order of their calls */
    const Step *writer;     /* the last of their calls */
    bool straight;          /* no write is under a condition or in a loop */
    bool current, older;    /* versions that are read; of the current one more than `taken` */
    RegionVec taken;        /* what is read at current: lines with a fixed index */
    bool nested;            /* another Epoch in it advances the array */
} EpochUse;

typedef struct EpochScan {
    Planner *planner;
    const ArrayPlan *array;
    const Var *var;
    const Lps *store;
    EpochUse like;          /* as which all Epochs write whose buffers may change places: the first one of these */
    StageUseVec writers;    /* of all of them */
    bool ok, mixed;         /* mixed: in other Epochs the older version takes what was written */
    const Lps *apart;       /* whose LPUs, which have parts of one store, each end an Epoch for itself; or NULL: that is not what is in the way */
} EpochScan;

/* The epoch at `lps` ends for the whole store (or for all the copies) at once. */
static bool epoch_covers(const Lps *lps, const Lps *store) {
    return lps_is_within(store, lps) || (lps_is_within(lps, store) && lps_is_single_in(lps, store));
}

static bool check_fixed(Expr *expr, void *data) {
    const Planner *planner = ((void **)data)[0];
    bool *fixed = ((void **)data)[1];
    const bool var = expr->kind == EXPR_VAR && expr->lag == 0 && !var_is_array(expr->var);
    if (var) *fixed = *fixed && (expr->var->kind == VAR_PARTITION || plan_is_constant_of_run(planner, expr->var));
    else if (expr->kind == EXPR_DIM_RANGE) *fixed = *fixed && !expr->local;
    else if (expr->kind != EXPR_INTEGER && expr->kind != EXPR_RANGE_PART && expr->kind != EXPR_BINARY && expr->kind != EXPR_UNARY) *fixed = false;
    return *fixed;
}

/* In some dimension it has one index, the same in the whole run: of the others, all; NULL: it is wider than that. */
static Region *line_of(const Planner *planner, const Region *region) {
    Region *line = ARENA_NEW(planner->arena, Region);
    bool thin = false;
    *line = *region;
    for (int d = 0; d < line->rank; d++) {
        bool fixed = line->dims[d].kind == REGION_POINT;
        if (fixed) walk_expr((Expr *)line->dims[d].low, check_fixed, (void *[]){(void *)planner, &fixed});
        if (!fixed) line->dims[d] = (RegionDim){.kind = REGION_PART};
        thin = thin || fixed;
    }
    return thin ? line : NULL;
}

/* What the call reads at current, and has not written itself before. */
static void add_taken(const EpochScan *scan, const Step *call, EpochUse *found) {
    enum { MOST = 16 };
    if (footprint_reads_own_current(scan->planner->arena, call, scan->var)) return;
    const RegionVec regions = footprint_of_reads(scan->planner->arena, call);
    for (size_t i = 0; i < regions.count; i++) {
        const Region *region = regions.items[i];
        if (region->var != scan->var || region->lag > 0) continue;
        Region *line = line_of(scan->planner, region);
        bool known = false;
        for (size_t k = 0; line != NULL && k < found->taken.count; k++) known = known || region_equal(found->taken.items[k], line);
        if (line == NULL || (!known && found->taken.count == MOST)) found->current = true;
        else if (!known) vec_push(scan->planner->arena, &found->taken, line);
    }
}

static void add_call(const EpochScan *scan, const Step *call, bool straight, EpochUse *found) {
    const StageUse *use = plan_use_of(scan->planner, call);
    for (size_t f = 0; f < use->formals.count; f++) {
        const Formal *formal = &use->formals.items[f];
        if (formal->actual != scan->var) continue;
        add_taken(scan, call, found);
        found->older |= formal->max_lag > 0;
        if (!formal->written) continue;
        found->straight &= straight;
        found->writer = call;
        vec_push(scan->planner->arena, &found->writers, use);
    }
}

static void look_into(const EpochScan *scan, const StepVec *steps, bool straight, EpochUse *found) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_CALL) add_call(scan, step, straight, found);
        found->nested |= step_advances(step, scan->var);
        look_into(scan, &step->body, straight && (step->kind == STEP_SPACE || step->kind == STEP_EPOCH), found);
    }
}

static EpochUse use_in(const EpochScan *scan, const Step *epoch) {
    EpochUse use = {.straight = true};
    look_into(scan, &epoch->body, true, &use);
    return use;
}

static bool same_writers(const StageUseVec *a, const StageUseVec *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) same = a->items[i] == b->items[i];
    return same;
}

/* The same stage uses, or one each whose regions are known exactly. */
static bool write_alike(const EpochScan *scan, const EpochUse *a, const EpochUse *b) {
    if (same_writers(&a->writers, &b->writers)) return true;
    if (a->writers.count != 1 || b->writers.count != 1) return false;
    const Region *one = plan_region_exactly(scan->planner->arena, a->writer, scan->var), *other = plan_region_exactly(scan->planner->arena, b->writer, scan->var);
    return one != NULL && other != NULL && region_equal(one, other);
}

static void note_writers(EpochScan *scan, const EpochUse *use) {
    if (scan->like.writers.count == 0) scan->like = *use;
    for (size_t i = 0; i < use->writers.count; i++) vec_push(scan->planner->arena, &scan->writers, use->writers.items[i]);
}

/* Nothing in it can tell whether buffers have changed places before it. */
static bool cannot_tell(const EpochUse *use) { return use->writers.count > 0 && use->straight && !use->current && !use->nested; }

static bool may_rotate(const EpochScan *scan, const Step *epoch, const EpochUse *use) {
    return cannot_tell(use) && epoch_covers(plan_epoch_space(scan->array, epoch), scan->store);
}

/* Outside of Epochs nobody writes the array or reads older versions, nor does an Epoch that copies read these; those that read them and do not copy
 * are all written by the same stage uses. */
static void find_writer(EpochScan *scan, const StepVec *steps) {
    for (size_t i = 0; i < steps->count && scan->ok; i++) {
        const Step *step = steps->items[i];
        EpochUse use = {.straight = true};
        if (step->kind == STEP_CALL) {
            add_call(scan, step, true, &use);
            scan->ok = use.writers.count == 0 && !use.older;
        } else if (step_advances(step, scan->var)) {
            use = use_in(scan, step);
            if (!use.older) continue;
            if (cannot_tell(&use) && !may_rotate(scan, step, &use)) scan->apart = plan_epoch_space(scan->array, step);
            scan->ok = may_rotate(scan, step, &use) && (scan->writers.count == 0 || write_alike(scan, &scan->like, &use));
            note_writers(scan, &use);
        } else {
            find_writer(scan, &step->body);
        }
    }
}

/* Only where no Epoch reads older versions: one that may rotate stands for all. */
static void take_any_writer(EpochScan *scan, const StepVec *steps) {
    for (size_t i = 0; i < steps->count && scan->writers.count == 0; i++) {
        const Step *step = steps->items[i];
        const EpochUse use = use_in(scan, step);
        if (step_advances(step, scan->var) && may_rotate(scan, step, &use)) note_writers(scan, &use);
        take_any_writer(scan, &step->body);
    }
}

static bool rotates_in(const EpochScan *scan, const Step *epoch) {
    const EpochUse use = use_in(scan, epoch);
    return may_rotate(scan, epoch, &use) && write_alike(scan, &use, &scan->like);
}

/* `below`: in LPUs that not all processes run. */
static bool some_copy(const EpochScan *scan, const StepVec *steps, bool below) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        const bool copies = step_advances(step, scan->var) && !rotates_in(scan, step);
        if (copies && (!below || plan_epoch_space(scan->array, step)->parent != NULL)) return true;
        if (some_copy(scan, &step->body, below)) return true;
    }
    return false;
}

static EpochScan scan_epochs(Planner *planner, const ArrayPlan *array) {
    EpochScan scan = {.planner = planner, .array = array, .var = array->var, .store = array->kept != NULL ? array->kept : array->home, .ok = true};
    const StepVec *flow = &planner->task->task->flow;
    find_writer(&scan, flow);
    if (scan.writers.count == 0) take_any_writer(&scan, flow);
    scan.mixed = scan.writers.count > 0 && some_copy(&scan, flow, false);
    return scan;
}

static bool is_spread(const Planner *planner, const ArrayPlan *array) {
    return planner->mapping != NULL && planner->mapping->segments > 1 && array->home->parent == NULL;
}

/* With two versions an Epoch that copies makes them equal, as they are before the first one. Of several processes that have parts of one store
 * all must copy in it: then each does with what it has what the others do with theirs. Else they hear of copying in their own ways. */
static bool may_mix(const Planner *planner, const ArrayPlan *array, const EpochScan *scan) {
    const ResolvedMapping *mapping = planner->mapping;
    if (array->var->versions != 2) return false;
    if (mapping == NULL) return planner->plan->options.machine == NULL;
    if (is_spread(planner, array)) return array->kept == NULL && !some_copy(scan, &planner->task->task->flow, true);
    return mapping->segments <= 1 || mapping->lpses[array->home->id].level >= model_segment_level(mapping->model);
}

/* That alone is in their way. */
static bool copies_apart(const Planner *planner, const ArrayPlan *array, const EpochScan *scan) {
    return is_spread(planner, array) && array->var->versions == 2 && array->kept == NULL && some_copy(scan, &planner->task->task->flow, true);
}

bool plan_epoch_rotates(Planner *planner, const ArrayPlan *array, const Step *epoch) {
    if (!array->rotates) return false;
    const EpochScan scan = scan_epochs(planner, array);
    return rotates_in(&scan, epoch);
}

RegionVec plan_epoch_takes(Planner *planner, const ArrayPlan *array, const Step *epoch) {
    const EpochScan scan = {.planner = planner, .array = array, .var = array->var};
    return use_in(&scan, epoch).taken;
}

/* ---- Three versions and padding ----------------------------------------------------------------------- */
/* How many end in one run of the steps; many where there is a loop. */
static int count_epochs(const StepVec *steps, const Var *var) {
    int count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step_advances(step, var)) count++;
        const bool repeats = step->kind == STEP_REPEAT_FOR || step->kind == STEP_REPEAT_WHILE || step->kind == STEP_REPEAT_SUB;
        count += count_epochs(&step->body, var) * (repeats ? 2 : 1);
    }
    return count;
}

/* Between two epochs neighbours' padding has taken the new values: one epoch, or a part of one, lies in each visit. */
static bool refreshes_each_epoch(const StepVec *steps, const ArrayPlan *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        bool leaves = step->kind == STEP_SPACE && lps_is_within(array->home, step->space) && lps_lists_padded(step->space, array->var);
        if (leaves ? count_epochs(&step->body, array->var) > 1 : !refreshes_each_epoch(&step->body, array)) return false;
    }
    return true;
}

const char *plan_rotation_obstacle(Planner *planner, const ArrayPlan *array) {
    Task *program = planner->task->task;
    Arena *arena = planner->arena;
    if (array->var->versions < 2) return "it has but one";
    if (array->var->versions > 2 && !refreshes_each_epoch(&program->flow, array))
        return arena_printf(arena, "it has %d, and padding takes new values after several Epochs only", array->var->versions);
    if (plan_flow_reads(planner, &program->flow, array->var))
        return "a condition or range of the Computation reads it";
    for (size_t i = 1; i < program->spaces.count; i++) {
        int slot = plan_view_slot(program->spaces.items[i], array->var);
        const bool kept = array->kept == program->spaces.items[i] && array->var->versions == 2;
        if (slot >= 0 && planner->task->spaces[i].stored[slot] == STORED_COPY && !kept)
            return arena_printf(arena, "LPUs of Space %s work on copies that are handed back",
                                program->spaces.items[i]->name);
    }
    const EpochScan scan = scan_epochs(planner, array);
    if (scan.writers.count == 0) return "no stage writes it in an Epoch";
    if (scan.ok && scan.mixed && copies_apart(planner, array, &scan))
        return "other Epochs copy it for LPUs of a Space, of which several processes run some each: that needs Epochs around the Spaces, Epoch { Space … }";
    if (scan.apart != NULL)
        return arena_printf(arena, "LPUs of Space %s have parts of one store, and each ends the Epoch by itself; with the Space in it, Epoch { Space %s { … } }, it ends for all of them",
                            scan.apart->name, scan.apart->name);
    if (!scan.ok || (scan.mixed && !may_mix(planner, array, &scan)))
        return "that needs stage calls that write the same elements of it in each Epoch, without a condition, and nothing in "
               "the Epoch that reads it at current, but for lines with a fixed index";
    for (size_t w = 0; w < scan.writers.count; w++) {
        const StageUse *writer = scan.writers.items[w];
        const Variance variance = find_variance(planner, writer);
        for (size_t f = 0; f < writer->formals.count; f++) {
            const Formal *formal = &writer->formals.items[f];
            if (formal->actual == array->var && formal->written && !writes_are_fixed(&variance, &writer->stage->body.block, formal->var, true))
                return arena_printf(arena, "stage %s may write other elements in one Epoch than in the next", writer->stage->body.name);
        }
    }
    return NULL;
}
