/* Elements of the loop around that a loop counts in, where it stores others:
 *
 *     do {                                                                do {
 *         do {                                                                changes_count = changes[s]
 *             if (off > limit) {                                              do {
 *                 clean[s][t] = middle                                            if (off > limit) {
 *                 changes[s] = changes[s] + 1                                         clean[s][t] = middle
 *             }                                                                       changes_count = changes_count + 1
 *         } for t in clean.dimension2                                             }
 *     } for s in changes                                                      } for t in clean.dimension2
 *                                                                             changes[s] = changes_count
 *                                                                         } for s in changes
 *
 * What is counted in a local goes in vectors; of an element C compilers have to take it that each round may store it and the next one may not.
 * The element is stored again where nothing is counted: it must be there, and nobody else's.
 *
 * Needs: bodies of functions in the place of calls; a body whose blocks and variables may be changed. Gives: loops that count in locals. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

typedef struct Around { const struct Around *outer; const Stmt *loop; } Around; /* data-parallel loops around a statement, from inside */
typedef struct Counting {
    Arena *arena;
    const Program *program;
    const StageUse *use;
    Body *body;
} Counting;

/* ---- Which elements ------------------------------------------------------------------------------------------- */

static bool is_count(const Stmt *stmt) {
    if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE || stmt->target->kind != EXPR_ELEMENT || stmt->target->type->kind != TYPE_INTEGER) return false;
    return stmt->value->kind == EXPR_BINARY && stmt->value->op == OP_ADD && lower_expr_equal(stmt->value->left, stmt->target);
}

/* The index runs over the dimension: there is such an element. */
static bool runs_over(const Around *around, const Var *index, const Var *array, int dimension) {
    for (; around != NULL; around = around->outer)
        for (size_t i = 0; i < around->loop->indices.count; i++) {
            const LoopIndex *other = &around->loop->indices.items[i];
            if (other->var == index) return other->domain_var == array && other->dimension == dimension;
        }
    return false;
}

static bool is_own(const Counting *counting, const Around *around, const Expr *element) {
    const Formal *formal = lower_formal(counting->use, element->var);
    bool own = formal != NULL && formal->kind == FORMAL_VIEW && formal->restricted && !formal->shared && !formal->layout.split && element->lag == 0;
    own = own && !element->var->type->element->stored_single;
    for (size_t d = 0; d < element->arguments.count; d++)
        own = own && element->arguments.items[d]->kind == EXPR_VAR && runs_over(around, element->arguments.items[d]->var, element->var, (int)d);
    return own;
}

typedef struct Looked { const Expr *element; size_t mentions; bool stores, plain; } Looked;

static void look_at_expr(void *data, const Expr *expr) {
    Looked *looked = data;
    looked->mentions += expr->var == looked->element->var;
    looked->plain = looked->plain && (expr->kind != EXPR_CALL || !expr->function->changes_something);
}

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    const bool assigns = stmt->kind == STMT_ASSIGN;
    looked->stores = looked->stores || (assigns && stmt->target->kind == EXPR_ELEMENT && stmt->target->var != looked->element->var);
    looked->plain = looked->plain && (assigns || stmt->kind == STMT_IF);
}

/* The loop does nothing else with the element's array, and stores elements of others: branches that choose alone. */
static bool counts_alone(const Stmt *loop, const Expr *element) {
    Looked looked = {element, 0, false, true};
    lower_walk_block(&(Walk){look_at_expr, look_at_stmt, &looked}, &loop->body);
    for (size_t i = 0; i < loop->indices.count; i++) {
        const LoopIndex *index = &loop->indices.items[i];
        looked.plain = looked.plain && index->domain_var != element->var && !lower_bounds_mention(index, element->var) && index->filters.count == 0;
        looked.plain = looked.plain && (index->domain_range == NULL || !lower_expr_mentions(index->domain_range, element->var));
    }
    return looked.mentions == 2 && looked.stores && looked.plain;
}

/* Of a block, under a condition: the statement that counts in such an element, or NULL. */
static Stmt *find_count(const Counting *counting, const Around *around, const Stmt *loop, const Block *block, bool maybe) {
    Stmt *found = NULL;
    for (size_t i = 0; block != NULL && i < block->statements.count && found == NULL; i++) {
        Stmt *stmt = block->statements.items[i];
        if (maybe && is_count(stmt) && is_own(counting, around, stmt->target) && counts_alone(loop, stmt->target)) return stmt;
        if (stmt->kind != STMT_IF) continue;
        found = find_count(counting, around, loop, &stmt->body, true);
        if (found == NULL) found = find_count(counting, around, loop, stmt->otherwise, true);
    }
    return found;
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

static void add_assignment(const Counting *counting, Block *block, Expr *target, Expr *value) {
    Stmt *stmt = ARENA_NEW(counting->arena, Stmt);
    *stmt = (Stmt){.kind = STMT_ASSIGN, .span = target->span, .target = target, .value = value};
    vec_push(counting->arena, &block->statements, stmt);
}

/* Counts in a local of the block that gets the loop, which it is put in between; false: it counts in no element. */
static bool count_in_local(const Counting *counting, const Around *around, Block *block, Stmt *loop) {
    Stmt *count = around != NULL ? find_count(counting, around, loop, &loop->body, false) : NULL;
    if (count == NULL) return false;
    Expr *element = count->target;
    Var *var = ARENA_NEW(counting->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = arena_printf(counting->arena, "%s_count", element->var->name), .type = element->type, .span = element->span, .id = (int)counting->body->vars.count};
    vec_push(counting->arena, &counting->body->vars, var);
    vec_push(counting->arena, &block->locals, var);
    add_assignment(counting, block, lower_name_of(counting->arena, counting->program, var, element->span), element);
    Expr *sum = ARENA_NEW(counting->arena, Expr);
    *sum = *count->value;
    sum->left = lower_name_of(counting->arena, counting->program, var, element->span);
    count->target = lower_name_of(counting->arena, counting->program, var, element->span);
    count->value = sum;
    vec_push(counting->arena, &block->statements, loop);
    add_assignment(counting, block, element, lower_name_of(counting->arena, counting->program, var, element->span));
    return true;
}

static void count_in_block(const Counting *counting, const Around *around, Block *block) {
    const StmtVec old = block->statements;
    block->statements = (StmtVec){0};
    for (size_t i = 0; i < old.count; i++) {
        Stmt *stmt = old.items[i];
        const Around inside = {around, stmt};
        if (stmt->kind == STMT_PARALLEL && count_in_local(counting, around, block, stmt)) continue;
        count_in_block(counting, stmt->kind == STMT_PARALLEL ? &inside : around, &stmt->body);
        if (stmt->otherwise != NULL) count_in_block(counting, around, stmt->otherwise);
        vec_push(counting->arena, &block->statements, stmt);
    }
}

void lower_count_in_locals(Arena *arena, const Program *program, const StageUse *use, Body *body) {
    count_in_block(&(Counting){arena, program, use, body}, NULL, &body->block);
}
