/* Regions compared, for the pass that says what moves (transfer.c). */
#include "compiler/plan/moves.h"

bool region_is_all(const Region *region) {
    for (int d = 0; d < region->rank; d++)
        if (region_rank(&region->dims[d]) < 3) return false;
    return true;
}

const Region *region_both(Arena *arena, const Region *written, const Region *needed, bool inspected) {
    bool same = true;
    Region *region = ARENA_NEW(arena, Region);
    *region = *written;
    region->write = false;
    for (int d = 0; d < written->rank; d++) {
        const int rank = region_rank(&needed->dims[d]);
        const bool found_out = inspected && rank == 1 && region_rank(&written->dims[d]) == 1;
        if (region_rank(&written->dims[d]) <= rank && !found_out) continue;
        region->dims[d] = needed->dims[d];
        same = false;
    }
    if (same) return written;
    region->lps = needed->lps;
    region->lag = 0;
    return region;
}

bool region_same_elements(const Region *a, const Region *b) {
    bool parts = false;
    for (int d = 0; d < a->rank; d++) {
        if (!region_dim_equal(&a->dims[d], &b->dims[d])) return false;
        parts = parts || region_rank(&a->dims[d]) > 1;
    }
    return a->lps == b->lps || !parts;
}

/* Of whatever version; the whole part in some dimensions, and the same as the region in the others. */
static bool has_elements(const Region *all, const Region *region) {
    bool parts = false;
    for (int d = 0; d < all->rank; d++) {
        if (region_rank(&all->dims[d]) < 3 && !region_dim_equal(&all->dims[d], &region->dims[d])) return false;
        if (region_rank(&all->dims[d]) == 1 && region->write) return false; /* what has been written there, and not what is read */
        parts = parts || region_rank(&all->dims[d]) > 1;
    }
    return all->lps == region->lps || !parts;
}

bool region_is_among(const RegionVec *regions, const Region *region) {
    for (size_t i = 0; i < regions->count; i++)
        if (has_elements(regions->items[i], region)) return true;
    return false;
}

/* ---- What regions name --------------------------------------------------------------------------------------------- */
static bool expr_names(const Expr *expr, const Var *var) {
    if (expr == NULL) return false;
    if ((expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) && expr->var == var) return true;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (expr_names(expr->arguments.items[i], var)) return true;
    return expr_names(expr->left, var) || expr_names(expr->right, var);
}

bool region_dim_names(const RegionDim *dim, const Var *var) {
    if (expr_names(dim->low, var) || expr_names(dim->high, var)) return true;
    for (int d = 0; dim->values != NULL && d < dim->values->rank; d++)
        if (region_dim_names(&dim->values->dims[d], var)) return true;
    return dim->values != NULL && dim->values->var == var;
}

bool region_names(const Region *region, const Var *var) {
    for (int d = 0; d < region->rank; d++)
        if (region_dim_names(&region->dims[d], var)) return true;
    return false;
}

bool region_dim_is_within(const RegionDim *inner, const RegionDim *outer) {
    if (region_dim_equal(inner, outer)) return true;
    const RegionDim both = region_dim_hull(inner, outer);
    return both.kind == REGION_SPAN && region_dim_equal(&both, outer);
}
