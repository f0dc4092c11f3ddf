/* Whether a product (nest.h) is what its statement says. Like verify_loops.c, this asks the passes for nothing that they have found out. */
#include "compiler/lower/verify_loops.h"

/* The dimension of the element in which the index moves; -1: none, -2: several. */
static int moving_dimension(const Expr *element, const Var *var) {
    int found = -1;
    for (size_t d = 0; d < element->arguments.count; d++)
        if (lower_expr_mentions(element->arguments.items[d], var)) found = found == -1 ? (int)d : -2;
    return found;
}

static bool element_moves_as(const Product *p, const Operand *operand) {
    return operand->value->kind == EXPR_ELEMENT && operand->row == moving_dimension(operand->value, p->row->index->var) &&
           operand->column == moving_dimension(operand->value, p->column->index->var) &&
           operand->depth == moving_dimension(operand->value, p->depth->index->var);
}

static void find_effect(void *data, const Expr *expr) {
    *(bool *)data |= expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_IN ||
                     (expr->kind == EXPR_BINARY && !type_is_real(expr->type) && (expr->op == OP_DIV || expr->op == OP_MOD));
}

/* A factor names its own index and the depth, and not the other one. */
static const char *factor_fault(const Product *p, const Operand *factor, const Loop *own, const Loop *others) {
    bool effect = false;
    if (!lower_expr_mentions(factor->value, own->index->var) || !lower_expr_mentions(factor->value, p->depth->index->var) ||
        lower_expr_mentions(factor->value, others->index->var) || (!factor->computed && !element_moves_as(p, factor)))
        return "an operand of a product moves in another way";
    if (factor->computed) lower_walk_expr(&(Walk){find_effect, NULL, &effect}, factor->value);
    return effect ? "a factor does more than give a value" : NULL;
}

/* ---- Bounds: each is kept with its box, or is one between two indices of the product ------------------------- */
static bool names_product(const Product *p, const Expr *bound) {
    return lower_expr_mentions(bound, p->row->index->var) || lower_expr_mentions(bound, p->column->index->var) ||
           lower_expr_mentions(bound, p->depth->index->var);
}

static const ProductBound *find_bound(const Product *p, const Loop *loop, const Expr *bound, bool upper) {
    for (size_t i = 0; i < p->bounds.count; i++) {
        const ProductBound *known = &p->bounds.items[i];
        if (known->bound == bound && known->upper == upper && known->index == loop->index->var) return known;
    }
    return NULL;
}

static bool holds(const ExprVec *bounds, const Expr *bound) {
    for (size_t i = 0; i < bounds->count; i++)
        if (bounds->items[i] == bound) return true;
    return false;
}

/* other ± something that names no index of the product. */
static bool is_moved(const Product *p, const Expr *bound, const Var *other) {
    for (; bound->kind == EXPR_BINARY && (bound->op == OP_ADD || bound->op == OP_SUB); bound = bound->left)
        if (names_product(p, bound->right)) return false;
    return bound->kind == EXPR_VAR && bound->var == other;
}

static const char *bound_fault(const Product *p, const Loop *loop, const Expr *bound, bool upper, bool in_box) {
    if (names_product(p, bound) == in_box) return "a box of a product has other bounds than its loop";
    const ProductBound *between = find_bound(p, loop, bound, upper);
    if (!in_box && (!between || !is_moved(p, bound, between->other))) return "a bound between two indices of a product is lost";
    return NULL;
}

static const char *box_fault(const Product *p, const Loop *loop, const Loop *box, size_t *between) {
    const LoopIndex *index = loop->index, *bare = box->index;
    const char *fault = NULL;
    if (bare->var != index->var || box->domain_var != loop->domain_var || box->dimension != loop->dimension || box->interval != loop->interval)
        return "a box of a product is another loop's";
    for (int upper = 0; upper < 2; upper++) {
        const ExprVec *bounds = upper ? &index->upper : &index->lower, *kept = upper ? &bare->upper : &bare->lower;
        for (size_t i = 0; !fault && i < bounds->count; i++) {
            const bool in_box = holds(kept, bounds->items[i]);
            fault = bound_fault(p, loop, bounds->items[i], upper, in_box);
            *between += !in_box;
        }
    }
    const Expr *range = loop->domain_var ? NULL : index->domain_range, *whole = bare->domain_range;
    if (!range || fault) return fault;
    if (range->kind != EXPR_RANGE) return range == whole && !names_product(p, range) ? NULL : "a box of a product has another domain";
    *between += (whole->left != range->left) + (whole->right != range->right);
    fault = bound_fault(p, loop, range->left, false, whole->left == range->left);
    return fault ? fault : bound_fault(p, loop, range->right, true, whole->right == range->right);
}

static const char *boxes_fault(const Product *p) {
    const Loop *loops[3] = {p->row, p->column, p->depth};
    const char *fault = NULL;
    size_t between = 0;
    for (int i = 0; !fault && i < 3; i++) fault = box_fault(p, loops[i], &p->boxes[i], &between);
    return fault || between == p->bounds.count ? fault : "a product has a bound that no loop has";
}

/* ---- Products of several LPUs as one ---------------------------------------------------------------------------- */
typedef struct Uses { const StageUse *use; const Expr *sum; bool again; } Uses;

static const Var *actual_of(const StageUse *use, const Var *formal) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == formal && use->formals.items[i].kind == FORMAL_VIEW) return use->formals.items[i].actual;
    return NULL;
}

static void find_use(void *data, const Expr *expr) {
    Uses *uses = data;
    if (expr->kind != EXPR_ELEMENT && expr->kind != EXPR_VAR) return;
    const Var *actual = actual_of(uses->use, expr->var);
    uses->again |= actual != NULL && actual == actual_of(uses->use, uses->sum->var) && expr != uses->sum && !lower_expr_equal(expr, uses->sum);
}

const char *lower_joins_fault(const LoweredBody *code) {
    if (!code->joins) return NULL;
    const Block *block = &code->body->block;
    const Nest *nest = code->use && block->statements.count == 1 && code->nests.count == 1 ? code->nests.items[0] : NULL;
    if (!nest || nest->stmt != block->statements.items[0] || nest->form != FORM_PRODUCT || nest->loops.count != 3) return "a stage waits for its neighbours that is more than a product";
    if (nest->product->bounds.count > 0 || nest->product->left.computed || nest->product->right.computed) return "a product waits for its neighbours that is not of whole boxes";
    Uses uses = {code->use, nest->stmt->body.statements.items[0]->target, false};
    lower_walk_block(&(Walk){find_use, NULL, &uses}, block);
    return uses.again ? "a product waits for its neighbours, whose target others read" : NULL;
}

/* ---- All together ----------------------------------------------------------------------------------------------- */
static bool is_one_of(const Loop *loop, const Loop *first) { return loop >= first && loop < first + 3; }

const char *lower_product_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    const Block *body = &nest->stmt->body;
    const Stmt *assign = body->statements.count == 1 ? body->statements.items[0] : NULL;
    const Product *p = nest->product;
    if (count < 3 || !assign || assign->kind != STMT_ASSIGN || assign->accumulate == ACCUMULATE_NONE || nest->has_filters)
        return "a product is none of three loops and one sum";
    const Loop *inner = &nest->loops.items[count - 3];
    if (!is_one_of(p->row, inner) || !is_one_of(p->column, inner) || !is_one_of(p->depth, inner) || p->row == p->column || p->row == p->depth ||
        p->column == p->depth)
        return "loops of a product are not the innermost";
    if (!loop_may(p->depth, LOOP_ACCUMULATES) || !loop_may(p->row, LOOP_PARALLEL) || !loop_may(p->column, LOOP_PARALLEL))
        return "a product accumulates over another loop";
    const bool straight = p->left.value == assign->factor_a && p->right.value == assign->factor_b;
    const bool swapped = p->left.value == assign->factor_b && p->right.value == assign->factor_a;
    if (p->sum.value != assign->target || (!straight && !swapped)) return "a product has other operands than its statement";
    if (!element_moves_as(p, &p->sum)) return "an operand of a product moves in another way";
    const char *fault = factor_fault(p, &p->left, p->row, p->column);
    if (!fault) fault = factor_fault(p, &p->right, p->column, p->row);
    if (!fault) fault = boxes_fault(p);
    if (fault) return fault;
    return p->subtracts == (assign->accumulate == ACCUMULATE_FMS) ? NULL : "a product has the wrong sign";
}
