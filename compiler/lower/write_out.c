/* Short sequential loops around neighbours on a ring:
 *
 *     do in sequence {
 *         do in sequence {
 *             if (p != 0 or q != 0) { near = near + u[(i + p + rows) % rows][(j + q + columns) % columns] }
 *         } for q in [-1...1]
 *     } for p in [-1...1]
 *
 * Their rounds stand one behind the other here already, each with its numbers in the place of the indices, so that what is divided can be seen (wraps.c). Conditions that are known
 * then are decided. (C compilers write out short loops of other kinds by themselves.)
 *
 * Needs: a use of its own, whose body's blocks and variables may be changed, and its gathers. Gives: bodies without such loops, and more locals; of a subscript that is known by itself (StageUse.gathers), its copies are, too. */
#include "compiler/lower/passes.h"
#include "compiler/lower/known_integers.h"
#include "compiler/lower/round_copy.h"
#include "compiler/lower/rounds.h"

enum { MOST_ROUNDS = 8, MOST_STATEMENTS = 64 };

/* ---- Which loops -------------------------------------------------------------------------------------------- */

typedef struct Looked { const Var *index; size_t statements; bool plain, divides; } Looked;

static void look_at_expr(void *data, const Expr *expr) {
    Looked *looked = data;
    const bool division = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER && expr->right->kind != EXPR_INTEGER;
    looked->divides |= division && lower_expr_mentions(expr->left, looked->index);
}

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    looked->statements++;
    looked->plain &= stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || (stmt->kind == STMT_SEQUENCE && lower_short_rounds(stmt) > 0);
}

static bool is_small(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer > -SMALL_LITERAL && expr->integer < SMALL_LITERAL; }

static bool is_to_write_out(void *data, const Stmt *stmt) {
    (void)data;
    if (stmt->kind != STMT_SEQUENCE || stmt->step || stmt->value->kind != EXPR_RANGE || !is_small(stmt->value->left) || !is_small(stmt->value->right)) return false;
    const int rounds = lower_short_rounds(stmt);
    Looked looked = {.index = stmt->index, .plain = rounds > 0 && rounds <= MOST_ROUNDS};
    if (looked.plain) lower_walk_block(&(Walk){look_at_expr, look_at_stmt, &looked}, &stmt->body);
    return looked.plain && looked.divides && looked.statements * (size_t)rounds <= MOST_STATEMENTS;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

typedef struct Chosen { Arena *arena; StageUse *use; Body *body; bool (*is_chosen)(void *data, const Stmt *stmt); void *data; } Chosen;

static void write_out(const Chosen *chosen, Block *block);

static void add_loop(const Chosen *chosen, const Stmt *stmt, Block *block) {
    Block rounds = {0};
    Rounds known = {0};
    lower_known_rounds(NULL, stmt, &known);
    for (int64_t round = 0; round < known.count; round++)
        lower_copy_round(&(RoundCopy){.arena = chosen->arena, .use = chosen->use, .body = chosen->body, .index = stmt->index, .value = known.first + round * known.step}, &stmt->body, &rounds);
    write_out(chosen, &rounds);
    for (size_t i = 0; i < rounds.locals.count; i++) vec_push(chosen->arena, &block->locals, rounds.locals.items[i]);
    for (size_t i = 0; i < rounds.statements.count; i++) vec_push(chosen->arena, &block->statements, rounds.statements.items[i]);
}

static void write_out(const Chosen *chosen, Block *block) {
    const StmtVec old = block->statements;
    block->statements = (StmtVec){0};
    for (size_t i = 0; i < old.count; i++) {
        Stmt *stmt = old.items[i];
        Rounds known;
        if (chosen->is_chosen(chosen->data, stmt) && lower_known_rounds(NULL, stmt, &known)) {
            add_loop(chosen, stmt, block);
            continue;
        }
        write_out(chosen, &stmt->body);
        if (stmt->otherwise) write_out(chosen, stmt->otherwise);
        vec_push(chosen->arena, &block->statements, stmt);
    }
}

static void in_parallel_loops(const Chosen *chosen, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) write_out(chosen, &stmt->body);
        else in_parallel_loops(chosen, &stmt->body);
        if (stmt->otherwise) in_parallel_loops(chosen, stmt->otherwise);
    }
}

void lower_write_out_loops(Arena *arena, StageUse *use, Body *body, bool (*is_chosen)(void *data, const Stmt *stmt), void *data) {
    in_parallel_loops(&(Chosen){arena, use, body, is_chosen, data}, &body->block);
}

void lower_write_out(Arena *arena, StageUse *use, Body *body) { lower_write_out_loops(arena, use, body, is_to_write_out, NULL); }
