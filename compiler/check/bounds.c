/* Restrictions of a parallel loop: each conjunct becomes a bound of the last index it
 * names, when the other side can be computed before that index has its value, or a filter. */
#include "compiler/check/bodies.h"

typedef struct Written { Arena *arena; VarVec vars; } Written;

static void add_written(Written *written, Expr *place) {
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    if (place != NULL) vec_push(written->arena, &written->vars, place->var);
}

static bool note_stmt(Stmt *stmt, void *data) {
    Written *written = data;
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_REDUCE) add_written(written, stmt->target);
    if (stmt->kind == STMT_EXTERN)
        for (size_t i = 0; i < stmt->external->uses.count; i++) vec_push(written->arena, &written->vars, stmt->external->uses.items[i]);
    return true;
}

static bool note_call(Expr *expr, void *data) {
    if (expr->kind == EXPR_CALL && expr->function != NULL)
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (expr->function->body.params.items[i]->by_reference) add_written(data, expr->arguments.items[i]);
    return true;
}

typedef struct Freedom {
    const Stmt *loop; const Written *written;
    int last;                     /* the last index of the loop that is named, or -1 */
    bool free;                    /* no call, nothing that the body writes */
} Freedom;

static bool note_freedom(Expr *expr, void *data) {
    Freedom *freedom = data;
    if (expr->kind == EXPR_CALL) freedom->free = false;
    if (expr->kind != EXPR_VAR && expr->kind != EXPR_ELEMENT) return true;
    for (size_t i = 0; i < freedom->loop->indices.count; i++)
        if (freedom->loop->indices.items[i].var == expr->var && (int)i > freedom->last) freedom->last = (int)i;
    for (size_t i = 0; i < freedom->written->vars.count; i++)
        if (freedom->written->vars.items[i] == expr->var) freedom->free = false;
    return true;
}

static Freedom freedom_of(const Stmt *loop, const Written *written, Expr *expr) {
    Freedom freedom = {.loop = loop, .written = written, .last = -1, .free = true};
    walk_expr(expr, note_freedom, &freedom);
    return freedom;
}

static Expr *offset(BodyCheck *c, Expr *expr, int64_t by) {
    bool fits = expr->integer < INT64_MAX && expr->integer > INT64_MIN;
    if (expr->kind == EXPR_INTEGER && fits) return expr_integer(c, expr->integer + by, expr->span);
    return expr_binary(c, by > 0 ? OP_ADD : OP_SUB, expr, expr_integer(c, 1, expr->span), expr->type);
}

static Operator mirrored(Operator op) {
    return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : op == OP_GE ? OP_LE : op;
}

/* `index op bound`; false when the operator bounds nothing. */
static bool add_bound(BodyCheck *c, LoopIndex *index, Operator op, Expr *bound) {
    switch (op) {
    case OP_GT: vec_push(c->arena, &index->lower, offset(c, bound, 1)); return true;
    case OP_GE: vec_push(c->arena, &index->lower, bound); return true;
    case OP_LT: vec_push(c->arena, &index->upper, offset(c, bound, -1)); return true;
    case OP_LE: vec_push(c->arena, &index->upper, bound); return true;
    case OP_EQ:
        vec_push(c->arena, &index->lower, bound);
        vec_push(c->arena, &index->upper, bound);
        return true;
    default: return false;
    }
}

static bool is_index(const Stmt *loop, const Expr *expr, int position) {
    return expr->kind == EXPR_VAR && expr->var == loop->indices.items[position].var;
}

/* ---- Sums that cannot overflow --------------------------------------------------------------------- */
typedef struct Assigned { const Var *var; bool found, other; } Assigned;

static bool note_assigned(Stmt *stmt, void *data) {
    Assigned *assigned = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->target->var != assigned->var) return true;
    assigned->found = true;
    assigned->other |= stmt->value->kind != EXPR_DIM_RANGE;
    return true;
}

/* The range of an array's dimension, or a local that has been given nothing else so far. */
static bool is_dimension(BodyCheck *c, const Expr *range) {
    if (range->kind != EXPR_VAR || range->var->kind != VAR_LOCAL) return range->kind == EXPR_DIM_RANGE;
    Assigned assigned = {range->var, false, false};
    walk_block(&c->body->block, note_assigned, NULL, &assigned);
    return assigned.found && !assigned.other;
}

/* Indices of arrays, ends of their dimensions and small numbers are far from the limits of Integers; so are sums of a few of them. */
static bool is_moderate(BodyCheck *c, const Stmt *loop, const Expr *expr) {
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) return is_moderate(c, loop, expr->left) && is_moderate(c, loop, expr->right);
    if (expr->kind == EXPR_INTEGER) return expr->integer > -INT32_MAX && expr->integer < INT32_MAX;
    if (expr->kind == EXPR_RANGE_PART) return is_dimension(c, expr->left);
    for (size_t i = 0; expr->kind == EXPR_VAR && i < loop->indices.count; i++) {
        const LoopIndex *index = &loop->indices.items[i];
        if (index->var == expr->var) return index->domain_var != NULL || (index->domain_range != NULL && is_dimension(c, index->domain_range));
    }
    return false;
}

/* `index + m op b` as `index op b - m`, whichever way the sum is written; `m - index` the other way round. Sums that might overflow stay as they are. */
static bool bound_from_sum(BodyCheck *c, Stmt *loop, const Written *written, Operator op, Expr *sum, Expr *bound, int last) {
    if (is_index(loop, sum, last)) return add_bound(c, &loop->indices.items[last], op, bound);
    if (sum->kind != EXPR_BINARY || (sum->op != OP_ADD && sum->op != OP_SUB)) return false;
    const Freedom left = freedom_of(loop, written, sum->left), right = freedom_of(loop, written, sum->right);
    const bool second = right.last == last;
    Expr *more = second ? sum->left : sum->right;
    if ((left.last == last) == second || !(second ? left : right).free || !is_moderate(c, loop, more)) return false;
    if (second && sum->op == OP_SUB) return bound_from_sum(c, loop, written, mirrored(op), sum->right, expr_binary(c, OP_SUB, more, bound, bound->type), last);
    Expr *rest = expr_binary(c, sum->op == OP_ADD ? OP_SUB : OP_ADD, bound, more, bound->type);
    return bound_from_sum(c, loop, written, op, second ? sum->right : sum->left, rest, last);
}

static bool bound_from_comparison(BodyCheck *c, Stmt *loop, const Written *written, Expr *test, int last) {
    if (test->left->type->kind != TYPE_INTEGER || test->right->type->kind != TYPE_INTEGER) return false;
    for (int side = 0; side < 2; side++) {
        Expr *name = side == 0 ? test->left : test->right, *other = side == 0 ? test->right : test->left;
        Freedom freedom = freedom_of(loop, written, other);
        if (!freedom.free || freedom.last >= last || (!is_index(loop, name, last) && !is_moderate(c, loop, other))) continue;
        if (bound_from_sum(c, loop, written, side == 0 ? test->op : mirrored(test->op), name, other, last)) return true;
    }
    return false;
}

static Expr *range_end(BodyCheck *c, Expr *range, RangePart part) {
    if (range->kind == EXPR_RANGE) return part == RANGE_MIN ? range->left : range->right;
    Expr *end = expr_new(c, EXPR_RANGE_PART, basic(c, BASIC_INTEGER), range->span);
    end->left = range;
    end->part = part;
    return end;
}

static bool bound_from_in(BodyCheck *c, Stmt *loop, const Written *written, Expr *test, int last) {
    Expr *range = test->right;
    if (!is_index(loop, test->left, last)) return false;
    if (range->kind == EXPR_DIM_RANGE && range->local) return false;   /* membership in the part, not in its hull */
    Freedom freedom = freedom_of(loop, written, range);
    if (!freedom.free || freedom.last >= last) return false;
    vec_push(c->arena, &loop->indices.items[last].lower, range_end(c, range, RANGE_MIN));
    vec_push(c->arena, &loop->indices.items[last].upper, range_end(c, range, RANGE_MAX));
    return true;
}

static void classify(BodyCheck *c, Stmt *loop, const Written *written, Expr *test) {
    if (test->kind == EXPR_BINARY && test->op == OP_AND) {
        classify(c, loop, written, test->left);
        classify(c, loop, written, test->right);
        return;
    }
    int last = freedom_of(loop, written, test).last;
    if (last >= 0 && test->kind == EXPR_BINARY && bound_from_comparison(c, loop, written, test, last)) return;
    if (last >= 0 && test->kind == EXPR_IN && bound_from_in(c, loop, written, test, last)) return;
    /* A condition that names no index is tested with the outermost one. */
    vec_push(c->arena, &loop->indices.items[last < 0 ? 0 : last].filters, test);
}

void bounds_classify(BodyCheck *c, Stmt *loop, Expr *condition) {
    Written written = {.arena = c->arena};
    walk_block(&loop->body, note_stmt, note_call, &written);
    classify(c, loop, &written, condition);
}
