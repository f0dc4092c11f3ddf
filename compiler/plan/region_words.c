/* Regions in words, for dumps of plans and messages. */
#include "compiler/check/dump.h"
#include "compiler/plan/footprint.h"

/* "first", "last - 1": of the part that the region lies in. */
static bool print_edge(const Region *region, int d, const Expr *end, Text *out) {
    int64_t literal;
    const Expr *base = expr_without_literal(end, &literal);
    if (base->kind != EXPR_RANGE_PART || base->part == RANGE_LENGTH || base->left->kind != EXPR_DIM_RANGE || !base->left->local) return false;
    if (base->left->var != region->var || base->left->dimension != d) return false;
    text_append(out, base->part == RANGE_MIN ? "first" : "last");
    if (literal != 0) text_printf(out, " %c %lld", literal < 0 ? '-' : '+', (long long)(literal < 0 ? -literal : literal));
    return true;
}

static void print_end(const Region *region, int d, const Expr *end, Text *out) {
    const RegionDim *dim = &region->dims[d];
    if (end != NULL && !print_edge(region, d, end, out)) dump_expr(out, end);
    if (end != NULL) return;
    if (dim->of != NULL) text_printf(out, "part of %s", dim->of->name);
    else text_append(out, "part");
}

static void print_dim(const Region *region, int d, Text *out) {
    const RegionDim *dim = &region->dims[d];
    switch (dim->kind) {
    case REGION_OWN: text_append(out, "own part"); break;
    case REGION_WHOLE: text_append(out, "all"); break;
    case REGION_PART:
    case REGION_POINT: print_end(region, d, dim->low, out); break;
    case REGION_SPAN:
        print_end(region, d, dim->low, out);
        text_append(out, "...");
        print_end(region, d, dim->high, out);
        break;
    case REGION_INDIRECT:
        region_print(dim->values, dim->values->var->name, out);
        if (dim->offset != 0) text_printf(out, " %c %lld", dim->offset < 0 ? '-' : '+', (long long)(dim->offset < 0 ? -dim->offset : dim->offset));
        break;
    }
}

void region_print(const Region *region, const char *name, Text *out) {
    text_append(out, name);
    for (int d = 0; d < region->rank; d++) {
        text_char(out, '[');
        print_dim(region, d, out);
        text_char(out, ']');
    }
    if (region->lag > 0) text_printf(out, " at (current - %d)", region->lag);
}
