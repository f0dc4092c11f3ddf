/* Cut loops that run in one piece after all. The loop
 *
 *     do { d[i][j] = min(d[i][j], d[i][k] + d[k][j]) } for i, j in d
 *
 * is cut at j = k (cut.c). Mostly that iteration changes nothing: the way by k to k is no shorter. So it runs first, once, and if the
 * elements that it assigns have the bits that they had, the others find what they would find in any order, and so does it, when it comes
 * again: the loop is whole. Else these elements are put back, and the loop is cut.
 *
 * Vectors go through the body statement by statement, so what the iteration writes on the way must not be read: behind the first
 * assignment of an array nothing of it is read where the loop is cut. Then what is read there is the same all along a piece, and
 * stays in a local. */
#include "compiler/lower/passes.h"

typedef struct Search { Arena *arena; const Nest *nest; Whole *whole; VEC(const Var *) assigned; bool fits; } Search;

static bool is_cut_element(const Nest *nest, const Expr *element) {
    for (size_t d = 0; d < element->arguments.count; d++)
        if (lower_expr_mentions(element->arguments.items[d], nest_innermost(nest)->index->var)) return false;
    return true;
}

static void add_once(Arena *arena, ExprVec *elements, const Expr *element) {
    for (size_t i = 0; i < elements->count; i++)
        if (lower_expr_equal(elements->items[i], element)) return;
    vec_push(arena, elements, (Expr *)element);
}

/* ---- What is read where the loop is cut ---------------------------------------------------------------- */
static bool is_written(const Nest *nest, const Expr *element) { return element->lag == 0 && lower_block_writes(&nest->stmt->body, element->var) > 0; }

static void check_read(void *data, const Expr *expr) {
    Search *search = data;
    if (expr->kind != EXPR_ELEMENT || !is_written(search->nest, expr) || !is_cut_element(search->nest, expr)) return;
    for (size_t i = 0; i < search->assigned.count; i++) search->fits &= search->assigned.items[i] != expr->var;
    add_once(search->arena, &search->whole->fixed, expr);
}

/* ---- What is assigned ------------------------------------------------------------------------------------ */
typedef struct Place { const Block *body; bool holds; } Place;

static void check_place(void *data, const Expr *expr) {
    Place *place = data;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) place->holds = false;
    if (expr->kind == EXPR_VAR) place->holds &= !lower_is_local_of(place->body, expr->var) && lower_block_writes(place->body, expr->var) == 0;
}

/* A number whose subscripts can be computed before the iteration. */
static void check_target(Search *search, const Expr *target) {
    Place place = {&search->nest->stmt->body, target->kind == EXPR_ELEMENT && type_is_numeric(target->type)};
    for (size_t d = 0; place.holds && d < target->arguments.count; d++)
        lower_walk_expr(&(Walk){check_place, NULL, &place}, target->arguments.items[d]);
    search->fits &= place.holds;
    if (!place.holds) return;
    vec_push(search->arena, &search->assigned, target->var);
    add_once(search->arena, &search->whole->targets, target);
}

static void check_stmt(void *data, const Stmt *stmt) {
    Search *search = data;
    const Expr *target = stmt->target;
    search->fits &= (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK) && !lower_expr_has_effect(stmt->value);
    if (!search->fits) return;
    lower_walk_expr(&(Walk){check_read, NULL, search}, stmt->value);
    if (stmt->kind == STMT_ASSIGN && target->kind != EXPR_VAR) check_target(search, target);
}

/* ---- All together ------------------------------------------------------------------------------------------ */
/* Elements that some iterations do not come to may not exist. */
static void keep_touched(ExprVec *elements, const Nest *nest) {
    size_t count = 0;
    for (size_t i = 0; i < elements->count; i++)
        if (lower_is_touched(&nest->stmt->body, elements->items[i])) elements->items[count++] = elements->items[i];
    elements->count = count;
}

const Whole *lower_whole(Arena *arena, const StageUse *use, const Nest *nest) {
    if (!use || nest->form != FORM_CUT) return NULL;
    Whole *whole = ARENA_NEW(arena, Whole);
    Search search = {.arena = arena, .nest = nest, .whole = whole, .fits = true};
    lower_walk_block(&(Walk){NULL, check_stmt, &search}, &nest->stmt->body);
    for (size_t i = 0; search.fits && i < whole->targets.count; i++) search.fits = lower_is_touched(&nest->stmt->body, whole->targets.items[i]);
    keep_touched(&whole->fixed, nest);
    return search.fits ? whole : NULL;
}
