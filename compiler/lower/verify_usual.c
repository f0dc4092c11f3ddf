/* Loops that run for usual numbers first (usual.c), looked at again from the other end: whatever an extremum may come from is a literal or
 * in a row that is looked at, and whatever stands in such a row is read in every iteration; what may run twice reads nothing that it writes. */
#include "compiler/lower/verify_loops.h"

#include <math.h>
#include <string.h>

enum { MOST_LOCALS = 256 };
typedef struct Check { const LoweredBody *code; const Nest *nest; const Var *looked_at[MOST_LOCALS]; size_t count; bool fails; } Check;

static const Block *body_of(const Check *check) { return &check->nest->stmt->body; }

/* ---- Rows --------------------------------------------------------------------------------------------- */
static bool is_fastest(const Check *check, const Expr *element, size_t d) {
    const Formal *formal = lower_formal(check->code->use, element->var);
    return d == (formal && formal->layout.fortran ? 0 : element->arguments.count - 1);
}

/* What a literal adds to the row's base in the subscript; false: it is another base. */
static bool distance(const Expr *subscript, const Expr *base, int64_t *far) {
    *far = 0;
    if (lower_expr_equal(subscript, base)) return true;
    const bool sum = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB);
    if (!sum || subscript->right->kind != EXPR_INTEGER || !lower_expr_equal(subscript->left, base)) return false;
    *far = subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return true;
}

static bool is_in_row(const Check *check, const UsualRow *row, const Expr *element, int64_t *far) {
    *far = row->low;
    if (element->kind != EXPR_ELEMENT || element->var != row->first->var || element->lag != row->first->lag) return false;
    for (size_t d = 0; d < element->arguments.count; d++) {
        const bool along = row->moves && is_fastest(check, element, d);
        if (along ? !distance(element->arguments.items[d], row->base, far) : !lower_expr_equal(element->arguments.items[d], row->first->arguments.items[d]))
            return false;
    }
    return *far >= row->low && *far <= row->high;
}

typedef struct Reads { const Check *check; const UsualRow *row; int64_t far; bool found; } Reads;

static void find_read(Reads *reads, const Expr *expr) {
    int64_t far;
    if (!expr) return;
    const bool maybe = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR); /* the right side, if at all */
    reads->found |= is_in_row(reads->check, reads->row, expr, &far) && far == reads->far;
    find_read(reads, expr->left);
    if (!maybe) find_read(reads, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find_read(reads, expr->arguments.items[i]);
}

static void find_read_in(Reads *reads, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        find_read(reads, stmt->value);
        if (stmt->kind == STMT_BLOCK) find_read_in(reads, &stmt->body);
    }
}

/* What moves in a row is the index, by nothing that differs from iteration to iteration; the other subscripts stand still. */
static void check_still(void *data, const Expr *expr) {
    Check *check = data;
    const Var *index = nest_innermost(check->nest)->index->var;
    const bool moves = expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || (expr->var && expr->var == index);
    check->fails |= moves || (expr->var && expr->kind != EXPR_DIM_RANGE &&
                              (verify_is_local_of(body_of(check), expr->var) || lower_block_writes(body_of(check), expr->var) > 0));
}

static bool stands_still(const Check *check, const Expr *expr) {
    Check still = {.code = check->code, .nest = check->nest};
    lower_walk_expr(&(Walk){check_still, NULL, &still}, expr);
    return !still.fails;
}

static bool is_index_and_more(const Check *check, const Expr *expr) {
    const bool sum = expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB);
    if (sum) return is_index_and_more(check, expr->left) && stands_still(check, expr->right);
    return expr->kind == EXPR_VAR && expr->var == nest_innermost(check->nest)->index->var;
}

static const char *row_fault(const Check *check, const UsualRow *row) {
    const Formal *formal = lower_formal(check->code->use, row->first->var);
    if (!formal || !formal->restricted || lower_block_writes(body_of(check), row->first->var) > 0) return "a row is looked at that may change";
    int64_t far;
    if (!is_in_row(check, row, row->first, &far) || far != row->low) return "a row begins elsewhere";
    for (size_t d = 0; d < row->first->arguments.count; d++)
        if (row->moves && is_fastest(check, row->first, d) ? !is_index_and_more(check, row->base) : !stands_still(check, row->first->arguments.items[d]))
            return "a row moves otherwise than its loop";
    for (int64_t at = row->low; at <= row->high; at++) {
        Reads reads = {check, row, at, false};
        find_read_in(&reads, body_of(check));
        if (!reads.found) return "a row is looked at where not every iteration reads";
    }
    return NULL;
}

/* ---- Extrema --------------------------------------------------------------------------------------------- */
static void check_number(Check *check, const Expr *expr);

static bool is_looked_at(const Check *check, const Var *var) {
    for (size_t i = 0; i < check->count; i++)
        if (check->looked_at[i] == var) return true;
    return false;
}

/* Whatever is assigned to the local; by reference, nothing may be. */
typedef struct Local { Check *check; const Var *var; size_t assignments; } Local;

static void check_assigned(void *data, const Stmt *stmt) {
    Local *local = data;
    if (stmt->kind != STMT_ASSIGN || lower_place_root(stmt->target) != local->var) return;
    local->assignments++;
    local->check->fails |= stmt->target->kind != EXPR_VAR;
    check_number(local->check, stmt->value);
}

static void check_local(Check *check, const Var *var) {
    if (is_looked_at(check, var)) return;
    check->fails |= !verify_is_local_of(body_of(check), var) || check->count == MOST_LOCALS;
    if (check->fails) return;
    check->looked_at[check->count++] = var;
    Local local = {check, var, 0};
    lower_walk_block(&(Walk){NULL, check_assigned, &local}, body_of(check));
    check->fails |= local.assignments != (size_t)lower_block_writes(body_of(check), var);
}

static bool keeps_usual(const Expr *expr) {
    static const char *const names[] = {"fmin", "fmax", "fabs", "floor"};
    for (size_t i = 0; expr->kind == EXPR_MATH && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(expr->math, names[i]) == 0) return true;
    return false;
}

static void check_number(Check *check, const Expr *expr) {
    int64_t far;
    bool known = expr->type->kind == TYPE_INTEGER || (expr->kind == EXPR_REAL && !isnan(expr->real) && (expr->real != 0 || !signbit(expr->real)));
    for (size_t i = 0; i < check->nest->usual->rows.count; i++) known |= is_in_row(check, &check->nest->usual->rows.items[i], expr, &far);
    if (known) return;
    const bool widened = expr->kind == EXPR_CONVERT && (expr->type->kind == TYPE_REAL_DOUBLE || expr->left->type->kind != TYPE_REAL_DOUBLE);
    if (expr->kind == EXPR_VAR) check_local(check, expr->var);
    else if (widened) check_number(check, expr->left);
    else check->fails |= !keeps_usual(expr);
    for (size_t i = 0; keeps_usual(expr) && i < expr->arguments.count; i++) check_number(check, expr->arguments.items[i]);
}

/* ---- What runs again ---------------------------------------------------------------------------------------- */
/* A subscript that is made of what is wrong in the first run leads anywhere. */
static void check_subscript(void *data, const Expr *expr) {
    Check *check = data;
    check->fails |= expr->kind == EXPR_CONVERT || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_MATH ||
                    (expr->var && expr->kind == EXPR_VAR && verify_is_local_of(body_of(check), expr->var));
}

static void check_end(void *data, const Expr *expr) {
    Check *check = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    check->fails |= (divides && (expr->right->kind != EXPR_INTEGER || expr->right->integer <= 0)) || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++)
        lower_walk_expr(&(Walk){check_subscript, NULL, check}, expr->arguments.items[d]);
}

typedef struct Mentions { const Var *var; size_t count; } Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->kind == EXPR_ELEMENT && expr->var == mentions->var;
}

static void check_read(void *data, const Stmt *stmt) {
    Check *check = data;
    const Var *var = stmt->kind == STMT_ASSIGN ? lower_place_root(stmt->target) : NULL;
    if (!var || verify_is_local_of(body_of(check), var)) return;
    Mentions mentions = {var, 0};
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, body_of(check));
    check->fails |= mentions.count > (size_t)lower_block_writes(body_of(check), var);
}

/* Of statements that an `if` leaves out, none may write anything but locals. */
static void check_branch(Check *check, const Block *block, bool left_out) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        check->fails |= left_out && stmt->kind == STMT_ASSIGN && !verify_is_local_of(body_of(check), lower_place_root(stmt->target));
        check_branch(check, &stmt->body, left_out || stmt->kind == STMT_IF);
        if (stmt->otherwise) check_branch(check, stmt->otherwise, true);
    }
}

/* ---- All together --------------------------------------------------------------------------------------------- */
const char *lower_usual_fault(const LoweredBody *code, const Nest *nest) {
    const Usual *usual = nest->usual;
    const Loop *loop = nest_innermost(nest);
    if (nest->form != FORM_LOOPS || nest->edges || nest->choices || !loop->interval || nest->has_filters || !loop_may(loop, LOOP_PARALLEL))
        return "a loop runs for usual numbers first that does not go in blocks";
    Check check = {.code = code, .nest = nest};
    for (size_t i = 0; i < usual->rows.count; i++) {
        const char *fault = row_fault(&check, &usual->rows.items[i]);
        if (fault) return fault;
    }
    for (size_t i = 0; i < usual->extrema.count; i++) check_number(&check, usual->extrema.items[i]);
    if (check.fails) return "an extremum may be of NaN or -0.0";
    if (usual->conversions.count > 0) {
        lower_walk_block(&(Walk){check_end, check_read, &check}, body_of(&check));
        check_branch(&check, body_of(&check), false);
    }
    return check.fails ? "a loop runs twice that may not" : NULL;
}
