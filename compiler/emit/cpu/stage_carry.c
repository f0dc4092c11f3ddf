/* Loops that hand an element to the next iteration (lower/carry.c). `first = ends[i - 1]` under `if (i > 0)`, beside ends[i]:
 *
 *     {
 *         const int64_t i_begin = …, i_end = …;
 *         const int64_t i_cut = hp5_max(i_begin, hp5_min(1, i_end));
 *         for (int64_t i = i_begin; i < i_cut; i++) {
 *             …                                        (the condition does not hold)
 *         }
 *         int32_t ends_before = i_cut < i_end ? ends[i_cut - 1] : 0;
 *         for (int64_t i = i_cut; i < i_end; i++) {
 *             first = ends_before;
 *             …                                        (the condition holds)
 *             ends_before = ends[i];
 *         }
 *     }
 *
 * Without an `if` there is the second loop alone. */
#include "compiler/emit/cpu/stage.h"

/* The first index at which the guard's condition holds. */
static char *guard_bound(Writer *writer, const Expr *condition) {
    return condition->op == OP_GE ? writer_expr(writer, condition->right) : writer_after(writer, condition->right);
}

static void print_copy(Writer *writer, const Nest *nest, const char *index, const char *begin, const char *end, bool holds, int indent) {
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, begin, index, end, index);
    const Stmt *outer_decided = writer->decided;
    const bool outer_decision = writer->decision;
    writer->decided = nest->carry->guard;
    writer->decision = holds;
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer->decided = outer_decided;
    writer->decision = outer_decision;
}

void writer_carrying_loop(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Carry *carry = nest->carry;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1];
    const Var *var = loop->index->var;
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *index = writer_declare(writer, var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_begin", index));
    const char *last = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    const char *known = writer_fresh(writer, arena_printf(arena, "%s_before", emit_symbol(writer->emit, carry->before->var)));
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    if (carry->guard) {
        const char *cut = writer_fresh(writer, arena_printf(arena, "%s_cut", index));
        writer_line(writer, inside, "const int64_t %s = hp5_max(%s, hp5_min(%s, %s));", cut, first,
                    guard_bound(writer, carry->guard->value), last);
        print_copy(writer, nest, index, first, cut, false, inside);
        writer_line(writer, inside, "}");
        first = cut;
    }
    vec_push(arena, &writer->scope, ((ScopeName){var, first}));
    const char *element = writer_expr(writer, carry->before);
    writer->scope.count--;
    const char *c_type = emit_storage_type(writer->emit, carry->before->var->type->element);
    writer_line(writer, inside, "%s = %s < %s ? %s : 0;", emit_declarator(arena, c_type, known), first, last, element);
    const Expr *outer_carried = writer->carried;
    const char *outer_name = writer->carried_name;
    writer->carried = carry->before;
    writer->carried_name = known;
    print_copy(writer, nest, index, first, last, true, inside);
    writer->carried = outer_carried;
    writer->carried_name = outer_name;
    writer_line(writer, inside + 4, "%s = %s;", known, writer_expr(writer, carry->now));
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}
