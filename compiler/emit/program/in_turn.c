/* Extrema in turn. In a sequential loop, minima and maxima of a local or an element that the round before has set, or of locals that are computed from it, wait for that round, and go in no vectors:
 *
 *     left = cost + min(min(left, above), corner)            y = max(least, b * value[j - 1])  value[j] = y
 *
 * They are computed where Reals are (hp5_fmin_in_turn in runtime/array/arithmetic.h), and as no order of extrema makes a difference, what the statement itself sets is taken
 * last: `above` and `corner` are there already, and a round waits for one comparison of the one before. So does a maximum of which one side is there (hp5_fmax_late). */
#include "compiler/emit/backend.h"
#include "compiler/emit/emit.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

#include <string.h>

typedef struct Turn { Arena *arena; const Stmt *loop; const Block *body; const Expr *asked; const Var *set; bool found; ExprVec leaves; VarVec waiting; } Turn;

/* ---- What waits for the round before ------------------------------------------------------------------------------ */
static void find_handed_on(void *data, const Expr *expr) {
    Turn *turn = data;
    turn->found |= expr->kind == EXPR_VAR && lower_block_writes(turn->body, expr->var) > 0 && !lower_is_local_of(turn->body, expr->var);
    turn->found |= expr->kind == EXPR_ELEMENT && lower_is_handed_on(turn->loop, expr);
    for (size_t i = 0; i < turn->waiting.count; i++) turn->found |= expr->kind == EXPR_VAR && expr->var == turn->waiting.items[i];
}

static bool waits_for_round(Turn *turn, const Expr *expr) {
    turn->found = false;
    lower_walk_expr(&(Walk){find_handed_on, NULL, turn}, expr);
    return turn->found;
}

/* In the order of the statements. */
static void take_waiting(void *data, const Stmt *stmt) {
    Turn *turn = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && type_is_real(stmt->target->var->type) && waits_for_round(turn, stmt->value)) vec_push(turn->arena, &turn->waiting, stmt->target->var);
}

VarVec emit_waiting(Arena *arena, const Stmt *loop) {
    Turn turn = {.arena = arena, .loop = loop, .body = &loop->body};
    lower_walk_block(&(Walk){NULL, take_waiting, &turn}, turn.body);
    return turn.waiting;
}

static bool is_extremum(const Expr *expr) {
    return expr->kind == EXPR_MATH && type_is_real(expr->type) && (strcmp(expr->math, "fmin") == 0 || strcmp(expr->math, "fmax") == 0);
}

static bool waits(Turn *turn, const Expr *expr) {
    const Expr *const *arguments = (const Expr *const *)expr->arguments.items;
    if (arguments[0]->kind == EXPR_REAL || arguments[1]->kind == EXPR_REAL) return false; /* one comparison does */
    return waits_for_round(turn, expr);
}

/* ---- What the round before sets by the expression ---------------------------------------------------------------- */
static void find_asked(void *data, const Expr *expr) { ((Turn *)data)->found |= expr == ((Turn *)data)->asked; }

static void find_set(void *data, const Stmt *stmt) {
    Turn *turn = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR) return;
    turn->found = false;
    lower_walk_expr(&(Walk){find_asked, NULL, turn}, stmt->value);
    if (turn->found) turn->set = stmt->target->var;
}

/* ---- Another order ------------------------------------------------------------------------------------------------ */
static void take_leaves(Turn *turn, Expr *expr, const char *math) {
    if (!is_extremum(expr) || strcmp(expr->math, math) != 0) {
        vec_push(turn->arena, &turn->leaves, expr);
        return;
    }
    for (size_t i = 0; i < expr->arguments.count; i++) take_leaves(turn, expr->arguments.items[i], math);
}

static const Expr *extremum_of(Arena *arena, const Expr *like, Expr *a, Expr *b) {
    Expr *made = ARENA_NEW(arena, Expr);
    *made = *like;
    made->arguments = (ExprVec){0};
    vec_push(arena, &made->arguments, a);
    vec_push(arena, &made->arguments, b);
    return made;
}

static const Expr *with_latest_last(Turn *turn, const Expr *expr) {
    lower_walk_block(&(Walk){NULL, find_set, turn}, turn->body);
    for (size_t i = 0; i < expr->arguments.count; i++) take_leaves(turn, expr->arguments.items[i], expr->math);
    Expr *latest = NULL;
    const Expr *others = NULL;
    for (size_t i = 0; i < turn->leaves.count; i++) {
        Expr *leaf = turn->leaves.items[i];
        if (!latest && turn->set && leaf->kind == EXPR_VAR && leaf->var == turn->set) latest = leaf;
        else others = others ? extremum_of(turn->arena, expr, (Expr *)others, leaf) : leaf;
    }
    return latest && turn->leaves.count > 2 ? extremum_of(turn->arena, expr, latest, (Expr *)others) : expr;
}

/* A maximum of which one side alone waits, or is what the statement sets: that side comes last. */
static const Expr *with_late_last(Turn *turn, const Expr *expr, const char **way) {
    Expr *const *arguments = expr->arguments.items;
    bool late[2], sets = false;
    for (size_t i = 0; i < 2; i++) sets |= late[i] = turn->set && arguments[i]->kind == EXPR_VAR && arguments[i]->var == turn->set;
    for (size_t i = 0; i < 2 && !sets; i++) late[i] = waits_for_round(turn, arguments[i]);
    if (strcmp(expr->math, "fmax") != 0 || late[0] == late[1]) return expr;
    const Expr *early = arguments[late[0]];
    *way = early->kind == EXPR_MATH && strcmp(early->math, "fabs") == 0 ? "late_size" : "late";
    return late[1] ? expr : extremum_of(turn->arena, expr, arguments[1], arguments[0]);
}

const Expr *emit_extremum_in_turn(const Emit *emit, const EmitNames *names, const Expr *expr, const char **way) {
    if (emit->backend == &backend_cuda || !names || !names->turn || names->in_vectors || !is_extremum(expr)) return NULL;
    Turn turn = {.arena = emit->arena, .loop = names->turn, .body = &names->turn->body, .asked = expr, .waiting = names->waiting};
    if (!waits(&turn, expr)) return NULL;
    *way = "in_turn";
    if (lower_expr_has_effect(expr)) return expr;
    const Expr *latest = with_latest_last(&turn, expr);
    return names->beside ? latest : with_late_last(&turn, latest, way);
}
