/* See keep.h. */
#include "compiler/cost/keep.h"

#include "compiler/lower/rounds.h"

bool cost_is_kept(const Keeping *keeping, const Var *var) {
    for (size_t i = 0; i < keeping->kept.count; i++)
        if (keeping->kept.items[i] == var) return true;
    return false;
}

/* ---- Assignments of a local ------------------------------------------------------------------------- */
typedef struct Assignments {
    const Var *var;
    int count, inside; /* inside: in loops, or in other ways than by a plain assignment */
    bool own;          /* the value names the variable itself */
    VEC(const Expr *) values;
    Arena *arena;
} Assignments;

static void find_assignments(Assignments *found, const Block *block, int depth, int home) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == found->var) home = depth;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
        find_assignments(found, &stmt->body, depth + loop, home);
        if (stmt->otherwise) find_assignments(found, stmt->otherwise, depth, home);
        if (stmt->kind == STMT_EXTERN && lower_stmt_writes(stmt, found->var) > 0) found->inside++;
        if (stmt->kind != STMT_ASSIGN || lower_place_root(stmt->target) != found->var) continue;
        found->count++;
        found->own |= lower_expr_mentions(stmt->value, found->var) || stmt->accumulate != ACCUMULATE_NONE;
        if (depth > home) found->inside++;
        vec_push(found->arena, &found->values, stmt->value);
    }
}

bool cost_is_assigned_once(const Keeping *keeping, const Block *block, const Var *var) {
    Assignments found = {.var = var, .arena = keeping->arena};
    find_assignments(&found, keeping->whole, 0, 0);
    bool here = false, own = false;
    for (size_t i = 0; i < block->statements.count; i++)
        here |= block->statements.items[i]->kind == STMT_ASSIGN && block->statements.items[i]->target->var == var;
    for (size_t i = 0; i < block->locals.count; i++) own |= block->locals.items[i] == var;
    return found.count == 1 && here && own;
}

/* ---- What can be told ---------------------------------------------------------------------------------- */
typedef struct Names { Keeping *keeping; bool fine; bool keep; int depth; } Names;

static bool can_tell(Keeping *keeping, const Expr *expr, bool keep, int depth);

/* A local whose value follows from parameters and indices by assignments outside the loops below its block. */
static bool can_tell_local(Keeping *keeping, const Var *var, bool keep, int depth) {
    if (cost_is_kept(keeping, var)) return true;
    if (depth > 16) return false;
    Assignments found = {.var = var, .arena = keeping->arena};
    find_assignments(&found, keeping->whole, 0, 0);
    if (found.count == 0 || found.own || found.inside > 0) return false;
    for (size_t i = 0; i < found.values.count; i++)
        if (!can_tell(keeping, found.values.items[i], false, depth + 1)) return false;
    if (!keep) return true;
    vec_push(keeping->arena, &keeping->kept, var);
    for (size_t i = 0; i < found.values.count; i++) can_tell(keeping, found.values.items[i], true, depth + 1);
    return true;
}

static const Stmt *loop_of(const Block *block, const Var *index) {
    const Stmt *found = NULL;
    for (size_t i = 0; i < block->statements.count && found == NULL; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_SEQUENCE && stmt->index == index) return stmt;
        found = loop_of(&stmt->body, index);
        if (found == NULL && stmt->otherwise) found = loop_of(stmt->otherwise, index);
    }
    return found;
}

/* The index of a loop of which nobody knows how often it runs has no values. */
static bool can_tell_index(Keeping *keeping, const Var *index, int depth) {
    const Stmt *loop = loop_of(keeping->whole, index);
    return loop == NULL || (depth <= 16 && can_tell(keeping, loop->value, false, depth + 1) && (!loop->step || can_tell(keeping, loop->step, false, depth + 1)));
}

static void check_name(void *data, const Expr *expr) {
    Names *names = data;
    switch (expr->kind) {
    case EXPR_VAR:
        if (expr->var->kind == VAR_INDEX) names->fine &= can_tell_index(names->keeping, expr->var, names->depth);
        if (expr->var->kind == VAR_LOCAL) names->fine &= can_tell_local(names->keeping, expr->var, names->keep, names->depth);
        break;
    case EXPR_CALL:
        for (size_t i = 0; i < expr->function->body.params.count; i++)
            names->fine &= !expr->function->body.params.items[i]->by_reference;
        break;
    case EXPR_NEW_LIST: case EXPR_NEW_ARRAY: case EXPR_NEW_STRUCT: case EXPR_STRING: names->fine = false; break;
    case EXPR_BINARY: /* nothing that may end the program */
        if ((expr->op == OP_DIV || expr->op == OP_MOD || expr->op == OP_POW) && expr->type->kind == TYPE_INTEGER)
            names->fine &= expr->right->kind == EXPR_INTEGER && expr->right->integer > 0;
        break;
    default: break;
    }
}

static bool can_tell(Keeping *keeping, const Expr *expr, bool keep, int depth) {
    Names names = {keeping, true, keep, depth};
    lower_walk_expr(&(Walk){check_name, NULL, &names}, expr);
    return names.fine;
}

bool cost_can_tell(Keeping *keeping, const Expr *expr) { return can_tell(keeping, expr, false, 0); }

static bool can_tell_all(Keeping *keeping, const ExprVec *expressions, bool keep) {
    for (size_t i = 0; i < expressions->count; i++)
        if (!can_tell(keeping, expressions->items[i], false, 0)) return false;
    for (size_t i = 0; i < expressions->count && keep; i++) can_tell(keeping, expressions->items[i], true, 0);
    return true;
}

/* ---- Loops and choices ----------------------------------------------------------------------------------- */
ExprVec cost_loop_inputs(Arena *arena, const Stmt *stmt) {
    ExprVec inputs = {0};
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (index->domain_range) vec_push(arena, &inputs, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) vec_push(arena, &inputs, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) vec_push(arena, &inputs, index->upper.items[b]);
    }
    if (stmt->kind == STMT_SEQUENCE) {
        vec_push(arena, &inputs, stmt->value);
        if (stmt->step) vec_push(arena, &inputs, stmt->step);
    }
    return inputs;
}

bool cost_can_tell_rounds(Keeping *keeping, const Stmt *loop) {
    ExprVec inputs = cost_loop_inputs(keeping->arena, loop);
    return can_tell_all(keeping, &inputs, false);
}

bool cost_can_tell_filters(Keeping *keeping, const LoopIndex *index) { return can_tell_all(keeping, &index->filters, false); }

bool cost_has_loops(const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_short_rounds(stmt) > 0) continue; /* counts as straight-line code */
        if (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) return true;
        if (cost_has_loops(&stmt->body) || (stmt->otherwise && cost_has_loops(stmt->otherwise))) return true;
    }
    return false;
}

static bool has_kept_assignments(const Keeping *keeping, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && cost_is_kept(keeping, stmt->target->var)) return true;
        if (has_kept_assignments(keeping, &stmt->body) || (stmt->otherwise && has_kept_assignments(keeping, stmt->otherwise))) return true;
    }
    return false;
}

bool cost_is_told(const Keeping *keeping, const Block *block) {
    return block != NULL && (cost_has_loops(block) || has_kept_assignments(keeping, block));
}

/* What all loops, their tests and the choices around them need. */
static void keep_block(Keeping *keeping, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_short_rounds(stmt) > 0) continue;
        ExprVec inputs = cost_loop_inputs(keeping->arena, stmt);
        can_tell_all(keeping, &inputs, true);
        for (size_t l = 0; l < stmt->indices.count; l++) can_tell_all(keeping, &stmt->indices.items[l].filters, true);
        bool told = stmt->kind == STMT_IF && (cost_is_told(keeping, &stmt->body) || cost_is_told(keeping, stmt->otherwise));
        if (told && can_tell(keeping, stmt->value, false, 0)) can_tell(keeping, stmt->value, true, 0);
        keep_block(keeping, &stmt->body);
        if (stmt->otherwise) keep_block(keeping, stmt->otherwise);
    }
}

/* A choice may assign what is kept only because of a later loop. */
void cost_keep(Keeping *keeping) {
    for (size_t known = 0;; known = keeping->kept.count) {
        keep_block(keeping, keeping->whole);
        if (keeping->kept.count == known) return;
    }
}
