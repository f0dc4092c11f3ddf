/* Whether a loop may go in lanes (nest.h): its iterations write places of their own, and the loops inside of it run alike for all of
 * them. Like verify_loops.c, this asks the passes for nothing that they have found out. */
#include "compiler/lower/apart.h"
#include "compiler/lower/verify_loops.h"

typedef struct Look {
    const LoweredBody *code;
    const Nest *nest;
    const Var *index;
    const Expr *target, *asked;
    bool found, together;
    const char *fault;
} Look;

/* What another iteration, or an earlier one of a loop inside, may have set. */
static void find_change(void *data, const Expr *expr) {
    Look *lanes = data;
    const Block *body = &lanes->nest->stmt->body;
    lanes->found |= expr->kind == EXPR_CALL || (expr->var && expr->var == lanes->index);
    lanes->found |= expr->kind == EXPR_VAR && verify_is_local_of(body, expr->var);
    lanes->found |= expr->kind == EXPR_ELEMENT && lower_block_writes(body, expr->var) > 0;
}

static bool changes(Look *lanes, const Expr *expr) {
    lanes->found = false;
    lower_walk_expr(&(Walk){find_change, NULL, lanes}, expr);
    return lanes->found;
}

static bool bounds_change(Look *lanes, const LoopIndex *index) {
    bool found = index->domain_range && changes(lanes, index->domain_range);
    for (size_t i = 0; i < index->lower.count; i++) found |= changes(lanes, index->lower.items[i]);
    for (size_t i = 0; i < index->upper.count; i++) found |= changes(lanes, index->upper.items[i]);
    return found;
}

/* The dimension in which the element is the index's own, or -1. */
static int own_dimension(const Expr *element, const Var *index) {
    for (size_t d = 0; d < element->arguments.count; d++)
        if (element->arguments.items[d]->kind == EXPR_VAR && element->arguments.items[d]->var == index) return (int)d;
    return -1;
}

static void find_inner_index(void *data, const Stmt *stmt) {
    Look *lanes = data;
    lanes->found |= stmt->index && lower_expr_mentions(lanes->asked, stmt->index);
    for (size_t i = 0; i < stmt->indices.count; i++) lanes->found |= lower_expr_mentions(lanes->asked, stmt->indices.items[i].var);
}

/* Whether the subscript has one value while the nest runs. */
static bool stays(Look *lanes, const Expr *subscript) {
    lanes->asked = subscript;
    if (changes(lanes, subscript)) return false;
    lower_walk_block(&(Walk){NULL, find_inner_index, lanes}, &lanes->nest->stmt->body);
    return !lanes->found;
}

static void find_stranger(void *data, const Expr *expr) {
    Look *lanes = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) lanes->fault = "a loop in lanes calls what changes something";
    if (expr->kind != EXPR_ELEMENT || expr->var != lanes->target->var || expr->lag != lanes->target->lag) return;
    const int own = own_dimension(lanes->target, lanes->index);
    const Expr *subscript = expr->arguments.items[own];
    if (subscript->kind == EXPR_VAR && subscript->var == lanes->index) return;
    Expr *others = expr->arguments.items[own], *lanes_own = lanes->target->arguments.items[own];
    const Expr there = {.kind = EXPR_ELEMENT, .arguments = {.items = &others, .count = 1}};
    const Expr here = {.kind = EXPR_ELEMENT, .arguments = {.items = &lanes_own, .count = 1}};
    if (!stays(lanes, subscript) || !lower_elements_apart(lanes->nest, &here, &there))
        lanes->fault = "a loop in lanes touches what other lanes write";
}

static void check_stmt(void *data, const Stmt *stmt) {
    Look *lanes = data;
    if (stmt->kind == STMT_IF) return;
    if ((stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL) && !lanes->together) return;
    if (stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL) {
        bool differs = stmt->step || (stmt->value && changes(lanes, stmt->value));
        for (size_t i = 0; i < stmt->indices.count; i++)
            differs |= stmt->indices.items[i].filters.count > 0 || bounds_change(lanes, &stmt->indices.items[i]);
        if (differs) lanes->fault = "a loop inside of one in lanes is not the same for all";
        return;
    }
    if (stmt->kind != STMT_ASSIGN) {
        lanes->fault = "a loop in lanes does more than assign";
        return;
    }
    if (stmt->target->kind == EXPR_VAR && verify_is_local_of(&lanes->nest->stmt->body, stmt->target->var)) return;
    const Formal *formal = stmt->target->kind == EXPR_ELEMENT ? lower_formal(lanes->code->use, stmt->target->var) : NULL;
    if (!formal || !formal->restricted || own_dimension(stmt->target, lanes->index) < 0) {
        lanes->fault = "lanes write the same place";
        return;
    }
    lanes->target = stmt->target;
    lower_walk_block(&(Walk){find_stranger, NULL, lanes}, &lanes->nest->stmt->body);
}

const char *lower_lanes_fault(const LoweredBody *code, const Nest *nest) {
    const size_t count = nest->loops.count;
    if (nest->lanes.inside > 1 || nest->lanes.inside >= count) return "a nest has no loop in lanes";
    const Loop *loop = &nest->loops.items[count - 1 - nest->lanes.inside];
    if (!loop->interval || loop->other_dimension >= 0 || nest->has_filters) return "a loop in lanes has gaps";
    Look lanes = {.code = code, .nest = nest, .index = loop->index->var};
    if (nest->lanes.inside && bounds_change(&lanes, loop[1].index)) return "a loop inside of one in lanes is not the same for all";
    const StmtVec *statements = &nest->stmt->body.statements;
    for (size_t i = 0; i < statements->count && !lanes.fault; i++) {
        const Block alone = {.statements = {.items = statements->items + i, .count = 1}};
        lanes.together = !nest->lanes.rows || lower_goes_together(code->use, nest, statements->items[i]);
        lower_walk_block(&(Walk){NULL, check_stmt, &lanes}, &alone);
    }
    return lanes.fault;
}
