/* Locals that loops set anew. A name that a stage uses in several places is one local of the block around all of them:
 *
 *     do {                                                do {
 *         way = a[i] - b[i]                                   way_2 = a[i] - b[i]
 *         c[i] = way * way                                    c[i] = way_2 * way_2
 *     } for i in c                                        } for i in c
 *     way = a[last] - b[first]                            way = a[last] - b[first]
 *
 * Where each round of a loop sets it before it reads it, and nobody behind the loop reads what the last round has left, the loop gets a local of its own: then no round hands it to the next,
 * and the loop goes in vectors, or lanes. Where values are needed says check/needed.h.
 *
 * Needs: a use of its own, whose body's blocks and variables may be changed, and its gathers. Gives: more locals, in smaller blocks; of a subscript that is known by itself (StageUse.gathers) that names one, its copy is, too. */
#include "compiler/check/needed.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

#include <string.h>

/* ---- A loop's own ------------------------------------------------------------------------------------------------ */

typedef struct Owning {
    Arena *arena;
    StageUse *use;
    Body *body;           /* the use's */
    const Var *var;       /* that gets a loop's own in its place */
    Var *own;
} Owning;

static Expr *with_own(void *data, Expr *expr) {
    const Owning *owning = data;
    if (expr->kind != EXPR_VAR || expr->var != owning->var) return NULL;
    Expr *copy = ARENA_NEW(owning->arena, Expr);
    *copy = *expr;
    copy->var = owning->own;
    return copy;
}

static const Expr *without_literals(const Expr *subscript) {
    while (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER) subscript = subscript->left;
    return subscript;
}

static void keep_gathers(const Owning *owning, const Rewriting *rewriting) {
    const size_t count = owning->use->gathers.count;
    for (size_t i = 0; i < count * rewriting->done.count; i++) {
        Gather gather = owning->use->gathers.items[i % count];
        const Rewritten *rewritten = &rewriting->done.items[i / count];
        if (gather.subscript != rewritten->expr) continue;
        gather.subscript = rewritten->as;
        if (gather.direct) gather.from = without_literals(rewritten->as);
        vec_push(owning->arena, &owning->use->gathers, gather);
    }
}

static ExprVec with_own_each(const Owning *owning, Rewriting *rewriting, ExprVec exprs) {
    ExprVec copies = {0};
    for (size_t i = 0; i < exprs.count; i++) vec_push(owning->arena, &copies, lower_rewritten(rewriting, exprs.items[i]));
    return copies;
}

static void rename_in(const Owning *owning, Block *block) {
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        Rewriting rewriting = {owning->arena, with_own, (void *)owning, {0}};
        lower_rewrite_stmt(&rewriting, stmt);
        const Stmt old = *stmt;
        memset(&stmt->indices, 0, sizeof stmt->indices);
        for (size_t n = 0; n < old.indices.count; n++) {
            LoopIndex index = old.indices.items[n];
            index.domain_range = lower_rewritten(&rewriting, index.domain_range);
            index.lower = with_own_each(owning, &rewriting, index.lower);
            index.upper = with_own_each(owning, &rewriting, index.upper);
            index.filters = with_own_each(owning, &rewriting, index.filters);
            vec_push(owning->arena, &stmt->indices, index);
        }
        keep_gathers(owning, &rewriting);
        rename_in(owning, &stmt->body);
        rename_in(owning, stmt->otherwise);
    }
}

static void find_extern(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN; }

/* What is handed to the next round, to what is behind, or to extern code, which knows it by its name, is not the loop's own; nor is a result, which is there behind it, or what its indices or its condition ask for. */
static bool may_own(const Stmt *loop, const Var *var, bool behind) {
    if (behind || !lower_block_mentions(&loop->body, var) || needed_results(&loop->body, var) > 0 || needed_by_indices(loop, var)) return false;
    bool has_extern = false;
    lower_walk_block(&(Walk){NULL, find_extern, &has_extern}, &loop->body);
    return !has_extern && !(loop->kind == STMT_WHILE && lower_expr_mentions(loop->value, var)) && !needed_by_block(&loop->body, var, false);
}

static void own_in_loops(Owning *owning, Block *block, const Var *var, bool behind);

static void own_in_loop(Owning *owning, Stmt *loop, const Var *var, bool behind) {
    if (!may_own(loop, var, behind)) {
        own_in_loops(owning, &loop->body, var, needed_at_end_of(loop, var, behind));
        return;
    }
    Var *own = ARENA_NEW(owning->arena, Var);
    *own = *var;
    own->id = (int)owning->body->vars.count;
    vec_push(owning->arena, &owning->body->vars, own);
    vec_push(owning->arena, &loop->body.locals, own);
    owning->var = var;
    owning->own = own;
    rename_in(owning, &loop->body);
}

static void own_in_loops(Owning *owning, Block *block, const Var *var, bool behind) {
    for (size_t i = block->statements.count; i-- > 0;) {
        Stmt *stmt = block->statements.items[i];
        const bool before = needed_by_stmt(stmt, var, behind);
        if (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) own_in_loop(owning, stmt, var, behind);
        else own_in_loops(owning, &stmt->body, var, behind);
        if (stmt->otherwise != NULL) own_in_loops(owning, stmt->otherwise, var, behind);
        behind = before;
    }
}

static bool can_be_owned(const Type *type) {
    return type_is_numeric(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER || ((type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY) && !type->has_string);
}

static void own_in_block(Owning *owning, Block *block) {
    VarVec kept = {0};
    for (size_t i = 0; i < block->locals.count; i++) {
        Var *var = block->locals.items[i];
        if (can_be_owned(var->type)) own_in_loops(owning, block, var, false);
        if (lower_block_mentions(block, var)) vec_push(owning->arena, &kept, var);
    }
    block->locals = kept;
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        own_in_block(owning, &stmt->body);
        if (stmt->otherwise != NULL) own_in_block(owning, stmt->otherwise);
    }
}

void lower_give_own_locals(Arena *arena, StageUse *use, Body *body) {
    own_in_block(&(Owning){.arena = arena, .use = use, .body = body}, &body->block);
}
