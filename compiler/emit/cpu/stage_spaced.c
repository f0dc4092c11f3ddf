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

/* A subscript less the term that moves. */
static const char *offset_of(Writer *writer, const Expr *subscript, const Expr *term) {
    if (lower_expr_equal(subscript, term)) return "0";
    const bool left = subscript->left->kind == EXPR_VAR ? lower_expr_equal(subscript->left, term) : lower_expr_mentions(subscript->left, term->var);
    const char *rest = offset_of(writer, left ? subscript->left : subscript->right, term);
    const Expr *added = left ? subscript->right : subscript->left;
    if (subscript->op == OP_ADD && strcmp(rest, "0") == 0) return writer_expr(writer, added);
    return arena_printf(writer->arena, "%s %c %s", rest, subscript->op == OP_ADD ? '+' : '-', writer_expr_primary(writer, added));
}

static const char *condition_of(Writer *writer, const Nest *nest, const char *begin, const char *end) {
    const char *condition = NULL;
    for (size_t i = 0; i < nest->spaced->pairs.count; i++) {
        const SpacedPair *pair = &nest->spaced->pairs.items[i];
        const int fastest = lower_fastest_dimension(writer->use, pair->one);
        const Expr *one = pair->one->arguments.items[fastest], *other = pair->other->arguments.items[fastest], *term = lower_moving_term(nest, one);
        const char *apart = arena_printf(writer->arena, "hp5_are_apart(%s, %s, %s - %s)", offset_of(writer, one, term), offset_of(writer, other, term), end, begin);
        if (condition && strstr(condition, apart)) continue; /* arrays that lie alike */
        condition = condition ? arena_printf(writer->arena, "%s && %s", condition, apart) : apart;
    }
    return condition;
}

static void print_copy(Writer *writer, const Nest *nest, const char *begin, const char *end, bool in_vectors, void (*print)(Writer *writer, const void *data, int indent), const void *data, int indent) {
    const bool outside = writer->names.in_vectors;
    const char *index = writer_find(writer, nest_innermost(nest)->index->var);
    writer->names.in_vectors = in_vectors;
    if (in_vectors) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, begin, index, end, index);
    print(writer, data, indent + 4);
    writer_line(writer, indent, "}");
    writer->names.in_vectors = outside;
}

void writer_spaced_rounds(Writer *writer, const Nest *nest, const char *begin, const char *end, void (*print)(Writer *writer, const void *data, int indent), const void *data, int indent) {
    const size_t mark = writer->scope.count;
    const char *condition = condition_of(writer, nest, begin, end);
    writer_declare(writer, nest_innermost(nest)->index->var);
    writer_line(writer, indent, "if (%s) {", condition);
    print_copy(writer, nest, begin, end, true, print, data, indent + 4);
    writer_line(writer, indent, "} else {");
    print_copy(writer, nest, begin, end, false, print, data, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void print_body(Writer *writer, const void *data, int indent) { writer_block(writer, &((const Nest *)data)->stmt->body, indent); }

void writer_spaced_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_spaced_rounds(writer, nest, first, last, print_body, nest, indent + 4);
    writer_line(writer, indent, "}");
}
