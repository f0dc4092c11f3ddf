/* Definite initialisation of bounds: every array that the task makes has, on every
 * path through Initialize, both ends of each of its dimensions.
 *
 * A path's knowledge is a string of bits, two for each dimension of each array
 * (its lower and its upper end). Branches are joined with AND. After a `return`
 * the path ends: its bits are joined to `exits`, and all bits become 1, the
 * neutral element of every later join. */
#include <string.h>
#include "compiler/check/declare.h"

typedef struct Bounds {
    Check *check;
    Task *task;
    int *base;                   /* first bit of each global, by Var.id */
    size_t size;                 /* bits, one byte each */
    unsigned char *exits;
    unsigned char *ever;         /* set on some path */
} Bounds;

static bool needs_bounds(const Var *var) { return var_is_array(var) && !(var->environment && var->link == LINK_LINK); }

static unsigned char *copy_state(Bounds *bounds, const unsigned char *state) {
    unsigned char *copy = arena_alloc(bounds->check->arena, bounds->size + 1);
    memcpy(copy, state, bounds->size);
    return copy;
}

static void join_state(Bounds *bounds, unsigned char *into, const unsigned char *other) {
    for (size_t i = 0; i < bounds->size; i++) into[i] &= other[i];
}

/* ---- Uses of bounds that are not there yet ------------------------------------------------ */

/* Which ends of a dimension a use asks for. */
enum { LOWER_END = 1, UPPER_END = 2, BOTH_ENDS = LOWER_END | UPPER_END };

static void check_known(Bounds *bounds, const unsigned char *state, const Var *var, int dimension, int ends, Span span) {
    if (var == NULL || var->kind != VAR_GLOBAL || !needs_bounds(var)) return;
    for (int d = 0; d < var->type->rank; d++) {
        if (dimension >= 0 && d != dimension) continue;
        const unsigned char *bits = &state[bounds->base[var->id] + 2 * d];
        if ((bits[0] || !(ends & LOWER_END)) && (bits[1] || !(ends & UPPER_END))) continue;
        if (ends != BOTH_ENDS) {
            const char *end = ends == LOWER_END ? "min" : "max";
            Diag *diag = diag_error(bounds->check->diags, E_BOUNDS_READ, span,
                                    "'%s.dimension%d.range.%s' is used before it is set", var->name, d + 1, end);
            diag_help(diag, "set '%s.dimension%d', or this end of it, earlier in Initialize", var->name, d + 1);
            return;
        }
        Diag *diag = diag_error(bounds->check->diags, E_BOUNDS_READ, span,
                                "dimension %d of '%s' is used before its bounds are set", d + 1, var->name);
        diag_help(diag, "set '%s.dimension%d' earlier in Initialize", var->name, d + 1);
        return;
    }
}

typedef struct ReadScan { Bounds *bounds; const unsigned char *state; } ReadScan;

static bool scan_read(Expr *expr, void *data) {
    ReadScan *scan = data;
    bool of_part = expr->kind == EXPR_RANGE_PART && expr->left->kind == EXPR_DIM_RANGE;
    const Expr *range = of_part ? expr->left : expr;
    if (range->kind != EXPR_DIM_RANGE) return true;
    /* The other end may be set later: x.range.max = x.range.min + 9. */
    int ends = of_part && expr->part != RANGE_LENGTH ? expr->part == RANGE_MIN ? LOWER_END : UPPER_END : BOTH_ENDS;
    check_known(scan->bounds, scan->state, range->var, range->dimension, ends, expr->span);
    return false;
}

static void check_reads(Bounds *bounds, const unsigned char *state, Expr *expr) {
    ReadScan scan = {bounds, state};
    if (expr != NULL) walk_expr(expr, scan_read, &scan);
}

/* ---- Statements ------------------------------------------------------------------------------- */

static void set_bounds(Bounds *bounds, unsigned char *state, const Stmt *stmt) {
    const Var *var = stmt->var;
    /* Where there is a value, its range was looked at as an expression. */
    if (stmt->value == NULL)
        check_known(bounds, state, stmt->source_var, stmt->dimension < 0 ? -1 : stmt->source_dimension, BOTH_ENDS, stmt->span);
    if (!needs_bounds(var)) {
        Diag *diag = diag_error(bounds->check->diags, E_BOUNDS_LINKED, stmt->span, "the bounds of '%s' come from the environment",
                                var->name);
        diag_note(diag, var->span, "'%s' is a 'link' variable", var->name);
        diag_help(diag, "leave this out, or make '%s' a 'create' variable", var->name);
        return;
    }
    bool whole = stmt->whole_range || stmt->source_var != NULL || (stmt->value != NULL && stmt->value->type->kind == TYPE_RANGE);
    for (int d = 0; d < var->type->rank; d++) {
        if (stmt->dimension >= 0 && d != stmt->dimension) continue;
        size_t bit = (size_t)(bounds->base[var->id] + 2 * d);
        if (whole || stmt->part == RANGE_MIN) state[bit] = bounds->ever[bit] = 1;
        if (whole || stmt->part == RANGE_MAX) state[bit + 1] = bounds->ever[bit + 1] = 1;
    }
}

static void follow_block(Bounds *bounds, unsigned char *state, const Block *block);

static void follow_if(Bounds *bounds, unsigned char *state, const Stmt *stmt) {
    unsigned char *other = copy_state(bounds, state);
    follow_block(bounds, state, &stmt->body);
    if (stmt->otherwise != NULL) follow_block(bounds, other, stmt->otherwise);
    join_state(bounds, state, other);
}

static void follow_stmt(Bounds *bounds, unsigned char *state, const Stmt *stmt) {
    check_reads(bounds, state, stmt->kind == STMT_WHILE ? NULL : stmt->value);
    check_reads(bounds, state, stmt->target);
    for (size_t i = 0; i < stmt->indices.count; i++) check_reads(bounds, state, stmt->indices.items[i].domain_range);
    switch (stmt->kind) {
    case STMT_SET_BOUNDS: set_bounds(bounds, state, stmt); break;
    case STMT_IF: follow_if(bounds, state, stmt); break;
    case STMT_BLOCK: follow_block(bounds, state, &stmt->body); break;
    case STMT_PARALLEL:
    case STMT_SEQUENCE:          /* may run no iteration: what it sets does not count */
        follow_block(bounds, copy_state(bounds, state), &stmt->body);
        break;
    case STMT_WHILE:             /* the body runs first */
        follow_block(bounds, state, &stmt->body);
        check_reads(bounds, state, stmt->value);
        break;
    case STMT_RETURN:
        join_state(bounds, bounds->exits, state);
        memset(state, 1, bounds->size);
        break;
    default: break;
    }
}

static void follow_block(Bounds *bounds, unsigned char *state, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) follow_stmt(bounds, state, block->statements.items[i]);
}

/* ---- The verdict ---------------------------------------------------------------------------------- */

static void report_unset(Bounds *bounds, const Var *var, int dimension, const unsigned char *bits) {
    const unsigned char *ever = &bounds->ever[bounds->base[var->id] + 2 * dimension];
    Diag *diag;
    if (bits[0] != bits[1])
        diag = diag_error(bounds->check->diags, E_BOUNDS, var->span, "dimension %d of '%s' gets no %s bound in Initialize",
                          dimension + 1, var->name, bits[0] ? "upper" : "lower");
    else if (ever[0] || ever[1])
        diag = diag_error(bounds->check->diags, E_BOUNDS, var->span,
                          "the bounds of dimension %d of '%s' are not set on every path through Initialize", dimension + 1,
                          var->name);
    else
        diag = diag_error(bounds->check->diags, E_BOUNDS, var->span, "the bounds of dimension %d of '%s' are never set",
                          dimension + 1, var->name);
    diag_help(diag, "Initialize sets them: '%s.dimension%d = other.dimension1' or '%s.dimension%d.range = [0...n - 1]'%s",
              var->name, dimension + 1, var->name, dimension + 1,
              var->environment ? "" : "; an array that the caller gives is 'link' in the Environment");
}

void check_bounds(Check *check, Task *task) {
    Bounds bounds = {.check = check, .task = task, .base = ARENA_ARRAY(check->arena, int, task->globals.count + 1)};
    for (size_t i = 0; i < task->globals.count; i++) {
        bounds.base[i] = (int)bounds.size;
        if (var_is_array(task->globals.items[i])) bounds.size += 2 * (size_t)task->globals.items[i]->type->rank;
    }
    unsigned char *state = arena_alloc(check->arena, bounds.size + 1);
    bounds.exits = arena_alloc(check->arena, bounds.size + 1);
    bounds.ever = arena_alloc(check->arena, bounds.size + 1);
    memset(bounds.exits, 1, bounds.size);
    if (task->initialize != NULL) follow_block(&bounds, state, &task->initialize->block);
    join_state(&bounds, state, bounds.exits);
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!needs_bounds(var)) continue;
        for (int d = 0; d < var->type->rank; d++) {
            const unsigned char *bits = &state[bounds.base[i] + 2 * d];
            if (bits[0] && bits[1]) continue;
            report_unset(&bounds, var, d, bits);
            break;               /* one message for each array */
        }
    }
}
