/* Places that a condition looks at and its branch goes on from are computed in front of both:
 *
 *     if (keys[row][low + half] <= key) { low = low + half }          middle = low + half
 *                                                                    if (keys[row][middle] <= key) { low = middle }
 *
 * What C compilers see of the first is a sum of three in the condition (the row's place, low and half) and another one in the branch; they keep both up to date in the
 * branch, and jump. Of the second they make a conditional move, which costs nothing where a search goes either way as often.
 *
 * Needs: a body whose blocks and variables may be changed. Gives: conditions and branches with one local for both. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

typedef struct Once { Arena *arena; const Program *program; Body *body; const Expr *place; Var *local; bool found; } Once;

static void find_place(void *data, const Expr *expr) {
    Once *once = data;
    for (size_t i = 0; expr->kind == EXPR_ELEMENT && i < expr->arguments.count; i++) once->found = once->found || lower_expr_equal(expr->arguments.items[i], once->place);
}

static Expr *local_for_place(void *data, Expr *expr) {
    const Once *once = data;
    return lower_expr_equal(expr, once->place) ? lower_name_of(once->arena, once->program, once->local, expr->span) : NULL;
}

static bool is_sum(const Expr *expr) {
    return expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB) && expr->type->kind == TYPE_INTEGER && expr->left->kind == EXPR_VAR && expr->right->kind == EXPR_VAR;
}

/* The assignment to a local in one of the branches whose value is a place that the condition looks at, or NULL. */
static Stmt *find_assignment(Once *once, const Stmt *branches) {
    if (lower_expr_has_effect(branches->value)) return NULL; /* it may change what the place is computed from */
    for (const Block *block = &branches->body; block != NULL; block = block == &branches->body ? branches->otherwise : NULL)
        for (size_t i = 0; i < block->statements.count; i++) {
            Stmt *stmt = block->statements.items[i];
            if (i > 0 || stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !is_sum(stmt->value)) continue; /* what comes first finds the variables as the condition did */
            once->place = stmt->value;
            once->found = false;
            lower_walk_expr(&(Walk){find_place, NULL, once}, branches->value);
            if (once->found) return stmt;
        }
    return NULL;
}

/* Adds the local's assignment to the block, in front of the branches. */
static void compute_in_front(Once *once, Block *block, Stmt *branches) {
    Stmt *assignment = find_assignment(once, branches);
    if (assignment == NULL) return;
    Var *var = once->local = ARENA_NEW(once->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = arena_printf(once->arena, "%s_next", assignment->target->var->name), .type = lower_integer_type(once->program), .span = once->place->span, .id = (int)once->body->vars.count};
    vec_push(once->arena, &once->body->vars, var);
    vec_push(once->arena, &block->locals, var);
    Stmt *sum = ARENA_NEW(once->arena, Stmt);
    *sum = (Stmt){.kind = STMT_ASSIGN, .span = assignment->span, .target = lower_name_of(once->arena, once->program, var, assignment->span), .value = assignment->value};
    vec_push(once->arena, &block->statements, sum);
    Rewriting rewriting = {.arena = once->arena, .replace = local_for_place, .data = once};
    branches->value = lower_rewritten(&rewriting, branches->value);
    assignment->value = lower_name_of(once->arena, once->program, var, assignment->span);
}

static void look_at_block(Once *once, Block *block) {
    const StmtVec old = block->statements;
    block->statements = (StmtVec){0};
    for (size_t i = 0; i < old.count; i++) {
        Stmt *stmt = old.items[i];
        if (stmt->kind == STMT_IF) compute_in_front(once, block, stmt);
        look_at_block(once, &stmt->body);
        if (stmt->otherwise != NULL) look_at_block(once, stmt->otherwise);
        vec_push(once->arena, &block->statements, stmt);
    }
}

void lower_compute_once(Arena *arena, const Program *program, Body *body) { look_at_block(&(Once){.arena = arena, .program = program, .body = body}, &body->block); }
