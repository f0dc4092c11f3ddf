/* Whether a loop may go in lanes (nest.h): its iterations write places of their own, and the loops inside of it run alike for all of
 * them. Like verify_loops.c, this asks the passes for nothing that they have found out. */
#include <string.h>

#include "compiler/lower/apart.h"
#include "compiler/lower/verify_loops.h"

typedef struct Look {
    const LoweredBody *code;
    const Nest *nest;
    const Var *index;
    const Expr *target, *asked;
    size_t number;             /* of the body's statement that is looked at */
    bool found, together;
    const Var *sum;
    size_t names;
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

/* ---- Bounds of a lane's own ----------------------------------------------------------------------------------
 * Those of the first and the last lane tell what all have in common, as long as a bound grows by 0 or 1 from each lane to the next, or,
 * where the lanes go through the same iterations, by -1 or 0. */
typedef struct Growth { int64_t least, most; } Growth;
static const Growth ANY = {-9, 9};

/* What a local is set to by a statement of the body itself in front of number `end`, if by nothing else. */
static const Expr *value_before(const Look *lanes, const Var *var, size_t end, size_t *at) {
    const Block *body = &lanes->nest->stmt->body;
    if (!verify_is_local_of(body, var) || lower_block_writes(body, var) != 1) return NULL;
    for (*at = 0; *at < end; ++*at) {
        const Stmt *stmt = body->statements.items[*at];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == var) return stmt->value;
    }
    return NULL;
}

static Growth growth_of(Look *lanes, const LaneLoop *loop, const Expr *bound, size_t end) {
    size_t at = 0;
    if (bound->type->kind != TYPE_INTEGER) return ANY;
    if (!changes(lanes, bound)) {
        const bool small = bound->kind == EXPR_INTEGER && bound->integer > INT32_MIN && bound->integer < INT32_MAX;
        return small || lower_has_expr((const Expr *const *)loop->asked.items, loop->asked.count, bound) ? (Growth){0, 0} : ANY;
    }
    if (bound->kind == EXPR_VAR && bound->var == lanes->index) return (Growth){1, 1};
    if (bound->kind == EXPR_VAR) {
        const Expr *value = value_before(lanes, bound->var, end, &at);
        return value ? growth_of(lanes, loop, value, at) : ANY;
    }
    if (bound->kind == EXPR_UNARY && bound->op == OP_NEG) {
        const Growth of = growth_of(lanes, loop, bound->left, end);
        return (Growth){-of.most, -of.least};
    }
    const bool extreme = bound->kind == EXPR_MATH && (strcmp(bound->math, "llmin") == 0 || strcmp(bound->math, "llmax") == 0);
    if (!extreme && (bound->kind != EXPR_BINARY || (bound->op != OP_ADD && bound->op != OP_SUB))) return ANY;
    const Growth a = growth_of(lanes, loop, extreme ? bound->arguments.items[0] : bound->left, end);
    const Growth b = growth_of(lanes, loop, extreme ? bound->arguments.items[1] : bound->right, end);
    if (a.least < -1 || b.least < -1 || a.most > 1 || b.most > 1) return ANY;
    if (extreme) return (Growth){a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
    return bound->op == OP_ADD ? (Growth){a.least + b.least, a.most + b.most} : (Growth){a.least - b.most, a.most - b.least};
}

/* All that bounds an index on one side. */
static bool goes_one_way(Look *lanes, const LaneLoop *loop, const Expr *end, const ExprVec *bounds) {
    Growth all = end ? growth_of(lanes, loop, end, lanes->number) : (Growth){0, 0};
    for (size_t i = 0; bounds && i < bounds->count; i++) {
        const Growth growth = growth_of(lanes, loop, bounds->items[i], lanes->number);
        all = (Growth){growth.least < all.least ? growth.least : all.least, growth.most > all.most ? growth.most : all.most};
    }
    return (all.least >= 0 && all.most <= 1) || (all.least >= -1 && all.most <= 0 && !loop->slides);
}

static void find_loop_inside(void *data, const Stmt *stmt) { ((Look *)data)->found |= stmt->kind != STMT_ASSIGN && stmt->kind != STMT_IF; }

static bool is_ragged(Look *lanes, const Stmt *stmt) {
    const LaneLoops *ragged = &lanes->nest->lanes.ragged;
    const LaneLoop *loop = NULL;
    for (size_t i = 0; i < ragged->count; i++)
        if (ragged->items[i].stmt == stmt) loop = &ragged->items[i];
    if (!loop || stmt->step) return false;
    lanes->found = false;
    lower_walk_block(&(Walk){NULL, find_loop_inside, lanes}, &stmt->body);
    if (lanes->found) return false;
    const LoopIndex *index = stmt->kind == STMT_PARALLEL ? &stmt->indices.items[stmt->indices.count - 1] : NULL;
    const Expr *range = index ? index->domain_range : stmt->value;
    const bool ends = range && range->kind == EXPR_RANGE;
    if (range && !ends && (!index || changes(lanes, range))) return false;
    return goes_one_way(lanes, loop, ends ? range->left : NULL, index ? &index->lower : NULL) &&
           goes_one_way(lanes, loop, ends ? range->right : NULL, index ? &index->upper : NULL);
}

static void check_loop(Look *lanes, const Stmt *stmt) {
    bool same = !stmt->value || !changes(lanes, stmt->value);
    bool differs = stmt->step && changes(lanes, stmt->step);
    for (size_t i = 0; i < stmt->indices.count; i++) {
        differs |= !same || stmt->indices.items[i].filters.count > 0;
        same = !bounds_change(lanes, &stmt->indices.items[i]);
    }
    if (differs || (!same && !is_ragged(lanes, stmt))) lanes->fault = "a loop inside of one in lanes is not the same for all";
}

static void count_names(void *data, const Expr *expr) { ((Look *)data)->names += expr->kind == EXPR_VAR && expr->var == ((Look *)data)->sum; }

/* Of what lanes add to, each one's own: an Integer from outside that nothing but its own sum names. */
static bool is_sum(Look *lanes, const Stmt *stmt) {
    const Expr *value = stmt->value;
    const Lanes *form = &lanes->nest->lanes;
    bool told = false;
    for (size_t i = 0; i < form->sums.count; i++) told |= form->sums.items[i] == stmt->target->var;
    lanes->sum = stmt->target->var;
    lanes->names = 0;
    const Walk walk = {count_names, NULL, lanes};
    lower_walk_block(&walk, &lanes->nest->stmt->body);
    for (size_t l = 0; l < lanes->nest->loops.count; l++) {
        const LoopIndex *index = lanes->nest->loops.items[l].index;
        if (index->domain_range) lower_walk_expr(&walk, index->domain_range);
        for (size_t i = 0; i < index->lower.count; i++) lower_walk_expr(&walk, index->lower.items[i]);
        for (size_t i = 0; i < index->upper.count; i++) lower_walk_expr(&walk, index->upper.items[i]);
    }
    const bool adds = value->kind == EXPR_BINARY && value->op == OP_ADD && value->left->kind == EXPR_VAR && value->left->var == lanes->sum;
    return told && !form->rows && !form->apart && !form->along && lanes->sum->type->kind == TYPE_INTEGER && adds && lanes->names == 2;
}

/* Of what lanes hand on in their order: no other statement of the body names the local, nor do the nest's bounds, and no loop is around it. */
static bool is_handed_on(Look *lanes, const Stmt *stmt) {
    const StmtVec *statements = &lanes->nest->stmt->body.statements;
    const Var *var = stmt->target->var;
    for (size_t i = 0; i < lanes->nest->lanes.sums.count; i++)
        if (lanes->nest->lanes.sums.items[i] == var) return false;
    for (size_t i = 0; i < statements->count; i++) {
        const Block alone = {.statements = {.items = statements->items + i, .count = 1}};
        if (i != lanes->number && lower_block_mentions(&alone, var)) return false;
    }
    for (size_t l = 0; l < lanes->nest->loops.count; l++) {
        const LoopIndex *index = lanes->nest->loops.items[l].index;
        bool names = index->domain_range && lower_expr_mentions(index->domain_range, var);
        for (size_t i = 0; i < index->lower.count; i++) names = names || lower_expr_mentions(index->lower.items[i], var);
        for (size_t i = 0; i < index->upper.count; i++) names = names || lower_expr_mentions(index->upper.items[i], var);
        if (names) return false;
    }
    lanes->found = false;
    lower_walk_block(&(Walk){NULL, find_loop_inside, lanes}, &(Block){.statements = {.items = statements->items + lanes->number, .count = 1}});
    return !lanes->found && var->kind == VAR_LOCAL && lanes->nest->form == FORM_LANES && !lanes->nest->lanes.apart && !lanes->nest->lanes.along && !lanes->nest->lanes.inside;
}

/* A lane that is through goes on computing its last round. */
static void check_round(void *data, const Stmt *stmt) {
    Look *lanes = data;
    const bool sets = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && verify_is_local_of(&lanes->nest->stmt->body, stmt->target->var);
    if (!sets && stmt->kind != STMT_IF) lanes->fault = "a do … while in lanes does more than set locals";
}

static void check_stmt(void *data, const Stmt *stmt) {
    Look *lanes = data;
    if (stmt->kind == STMT_IF) return;
    if (stmt->kind == STMT_WHILE && lanes->together && !lanes->nest->lanes.rows && !lanes->nest->lanes.apart && !lanes->nest->lanes.along) {
        lower_walk_block(&(Walk){NULL, check_round, lanes}, &stmt->body);
        return;
    }
    if ((stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL) && !lanes->together) return;
    if (stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL) {
        check_loop(lanes, stmt);
        return;
    }
    const bool names_row = stmt->reduce == REDUCE_MAX_ENTRY || stmt->reduce == REDUCE_MIN_ENTRY;
    if (stmt->kind == STMT_REDUCE && lanes->nest->form == FORM_REDUCTION && !names_row) return;
    if (stmt->kind != STMT_ASSIGN) {
        lanes->fault = "a loop in lanes does more than assign";
        return;
    }
    if (stmt->target->kind == EXPR_VAR && verify_is_local_of(&lanes->nest->stmt->body, stmt->target->var)) return;
    if (stmt->target->kind == EXPR_VAR && (is_sum(lanes, stmt) || is_handed_on(lanes, stmt))) return;
    const Expr *element = stmt->target;
    while (element->kind == EXPR_FIELD || element->kind == EXPR_AT_INDEX) element = element->left;
    const Formal *formal = element->kind == EXPR_ELEMENT ? lower_formal(lanes->code->use, element->var) : NULL;
    if (!formal || !formal->restricted || own_dimension(element, lanes->index) < 0) {
        lanes->fault = "lanes write the same place";
        return;
    }
    lanes->target = element;
    lower_walk_block(&(Walk){find_stranger, NULL, lanes}, &lanes->nest->stmt->body);
}

/* Long pieces of rows have no room for what each lane keeps. */
static bool keeps_locals(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    for (size_t i = 0; i < body->statements.count; i++)
        if (body->statements.items[i]->kind != STMT_SEQUENCE && body->statements.items[i]->kind != STMT_ASSIGN) return true;
    return body->locals.count > 0 || nest->lanes.rows || nest->lanes.inside > 0 || nest->lanes.ragged.count > 0;
}

const char *lower_lanes_fault(const LoweredBody *code, const Nest *nest) {
    const size_t count = nest->loops.count;
    if (nest->lanes.inside > 1 || nest->lanes.inside >= count) return "a nest has no loop in lanes";
    const Loop *loop = &nest->loops.items[count - 1 - nest->lanes.inside];
    if (!loop->interval || loop->other_dimension >= 0 || nest->has_filters) return "a loop in lanes has gaps";
    if (nest->lanes.along && keeps_locals(nest)) return "lanes along rows keep something between loops";
    Look lanes = {.code = code, .nest = nest, .index = loop->index->var};
    if (nest->lanes.inside && bounds_change(&lanes, loop[1].index)) return "a loop inside of one in lanes is not the same for all";
    const StmtVec *statements = &nest->stmt->body.statements;
    for (size_t i = 0; i < statements->count && !lanes.fault; i++) {
        const Block alone = {.statements = {.items = statements->items + i, .count = 1}};
        lanes.number = i;
        lanes.together = !nest->lanes.rows || lower_goes_together(code->use, nest, statements->items[i]);
        lower_walk_block(&(Walk){NULL, check_stmt, &lanes}, &alone);
    }
    return lanes.fault;
}
