/* Regions that say exactly what a stage writes. A region is never less than what is touched, and may be more; of one assignment to an element at
 * the indices of one data-parallel loop, all of which run over the array's own dimensions between two bounds at most,
 *
 *     do { u[i][j] = … } for i, j in u and i > x.min and i < x.max
 *
 * it is no more. So two stages of which that is true write the same elements where their regions are equal.
 *
 * Needs: a checked program. Gives: the region, or NULL where it cannot tell. Breaks: nothing. */
#include "compiler/check/walk.h"
#include "compiler/plan/internal.h"

typedef struct Search { const Var *param; const Stmt *loop; size_t writes; bool spoilt; } Search;

static bool count_write(Stmt *stmt, void *data) {
    Search *search = data;
    search->writes += stmt->kind == STMT_ASSIGN && plan_root_of(stmt->target) == search->param;
    search->spoilt = search->spoilt || stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN;
    return true;
}

/* Functions that are given an element, or a part of it, by reference. */
static bool find_reference(Expr *expr, void *data) {
    Search *search = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        search->spoilt = search->spoilt || (expr->function->body.params.items[i]->by_reference && plan_root_of(expr->arguments.items[i]) == search->param);
    return true;
}

/* The loop whose body has the assignment among its own statements; nothing but blocks stand around it. */
static const Stmt *assignment_in(Search *search, const Block *block, const Stmt *loop) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i], *found = NULL;
        if (stmt->kind == STMT_ASSIGN && plan_root_of(stmt->target) == search->param) found = stmt;
        else if (stmt->kind == STMT_BLOCK) found = assignment_in(search, &stmt->body, loop);
        else if (stmt->kind == STMT_PARALLEL && loop == NULL) found = assignment_in(search, &stmt->body, stmt);
        if (found == stmt) search->loop = loop;
        if (found != NULL) return found;
    }
    return NULL;
}

/* Dimension `d` of the element is an index that runs over this dimension of the array, between bounds that the region has. */
static bool is_exact_dimension(const Stmt *loop, const Expr *element, int d, const RegionDim *dim) {
    const Expr *subscript = element->arguments.items[d];
    for (size_t i = 0; i < loop->indices.count; i++) {
        const LoopIndex *index = &loop->indices.items[i];
        if (subscript->kind != EXPR_VAR || subscript->var != index->var) continue;
        const bool plain = index->domain_var == element->var && index->dimension == d && index->other_dimension < 0 && index->filters.count == 0;
        return plain && index->lower.count <= 1 && index->upper.count <= 1 && (index->lower.count == 0) == (dim->low == NULL) && (index->upper.count == 0) == (dim->high == NULL);
    }
    return false;
}

const Region *plan_region_exactly(Arena *arena, const Step *call, const Var *array) {
    const Body *body = &call->stage->body;
    Search search = {0};
    const Region *region = NULL;
    for (size_t i = 0; i < body->params.count; i++) {
        if (call->arguments.items[i].var != array) continue;
        if (search.param != NULL) return NULL;
        search.param = body->params.items[i];
    }
    if (search.param == NULL) return NULL;
    walk_block((Block *)&body->block, count_write, find_reference, &search);
    const Stmt *assignment = assignment_in(&search, &body->block, NULL);
    if (search.writes != 1 || search.spoilt || assignment == NULL || search.loop == NULL || assignment->target->kind != EXPR_ELEMENT) return NULL;
    const RegionVec regions = footprint_of_call(arena, call);
    for (size_t i = 0; i < regions.count; i++) {
        if (!regions.items[i]->write || regions.items[i]->var != array) continue;
        if (region != NULL) return NULL;
        region = regions.items[i];
    }
    bool exact = region != NULL && search.loop->indices.count == assignment->target->arguments.count;
    for (int d = 0; exact && d < region->rank; d++) exact = is_exact_dimension(search.loop, assignment->target, d, &region->dims[d]);
    return exact ? region : NULL;
}
