/* Loops that take an extremum: what `reduce(least, "min", a[m] + b[m])` to a local of a stage is, a loop over m whose last statement is
 * `least = fmin(least, a[m] + b[m])`. Each waits for the one before where they are taken in order. But the smallest and the largest of Reals are
 * the same in any order, and so are those of Integers that are in the same order, which C compilers know in vectors. */
#include <string.h>

#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

typedef struct Asking { const Var *var; size_t count; } Asking;

static void count_asking(void *data, const Expr *expr) { ((Asking *)data)->count += expr->kind == EXPR_VAR && expr->var == ((Asking *)data)->var; }

static bool is_extremum(const Block *body, const Stmt *stmt) {
    const Expr *value = stmt->value;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !type_is_real(stmt->target->type) || stmt->target->var->kind != VAR_LOCAL) return false;
    if (value->kind != EXPR_MATH || (strcmp(value->math, "fmin") != 0 && strcmp(value->math, "fmax") != 0) || lower_is_local_of(body, stmt->target->var)) return false;
    const Expr *so_far = value->arguments.items[0], *next = value->arguments.items[1];
    return so_far->kind == EXPR_VAR && so_far->var == stmt->target->var && so_far->lag == 0 && next->type == stmt->target->type;
}

bool lower_takes_extremum(const Stmt *loop) {
    const Block *body = &loop->body;
    const size_t count = body->statements.count;
    if (loop->indices.count != 1 || loop->indices.items[0].filters.count > 0 || count == 0 || lower_short_rounds(loop) > 0) return false;
    const Stmt *last = body->statements.items[count - 1];
    if (!is_extremum(body, last)) return false;
    for (size_t i = 0; i + 1 < count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !lower_is_local_of(body, stmt->target->var)) return false;
    }
    Asking asking = {last->target->var, 0};
    lower_walk_block(&(Walk){count_asking, NULL, &asking}, body);
    return asking.count == 2; /* the target, and what it was */
}

const Stmt *lower_extremum(const Nest *nest) {
    return nest->loops.items[0].interval && lower_takes_extremum(nest->stmt) ? vec_last(&nest->stmt->body.statements) : NULL;
}
