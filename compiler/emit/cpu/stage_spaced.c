/* Loops whose rounds come to elements that lie some way apart (lower/spaced.c): in vectors where that is as far as they go.
 *
 *     {
 *         const int64_t q_begin = …, q_end = …;
 *         if (hp5_are_apart(p, p + h, q_end - q_begin)) {
 *             HP5_INDEPENDENT
 *             for (int64_t q = q_begin; q < q_end; q++) {
 *                 …                                          x[q + p], x[q + p + h]
 *             }
 *         } else {
 *             for (int64_t q = q_begin; q < q_end; q++) {
 *                 …
 *             }
 *         }
 *     } */
#include <string.h>

#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/passes.h"

/* A subscript less the index. */
static const char *offset_of(Writer *writer, const Expr *subscript, const Var *index) {
    if (subscript->kind == EXPR_VAR) return "0";
    const bool left = lower_expr_mentions(subscript->left, index);
    const char *rest = offset_of(writer, left ? subscript->left : subscript->right, index);
    const Expr *added = left ? subscript->right : subscript->left;
    if (subscript->op == OP_ADD && strcmp(rest, "0") == 0) return writer_expr(writer, added);
    return arena_printf(writer->arena, "%s %c %s", rest, subscript->op == OP_ADD ? '+' : '-', writer_expr_primary(writer, added));
}

static const char *condition_of(Writer *writer, const Nest *nest, const char *begin, const char *end) {
    const Var *index = nest_innermost(nest)->index->var;
    const char *condition = NULL;
    for (size_t i = 0; i < nest->spaced->pairs.count; i++) {
        const SpacedPair *pair = &nest->spaced->pairs.items[i];
        const int fastest = lower_fastest_dimension(writer->use, pair->one);
        const char *one = offset_of(writer, pair->one->arguments.items[fastest], index), *other = offset_of(writer, pair->other->arguments.items[fastest], index);
        const char *apart = arena_printf(writer->arena, "hp5_are_apart(%s, %s, %s - %s)", one, other, end, begin);
        if (condition && strstr(condition, apart)) continue; /* arrays that lie alike */
        condition = condition ? arena_printf(writer->arena, "%s && %s", condition, apart) : apart;
    }
    return condition;
}

static void print_copy(Writer *writer, const Nest *nest, const char *begin, const char *end, bool in_vectors, int indent) {
    const size_t mark = writer->scope.count;
    const bool outside = writer->names.in_vectors;
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    writer->names.in_vectors = in_vectors;
    if (in_vectors) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, begin, index, end, index);
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->names.in_vectors = outside;
    writer->scope.count = mark;
}

void writer_spaced_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_line(writer, inside, "if (%s) {", condition_of(writer, nest, first, last));
    print_copy(writer, nest, first, last, true, inside + 4);
    writer_line(writer, inside, "} else {");
    print_copy(writer, nest, first, last, false, inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}
