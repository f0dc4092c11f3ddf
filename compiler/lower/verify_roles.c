/* Whether loops may have the roles that a backend has given them: threads, vectors, tiles of products. */
#include "compiler/lower/verify_loops.h"

/* A loop that threads share goes outside of those that each thread has for itself. A cut one they share piece by piece. */
static const char *shared_fault(const Nest *nest, size_t l) {
    const Loop *loop = &nest->loops.items[l];
    const bool cut = nest->form == FORM_CUT && !loop_may(loop, LOOP_APART_ON_CARDS) && l + 1 == nest->loops.count;
    if (nest->form == FORM_REDUCTION) return "threads share loops that reduce";
    if (!cut && !loop_may(loop, LOOP_APART_ON_CARDS)) return "threads share a loop that is not parallel";
    for (size_t i = 0; i < l; i++) {
        const Var *outside = nest->loops.items[i].index->var;
        bool named = verify_bounds_mention(loop->index, outside) || (cut && lower_expr_mentions(nest->cut, outside));
        for (size_t f = 0; f < loop->index->filters.count; f++) named |= lower_expr_mentions(loop->index->filters.items[f], outside);
        if ((named || cut) && nest->loops.items[i].role != ROLE_THREAD) return "threads share a loop inside of one that they do not share";
        if (named && cut) return "threads share pieces of a loop that differ from thread to thread";
    }
    return NULL;
}

static void find_written(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_ASSIGN && lower_element_of(stmt->target)->kind != EXPR_VAR; }

static bool writes_elements(const Nest *nest) {
    bool found = false;
    lower_walk_block(&(Walk){NULL, find_written, &found}, &nest->stmt->body);
    return found;
}

const char *lower_role_fault(const Nest *nest, size_t l) {
    const Loop *loop = &nest->loops.items[l];
    const size_t inside = nest->loops.count - 1 - l;
    switch (loop->role) {
    case ROLE_NONE: return nest->loops.items[0].role == ROLE_NONE ? NULL : "a loop has no role beside others that have one";
    case ROLE_SERIAL: return nest->loops.items[0].role != ROLE_NONE ? NULL : "a loop has a role beside others that have none";
    case ROLE_VECTOR: {
        const bool sides = nest->form == FORM_SUM && (nest->sum.abreast ? inside == 1 : nest->sum.window > 0 && inside == nest->sum.window);
        if (nest->form == FORM_LANES) return inside == nest->lanes.inside ? NULL : "a loop goes in vectors beside the one in lanes";
        const bool reduces = nest->form == FORM_REDUCTION && nest->reduction.any_order;
        const bool apart = loop_may(loop, LOOP_PARALLEL) || ((loop_may(loop, LOOP_APART) || !writes_elements(nest)) && (nest->form == FORM_LOOPS || reduces));
        const bool may = sides || (inside == 0 && (apart || nest->form == FORM_CUT || nest->form == FORM_EXTREMUM) && (nest->form != FORM_REDUCTION || reduces));
        return may ? NULL : "a loop goes in vectors whose iterations may not";
    }
    case ROLE_THREAD: return shared_fault(nest, l);
    case ROLE_TILE: return nest->form == FORM_PRODUCT && inside < 3 ? NULL : "a loop is tiled that is none of a product";
    }
    return "a loop has an unknown role";
}
