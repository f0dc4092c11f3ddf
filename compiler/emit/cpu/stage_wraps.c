/* Loops in pieces in which remainders of sums with their index move with it (lower/wraps.c):
 *
 *     for (int64_t j_first = …, j_end = …, j_stop; j_first < j_end; j_first = j_stop) {
 *         j_stop = j_end;
 *         const int64_t remainder = hp5_modulo(i + rows - 1, rows, …);
 *         const int64_t j_more = hp5_wrap(j_first + columns - 1, columns, j_first, &j_stop, …);
 *         HP5_INDEPENDENT
 *         for (int64_t j = j_first; j < j_stop; j++) {
 *             …                                        remainder for (i + rows - 1) % rows, j + j_more for (j + columns - 1) % columns
 *         }
 *     } */
#include <string.h>

#include "compiler/emit/cpu/stage.h"

typedef VEC(EmitKnown) Knowns;

static void know(Writer *writer, Knowns *knowns, const Expr *expr, const char *text, bool sum) {
    vec_push(writer->arena, knowns, ((EmitKnown){expr, text, sum}));
}

static const char *position(Writer *writer, const Expr *expr) {
    const char *file = writer->emit->source_name;
    return arena_printf(writer->arena, "%s, %d", emit_string_literal(writer->arena, file, strlen(file)), emit_line(writer->emit, expr->span));
}

static void print_fixed(Writer *writer, const Wraps *wraps, Knowns *knowns, int indent) {
    for (size_t i = 0; i < wraps->fixed.count; i++) {
        const Expr *expr = wraps->fixed.items[i];
        const char *name = writer_fresh(writer, expr->op == OP_DIV ? "quotient" : "remainder");
        writer_line(writer, indent, "const int64_t %s = %s;", name, writer_expr(writer, expr));
        know(writer, knowns, expr, name, false);
    }
}

/* What locals are at the piece's first index. */
static void print_locals(Writer *writer, const Wraps *wraps, int indent) {
    for (size_t i = 0; i < wraps->locals.count; i++) {
        const Stmt *stmt = wraps->locals.items[i];
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_first", stmt->target->var->name));
        writer_line(writer, indent, "const int64_t %s = %s;", name, writer_expr(writer, stmt->value));
        vec_push(writer->arena, &writer->scope, ((ScopeName){stmt->target->var, name}));
    }
}

/* `index`: what stands for it in front of the piece is its first value. */
static void print_moving(Writer *writer, const Wraps *wraps, const Var *index, const char *first, const char *stop, Knowns *knowns, const char *name, int indent) {
    const size_t mark = writer->scope.count;
    vec_push(writer->arena, &writer->scope, ((ScopeName){index, first}));
    print_locals(writer, wraps, indent);
    for (size_t i = 0; i < wraps->moving.count; i++) {
        const Expr *expr = wraps->moving.items[i];
        const char *sum = writer_expr(writer, expr->left), *by = writer_expr(writer, expr->right);
        const char *more = writer_fresh(writer, arena_printf(writer->arena, "%s_more", index->name));
        writer_line(writer, indent, "const int64_t %s = hp5_wrap(%s, %s, %s, &%s, %s);", more, sum, by, first, stop, position(writer, expr));
        know(writer, knowns, expr, arena_printf(writer->arena, "%s + %s", name, more), true);
    }
    writer->scope.count = mark;
}

/* ---- Locals that remainders alone are made of: nothing reads them in the piece ------------------------------------ */

static bool reads(const Wraps *wraps, const Expr *expr, const Var *var) {
    if (expr == NULL) return false;
    for (size_t i = 0; i < wraps->moving.count; i++)
        if (lower_expr_equal(expr, wraps->moving.items[i])) return false;
    bool found = expr->kind == EXPR_VAR && expr->var == var;
    for (size_t i = 0; i < expr->arguments.count && !found; i++) found = reads(wraps, expr->arguments.items[i], var);
    return found || reads(wraps, expr->left, var) || reads(wraps, expr->right, var);
}

static bool is_local(const Wraps *wraps, const Stmt *stmt) {
    for (size_t i = 0; i < wraps->locals.count; i++)
        if (wraps->locals.items[i] == stmt) return true;
    return false;
}

static bool block_reads(const Wraps *wraps, const Block *block, const Var *var) {
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const bool target = stmt->target != NULL && stmt->target->kind != EXPR_VAR && reads(wraps, stmt->target, var);
        if (target || (!is_local(wraps, stmt) && reads(wraps, stmt->value, var)) || block_reads(wraps, &stmt->body, var) || block_reads(wraps, stmt->otherwise, var)) return true;
    }
    return false;
}

static bool is_left_out(const Wraps *wraps, const bool *needed, const Stmt *assignment, const Var *local) {
    for (size_t i = 0; i < wraps->locals.count; i++)
        if (!needed[i] && (wraps->locals.items[i] == assignment || wraps->locals.items[i]->target->var == local)) return true;
    return false;
}

/* Those made of others stand behind them. */
static Block body_of_piece(Writer *writer, const Nest *nest) {
    const Wraps *wraps = nest->wraps;
    const Block *body = &nest->stmt->body;
    bool *needed = ARENA_ARRAY(writer->arena, bool, wraps->locals.count + 1);
    for (size_t i = wraps->locals.count; i-- > 0;) {
        const Var *var = wraps->locals.items[i]->target->var;
        needed[i] = block_reads(wraps, body, var);
        for (size_t k = i + 1; k < wraps->locals.count; k++) needed[i] = needed[i] || (needed[k] && reads(wraps, wraps->locals.items[k]->value, var));
    }
    Block piece = {.span = body->span};
    for (size_t i = 0; i < body->locals.count; i++)
        if (!is_left_out(wraps, needed, NULL, body->locals.items[i])) vec_push(writer->arena, &piece.locals, body->locals.items[i]);
    for (size_t i = 0; i < body->statements.count; i++)
        if (!is_left_out(wraps, needed, body->statements.items[i], NULL)) vec_push(writer->arena, &piece.statements, body->statements.items[i]);
    return piece;
}

/* ---- The loop --------------------------------------------------------------------------------------------------- */

void writer_wrapped_loop(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *innermost = nest_innermost(nest);
    const Var *index = innermost->index->var;
    const char *base = emit_symbol(writer->emit, index);
    const size_t mark = writer->scope.count;
    char *begin, *end;
    writer_loop_bounds(writer, innermost, NULL, &begin, &end);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", base)), *last = writer_fresh(writer, arena_printf(arena, "%s_end", base));
    const char *stop = writer_fresh(writer, arena_printf(arena, "%s_stop", base));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s, %s; %s < %s; %s = %s) {", first, begin, last, end, stop, first, last, first, stop);
    writer_line(writer, indent + 4, "%s = %s;", stop, last);
    const EmitKnowns outside = writer->names.known;
    Knowns knowns = {0};
    const char *name = writer_declare(writer, index);
    print_fixed(writer, nest->wraps, &knowns, indent + 4);
    print_moving(writer, nest->wraps, index, first, stop, &knowns, name, indent + 4);
    writer_line(writer, indent + 4, "HP5_INDEPENDENT");
    writer_line(writer, indent + 4, "for (int64_t %s = %s; %s < %s; %s++) {", name, first, name, stop, name);
    writer->names.known = (EmitKnowns){knowns.items, knowns.count};
    const Block piece = body_of_piece(writer, nest);
    writer_block(writer, &piece, indent + 8);
    writer->names.known = outside;
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}
