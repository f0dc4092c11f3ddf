/* Runs the passes of lowering over a plan. Read lower_program from the end; lower_body has the passes of one body in
 * their order: values, bytes of locals, products, nests. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "compiler/base/diag.h"
#include "compiler/lower/narrow.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounding.h"
#include "compiler/lower/truncated.h"
#include "compiler/mapping/mapping.h"

/* ---- Nests ----------------------------------------------------------------------------------------- */
static size_t slot_of(const LoweredBody *code, const Stmt *stmt) {
    size_t slot = ((uintptr_t)stmt / sizeof(void *) * 0x9E3779B97F4A7C15u >> 20) & (code->slot_count - 1);
    while (code->nest_slots[slot] && code->nest_slots[slot]->stmt != stmt) slot = (slot + 1) & (code->slot_count - 1);
    return slot;
}

const Nest *lower_nest_of(const LoweredBody *code, const Stmt *stmt) {
    const Nest *nest = code->slot_count > 0 ? code->nest_slots[slot_of(code, stmt)] : NULL;
    if (!nest) internal_error("lower", "a data-parallel loop has no nest");
    return nest;
}

typedef struct Nests { Arena *arena; LoweredBody *code; } Nests;

static void find_nest(void *data, const Stmt *stmt) {
    const Nests *nests = data;
    if (stmt->kind == STMT_PARALLEL) vec_push(nests->arena, &nests->code->nests, lower_nest(nests->arena, nests->code->use, stmt));
}

static void find_nests(Arena *arena, LoweredBody *code) {
    lower_walk_block(&(Walk){NULL, find_nest, &(Nests){arena, code}}, &code->body->block);
    if (code->nests.count == 0) return;
    for (code->slot_count = 4; code->slot_count < 2 * code->nests.count;) code->slot_count *= 2;
    code->nest_slots = ARENA_ARRAY(arena, const Nest *, code->slot_count);
    for (size_t i = 0; i < code->nests.count; i++)
        code->nest_slots[slot_of(code, code->nests.items[i]->stmt)] = code->nests.items[i];
}

/* ---- Locals -------------------------------------------------------------------------------------------- */
typedef struct Locals { const LoweredBody *code; signed char *bytes; } Locals;

static void find_bytes(Locals *locals, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        const int bytes = lower_local_bytes(locals->code->ranges, locals->code->body, block, var);
        locals->bytes[var->id] = bytes == 0 && lower_keeps_low_bits(locals->code->body, var) ? 4 : (signed char)bytes;
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        find_bytes(locals, &stmt->body);
        if (stmt->otherwise) find_bytes(locals, stmt->otherwise);
    }
}

int lower_bytes_of(const LoweredBody *code, const Var *var) {
    return code && code->local_bytes && (var->kind == VAR_LOCAL || var->kind == VAR_PARAM) ? code->local_bytes[var->id] : 0;
}

Interval lower_values_of(const LoweredBody *code, const Expr *expr) {
    return code && code->ranges ? lower_range_of(code->ranges, expr) : INTERVAL_ALL;
}

/* ---- Bodies -------------------------------------------------------------------------------------------- */
static void lower_body(Arena *arena, const LoweredProgram *program, LoweredBody *code) {
    if (code->ranges) {
        signed char *bytes = ARENA_ARRAY(arena, signed char, code->body->vars.count + 1);
        find_bytes(&(Locals){code, bytes}, &code->body->block);
        for (size_t i = 0; i < code->body->params.count && code->use == NULL; i++)
            bytes[code->body->params.items[i]->id] = (signed char)lower_param_bytes(code->ranges, code->body, code->body->params.items[i]);
        code->local_bytes = bytes;
    }
    code->uses = lower_count_uses(arena, code->body);
    lower_find_product_parts(arena, code);
    if (!program->plan->options.fast_math) lower_find_products(arena, code);
    lower_find_truncated(arena, code);
    find_nests(arena, code);
    for (size_t i = 0; program->memo && i < code->nests.count; i++) code->nests.items[i]->small = lower_small(arena, program->memo, code, code->nests.items[i]);
}

static LoweredBody *function_body(Arena *arena, const LoweredProgram *program, const Function *function) {
    LoweredBody *code = ARENA_NEW(arena, LoweredBody);
    code->body = &function->body;
    if (program->memo) code->ranges = lower_function_ranges(program->memo, function);
    lower_body(arena, program, code);
    return code;
}

/* Initialize and the coordinator: they run once, nothing is narrowed. */
static LoweredBody *plain_body(Arena *arena, const Body *body) {
    if (!body) return NULL;
    LoweredBody *code = ARENA_NEW(arena, LoweredBody);
    code->body = body;
    lower_find_truncated(arena, code);
    find_nests(arena, code);
    return code;
}

const LoweredBody *lower_function(const LoweredProgram *program, const Function *function) {
    return program->functions.items[function->id];
}

/* ---- Stages -------------------------------------------------------------------------------------------- */
enum { MOST_TRIES = 6 };

/* The use with a body of its own in which functions stand in the place of calls, and records and small arrays are taken apart. `placed`: of functions. */
static StageUse *apart_use(Arena *arena, const LoweredProgram *program, const TaskPlan *task, const StageUse *whole, Placement *placement, StageInstance *stage) {
    StageUse *use = ARENA_NEW(arena, StageUse);
    *use = *whole;
    use->stage = stage;
    memset(&use->gathers, 0, sizeof use->gathers);
    for (size_t i = 0; i < whole->gathers.count; i++) vec_push(arena, &use->gathers, whole->gathers.items[i]);
    *stage = *whole->stage;
    stage->body = lower_body_copy(arena, &whole->stage->body);
    lower_read_at_current(arena, task, whole, &stage->body);
    lower_give_own_locals(arena, use, &stage->body);
    lower_make_conditions(arena, &stage->body.block);
    placement->arrays.count = 0;
    placement->apart = false;
    lower_put_in_place(arena, &stage->body, placement);
    lower_take_records_apart(arena, program->plan->program, whole, &stage->body);
    lower_take_arrays_apart(arena, program->plan->program, use, &stage->body);
    placement->apart = true;
    lower_put_in_place(arena, &stage->body, placement); /* functions that were given elements of these, and are given locals now */
    return use;
}

/* The use with its stage's body as it is printed. */
static StageUse *pruned_use(Arena *arena, const LoweredProgram *program, const TaskPlan *task, const StageUse *whole) {
    const size_t functions = program->plan->program->functions.count;
    Placement placement = {.placed = ARENA_ARRAY(arena, bool, functions + 1)};
    StageInstance *stage = ARENA_NEW(arena, StageInstance);
    StageUse *use = apart_use(arena, program, task, whole, &placement, stage);
    for (int tries = 1; lower_keep_whole(arena, &placement, &stage->body); tries++) {
        memset(placement.placed, 0, functions * sizeof(bool));
        placement.none = tries == MOST_TRIES;
        use = apart_use(arena, program, task, whole, &placement, stage);
    }
    for (size_t i = 0; i < functions; i++) program->placed[i] |= placement.placed[i];
    lower_write_out(arena, use, &stage->body);
    lower_count_in_locals(arena, program->plan->program, use, &stage->body);
    lower_move_invariants(arena, program->plan->program, &stage->body);
    lower_prune(arena, &stage->body);
    lower_fold_locals(arena, &stage->body.block);
    lower_make_perfect(arena, use, &stage->body);
    lower_make_panels(arena, program->plan->program, use, &stage->body);
    lower_compute_once(arena, program->plan->program, &stage->body);
    if (task->mapping == NULL || !mapping_on_card(task->mapping)) lower_put_side_by_side(arena, program->plan->program, use, &stage->body);
    return use;
}

static void note_version(LoweredStage *stage, const Var *var, int lag) {
    for (size_t i = 0; i < stage->formals.count; i++)
        if (stage->formals.items[i].formal->var == var) stage->formals.items[i].versions |= (uint64_t)1 << (lag & 63);
}

static void note_expr(void *data, const Expr *expr) {
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_VAR) note_version(data, expr->var, expr->lag);
}

static void note_extern(void *data, const Stmt *stmt) {
    LoweredStage *stage = data;
    for (size_t u = 0; stmt->kind == STMT_EXTERN && u < stmt->external->uses.count; u++) {
        const Var *var = stmt->external->uses.items[u];
        note_version(stage, var, 0);
        for (size_t i = 0; i < stage->formals.count; i++) stage->formals.items[i].foreign |= stage->formals.items[i].formal->var == var;
    }
}

/* Checked builds keep what nothing reads: an index in it may be wrong. */
static LoweredStage *lower_stage(Arena *arena, const LoweredProgram *program, const TaskPlan *task, const StageUse *whole) {
    LoweredStage *stage = ARENA_NEW(arena, LoweredStage);
    const StageUse *use = program->plan->options.checked ? whole : pruned_use(arena, program, task, whole);
    stage->code.use = use;
    stage->code.body = &use->stage->body;
    stage->code.pruned = use != whole;
    bool aliased = false;
    for (size_t i = 0; i < use->formals.count; i++) aliased |= use->formals.items[i].same_as > 0;
    if (program->memo) stage->code.ranges = lower_ranges(program->memo, stage->code.body, aliased);
    lower_body(arena, program, &stage->code);
    stage->code.border = lower_border(arena, &stage->code);
    stage->code.joins = !program->plan->options.checked && lower_joins(&stage->code); /* checked builds look at each element where it stands */
    for (size_t i = 0; i < use->formals.count; i++)
        vec_push(arena, &stage->formals, ((LoweredFormal){.formal = &use->formals.items[i]}));
    lower_walk_block(&(Walk){note_expr, note_extern, stage}, &stage->code.body->block);
    return stage;
}

/* ---- Programs ------------------------------------------------------------------------------------------ */
LoweredProgram *lower_program(Arena *arena, const Plan *plan) {
    const Program *source = plan->program;
    LoweredProgram *program = ARENA_NEW(arena, LoweredProgram);
    program->plan = plan;
    program->placed = ARENA_ARRAY(arena, bool, source->functions.count + 1);
    if (!plan->options.checked) program->memo = lower_range_memo(arena, source);
    for (size_t i = 0; i < source->functions.count; i++)
        vec_push(arena, &program->functions, function_body(arena, program, source->functions.items[i]));
    for (size_t t = 0; t < plan->tasks.count; t++) {
        LoweredTask *task = ARENA_NEW(arena, LoweredTask);
        task->plan = plan->tasks.items[t];
        for (size_t i = 0; i < task->plan->uses.count; i++)
            vec_push(arena, &task->stages, lower_stage(arena, program, task->plan, task->plan->uses.items[i]));
        lower_strips(arena, task, plan->options);
        task->initialize = plain_body(arena, task->plan->task->initialize);
        vec_push(arena, &program->tasks, task);
    }
    program->coordinator = plain_body(arena, source->coordinator);
    return program;
}
