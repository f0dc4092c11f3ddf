/* Loops around loops in lanes. The innermost loop of
 *
 *     do {
 *         force = 0.0
 *         do in sequence {
 *             d = x[j] - x[i]
 *             if (d * d < reach) { force = force + w[j] * exp(-d * d) }
 *         } for j in x.dimension.range
 *         f[i] = force
 *     } for i in f
 *
 * adds in order, each addition after the other. The iterations of the loop around it are independent, so a vector has neighbouring
 * values of i in its lanes, all at the same j: every element gets what it gets, in the same order. The loops inside must run alike for
 * all lanes, and what moves with i must lie side by side; what does not, all lanes share. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

typedef struct Lanes {
    const StageUse *use;
    const Nest *nest;
    const Block *body;
    const Loop *loop;    /* the one in lanes */
    const Expr *target;  /* an element that is assigned */
    bool fits, functions;
    size_t loops;        /* inside of it */
    bool short_loops;    /* all of them run a few times, as their bounds say */
} Lanes;

/* ---- Values ------------------------------------------------------------------------------------------ */
static void find_varying(void *data, const Expr *expr) {
    Lanes *lanes = data;
    if (expr->var == lanes->loop->index->var || (expr->kind == EXPR_VAR && lower_is_local_of(lanes->body, expr->var))) lanes->fits = false;
    if (expr->kind == EXPR_CALL) lanes->fits = false;
    if (expr->kind != EXPR_ELEMENT) return;
    const Formal *formal = lower_formal(lanes->use, expr->var);
    if (!formal || formal->written) lanes->fits = false;
}

/* Whether the value is the same in all lanes, whenever it is evaluated. */
static bool is_shared(const Lanes *lanes, const Expr *expr) {
    Lanes search = *lanes;
    search.fits = true;
    lower_walk_expr(&(Walk){find_varying, NULL, &search}, expr);
    return search.fits;
}

/* i, i + m, m + i, i - m, where m is the same in all lanes. */
static bool goes_with_lanes(const Lanes *lanes, const Expr *subscript) {
    const Var *index = lanes->loop->index->var;
    if (subscript->kind == EXPR_VAR) return subscript->var == index;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return false;
    if (subscript->left->kind == EXPR_VAR && subscript->left->var == index) return is_shared(lanes, subscript->right);
    return subscript->op == OP_ADD && subscript->right->kind == EXPR_VAR && subscript->right->var == index && is_shared(lanes, subscript->left);
}

/* Neighbours in memory, or one for all lanes. */
static void check_element(Lanes *lanes, const Expr *element) {
    const Formal *formal = lower_formal(lanes->use, element->var);
    lanes->fits &= formal && formal->kind == FORMAL_VIEW && type_is_numeric(element->type);
    for (size_t d = 0; d < element->arguments.count && lanes->fits; d++) {
        const Expr *subscript = element->arguments.items[d];
        if (!is_shared(lanes, subscript)) lanes->fits = (int)d == lower_fastest_dimension(lanes->use, element) && goes_with_lanes(lanes, subscript);
    }
}

static void check_expr(void *data, const Expr *expr) {
    Lanes *lanes = data;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_RANGE_PART: case EXPR_RANGE: case EXPR_DIM_RANGE: case EXPR_UNARY:
    case EXPR_CONVERT: case EXPR_BINARY: break;
    case EXPR_VAR: lanes->fits &= type_is_numeric(expr->type) || expr->type->kind == TYPE_BOOLEAN || expr->type->kind == TYPE_RANGE; break;
    case EXPR_ELEMENT: check_element(lanes, expr); break;
    case EXPR_MATH: lanes->functions = true; break;
    case EXPR_CALL: lanes->fits &= expr->function->in_place && !expr->function->changes_something; break;
    default: lanes->fits = false; break;
    }
}

/* ---- Statements ------------------------------------------------------------------------------------------ */
static void check_meeting(void *data, const Expr *expr) {
    Lanes *lanes = data;
    const Expr *target = lanes->target;
    if (expr->kind != EXPR_ELEMENT || expr->var != target->var || expr->lag != target->lag) return;
    const int dimension = lower_fastest_dimension(lanes->use, target);
    lanes->fits &= lower_expr_equal(expr->arguments.items[dimension], target->arguments.items[dimension]);
}

/* Locals of the body, and elements that stand at the index itself wherever the body names their array. */
static void check_assign(Lanes *lanes, const Stmt *stmt) {
    const Expr *target = stmt->target;
    if (target->kind == EXPR_VAR) {
        lanes->fits &= lower_is_local_of(lanes->body, target->var);
        return;
    }
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(lanes->use, target->var) : NULL;
    lanes->fits &= formal && formal->restricted && !formal->layout.split;
    if (!lanes->fits) return;
    const Expr *subscript = target->arguments.items[lower_fastest_dimension(lanes->use, target)];
    lanes->fits &= subscript->kind == EXPR_VAR && subscript->var == lanes->loop->index->var;
    lanes->target = target;
    lower_walk_block(&(Walk){check_meeting, NULL, lanes}, lanes->body);
}

static void check_block(Lanes *lanes, const Block *block, bool inside_if);

static void check_loop(Lanes *lanes, const Stmt *stmt) {
    lanes->fits &= !stmt->step && (!stmt->value || is_shared(lanes, stmt->value));
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        lanes->fits &= index->filters.count == 0 && (!index->domain_range || is_shared(lanes, index->domain_range));
        for (size_t b = 0; b < index->lower.count; b++) lanes->fits &= is_shared(lanes, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) lanes->fits &= is_shared(lanes, index->upper.items[b]);
    }
    lanes->loops++;
    lanes->short_loops &= lower_short_rounds(stmt) > 0;
}

static void check_stmt(Lanes *lanes, const Stmt *stmt, bool inside_if) {
    switch (stmt->kind) {
    case STMT_ASSIGN: check_assign(lanes, stmt); return;
    case STMT_IF:
        check_block(lanes, &stmt->body, true);
        if (stmt->otherwise) check_block(lanes, stmt->otherwise, true);
        return;
    case STMT_SEQUENCE:
    case STMT_PARALLEL:
        lanes->fits &= !inside_if;
        check_loop(lanes, stmt);
        check_block(lanes, &stmt->body, inside_if);
        return;
    default: lanes->fits = false; return;
    }
}

static void check_block(Lanes *lanes, const Block *block, bool inside_if) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Type *type = block->locals.items[i]->type;
        lanes->fits &= type_is_numeric(type) || type->kind == TYPE_BOOLEAN;
    }
    for (size_t i = 0; i < block->statements.count && lanes->fits; i++) check_stmt(lanes, block->statements.items[i], inside_if);
}

/* ---- All together ------------------------------------------------------------------------------------------ */
static bool can_go(const StageUse *use, const Nest *nest, size_t inside) {
    const size_t count = nest->loops.count;
    if (count <= inside) return false;
    const Loop *loop = &nest->loops.items[count - 1 - inside];
    Lanes lanes = {.use = use, .nest = nest, .body = &nest->stmt->body, .loop = loop, .fits = loop->interval && loop->other_dimension < 0,
                   .loops = inside, .short_loops = inside == 0};
    for (size_t l = count - inside; l < count; l++) lanes.fits &= !lower_bounds_mention(nest->loops.items[l].index, loop->index->var);
    check_block(&lanes, lanes.body, false);
    if (lanes.fits) lower_walk_block(&(Walk){check_expr, NULL, &lanes}, lanes.body);
    return lanes.fits && lanes.loops > 0 && (!lanes.short_loops || lanes.functions);
}

bool lower_find_lanes(const StageUse *use, Nest *nest) {
    if (!use || nest->has_filters || loop_may(nest_innermost(nest), LOOP_PARALLEL)) return false;
    for (size_t inside = 0; inside < 2; inside++) {
        if (!can_go(use, nest, inside)) continue;
        nest->form = FORM_LANES;
        nest->lanes_inside = inside;
        return true;
    }
    return false;
}
