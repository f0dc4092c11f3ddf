/* Loops in 32 bits where values are small (small.c), looked at again: the form of the nest, what locals hold, and that every element of
 * which something is computed is looked at before, or is one that the loop does not write. */
#include "compiler/lower/verify_loops.h"

typedef struct Looked { const LoweredBody *code; const Nest *nest; const char *fault; } Looked;

static bool is_looked_at(const Small *small, const Expr *element) {
    for (size_t i = 0; i < small->spans.count; i++) {
        const SmallSpan *span = &small->spans.items[i];
        if (span->far ? lower_expr_equal(span->first, element) : span->first->var == element->var && span->first->lag == element->lag) return true;
    }
    return false;
}

/* Operands of arithmetic; of comparisons, elements and literals may be what they want. */
static void check_operator(void *data, const Expr *expr) {
    Looked *looked = data;
    const bool computes = expr->type && expr->type->kind == TYPE_INTEGER && (expr->kind == EXPR_BINARY || expr->kind == EXPR_UNARY);
    const Expr *operands[] = {expr->left, expr->right};
    for (size_t i = 0; i < 2 && computes; i++) {
        const Expr *operand = operands[i];
        if (operand && operand->kind == EXPR_ELEMENT && !is_looked_at(looked->nest->small, operand)) looked->fault = "values count as small that are not looked at";
    }
}

static void check_values(void *data, const Stmt *stmt) {
    Looked *looked = data;
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_REDUCE) lower_walk_expr(&(Walk){check_operator, NULL, data}, stmt->value);
    else if (stmt->kind != STMT_IF && stmt->kind != STMT_BLOCK) looked->fault = "a loop is small that has more than values";
}

static const char *local_fault(const LoweredBody *small, const Block *block) {
    const char *fault = NULL;
    for (size_t i = 0; i < block->locals.count && !fault; i++) {
        const Var *var = block->locals.items[i];
        if (var->type->kind != TYPE_INTEGER || var->type->stored_single) continue;
        const int bytes = lower_bytes_of(small, var);
        const int64_t most = bytes > 0 ? ((int64_t)1 << (8 * bytes - 1)) - 1 : 0;
        if (bytes == 0 || bytes > 4 || !interval_within(lower_range_of_var(small->ranges, var), -most - 1, most)) fault = "a local does not hold its values where they are small";
    }
    for (size_t i = 0; i < block->statements.count && !fault; i++) {
        const Stmt *stmt = block->statements.items[i];
        fault = local_fault(small, &stmt->body);
        if (!fault && stmt->otherwise) fault = local_fault(small, stmt->otherwise);
    }
    return fault;
}

const char *lower_small_fault(const LoweredBody *code, const Nest *nest) {
    const Small *small = nest->small;
    const Loop *loop = nest_innermost(nest);
    const bool reduces = nest->form == FORM_REDUCTION && nest->reduction.any_order, loops = nest->form == FORM_LOOPS && loop_may(loop, LOOP_PARALLEL);
    if ((!reduces && !loops) || !loop->interval || !loop->domain_var || nest->has_filters) return "a loop is small that does not go in blocks";
    for (size_t i = 0; i < small->spans.count; i++) {
        const Expr *first = small->spans.items[i].first;
        const Formal *formal = lower_formal(code->use, first->var);
        if (!formal || !formal->restricted || (first->lag == 0 && lower_block_writes(&nest->stmt->body, first->var) > 0)) return "values are looked at that the loop changes";
    }
    Looked looked = {code, nest, local_fault(small->code, &nest->stmt->body)};
    if (!looked.fault) lower_walk_block(&(Walk){NULL, check_values, &looked}, &nest->stmt->body);
    return looked.fault;
}
