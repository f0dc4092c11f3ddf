/* See round_copy.h. What is known by the literals of a copy is decided in it. */
#include "compiler/lower/round_copy.h"

#include "compiler/lower/known_integers.h"
#include "compiler/lower/passes.h"

static bool is_small(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer > -SMALL_LITERAL && expr->integer < SMALL_LITERAL; }

static Expr *literal(const RoundCopy *copying, const Expr *like, ExprKind kind, int64_t value) {
    Expr *expr = ARENA_NEW(copying->arena, Expr);
    *expr = (Expr){.kind = kind, .type = like->type, .span = like->span, .integer = value};
    return expr;
}

static bool is_known(const Expr *expr, ExprKind kind, int64_t value) { return expr->kind == kind && expr->integer == value; }

/* Of numbers: their comparison; of small ones: sums, products and quotients. */
static Expr *computed(const RoundCopy *copying, Expr *expr) {
    int64_t value = 0;
    if (!lower_computed(expr->op, expr->left->integer, expr->right->integer, &value)) return expr;
    return literal(copying, expr, expr->type->kind == TYPE_BOOLEAN ? EXPR_BOOLEAN : EXPR_INTEGER, value);
}

/* Of literals: the least or the largest, what has another sign, or is not so. */
static Expr *computed_otherwise(const RoundCopy *copying, Expr *expr) {
    int64_t value = 0;
    const bool known = (expr->kind == EXPR_UNARY || lower_is_extremum(expr)) && lower_known_value(NULL, expr, &value);
    return known ? literal(copying, expr, expr->type->kind == TYPE_BOOLEAN ? EXPR_BOOLEAN : EXPR_INTEGER, value) : expr;
}

/* A copy whose parts are known, in fewer words if that is possible: without sums with 0 or negative numbers, and what is decided. */
static Expr *shortened(const RoundCopy *copying, Expr *expr) {
    Expr *left = expr->left, *right = expr->right;
    if (left->kind == EXPR_INTEGER && right->kind == EXPR_INTEGER) return computed(copying, expr);
    if (expr->op == OP_AND || expr->op == OP_OR) {
        const bool decides = expr->op == OP_OR;
        if (is_known(left, EXPR_BOOLEAN, decides)) return left;
        return is_known(left, EXPR_BOOLEAN, !decides) ? right : is_known(right, EXPR_BOOLEAN, !decides) ? left : expr;
    }
    const bool sum = (expr->op == OP_ADD || expr->op == OP_SUB) && expr->type->kind == TYPE_INTEGER;
    if (sum && is_known(right, EXPR_INTEGER, 0)) return left;
    if (!sum || !is_small(right) || right->integer >= 0) return expr;
    expr->op = expr->op == OP_ADD ? OP_SUB : OP_ADD;
    expr->right = literal(copying, right, EXPR_INTEGER, -right->integer);
    return expr;
}

/* What the subscript takes from an array of indices, without literals that are added to it. */
static const Expr *without_literals(const Expr *subscript) {
    while (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER) subscript = subscript->left;
    return subscript;
}

static Expr *subscript_copy(RoundCopy *copying, const Expr *subscript) {
    Expr *copy = lower_copy_expr(copying, subscript);
    const size_t count = copying->use->gathers.count;
    for (size_t i = 0; i < count; i++) {
        Gather gather = copying->use->gathers.items[i];
        if (gather.subscript != subscript) continue;
        gather.subscript = copy;
        if (gather.direct) gather.from = without_literals(copy);
        vec_push(copying->arena, &copying->use->gathers, gather);
    }
    return copy;
}

Expr *lower_copy_expr(RoundCopy *copying, const Expr *expr) {
    if (expr == NULL) return NULL;
    if (expr->kind == EXPR_VAR && expr->var == copying->index) return copying->as != NULL ? copying->as : literal(copying, expr, EXPR_INTEGER, copying->value);
    Expr *copy = ARENA_NEW(copying->arena, Expr);
    *copy = *expr;
    for (size_t i = 0; i < copying->names.count && expr->kind == EXPR_VAR; i++)
        if (copying->names.items[i].var == expr->var) copy->var = copying->names.items[i].as;
    copy->left = lower_copy_expr(copying, expr->left);
    copy->right = lower_copy_expr(copying, expr->right);
    copy->arguments = (ExprVec){0};
    for (size_t i = 0; i < expr->arguments.count; i++) vec_push(copying->arena, &copy->arguments, (expr->kind == EXPR_ELEMENT ? subscript_copy : lower_copy_expr)(copying, expr->arguments.items[i]));
    return expr->kind == EXPR_BINARY ? shortened(copying, copy) : computed_otherwise(copying, copy);
}

static Block *as_block(RoundCopy *copying, const Block *round) {
    Block *block = ARENA_NEW(copying->arena, Block);
    *block = (Block){.span = round->span};
    lower_copy_round(copying, round, block);
    return block;
}

void lower_copy_statement(RoundCopy *copying, const Stmt *stmt, Block *block) {
    Expr *value = lower_copy_expr(copying, stmt->value);
    if (stmt->kind == STMT_IF && value->kind == EXPR_BOOLEAN) {
        if (value->integer) lower_copy_round(copying, &stmt->body, block);
        else if (stmt->otherwise) lower_copy_round(copying, stmt->otherwise, block);
        return;
    }
    Stmt *copy = ARENA_NEW(copying->arena, Stmt);
    *copy = *stmt;
    copy->value = value;
    copy->target = lower_copy_expr(copying, stmt->target);
    copy->factor_a = lower_copy_expr(copying, stmt->factor_a);
    copy->factor_b = lower_copy_expr(copying, stmt->factor_b);
    copy->step = lower_copy_expr(copying, stmt->step);
    copy->body = *as_block(copying, &stmt->body);
    if (stmt->otherwise) copy->otherwise = as_block(copying, stmt->otherwise);
    vec_push(copying->arena, &block->statements, copy);
}

void lower_copy_locals(RoundCopy *copying, const Block *round, Block *block) {
    for (size_t i = 0; i < round->locals.count; i++) {
        Var *as = ARENA_NEW(copying->arena, Var);
        *as = *round->locals.items[i];
        as->id = (int)copying->body->vars.count;
        vec_push(copying->arena, &copying->body->vars, as);
        vec_push(copying->arena, &block->locals, as);
        vec_push(copying->arena, &copying->names, ((Renamed){round->locals.items[i], as}));
    }
}

void lower_copy_round(RoundCopy *copying, const Block *round, Block *block) {
    lower_copy_locals(copying, round, block);
    for (size_t i = 0; i < round->statements.count; i++) lower_copy_statement(copying, round->statements.items[i], block);
}
