/* Products of matrices: three loops of which the target and the factors move with two each. Whoever prints one needs to
 * know how each operand moves, and nothing of how the body was written. Where one of the three indices bounds another one (a
 * triangle, a band), the loops are taken apart into a box and those bounds. */
#include "compiler/lower/passes.h"

/* ---- Operands --------------------------------------------------------------------------------------------- */
static Operand element_operand(const Nest *nest, const Expr *element, const Product *p) {
    return (Operand){element, false, lower_plain_dimension(nest, element, p->row->index->var),
                     lower_plain_dimension(nest, element, p->column->index->var),
                     lower_plain_dimension(nest, element, p->depth->index->var)};
}

/* What may be evaluated for every pair of its indices, once, before the product: it changes nothing, cannot end the program, and
 * its subscripts lie where they lie in the loops as written, whatever the other index is. */
typedef struct Computable { const Nest *nest; bool fits; } Computable;

static void check_computable(void *data, const Expr *expr) {
    Computable *check = data;
    const Nest *nest = check->nest;
    bool arithmetic = type_is_real(expr->type) || (expr->op != OP_DIV && expr->op != OP_MOD && expr->op != OP_POW);
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_VAR: case EXPR_CONVERT: case EXPR_MATH: break;
    case EXPR_UNARY: case EXPR_BINARY: check->fits &= arithmetic && expr->type->kind != TYPE_BOOLEAN; break;
    case EXPR_ELEMENT:
        for (size_t l = 0; l < nest->loops.count; l++) check->fits &= lower_plain_dimension(nest, expr, nest->loops.items[l].index->var) != -2;
        for (size_t d = 0; d < expr->arguments.count; d++) check->fits &= !lower_expr_has_effect(expr->arguments.items[d]);
        break;
    default: check->fits = false;
    }
}

static bool make_factor(const StageUse *use, const Nest *nest, const Expr *value, const Product *p, bool left, Operand *operand) {
    const Var *own = (left ? p->row : p->column)->index->var, *others = (left ? p->column : p->row)->index->var;
    const Var *depth = p->depth->index->var;
    if (value->kind == EXPR_ELEMENT) {
        *operand = element_operand(nest, value, p);
        return !lower_jumps(use, nest, value) && (left ? operand->row : operand->column) >= 0 && (left ? operand->column : operand->row) == -1 && operand->depth >= 0;
    }
    Computable check = {nest, true};
    lower_walk_expr(&(Walk){check_computable, NULL, &check}, value);
    *operand = (Operand){value, true, -1, -1, -1};
    return check.fits && lower_expr_mentions(value, own) && lower_expr_mentions(value, depth) && !lower_expr_mentions(value, others);
}

static bool fill_operands(const StageUse *use, const Nest *nest, const Stmt *assign, Product *p) {
    p->sum = element_operand(nest, assign->target, p);
    if (lower_jumps(use, nest, assign->target)) return false;
    if (p->sum.row < 0 || p->sum.depth != -1 || p->sum.column != lower_fastest_dimension(use, assign->target)) return false;
    for (int swapped = 0; swapped < 2; swapped++)
        if (make_factor(use, nest, swapped ? assign->factor_b : assign->factor_a, p, true, &p->left) &&
            make_factor(use, nest, swapped ? assign->factor_a : assign->factor_b, p, false, &p->right))
            return true;
    return false;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------- */
typedef struct Bounding { Arena *arena; const Nest *nest; Product *product; const Var *indices[3]; } Bounding;

/* Whether a bound of `index` may stay with its box; else it is one by another index of the product, and noted. */
static bool stays_with_box(Bounding *b, const Var *index, const Expr *bound, bool upper, bool *fits) {
    const Var *other = NULL;
    int named = 0;
    for (int i = 0; i < 3; i++)
        if (lower_expr_mentions(bound, b->indices[i])) other = b->indices[i], named++;
    if (named == 0) return true;
    if (named == 1 && !lower_expr_has_effect(bound) && lower_is_offset_of(b->nest, bound, other)) vec_push(b->arena, &b->product->bounds, ((ProductBound){index, other, bound, upper}));
    else *fits = false;
    return false;
}

static ExprVec box_bounds(Bounding *b, const Var *index, const ExprVec *bounds, bool upper, bool *fits) {
    ExprVec kept = {0};
    for (size_t i = 0; i < bounds->count; i++)
        if (stays_with_box(b, index, bounds->items[i], upper, fits)) vec_push(b->arena, &kept, bounds->items[i]);
    return kept;
}

/* An end of the range of a box that another index decides: as far away as may be. */
static Expr *far_end(Arena *arena, const Expr *end, bool upper) {
    Expr *far = ARENA_NEW(arena, Expr);
    *far = (Expr){.kind = EXPR_INTEGER, .type = end->type, .span = end->span, .integer = upper ? INT32_MAX * (int64_t)INT32_MAX : INT32_MIN * (int64_t)INT32_MAX};
    return far;
}

static bool make_box(Bounding *b, const Loop *loop, Loop *box) {
    bool fits = true;
    const LoopIndex *index = loop->index;
    LoopIndex *bare = ARENA_NEW(b->arena, LoopIndex);
    *bare = *index;
    bare->lower = box_bounds(b, index->var, &index->lower, false, &fits);
    bare->upper = box_bounds(b, index->var, &index->upper, true, &fits);
    const Expr *range = loop->domain_var ? NULL : index->domain_range;
    if (range && range->kind == EXPR_RANGE) {
        const bool left = stays_with_box(b, index->var, range->left, false, &fits), right = stays_with_box(b, index->var, range->right, true, &fits);
        Expr *ends = ARENA_NEW(b->arena, Expr);
        *ends = *range;
        if (!left) ends->left = far_end(b->arena, range->left, false);
        if (!right) ends->right = far_end(b->arena, range->right, true);
        bare->domain_range = ends;
    } else if (range) {
        for (int i = 0; i < 3; i++) fits &= !lower_expr_mentions(range, b->indices[i]);
    }
    *box = *loop;
    box->index = bare;
    return fits;
}

/* Loops that stay outside must not depend on those that go inside. */
static bool make_boxes(Arena *arena, const Nest *nest, Product *p) {
    Bounding bounding = {arena, nest, p, {p->row->index->var, p->column->index->var, p->depth->index->var}};
    const Loop *inner[3] = {p->row, p->column, p->depth};
    for (size_t l = 0; l < nest->loops.count; l++) {
        const Loop *loop = &nest->loops.items[l];
        for (int i = 0; i < 3; i++)
            if (loop != p->row && loop != p->column && loop != p->depth && lower_bounds_mention(loop->index, bounding.indices[i])) return false;
    }
    for (int i = 0; i < 3; i++)
        if (!make_box(&bounding, inner[i], &p->boxes[i])) return false;
    return true;
}

/* ---- Which loops ---------------------------------------------------------------------------------------------- */
/* A part of several runs is tiled run by run. */
static bool loop_fits_tile(const Loop *loop) { return loop->interval || loop->other_dimension < 0; }

/* Row, depth, column; loops that bound each other stay as they were written. */
static void put_innermost(Nest *nest, Product *p) {
    const Loop *row = p->row, *column = p->column, *depth = p->depth;
    const Loop *order[3] = {row, depth, column};
    Loop inner[3];
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop != row && loop != column && loop != depth) continue;
        if (p->bounds.count > 0) order[count] = loop;
        count++;
    }
    const Var *row_index = row->index->var, *column_index = column->index->var;
    for (size_t i = 0; i < 3; i++) inner[i] = *order[i];
    for (size_t i = 0; i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop != row && loop != column && loop != depth) nest->loops.items[kept++] = *loop;
    }
    for (size_t i = 0; i < 3; i++) {
        const Loop *loop = &nest->loops.items[kept + i];
        nest->loops.items[kept + i] = inner[i];
        if (loop->index->var == row_index) p->row = loop;
        else if (loop->index->var == column_index) p->column = loop;
        else p->depth = loop;
    }
    nest->form = FORM_PRODUCT;
    nest->product = p;
    for (size_t i = 0; i < nest->loops.count; i++) nest->reordered |= nest->loops.items[i].index != &nest->stmt->indices.items[i];
}

static bool try_product(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign, const Loop *row, const Loop *column, const Loop *depth) {
    Product *p = ARENA_NEW(arena, Product);
    *p = (Product){.row = row, .column = column, .depth = depth, .subtracts = assign->accumulate == ACCUMULATE_FMS};
    if (!fill_operands(use, nest, assign, p) || !make_boxes(arena, nest, p)) return false;
    put_innermost(nest, p);
    return true;
}

bool lower_find_product(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign) {
    const Loop *loops = nest->loops.items, *depth = NULL, *end = loops + nest->loops.count;
    if (nest->loops.count < 3 || assign->accumulate == ACCUMULATE_NONE) return false;
    for (const Loop *loop = loops; loop < end; loop++)
        if (loop_may(loop, LOOP_ACCUMULATES)) depth = loop;
    if (depth == NULL || !loop_fits_tile(depth)) return false;
    for (const Loop *row = loops; row < end; row++)
        for (const Loop *column = loops; column < end; column++) {
            if (row == column || row == depth || column == depth || !loop_fits_tile(row) || !loop_fits_tile(column)) continue;
            if (try_product(arena, use, nest, assign, row, column, depth)) return true;
        }
    return false;
}

/* ---- Products of whole parts ------------------------------------------------------------------------------------ */

/* The loop runs over all that the LPU has of the array's dimension in which the operand moves with it. */
static bool runs_along(const Loop *loop, const Operand *operand, int dimension) {
    const LoopIndex *index = loop->index;
    return index->domain_var == operand->value->var && index->dimension == dimension && index->other_dimension < 0 && index->lower.count == 0 &&
           index->upper.count == 0 && index->filters.count == 0;
}

static const Formal *formal_of(const StageUse *use, const Operand *operand) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == operand->value->var) return &use->formals.items[i];
    return NULL;
}

bool lower_joins(const LoweredBody *code) {
    const StageUse *use = code->use;
    const Block *block = &code->body->block;
    if (block->statements.count != 1 || code->nests.count != 1 || code->nests.items[0]->stmt != block->statements.items[0]) return false;
    const Nest *nest = code->nests.items[0];
    if (nest->form != FORM_PRODUCT || nest->loops.count != 3 || nest->product->bounds.count > 0) return false;
    const Product *p = nest->product;
    if (p->left.computed || p->right.computed) return false;
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].kind == FORMAL_PLACE || use->formals.items[i].kind == FORMAL_PARTIAL) return false;
    const Formal *sum = formal_of(use, &p->sum), *left = formal_of(use, &p->left), *right = formal_of(use, &p->right);
    return sum != NULL && left != NULL && right != NULL && sum->actual != left->actual && sum->actual != right->actual;
}

bool lower_is_whole_product(const Nest *nest) {
    if (nest->form != FORM_PRODUCT || nest->loops.count != 3 || nest->product->bounds.count > 0) return false;
    const Product *p = nest->product;
    const Var *sum = p->sum.value->var, *left = p->left.value->var, *right = p->right.value->var;
    if (p->left.computed || p->right.computed || sum == left || sum == right || left == right) return false;
    return (runs_along(p->row, &p->sum, p->sum.row) || runs_along(p->row, &p->left, p->left.row)) &&
           (runs_along(p->column, &p->sum, p->sum.column) || runs_along(p->column, &p->right, p->right.column)) &&
           (runs_along(p->depth, &p->left, p->left.depth) || runs_along(p->depth, &p->right, p->right.depth));
}
