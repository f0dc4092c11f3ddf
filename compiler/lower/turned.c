/* Operands whose rows lie where their columns would be of use: in sums like
 *
 *     do { d[i][j] = d[i][j] + fabs(x[i][m] - y[j][m]) } for i, j in d; m in x.dimension2
 *
 * elements of d go side by side in registers, and each of them takes from another row of y. All rows i take the same from y: what a block of
 * j takes is put side by side once. Conditions may bound j by i (triangles): then a row takes part of a block. A product of matrices has tiles for that (product.c). */
#include "compiler/lower/passes.h"

typedef struct Search {
    Arena *arena;
    const StageUse *use;
    const Expr *target;
    const Var *row, *element, *inner; /* i, j, m */
    ExprVec turned;
    bool fits;
} Search;

enum { MOST_TURNED = 2 };

static void find_nested(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL; }

static bool has_plain_subscripts(const Expr *element) {
    bool nested = false;
    for (size_t d = 0; d < element->arguments.count; d++) lower_walk_expr(&(Walk){find_nested, NULL, &nested}, element->arguments.items[d]);
    return !nested;
}

static bool is_known(const Search *search, const Expr *expr) {
    for (size_t i = 0; i < search->turned.count; i++)
        if (lower_expr_equal(search->turned.items[i], expr)) return true;
    return false;
}

static void look_at(void *data, const Expr *expr) {
    Search *search = data;
    if (expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_FIELD) search->fits = false;
    if (expr->kind != EXPR_ELEMENT || lower_expr_equal(expr, search->target) || !lower_expr_mentions(expr, search->element)) return;
    const Expr *fastest = expr->arguments.items[lower_fastest_dimension(search->use, expr)];
    if (lower_expr_mentions(fastest, search->element)) return;
    const bool alike = !lower_expr_mentions(expr, search->row) && lower_expr_mentions(fastest, search->inner);
    search->fits = search->fits && alike && type_is_real(expr->type) && has_plain_subscripts(expr) && !lower_expr_has_effect(expr);
    if (!is_known(search, expr)) vec_push(search->arena, &search->turned, (Expr *)expr);
}

/* None but that the element may be bounded by its row. */
static bool bounds_fit(const Loop *loops) {
    const LoopIndex *row = loops[0].index, *element = loops[1].index, *inner = loops[2].index;
    if (row->filters.count + element->filters.count > 0 || !loop_may(&loops[2], LOOP_RECTANGULAR) || !loops[1].interval || !loops[2].interval) return false;
    if (lower_bounds_mention(row, element->var) || (element->domain_range != NULL && lower_expr_mentions(element->domain_range, row->var))) return false;
    for (int side = 0; side < 2; side++) {
        const ExprVec *bounds = side == 0 ? &element->lower : &element->upper;
        for (size_t i = 0; i < bounds->count; i++)
            if (lower_expr_has_effect(bounds->items[i])) return false;
    }
    return !lower_bounds_mention(element, inner->var) && !lower_bounds_mention(row, inner->var) &&
           (loops[0].interval || (loops[0].domain_var != NULL && loops[0].other_dimension < 0 && loops[0].places.count == 0));
}

void lower_find_turned(Arena *arena, const StageUse *use, Nest *nest) {
    const size_t count = nest->loops.count;
    if (count < 3 || !nest->sum.abreast) return;
    const Loop *loops = nest->loops.items + count - 3;
    if (!bounds_fit(loops) || !loop_may(&loops[0], LOOP_PARALLEL)) return;
    Search search = {arena, use, nest->sum.assign->target, loops[0].index->var, loops[1].index->var, loops[2].index->var, {0}, true};
    lower_walk_expr(&(Walk){look_at, NULL, &search}, nest->sum.assign->value);
    if (search.fits && search.turned.count <= MOST_TURNED) nest->sum.turned = search.turned;
}
