/* See cost.h: makes the tree. Read cost_of_stage from the end; scope_of goes through a block and leaves out what is
 * straight-line code, which block_of counts. */
#include "compiler/cost/cost.h"

#include "compiler/cost/keep.h"
#include "compiler/lower/rounds.h"

enum { MOST_LOOPS = 16, LANES_OF_A_PRODUCT = 8 };

typedef struct Costing {
    Arena *arena;
    const LoweredProgram *program;
    StageCost *cost;
    Keeping keeping;
    VEC(const Var *) indices; /* of the loops around, outermost first */
    const Nest *lanes;        /* of FORM_LANES, around what is looked at, or NULL */
    int in_lanes;             /* as CountPlace.in_lanes */
    bool crew;
} Costing;

/* What may stand around a block: `nest`, when it is the innermost loop of all; a loop that is no data-parallel one. */
typedef struct Around { const Nest *nest; bool sequential; Span span; } Around;

static CostScope scope_of(Costing *costing, const Block *block, int counted);

/* ---- Straight-line code ------------------------------------------------------------------------------- */
/* A crew computes in tiles where it takes all iterations of three loops; other products are loops of its threads. */
static bool is_product(const Costing *costing, const Nest *nest) {
    if (!nest || nest->form != FORM_PRODUCT) return false;
    return !costing->crew || nest_innermost(nest)->role == ROLE_TILE;
}

static int block_of(Costing *costing, const Block *block, Around around) {
    CountPlace place = {costing->program, costing->cost->stage, costing->indices.items, costing->indices.count, around.nest, around.sequential, costing->in_lanes, costing->crew};
    CostBlock counted = {cost_count(costing->arena, &place, block), around.span, is_product(costing, around.nest)};
    if (cost_is_empty(&counted.count)) return -1;
    if (counted.product) {
        const bool single = around.nest->product->sum.value->type->kind == TYPE_REAL_SINGLE;
        if (single) counted.count.lanes = 4;
        else if (counted.count.lanes == 0) counted.count.lanes = LANES_OF_A_PRODUCT;
        counted.count.chain = 0;
    }
    vec_push(costing->arena, &costing->cost->blocks, counted);
    return (int)costing->cost->blocks.count - 1;
}

static CostScope body_of(Costing *costing, const Block *block, Around around) {
    const int counted = block_of(costing, block, around);
    return scope_of(costing, block, counted);
}

/* ---- Which loops are walked ------------------------------------------------------------------------------ */
typedef struct Need { Costing *costing; const Var *var; bool found; } Need;

static bool any_mentions(const ExprVec *expressions, const Var *var) {
    for (size_t i = 0; i < expressions->count; i++)
        if (lower_expr_mentions(expressions->items[i], var)) return true;
    return false;
}

static void find_need(void *data, const Stmt *stmt) {
    Need *need = data;
    const Keeping *keeping = &need->costing->keeping;
    if (lower_short_rounds(stmt) > 0) return;
    ExprVec inputs = cost_loop_inputs(need->costing->arena, stmt);
    need->found |= any_mentions(&inputs, need->var);
    for (size_t l = 0; l < stmt->indices.count; l++) need->found |= any_mentions(&stmt->indices.items[l].filters, need->var);
    if (stmt->kind == STMT_IF && (cost_is_told(keeping, &stmt->body) || cost_is_told(keeping, stmt->otherwise)))
        need->found |= lower_expr_mentions(stmt->value, need->var);
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && cost_is_kept(keeping, stmt->target->var))
        need->found |= lower_expr_mentions(stmt->value, need->var);
}

/* Whether anything that is computed in the body names the variable. */
static bool body_needs(Costing *costing, const Block *body, const Var *var) {
    Need need = {costing, var, false};
    lower_walk_block(&(Walk){NULL, find_need, &need}, body);
    return need.found;
}

/* The same of the nest's loops from this one on. */
static bool nest_needs(Costing *costing, const Nest *nest, size_t l) {
    const Var *var = nest->loops.items[l].index->var;
    for (size_t k = l; k < nest->loops.count; k++) {
        const LoopIndex *inner = nest->loops.items[k].index;
        if (cost_can_tell_filters(&costing->keeping, inner) && any_mentions(&inner->filters, var)) return true;
        if (k == l) continue;
        if (inner->domain_range && lower_expr_mentions(inner->domain_range, var)) return true;
        if (any_mentions(&inner->lower, var) || any_mentions(&inner->upper, var)) return true;
    }
    return false;
}

/* ---- Loops --------------------------------------------------------------------------------------------------- */
static CostNode *new_node(Costing *costing, CostKind kind, const Stmt *stmt) {
    CostNode *node = ARENA_NEW(costing->arena, CostNode);
    *node = (CostNode){.kind = kind, .stmt = stmt, .body.block = -1, .otherwise.block = -1};
    return node;
}

static CostNode *unknown_loop(Costing *costing, const Stmt *stmt) {
    CostNode *node = new_node(costing, COST_UNKNOWN, stmt);
    node->body = body_of(costing, &stmt->body, (Around){NULL, stmt->kind != STMT_PARALLEL, stmt->span});
    return node;
}

enum { NEIGHBOURS = 16, ROWS = 8 }; /* HP5_NEIGHBOURS and HP5_ABREAST of runtime/generated.h */

/* Loops inside of a nest in lanes: how many iterations of it go through them side by side. */
static void enter(Costing *costing, const Stmt *stmt) {
    const Nest *nest = costing->lanes;
    if (nest && nest->lanes.rows && lower_goes_together(costing->cost->stage->code.use, nest, stmt)) costing->in_lanes = ROWS;
}

static CostNode *parallel_loops(Costing *costing, const Stmt *stmt) {
    if (!cost_can_tell_rounds(&costing->keeping, stmt) || stmt->indices.count > MOST_LOOPS) return unknown_loop(costing, stmt);
    const size_t outside = costing->indices.count;
    CostNode *node = new_node(costing, COST_NEST, stmt);
    node->nest = lower_nest_of(&costing->cost->stage->code, stmt);
    CostLoop *loops = ARENA_ARRAY(costing->arena, CostLoop, node->nest->loops.count);
    for (size_t l = 0; l < node->nest->loops.count; l++) {
        const LoopIndex *index = node->nest->loops.items[l].index;
        vec_push(costing->arena, &costing->indices, index->var);
        loops[l].walked = nest_needs(costing, node->nest, l) || body_needs(costing, &stmt->body, index->var);
        loops[l].filtered = loops[l].walked && cost_can_tell_filters(&costing->keeping, index);
    }
    node->loops = loops;
    const Costing outer = *costing;
    enter(costing, stmt);
    if (nest_body_in_lanes(node->nest) && costing->in_lanes == 0 && !costing->crew) {
        costing->lanes = node->nest;
        costing->in_lanes = node->nest->lanes.rows || node->nest->lanes.apart ? 0 : NEIGHBOURS;
    }
    node->body = body_of(costing, &stmt->body, (Around){cost_has_loops(&stmt->body) ? NULL : node->nest, false, stmt->span});
    costing->lanes = outer.lanes;
    costing->in_lanes = outer.in_lanes;
    costing->indices.count = outside;
    return node;
}

static CostNode *sequential_loop(Costing *costing, const Stmt *stmt) {
    if (!cost_can_tell_rounds(&costing->keeping, stmt)) return unknown_loop(costing, stmt);
    CostNode *node = new_node(costing, COST_STEPS, stmt);
    CostLoop *loop = ARENA_NEW(costing->arena, CostLoop);
    loop->walked = body_needs(costing, &stmt->body, stmt->index);
    node->loops = loop;
    vec_push(costing->arena, &costing->indices, stmt->index);
    const int outside = costing->in_lanes;
    enter(costing, stmt);
    node->body = body_of(costing, &stmt->body, (Around){NULL, true, stmt->span});
    costing->in_lanes = outside;
    costing->indices.count--;
    return node;
}

/* ---- Bodies --------------------------------------------------------------------------------------------------- */
static CostNode *inside(Costing *costing, const Stmt *stmt, const Block *block) {
    CostNode *node = new_node(costing, COST_INSIDE, stmt);
    node->body = scope_of(costing, block, -1);
    return node;
}

static CostNode *choice(Costing *costing, const Stmt *stmt) {
    const bool first = cost_is_told(&costing->keeping, &stmt->body), second = cost_is_told(&costing->keeping, stmt->otherwise);
    if (!first && !second) return NULL;
    if (!cost_can_tell(&costing->keeping, stmt->value)) /* the first branch stands for both */
        return inside(costing, stmt, first ? &stmt->body : stmt->otherwise);
    CostNode *node = new_node(costing, COST_CHOICE, stmt);
    node->body = scope_of(costing, &stmt->body, -1);
    node->has_otherwise = second;
    if (second) node->otherwise = scope_of(costing, stmt->otherwise, -1);
    return node;
}

static CostNode *value(Costing *costing, const Block *block, const Stmt *stmt) {
    CostNode *node = new_node(costing, COST_VALUE, stmt);
    node->declares = cost_is_assigned_once(&costing->keeping, block, stmt->target->var);
    return node;
}

static CostNode *node_of(Costing *costing, const Block *block, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && cost_is_kept(&costing->keeping, stmt->target->var))
        return value(costing, block, stmt);
    if (lower_short_rounds(stmt) > 0) return NULL;
    switch (stmt->kind) {
    case STMT_PARALLEL: return parallel_loops(costing, stmt);
    case STMT_SEQUENCE: return sequential_loop(costing, stmt);
    case STMT_WHILE: return unknown_loop(costing, stmt);
    case STMT_IF: return choice(costing, stmt);
    case STMT_BLOCK: return inside(costing, stmt, &stmt->body);
    default: return NULL;
    }
}

/* Loops, choices around loops, and what is kept. */
static CostScope scope_of(Costing *costing, const Block *block, int counted) {
    CostScope scope = {.block = counted};
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (cost_is_kept(&costing->keeping, var) && !cost_is_assigned_once(&costing->keeping, block, var))
            vec_push(costing->arena, &scope.zeroed, var);
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        CostNode *node = node_of(costing, block, block->statements.items[i]);
        if (node) vec_push(costing->arena, &scope.nodes, node);
    }
    return scope;
}

const StageCost *cost_of_stage(Arena *arena, const LoweredProgram *program, const LoweredStage *stage, bool crew) {
    StageCost *cost = ARENA_NEW(arena, StageCost);
    const Body *body = stage->code.body;
    cost->stage = stage;
    Costing costing = {.arena = arena, .program = program, .cost = cost, .keeping = {.arena = arena, .whole = &body->block}, .crew = crew};
    cost_keep(&costing.keeping);
    cost->body = body_of(&costing, &body->block, (Around){NULL, false, body->span});
    return cost;
}
