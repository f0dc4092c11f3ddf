/* Checks border.c: that iterations which run before an array's messages have come use nothing further from their place than is said. Subscripts
 * are computed again, as the distances from the loop's index that they can have. */
#include "compiler/lower/verify_loops.h"

typedef struct Distances { bool known; int64_t low, high; } Distances;
typedef struct Checking { const LoweredBody *code; const Nest *nest; const char *fault; } Checking;
typedef struct RangeOf { const Var *var; const Expr *range; } RangeOf;

static void find_range(void *data, const Stmt *stmt) {
    RangeOf *of = data;
    if (stmt->kind == STMT_SEQUENCE && stmt->index == of->var) of->range = stmt->value;
    for (size_t i = 0; i < stmt->indices.count; i++)
        if (stmt->indices.items[i].var == of->var) of->range = stmt->indices.items[i].domain_range;
}

/* Of the value from the index `from`. */
static Distances distances(const Block *body, const Expr *expr, const Var *from) {
    if (expr->kind == EXPR_VAR && expr->var == from) return (Distances){true, 0, 0};
    if (expr->kind == EXPR_VAR) {
        RangeOf of = {expr->var, NULL};
        lower_walk_block(&(Walk){NULL, find_range, &of}, body);
        if (of.range == NULL || of.range->kind != EXPR_RANGE) return (Distances){0};
        const Distances first = distances(body, of.range->left, from), last = distances(body, of.range->right, from);
        return (Distances){first.known && last.known, first.low, last.high};
    }
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB) || expr->right->kind != EXPR_INTEGER) return (Distances){0};
    const Distances left = distances(body, expr->left, from);
    const int64_t more = expr->op == OP_ADD ? expr->right->integer : -expr->right->integer;
    return (Distances){left.known, left.low + more, left.high + more};
}

static void check_access(void *data, const Expr *expr) {
    Checking *checking = data;
    const Border *border = checking->code->border;
    if (expr->var != border->formal->var || expr->kind == EXPR_DIM_RANGE) return;
    if (expr->kind != EXPR_ELEMENT) checking->fault = "a whole array is used before all of it has come";
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) {
        const Distances at = distances(&checking->nest->stmt->body, expr->arguments.items[d], border->along[d]);
        if (!at.known || at.low < border->low[d] || at.high > border->high[d]) checking->fault = "an element is used that may not have come";
    }
}

static const char *boxes_fault(const Nest *nest, const Border *border) {
    const int rank = border->formal->var->type->rank;
    int found = 0;
    for (size_t l = 0; l < nest->loops.count; l++) {
        const Loop *loop = &nest->loops.items[l];
        const bool apart = loop_may(loop, LOOP_PARALLEL) || loop_may(loop, LOOP_APART);
        if (!apart || nest->form == FORM_REDUCTION || nest->along) return "iterations that depend on each other run in parts";
        if (loop->box < 0 || loop->box > rank || (loop->box > 0 && border->along[loop->box - 1] != loop->index->var)) return "a loop is bounded in the wrong dimension";
        found += loop->box > 0;
    }
    for (int d = 0; d < rank; d++)
        if (border->low[d] > 0 || border->high[d] < 0) return "an element is used that may not have come";
    return found == rank ? NULL : "a loop is not bounded that goes along the array";
}

const char *lower_border_fault(const LoweredBody *code) {
    const Border *border = code->border;
    const Block *block = &code->body->block;
    size_t bounded = 0;
    for (size_t n = 0; n < code->nests.count; n++)
        for (size_t l = 0; l < code->nests.items[n]->loops.count; l++) bounded += code->nests.items[n]->loops.items[l].box > 0;
    if (border == NULL) return bounded == 0 ? NULL : "a loop is bounded by a box that nobody gives";
    const Stmt *last = block->statements.items[block->statements.count - 1];
    const Nest *nest = last->kind == STMT_PARALLEL ? lower_nest_of(code, last) : NULL;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const bool local = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && verify_is_local_of(block, stmt->target->var);
        if (nest == NULL || (stmt != last && !local)) return "a stage runs in parts that does more than one loop";
    }
    for (size_t i = 0; i < code->use->formals.count; i++)
        if (code->use->formals.items[i].kind == FORMAL_PLACE || code->use->formals.items[i].kind == FORMAL_PARTIAL) return "a stage with results of its own runs in parts";
    Checking checking = {code, nest, boxes_fault(nest, border)};
    if (!checking.fault) lower_walk_block(&(Walk){check_access, NULL, &checking}, block);
    return checking.fault;
}
