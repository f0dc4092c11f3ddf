/* Loops whose numbers are as most are. min and max of Reals hand NaN on and order zeros, which takes three and six operations where
 * a processor has one that does so for all other numbers; an Integer made of a Real has 64 bits, where vector instructions make 32.
 * So the innermost loop of
 *
 *     do {
 *         y[i] = max(x[i - 1], max(x[i], x[i + 1]))
 *         n[i] = Integer(y[i] * 255.0)
 *     } for i in y
 *
 * runs in blocks, each of them first in a form for usual numbers, and in the exact one where some are not usual:
 *
 *   extrema      of elements, literals and each other, none of which is NaN or -0.0: no extremum makes these of others. Their
 *                elements (`rows`) are looked at before the block runs.
 *   conversions  of numbers below 2^31. Each is looked at when it is made; the block runs again if one is not below.
 *
 * What runs again may not read what it has written, must write whatever it has written, and may not do with a wrong Integer what ends a program. */
#include "compiler/lower/clamped.h"
#include "compiler/lower/passes.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STATEMENTS = 128, /* of a body that is written out twice */
    MIN_GAIN = 2,          /* operations that an extremum saves */
    MAX_GAIN = 5,
    ROW_COST = 4,          /* operations that it takes to look at an element */
    FAR_AWAY = 1 << 20     /* literals in subscripts of rows are less */
};

typedef struct Search {
    Arena *arena;
    const StageUse *use;
    const Nest *nest;
    Usual *usual;
    VEC(const Expr *) clamped; /* conversions that are */
    VEC(const Expr *) always; /* elements that every iteration reads */
    VarVec others;            /* locals that may hold other numbers */
    VarVec followed;          /* locals whose numbers have been followed to elements */
    size_t statements;
    bool plain, changed;
} Search;

static const Block *body_of(const Search *search) { return &search->nest->stmt->body; }

static bool has_var(const VarVec *vars, const Var *var) {
    for (size_t i = 0; i < vars->count; i++)
        if (vars->items[i] == var) return true;
    return false;
}

/* ---- Elements ------------------------------------------------------------------------------------------ */
static void find_always(Search *search, const Expr *expr) {
    if (!expr) return;
    const bool first_only = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    if (expr->kind == EXPR_ELEMENT) vec_push(search->arena, &search->always, expr);
    find_always(search, expr->left);
    if (!first_only) find_always(search, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find_always(search, expr->arguments.items[i]);
}

static void find_always_in(Search *search, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        find_always(search, stmt->value);
        if (stmt->kind == STMT_BLOCK) find_always_in(search, &stmt->body);
    }
}

/* `index ± base`: index and what the loop does not change; `far` gets what a literal adds to that. */
static bool is_along(const Nest *nest, const Expr *subscript, const Expr **base, int64_t *far) {
    const Var *index = nest_innermost(nest)->index->var;
    *far = 0;
    *base = subscript;
    const bool sum = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB);
    if (sum && subscript->right->kind == EXPR_INTEGER && subscript->right->integer > -FAR_AWAY && subscript->right->integer < FAR_AWAY) {
        *far = subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
        *base = subscript->left;
    }
    const Expr *expr = *base;
    for (; expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB); expr = expr->left)
        if (!lower_is_bound(nest, expr->right)) return false;
    return expr->kind == EXPR_VAR && expr->var == index;
}

/* The row that the element is of; false: what it reads along the innermost loop is no row, or something writes there. */
static bool row_of(const StageUse *use, const Nest *nest, const Expr *element, UsualRow *row) {
    const Formal *formal = lower_formal(use, element->var);
    if (!formal || formal->kind != FORMAL_VIEW || !formal->restricted || lower_block_writes(&nest->stmt->body, element->var) > 0) return false;
    if (lower_jumps(use, nest, element)) return false;
    const size_t fastest = (size_t)lower_fastest_dimension(use, element);
    *row = (UsualRow){.first = element};
    for (size_t d = 0; d < element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[d];
        if (d == fastest && is_along(nest, subscript, &row->base, &row->low)) row->moves = true;
        else if (!lower_is_bound(nest, subscript)) return false;
    }
    row->high = row->low;
    return true;
}

/* Whether two rows are one, with nothing between them. */
static bool rows_meet(const StageUse *use, const UsualRow *a, const UsualRow *b) {
    const Expr *one = a->first, *other = b->first;
    if (one->var != other->var || one->lag != other->lag || a->moves != b->moves || a->low > b->high + 1 || b->low > a->high + 1) return false;
    const size_t fastest = (size_t)lower_fastest_dimension(use, one);
    for (size_t d = 0; d < one->arguments.count; d++)
        if (!(d == fastest && a->moves ? lower_expr_equal(a->base, b->base) : lower_expr_equal(one->arguments.items[d], other->arguments.items[d])))
            return false;
    return true;
}

static void join(UsualRow *row, const UsualRow *other) {
    if (other->low < row->low) row->first = other->first, row->low = other->low;
    if (other->high > row->high) row->high = other->high;
}

/* Neighbours in a row become one row: all that lies between its ends is read. */
static void add_row(Search *search, UsualRow row) {
    UsualRows *rows = &search->usual->rows;
    for (size_t i = 0; i < rows->count;) {
        if (!rows_meet(search->use, &rows->items[i], &row)) {
            i++;
            continue;
        }
        join(&row, &rows->items[i]);
        rows->items[i] = rows->items[--rows->count];
        i = 0;
    }
    vec_push(search->arena, rows, row);
}

/* ---- Numbers that are neither NaN nor -0.0 --------------------------------------------------------------- */
static bool is_extremum(const Expr *expr) {
    return expr->kind == EXPR_MATH && (strcmp(expr->math, "fmin") == 0 || strcmp(expr->math, "fmax") == 0);
}

/* Functions that make no -0.0 or NaN of other numbers. */
static bool keeps_usual(const Expr *expr) {
    return is_extremum(expr) || (expr->kind == EXPR_MATH && (strcmp(expr->math, "fabs") == 0 || strcmp(expr->math, "floor") == 0));
}

/* The conversion to single precision makes -0.0 of small numbers. */
static bool is_widened(const Expr *expr) {
    return expr->kind == EXPR_CONVERT && (expr->left->type->kind == TYPE_INTEGER || expr->type->kind == TYPE_REAL_DOUBLE || expr->type == expr->left->type);
}

static bool is_usual(const Search *search, const Expr *expr) {
    UsualRow row;
    if (expr->kind == EXPR_REAL) return !isnan(expr->real) && !(expr->real == 0 && signbit(expr->real));
    if (expr->type->kind == TYPE_INTEGER) return true;
    if (!type_is_real(expr->type)) return false;
    if (expr->kind == EXPR_VAR) return lower_is_local_of(body_of(search), expr->var) && !has_var(&search->others, expr->var);
    if (is_widened(expr)) return is_usual(search, expr->left);
    if (expr->kind == EXPR_ELEMENT)
        return lower_has_expr(search->always.items, search->always.count, expr) && row_of(search->use, search->nest, expr, &row);
    bool usual = keeps_usual(expr);
    for (size_t i = 0; usual && i < expr->arguments.count; i++) usual = is_usual(search, expr->arguments.items[i]);
    return usual;
}

static void note_other(Search *search, Var *var) {
    if (!var || has_var(&search->others, var)) return;
    vec_push(search->arena, &search->others, var);
    search->changed = true;
}

static void note_assigned(void *data, const Stmt *stmt) {
    Search *search = data;
    if (stmt->kind == STMT_ASSIGN && !(stmt->target->kind == EXPR_VAR && is_usual(search, stmt->value))) note_other(search, lower_place_root(stmt->target));
}

static void note_reference(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note_other(data, lower_place_root(expr->arguments.items[i]));
}

/* ---- Extrema --------------------------------------------------------------------------------------------- */
/* Beside a literal the exact form has one operation, too. */
static void find_extremum(void *data, const Expr *expr) {
    Search *search = data;
    if (!is_extremum(expr) || !is_usual(search, expr)) return;
    if (expr->arguments.items[0]->kind != EXPR_REAL && expr->arguments.items[1]->kind != EXPR_REAL)
        vec_push(search->arena, &search->usual->extrema, expr);
}

static void follow(Search *search, const Expr *expr);

typedef struct Following { Search *search; const Var *var; } Following;

static void follow_assignment(void *data, const Stmt *stmt) {
    const Following *following = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == following->var) follow(following->search, stmt->value);
}

/* Which elements the usual number comes from. */
static void follow(Search *search, const Expr *expr) {
    UsualRow row;
    if (expr->type->kind == TYPE_INTEGER) return;
    if (expr->kind == EXPR_ELEMENT && row_of(search->use, search->nest, expr, &row)) add_row(search, row);
    if (expr->kind == EXPR_VAR && !has_var(&search->followed, expr->var)) {
        vec_push(search->arena, &search->followed, expr->var);
        lower_walk_block(&(Walk){NULL, follow_assignment, &(Following){search, expr->var}}, body_of(search));
    }
    if (expr->kind == EXPR_CONVERT) follow(search, expr->left);
    for (size_t i = 0; expr->kind == EXPR_MATH && i < expr->arguments.count; i++) follow(search, expr->arguments.items[i]);
}

static bool is_worthwhile(const Usual *usual) {
    size_t gain = 0;
    for (size_t i = 0; i < usual->extrema.count; i++) gain += strcmp(usual->extrema.items[i]->math, "fmin") == 0 ? MIN_GAIN : MAX_GAIN;
    return gain > ROW_COST * usual->rows.count;
}

static void find_extrema(Search *search) {
    Usual *usual = search->usual;
    find_always_in(search, body_of(search));
    do {
        search->changed = false;
        lower_walk_block(&(Walk){note_reference, note_assigned, search}, body_of(search));
    } while (search->changed);
    lower_walk_block(&(Walk){find_extremum, NULL, search}, body_of(search));
    for (size_t i = 0; i < usual->extrema.count; i++) follow(search, usual->extrema.items[i]);
    if (!is_worthwhile(usual)) usual->extrema.count = usual->rows.count = 0;
}

/* ---- Conversions ------------------------------------------------------------------------------------------- */
/* Those of what is clamped before or behind are numbers below 2^31 as they are. */
static void find_conversion(void *data, const Expr *expr) {
    Search *search = data;
    Clamped clamped;
    if (lower_is_clamped(expr, &clamped)) vec_push(search->arena, &search->clamped, clamped.conversion);
    if (expr->kind == EXPR_CONVERT && expr->type->kind == TYPE_INTEGER && type_is_real(expr->left->type) && !lower_has_expr(search->clamped.items, search->clamped.count, expr))
        vec_push(search->arena, &search->usual->conversions, expr);
}

typedef struct Again { const Block *body; const Var *written; size_t mentions; bool possible; } Again;

static void count_mention(void *data, const Expr *expr) {
    Again *again = data;
    again->mentions += expr->var == again->written;
}

static bool reads(const Block *body, const Var *array) {
    Again again = {.body = body, .written = array};
    lower_walk_block(&(Walk){count_mention, NULL, &again}, body);
    return again.mentions > (size_t)lower_block_writes(body, array);
}

static void check_subscript(void *data, const Expr *expr) {
    Again *again = data;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_UNARY: case EXPR_BINARY: case EXPR_RANGE_PART: case EXPR_DIM_RANGE: case EXPR_LPU_ID: break;
    case EXPR_VAR: again->possible &= !lower_is_local_of(again->body, expr->var); break;
    default: again->possible = false;
    }
}

static void check_again(void *data, const Expr *expr) {
    Again *again = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    if (divides && !(expr->right->kind == EXPR_INTEGER && expr->right->integer > 0)) again->possible = false;
    if (expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) again->possible = false;
    for (size_t i = 0; expr->kind == EXPR_ELEMENT && i < expr->arguments.count; i++)
        lower_walk_expr(&(Walk){check_subscript, NULL, again}, expr->arguments.items[i]);
}

static void check_written(void *data, const Stmt *stmt) {
    Again *again = data;
    const Expr *target = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    while (target && target->kind == EXPR_FIELD) target = target->left;
    if (target && target->kind == EXPR_ELEMENT && reads(again->body, target->var)) again->possible = false;
}

/* A condition may say something else in the second run. */
static void check_always_written(void *data, const Stmt *stmt) {
    Again *again = data;
    again->possible &= stmt->kind != STMT_ASSIGN || lower_is_local_of(again->body, lower_place_root(stmt->target));
}

static void check_branches(void *data, const Stmt *stmt) {
    if (stmt->kind != STMT_IF) return;
    const Walk walk = {NULL, check_always_written, data};
    lower_walk_block(&walk, &stmt->body);
    if (stmt->otherwise) lower_walk_block(&walk, stmt->otherwise);
}

static bool can_run_again(const Block *body) {
    Again again = {.body = body, .possible = true};
    lower_walk_block(&(Walk){check_again, check_written, &again}, body);
    lower_walk_block(&(Walk){NULL, check_branches, &again}, body);
    return again.possible;
}

/* ---- All together --------------------------------------------------------------------------------------------- */
static void check_plain(void *data, const Stmt *stmt) {
    Search *search = data;
    search->statements++;
    search->plain &= stmt->kind == STMT_IF || stmt->kind == STMT_ASSIGN || stmt->kind == STMT_BLOCK;
}

const Usual *lower_usual(Arena *arena, const StageUse *use, const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    if (!use || nest->has_filters || !innermost->interval || !loop_may(innermost, LOOP_PARALLEL)) return NULL;
    Search search = {.arena = arena, .use = use, .nest = nest, .usual = ARENA_NEW(arena, Usual), .plain = true};
    lower_walk_block(&(Walk){NULL, check_plain, &search}, body_of(&search));
    if (!search.plain || search.statements > MOST_STATEMENTS) return NULL;
    find_extrema(&search);
    if (can_run_again(body_of(&search))) lower_walk_block(&(Walk){find_conversion, NULL, &search}, body_of(&search));
    return search.usual->extrema.count + search.usual->conversions.count > 0 ? search.usual : NULL;
}
