/* Remarks where single-precision numbers are computed with in double precision because of a local whose values are literals:
 *
 *     sign = 1.0
 *     if (x[i] < 0) { sign = -1.0 }
 *     y[i] = sign * x[i]
 *
 * A literal takes the type of what it meets, but one that is assigned meets nothing. */
#include <string.h>
#include "compiler/check/declare.h"

typedef struct Widened {
    Check *check;
    const Body *body;
    bool *other;          /* by Var.id: it has values that are not made of literals alone */
    const Expr **value;   /* by Var.id: the first one */
    bool changed;
    const Var *local;     /* one that an expression names */
    VEC(const Expr *) told; /* values of locals of which a remark has been made; of several instances of a function one is enough */
} Widened;

static bool is_own_local(const Widened *widened, const Expr *expr) { return expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL && (size_t)expr->var->id < widened->body->vars.count; }

/* Literals, and locals that have such values alone; NULL is. Notes a local that makes it double precision. */
static bool is_of_literals(Widened *widened, const Expr *expr) {
    if (expr == NULL || expr->kind == EXPR_INTEGER || expr->kind == EXPR_REAL) return true;
    if (is_own_local(widened, expr)) {
        if (widened->other[expr->var->id]) return false;
        if (expr->type->kind == TYPE_REAL_DOUBLE) widened->local = expr->var;
        return true;
    }
    if (expr->kind != EXPR_UNARY && expr->kind != EXPR_BINARY && expr->kind != EXPR_CONVERT) return false;
    return is_of_literals(widened, expr->left) && is_of_literals(widened, expr->right);
}

static void set_other(Widened *widened, const Expr *place) {
    if (place == NULL || !is_own_local(widened, place) || widened->other[place->var->id]) return;
    widened->other[place->var->id] = widened->changed = true;
}

static bool look_at_stmt(Stmt *stmt, void *data) {
    Widened *widened = data;
    if (stmt->kind == STMT_EXTERN) /* it may assign to any */
        for (size_t i = 0; i < widened->body->vars.count; i++) widened->changed |= !widened->other[i], widened->other[i] = true;
    if (stmt->kind == STMT_REDUCE) set_other(widened, stmt->target);
    if (stmt->kind != STMT_ASSIGN || !is_own_local(widened, stmt->target)) return true;
    const int id = stmt->target->var->id;
    if (widened->value[id] == NULL) widened->value[id] = stmt->value;
    if (!is_of_literals(widened, stmt->value)) set_other(widened, stmt->target);
    return true;
}

static bool look_at_call(Expr *expr, void *data) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) set_other(data, expr->arguments.items[i]);
    return true;
}

/* ---- Where they meet ---------------------------------------------------------------------------------------------- */
static bool is_single(Widened *widened, const Expr *expr) {
    return expr->kind == EXPR_CONVERT && expr->left->type->kind == TYPE_REAL_SINGLE && !is_of_literals(widened, expr->left);
}

static void tell(Widened *widened, const Expr *expr, const Var *local) {
    const Expr *value = widened->value[local->id];
    for (size_t i = 0; i < widened->told.count; i++)
        if (widened->told.items[i]->span.start == value->span.start) return;
    vec_push(widened->check->arena, &widened->told, value);
    const char *text = arena_copy(widened->check->arena, widened->check->program->source->text + value->span.start, value->span.end - value->span.start);
    Diag *diag = diag_remark(widened->check->diags, R_WIDENED, expr->span, "this is computed in double precision, because '%s' is a Real double-precision, as its values are literals", local->name);
    diag_note(diag, value->span, "it gets its first value here");
    diag_help(diag, "write %s = Real single-precision(%s)", local->name, text);
}

static bool look_at_meeting(Expr *expr, void *data) {
    Widened *widened = data;
    const bool extremum = expr->kind == EXPR_MATH && expr->arguments.count == 2;
    if ((expr->kind != EXPR_BINARY && !extremum) || expr->type->kind != TYPE_REAL_DOUBLE) return true;
    const Expr *const sides[2] = {extremum ? expr->arguments.items[0] : expr->left, extremum ? expr->arguments.items[1] : expr->right};
    for (size_t i = 0; i < 2; i++) {
        widened->local = NULL;
        if (is_single(widened, sides[1 - i]) && is_of_literals(widened, sides[i]) && widened->local != NULL && widened->value[widened->local->id] != NULL) tell(widened, expr, widened->local);
    }
    return true;
}

static void look_at_body(Widened *widened, Body *body) {
    widened->body = body;
    widened->other = ARENA_ARRAY(widened->check->arena, bool, body->vars.count + 1);
    widened->value = ARENA_ARRAY(widened->check->arena, const Expr *, body->vars.count + 1);
    do {
        widened->changed = false;
        walk_block(&body->block, look_at_stmt, look_at_call, widened);
    } while (widened->changed);
    walk_block(&body->block, NULL, look_at_meeting, widened);
}

void remark_widened(Check *check) {
    Widened widened = {.check = check};
    const Program *program = check->program;
    for (size_t i = 0; i < program->functions.count; i++) look_at_body(&widened, &program->functions.items[i]->body);
    for (size_t t = 0; t < program->tasks.count; t++)
        for (size_t i = 0; i < program->tasks.items[t]->stages.count; i++) look_at_body(&widened, &program->tasks.items[t]->stages.items[i]->body);
}
