/* Locals that are assigned but never read: the program was warned about them (W0603), and the C text
 * leaves them out, with everything that is computed for them only.
 *
 * Needs: a checked body. Gives: a copy without such assignments; the original stays as it is. */
#include "compiler/lower/passes.h"

static void copy_block(Arena *arena, Block *block) {
    StmtVec copies = {0};
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *copy = ARENA_NEW(arena, Stmt);
        *copy = *block->statements.items[i];
        copy_block(arena, &copy->body);
        if (copy->otherwise != NULL) {
            Block *otherwise = ARENA_NEW(arena, Block);
            *otherwise = *copy->otherwise;
            copy_block(arena, otherwise);
            copy->otherwise = otherwise;
        }
        vec_push(arena, &copies, copy);
    }
    block->statements = copies;
}

static bool is_dead(const Block *whole, const Stmt *stmt) {
    return stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var->kind == VAR_LOCAL &&
           !lower_expr_has_effect(stmt->value) && !lower_block_reads(whole, stmt->target->var);
}

/* Takes dead assignments out of `block`, a part of `whole`; says whether there were any. */
static bool remove_dead(const Block *whole, Block *block) {
    size_t kept = 0, count = block->statements.count;
    bool inner = false;
    for (size_t i = 0; i < count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (is_dead(whole, stmt)) continue;
        inner = remove_dead(whole, &stmt->body) || inner;
        if (stmt->otherwise != NULL) inner = remove_dead(whole, stmt->otherwise) || inner;
        block->statements.items[kept++] = stmt;
    }
    block->statements.count = kept;
    return inner || kept < count;
}

Body lower_pruned(Arena *arena, const Body *body) {
    Body pruned = *body;
    copy_block(arena, &pruned.block);
    while (remove_dead(&pruned.block, &pruned.block)) continue;
    return pruned;
}
