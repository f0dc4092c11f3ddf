/* Parts that are alike in every LPU: all Spaces divide the two dimensions in the same way, and Initialize has given the arrays the same
 * bounds there, as in
 *
 *     places.dimension = values.dimension            values, places: block_size(k)
 */
#include "compiler/plan/parts.h"

#include "compiler/check/bodies.h"
#include "compiler/check/walk.h"

/* ---- Spaces ------------------------------------------------------------------------------------------------------- */
static bool divides(const LpsVar *entry, int level_dimension, int dimension) {
    if (entry == NULL) return false;
    const DimPartition *part = &entry->dims[level_dimension];
    return part->function != PART_NONE && part->function != PART_REPLICATED && part->array_dimension == dimension;
}

/* padded: the first one may have padding. */
static bool divided_alike(const Lps *lps, PartDimension a, PartDimension b, bool padded) {
    const LpsVar *first = lps_find_var(lps, a.array), *second = lps_find_var(lps, b.array);
    for (int d = 0; d < lps->dims; d++) {
        if (divides(first, d, a.dimension) != divides(second, d, b.dimension)) return false;
        if (!divides(first, d, a.dimension)) continue;
        const DimPartition *one = &first->dims[d], *other = &second->dims[d];
        if (!partition_is_like(one, other) || (!padded && partition_is_padded(one)) || partition_is_padded(other)) return false;
        if (first->relative_to != second->relative_to) return false;
    }
    return true;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------- */
static bool sets(const Stmt *stmt, PartDimension bounds) {
    return stmt->kind == STMT_SET_BOUNDS && stmt->var == bounds.array && (stmt->dimension < 0 || stmt->dimension == bounds.dimension);
}

static size_t count_settings(const Block *block, PartDimension bounds) {
    size_t count = 0;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        count += sets(stmt, bounds) + count_settings(&stmt->body, bounds);
        if (stmt->otherwise != NULL) count += count_settings(stmt->otherwise, bounds);
    }
    return count;
}

/* Where the bounds come from: of the array itself, from a file or another task, or from the one statement of Initialize that always sets
 * them, and before which `end` statements stand. Follows copies; false: it cannot be told. */
static bool find_source(const Body *initialize, PartDimension *bounds, const Stmt **from, size_t end) {
    for (*from = NULL; initialize != NULL;) {
        const StmtVec *statements = &initialize->block.statements;
        const size_t settings = count_settings(&initialize->block, *bounds);
        size_t at = 0;
        if (settings == 0) return true;
        while (at < end && !sets(statements->items[at], *bounds)) at++;
        const bool given = bounds->array->environment && bounds->array->link != LINK_CREATE; /* by a file or another task, and compared */
        if (given || settings > 1 || at == end) return false;
        const Stmt *stmt = statements->items[at];
        if (stmt->source_var == NULL) {
            *from = stmt;
            return stmt->whole_range;
        }
        *bounds = (PartDimension){stmt->source_var, stmt->dimension < 0 ? bounds->dimension : stmt->source_dimension};
        end = at;
    }
    return true;
}

static bool find_array(Expr *expr, void *data) {
    *(bool *)data |= expr->var != NULL && (var_is_array(expr->var) || expr->kind == EXPR_ELEMENT);
    return true;
}

/* The same range is written twice, and nothing but bounds is set between the two. */
static bool same_values(const Body *initialize, const Stmt *a, const Stmt *b) {
    bool arrays = false, between = false;
    if (a == b) return true;
    if (!expr_equal(a->value, b->value)) return false;
    walk_expr(a->value, find_array, &arrays);
    for (size_t i = 0; i < initialize->block.statements.count; i++) {
        const Stmt *stmt = initialize->block.statements.items[i];
        const bool end = stmt == a || stmt == b;
        if (end && between) break;
        if (!end && between && stmt->kind != STMT_SET_BOUNDS) return false;
        between = between || end;
    }
    return !arrays;
}

bool plan_same_bounds(const Task *task, PartDimension a, PartDimension b) {
    const Body *initialize = task->initialize;
    const size_t end = initialize == NULL ? 0 : initialize->block.statements.count;
    const Stmt *first, *second;
    if (a.array == b.array && a.dimension == b.dimension) return true;
    if (!find_source(initialize, &a, &first, end) || !find_source(initialize, &b, &second, end)) return false;
    if (first == NULL || second == NULL) return first == second && a.array == b.array && a.dimension == b.dimension;
    return same_values(initialize, first, second);
}

bool plan_first_index(const Task *task, PartDimension of, int64_t *first) {
    const Body *initialize = task->initialize;
    const Stmt *from;
    if (!find_source(initialize, &of, &from, initialize == NULL ? 0 : initialize->block.statements.count)) return false;
    const Expr *begin = from != NULL && from->value->kind == EXPR_RANGE ? from->value->left : NULL;
    const bool negative = begin != NULL && begin->kind == EXPR_UNARY && begin->op == OP_NEG;
    if (negative) begin = begin->left;
    if (from != NULL && (begin == NULL || begin->kind != EXPR_INTEGER)) return false;
    *first = from == NULL ? 0 : negative ? -begin->integer : begin->integer;
    return from != NULL || of.array->from_files;
}

bool plan_same_parts(const Task *task, const Lps *lps, PartDimension a, PartDimension b) {
    if (a.array == b.array && a.dimension == b.dimension) return true;
    for (; lps != NULL; lps = lps->parent)
        if (!divided_alike(lps, a, b, false)) return false;
    return plan_same_bounds(task, a, b);
}

bool plan_in_own_part(const Task *task, const Lps *lps, PartDimension a, PartDimension b) {
    for (const Lps *at = lps; at != NULL; at = at->parent)
        if (!divided_alike(at, a, b, at == lps)) return false;
    return plan_same_bounds(task, a, b);
}
