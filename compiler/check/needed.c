/* Where values of locals are needed (needed.h): backwards, from the end of a block to its beginning. */
#include "compiler/check/needed.h"

#include "compiler/check/walk.h"

bool needed_by_indices(const Stmt *loop, const Var *var) {
    bool found = false;
    for (size_t i = 0; i < loop->indices.count; i++) {
        const LoopIndex *index = &loop->indices.items[i];
        found = found || expr_mentions(index->domain_range, var);
        for (size_t b = 0; b < index->lower.count; b++) found = found || expr_mentions(index->lower.items[b], var);
        for (size_t b = 0; b < index->upper.count; b++) found = found || expr_mentions(index->upper.items[b], var);
        for (size_t f = 0; f < index->filters.count; f++) found = found || expr_mentions(index->filters.items[f], var);
    }
    return found;
}

static bool reduces_to(const Stmt *stmt, const Var *var) { return stmt->kind == STMT_REDUCE && expr_mentions(stmt->target, var); }

int needed_results(const Block *block, const Var *var) {
    int found = 0;
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        found += reduces_to(stmt, var);
        if (stmt->kind != STMT_PARALLEL) found += needed_results(&stmt->body, var) + needed_results(stmt->otherwise, var);
    }
    return found;
}

typedef struct Mentions { const Var *var; int count; } Mentions;

static bool count_mention(Expr *expr, void *data) {
    Mentions *mentions = data;
    mentions->count += expr->var == mentions->var;
    return true;
}

/* The loop does nothing with the local but reduce to it: that sets it, and what was there before is no part of the result. */
static bool only_reduces(const Stmt *loop, const Var *var) {
    Mentions mentions = {var, 0};
    walk_block((Block *)&loop->body, NULL, count_mention, &mentions);
    return loop->kind == STMT_PARALLEL && mentions.count > 0 && mentions.count == needed_results(&loop->body, var) && !needed_by_indices(loop, var);
}

/* A round that needs the value of the one before needs that from in front of the first one, too. */
static bool needed_by_loop(const Stmt *loop, const Var *var, bool behind) {
    if (only_reduces(loop, var)) return false;
    const bool asked = needed_by_indices(loop, var) || expr_mentions(loop->value, var) || expr_mentions(loop->step, var);
    if (loop->kind == STMT_WHILE) return needed_by_block(&loop->body, var, behind || asked);
    return behind || asked || needed_by_block(&loop->body, var, false);
}

bool needed_at_end_of(const Stmt *loop, const Var *var, bool behind) {
    return behind || (loop->kind == STMT_WHILE && expr_mentions(loop->value, var)) || needed_by_loop(loop, var, behind);
}

static bool is_named(const Stmt *stmt, const Var *var) {
    bool found = expr_mentions(stmt->target, var) || expr_mentions(stmt->value, var);
    for (size_t i = 0; stmt->external != NULL && i < stmt->external->uses.count; i++) found = found || stmt->external->uses.items[i] == var;
    return found;
}

bool needed_by_stmt(const Stmt *stmt, const Var *var, bool behind) {
    switch (stmt->kind) {
    case STMT_ASSIGN: return expr_mentions(stmt->value, var) || (stmt->target->kind == EXPR_VAR && stmt->target->var == var ? false : behind || expr_mentions(stmt->target, var));
    case STMT_IF: return expr_mentions(stmt->value, var) || needed_by_block(&stmt->body, var, behind) || (stmt->otherwise != NULL ? needed_by_block(stmt->otherwise, var, behind) : behind);
    case STMT_PARALLEL: case STMT_SEQUENCE: case STMT_WHILE: return needed_by_loop(stmt, var, behind);
    case STMT_BLOCK: return needed_by_block(&stmt->body, var, behind);
    case STMT_RETURN: return expr_mentions(stmt->value, var);
    default: return behind || is_named(stmt, var);
    }
}

bool needed_by_block(const Block *block, const Var *var, bool behind) {
    for (size_t i = block->statements.count; i-- > 0;) behind = needed_by_stmt(block->statements.items[i], var, behind);
    return behind;
}

/* What is known of the loop's place: whether it is in the block, and if so, whether the value is needed behind it. */
typedef struct Place { bool found, needed; } Place;

static Place place_of(const Block *block, const Block *loop, const Var *var, bool behind) {
    for (size_t i = block->statements.count; i-- > 0;) {
        const Stmt *stmt = block->statements.items[i];
        const bool loops = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
        if (&stmt->body == loop) return (Place){true, behind};
        Place place = place_of(&stmt->body, loop, var, loops ? needed_at_end_of(stmt, var, behind) : behind);
        if (!place.found && stmt->otherwise != NULL) place = place_of(stmt->otherwise, loop, var, behind);
        if (place.found) return place;
        behind = needed_by_stmt(stmt, var, behind);
    }
    return (Place){false, false};
}

bool needed_behind_loop(const Block *block, const Block *loop, const Var *var) {
    const Place place = place_of(block, loop, var, false);
    return !place.found || place.needed;
}
