/* What the body of a stage looks like that may run strip by strip, and what its loops touch:
 *
 *     tally(tallies, places) {
 *         row = lpuId[0]                          locals that are the same for all strips
 *         do in sequence {                        loops over an LPU's part, whose outermost index a strip bounds
 *             bin = places[i]
 *             …
 *         } for i in places.local.dimension.range
 *     }
 *
 * The function of such a stage can be called for one strip after the other, as it is. Nothing may be kept from one strip to the next but
 * elements of arrays, and nothing may know where the part begins and ends. */
#include "compiler/lower/strips.h"

#include "compiler/lower/passes.h"

const Var *strip_array(const StageUse *use, const Var *var) {
    const Formal *formal = var && var_is_array(var) ? lower_formal(use, var) : NULL;
    return formal && formal->kind == FORMAL_VIEW ? formal->actual : NULL;
}

static Block block_of(Stmt **stmt) { return (Block){.statements = {.items = stmt, .count = 1}}; }

/* ---- Bodies ------------------------------------------------------------------------------------------------ */
typedef struct Obstacle { bool found; } Obstacle;

size_t strip_count_reductions(const Block *block) {
    size_t count = 0;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) continue;
        count += stmt->kind == STMT_REDUCE;
        count += strip_count_reductions(&stmt->body) + (stmt->otherwise ? strip_count_reductions(stmt->otherwise) : 0);
    }
    return count;
}

static void count_reduction(void *data, const Stmt *stmt) { *(size_t *)data += stmt->kind == STMT_REDUCE; }

/* Its chunks are counted from where the part begins: strips of so many of them give what they give together. */
static bool reduces_from_the_first(const Nest *nest) {
    const Loop *loop = &nest->loops.items[0];
    return nest->form == FORM_REDUCTION && nest->loops.count == 1 && loop->interval && loop->box == 0 && loop->index->lower.count == 0 && loop->index->upper.count == 0;
}

static bool has_target(const Nest *nest, const Var *var) {
    for (size_t i = 0; i < nest->reduction.targets.count; i++)
        if (nest->reduction.targets.items[i]->target->var == var) return true;
    return false;
}

/* All reductions stand in such loops, each target in one. */
static bool reduces_strip_by_strip(const LoweredBody *code, const StripLoops *loops, size_t first, bool *reduces) {
    size_t all = 0, found = 0;
    lower_walk_block(&(Walk){NULL, count_reduction, &all}, &code->body->block);
    for (size_t i = first; i < loops->count && all > 0; i++) {
        const Nest *nest = loops->items[i].stmt->kind == STMT_PARALLEL ? lower_nest_of(code, loops->items[i].stmt) : NULL;
        if (nest == NULL || !reduces_from_the_first(nest)) continue;
        found += strip_count_reductions(&nest->stmt->body);
        for (size_t k = first; k < i; k++) {
            const Nest *other = loops->items[k].stmt->kind == STMT_PARALLEL ? lower_nest_of(code, loops->items[k].stmt) : NULL;
            for (size_t t = 0; other && other->form == FORM_REDUCTION && t < other->reduction.targets.count; t++)
                if (has_target(nest, other->reduction.targets.items[t]->target->var)) return false;
        }
    }
    if (all > 0 && reduces) *reduces = true;
    return all == found && (all == 0 || reduces != NULL);
}

/* Arrays as a whole are something that a function may do anything with. */
static void find_expr_obstacle(void *data, const Expr *expr) {
    Obstacle *obstacle = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) obstacle->found = true;
    if (expr->kind == EXPR_VAR && var_is_array(expr->var)) obstacle->found = true;
    if (expr->kind == EXPR_ELEMENT && expr->lag > 0) obstacle->found = true;
}

static void find_stmt_obstacle(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN) ((Obstacle *)data)->found = true;
}

static void find_element(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT; }

/* `row = lpuId[0]`: whenever it is computed. */
static bool is_setting(const Block *block, const Stmt *stmt) {
    bool reads = false;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !lower_is_local_of(block, stmt->target->var)) return false;
    lower_walk_expr(&(Walk){find_element, NULL, &reads}, stmt->value);
    return !reads;
}

static bool runs_over(const StageUse *use, const Var *var, int dimension, PartDimension *over) {
    const Formal *formal = var ? lower_formal(use, var) : NULL;
    if (formal == NULL || formal->kind != FORMAL_VIEW || !formal->interval[dimension] || formal->gaps[dimension]) return false;
    *over = (PartDimension){formal->actual, dimension};
    return true;
}

/* The loops inside of it stand as they were written, and no work is done once for all of its iterations: a product packs its operands. */
static bool goes_row_by_row(const LoweredBody *code, const Stmt *stmt) {
    const Nest *nest = lower_nest_of(code, stmt);
    if (nest->loops.items[0].index->var != stmt->indices.items[0].var) return false;
    return nest->form != FORM_PRODUCT && (nest->form != FORM_SUM || (nest->sum.window == 0 && nest->sum.turned.count == 0));
}

static bool find_loop(const LoweredBody *code, Stmt *stmt, StripLoop *loop) {
    *loop = (StripLoop){.use = code->use, .stmt = stmt};
    if (stmt->kind == STMT_SEQUENCE) {
        const Expr *range = stmt->value;
        loop->index = stmt->index;
        return stmt->step == NULL && range->kind == EXPR_DIM_RANGE && range->local && runs_over(code->use, range->var, range->dimension, &loop->over);
    }
    if (stmt->kind != STMT_PARALLEL) return false;
    const LoopIndex *index = &stmt->indices.items[0];
    loop->index = index->var;
    return index->other_dimension < 0 && runs_over(code->use, index->domain_var, index->dimension, &loop->over) && goes_row_by_row(code, stmt);
}

bool strip_loops(Arena *arena, const LoweredBody *code, StripLoops *loops, bool *reduces) {
    const StageUse *use = code->use;
    const Block *block = &code->body->block;
    Obstacle obstacle = {false};
    const size_t first = loops->count;
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].kind == FORMAL_PLACE || (use->formals.items[i].kind == FORMAL_PARTIAL && reduces == NULL)) return false;
    lower_walk_block(&(Walk){find_expr_obstacle, find_stmt_obstacle, &obstacle}, block);
    if (obstacle.found) return false;
    for (size_t i = 0; i < block->statements.count; i++) {
        StripLoop loop;
        if (is_setting(block, block->statements.items[i])) continue;
        if (!find_loop(code, block->statements.items[i], &loop)) return false;
        vec_push(arena, loops, loop);
    }
    for (size_t i = first; i < loops->count; i++)
        for (size_t k = 0; k < block->locals.count; k++)
            if (lower_stmt_writes(loops->items[i].stmt, block->locals.items[k]) > 0) return false;
    return loops->count > first && reduces_strip_by_strip(code, loops, first, reduces);
}

/* ---- What a loop touches -------------------------------------------------------------------------------------- */
typedef struct Using { const StripLoop *loop; const Var *array; StripUse use; } Using;

static void note_expr(void *data, const Expr *expr) {
    Using *usage = data;
    unsigned along = 0;
    if (expr->kind != EXPR_ELEMENT || strip_array(usage->loop->use, expr->var) != usage->array) return;
    for (size_t d = 0; d < expr->arguments.count; d++)
        if (expr->arguments.items[d]->kind == EXPR_VAR && expr->arguments.items[d]->var == usage->loop->index) along |= 1u << d;
    usage->use.along = usage->use.count == 0 ? along : usage->use.along & along;
    usage->use.count++;
}

StripUse strip_use(const StripLoop *loop, const Var *array) {
    Using usage = {loop, array, {0}};
    Stmt *stmt = loop->stmt;
    const Block block = block_of(&stmt);
    lower_walk_block(&(Walk){note_expr, NULL, &usage}, &block);
    for (size_t i = 0; i < loop->use->formals.count; i++) {
        const Formal *formal = &loop->use->formals.items[i];
        if (formal->kind == FORMAL_VIEW && formal->actual == array) usage.use.written |= lower_stmt_writes(stmt, formal->var) > 0;
    }
    return usage.use;
}

/* ---- Who looks at parts ------------------------------------------------------------------------------------------ */
typedef struct Looking { const StageUse *use; const StripLoops *loops; PartDimension part; bool found; } Looking;

static bool is_loop(const Looking *looking, const Stmt *stmt) {
    for (size_t i = 0; i < looking->loops->count; i++)
        if (looking->loops->items[i].stmt == stmt) return true;
    return false;
}

static bool is_range_of_loop(const Looking *looking, const Expr *range) {
    for (size_t i = 0; i < looking->loops->count; i++)
        if (looking->loops->items[i].stmt->kind == STMT_SEQUENCE && looking->loops->items[i].stmt->value == range) return true;
    return false;
}

static void look_at_expr(void *data, const Expr *expr) {
    Looking *looking = data;
    if (expr->kind != EXPR_DIM_RANGE || !expr->local || expr->dimension != looking->part.dimension) return;
    if (strip_array(looking->use, expr->var) == looking->part.array && !is_range_of_loop(looking, expr)) looking->found = true;
}

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looking *looking = data;
    for (size_t i = 0; stmt->kind == STMT_PARALLEL && i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (strip_array(looking->use, index->domain_var) != looking->part.array || (i == 0 && is_loop(looking, stmt))) continue;
        looking->found |= index->dimension == looking->part.dimension || index->other_dimension == looking->part.dimension;
    }
}

bool strip_looks_at(const StageUse *use, const StripLoops *loops, PartDimension part) {
    Looking looking = {use, loops, part, false};
    lower_walk_block(&(Walk){look_at_expr, look_at_stmt, &looking}, &use->stage->body.block);
    return looking.found;
}

/* ---- Domains -------------------------------------------------------------------------------------------------------- */
typedef struct Domain { const StripLoop *loop; const Var *index; bool all; PartDimension part; bool found; } Domain;

static void find_domain(void *data, const Stmt *stmt) {
    Domain *domain = data;
    for (size_t i = 0; stmt->kind == STMT_PARALLEL && i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        const Var *array = strip_array(domain->loop->use, index->domain_var);
        if (index->var != domain->index || array == NULL || index->other_dimension >= 0) continue;
        if (domain->all && (index->lower.count > 0 || index->upper.count > 0 || index->filters.count > 0)) continue;
        domain->part = (PartDimension){array, index->dimension};
        domain->found = true;
    }
    if (stmt->kind == STMT_SEQUENCE && stmt->index == domain->index && stmt->value->kind == EXPR_DIM_RANGE && stmt->value->local) {
        domain->part = (PartDimension){strip_array(domain->loop->use, stmt->value->var), stmt->value->dimension};
        domain->found = domain->part.array != NULL && (stmt->step == NULL || !domain->all);
    }
}

bool strip_domain(const StripLoop *loop, const Var *index, bool all, PartDimension *domain) {
    Domain search = {.loop = loop, .index = index, .all = all};
    Stmt *stmt = loop->stmt;
    const Block block = block_of(&stmt);
    lower_walk_block(&(Walk){NULL, find_domain, &search}, &block);
    *domain = search.part;
    return search.found;
}
