/* Products of matrices: three loops of which the target and the factors move with two each. Whoever prints one needs to
 * know how each operand moves, and nothing of how the body was written. */
#include "compiler/lower/passes.h"

static Operand make_operand(const Nest *nest, const Expr *element, const Loop *row, const Loop *column,
                            const Loop *depth) {
    return (Operand){element, lower_plain_dimension(nest, element, row->index->var),
                     lower_plain_dimension(nest, element, column->index->var),
                     lower_plain_dimension(nest, element, depth->index->var)};
}

static bool operands_fit(const StageUse *use, const Product *p) {
    return p->sum.row >= 0 && p->sum.depth == -1 && p->sum.column == lower_fastest_dimension(use, p->sum.element) &&
           p->left.row >= 0 && p->left.column == -1 && p->left.depth >= 0 &&
           p->right.row == -1 && p->right.depth >= 0 && p->right.column == lower_fastest_dimension(use, p->right.element);
}

static bool factors_are_elements(const Stmt *assign) {
    return assign->accumulate != ACCUMULATE_NONE && assign->factor_a->kind == EXPR_ELEMENT &&
           assign->factor_b->kind == EXPR_ELEMENT;
}

/* The product with these three loops, or NULL. */
static Product *try_product(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign, size_t row, size_t column, size_t depth) {
    const Loop *loops = nest->loops.items;
    Product p = {.row = &loops[row], .column = &loops[column], .depth = &loops[depth],
                 .subtracts = assign->accumulate == ACCUMULATE_FMS};
    p.sum = make_operand(nest, assign->target, p.row, p.column, p.depth);
    for (int swapped = 0; swapped < 2; swapped++) {
        p.left = make_operand(nest, swapped ? assign->factor_b : assign->factor_a, p.row, p.column, p.depth);
        p.right = make_operand(nest, swapped ? assign->factor_a : assign->factor_b, p.row, p.column, p.depth);
        if (!operands_fit(use, &p)) continue;
        Product *found = ARENA_NEW(arena, Product);
        *found = p;
        return found;
    }
    return NULL;
}

/* A part of several runs is tiled run by run. */
static bool loop_fits_tile(const Loop *loop) {
    return (loop->interval || loop->other_dimension < 0) && loop_may(loop, LOOP_RECTANGULAR);
}

static void put_innermost(Nest *nest, Product *p, size_t row, size_t column, size_t depth) {
    size_t count = nest->loops.count, kept = 0;
    Loop inner[3] = {nest->loops.items[row], nest->loops.items[depth], nest->loops.items[column]};
    for (size_t i = 0; i < count; i++)
        if (i != row && i != column && i != depth) nest->loops.items[kept++] = nest->loops.items[i];
    for (size_t i = 0; i < 3; i++) nest->loops.items[kept + i] = inner[i];
    p->row = &nest->loops.items[kept];
    p->depth = &nest->loops.items[kept + 1];
    p->column = &nest->loops.items[kept + 2];
    nest->form = FORM_PRODUCT;
    nest->product = p;
    nest->reordered = true;
}

bool lower_find_product(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign) {
    size_t count = nest->loops.count, depth = count;
    const Loop *loops = nest->loops.items;
    if (count < 3 || !factors_are_elements(assign)) return false;
    for (size_t k = 0; k < count; k++)
        if (loop_may(&loops[k], LOOP_ACCUMULATES)) depth = k;
    if (depth == count || !loop_fits_tile(&loops[depth])) return false;
    for (size_t row = 0; row < count; row++)
        for (size_t column = 0; column < count; column++) {
            if (row == column || row == depth || column == depth) continue;
            if (!loop_fits_tile(&loops[row]) || !loop_fits_tile(&loops[column])) continue;
            Product *p = try_product(arena, use, nest, assign, row, column, depth);
            if (!p) continue;
            put_innermost(nest, p, row, column, depth);
            return true;
        }
    return false;
}
