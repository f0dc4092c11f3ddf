/* Locals that are assigned but never read: the program was warned about them (W0603), and the C text
 * leaves them out, with everything that is computed for them only.
 *
 * Needs: a body whose blocks may be changed, as that of a copy. Gives: blocks without such assignments. */
#include "compiler/lower/passes.h"

#include <string.h>

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
    block->locals.capacity = block->locals.count; /* what is added to one copy is not to be in another */
}

static bool is_dead(const Body *body, const VarUses *uses, const Stmt *stmt) {
    return stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && lower_is_counted(body, stmt->target->var) &&
           !lower_expr_has_effect(stmt->value) && uses[stmt->target->var->id].reads == 0;
}

/* Takes dead assignments out of `block`, the last ones first, which may be all that reads what is computed before; says
 * whether there were any. */
static bool remove_dead(const Body *body, VarUses *uses, Block *block) {
    size_t count = block->statements.count, kept = count;
    bool inner = false;
    for (size_t i = count; i-- > 0;) {
        Stmt *stmt = block->statements.items[i];
        if (is_dead(body, uses, stmt)) {
            lower_forget_assignment(body, uses, stmt);
            continue;
        }
        inner = remove_dead(body, uses, &stmt->body) || inner;
        if (stmt->otherwise != NULL) inner = remove_dead(body, uses, stmt->otherwise) || inner;
        block->statements.items[--kept] = stmt;
    }
    if (kept > 0) memmove(block->statements.items, block->statements.items + kept, (count - kept) * sizeof(Stmt *));
    block->statements.count = count - kept;
    return inner || kept > 0;
}

Body lower_body_copy(Arena *arena, const Body *body) {
    Body copy = *body;
    copy.vars.capacity = copy.vars.count;
    copy_block(arena, &copy.block);
    return copy;
}

void lower_prune(Arena *arena, Body *body) {
    VarUses *uses = lower_count_uses(arena, body);
    while (remove_dead(body, uses, &body->block)) continue;
}
